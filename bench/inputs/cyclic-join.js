// A registry of parts. An array that holds itself has a text, but mujs 1.3 runs out of stack.
var registry = { parts: [], names: {}, missed: 0 };
function Part(name, weight) {
  this.name = name;
  this.weight = weight || 1;
  this.children = [];
}
Part.prototype.add = function (child) {
  this.children.push(child);
  registry.names[child.name] = child;
  return this;
};
Part.prototype.total = function () {
  var sum = this.weight;
  for (var i = 0; i < this.children.length; i++) {
    sum += this.children[i].total();
  }
  return sum;
};
function find(name) {
  if (!(name in registry.names)) {
    registry.missed++;
    return null;
  }
  return registry.names[name];
}
function describe(parts) {
  var lines = [];
  for (var i = 0; i < parts.length; i++) {
    if (parts[i] instanceof Part) {
      lines.push(parts[i].name + ": " + parts[i].total());
    } else {
      switch (typeof parts[i]) {
        case "object": lines.push("(" + parts[i] + ")"); break;
        default: lines.push(String(parts[i]));
      }
    }
  }
  return lines.join("\n");
}
var car = new Part("car", 900);
var wheels = ["left", "right"].map(function (side) { return new Part(side + " wheel", 12); });
for (var w = 0; w < wheels.length; w++) {
  car.add(wheels[w]);
}
registry.parts.push(car);
registry.parts.push(registry.parts);
var text = describe(registry.parts);
if (find("left wheel") === null || text.length < 3) {
  throw new TypeError("no wheel");
}
