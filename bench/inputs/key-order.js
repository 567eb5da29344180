// A small template engine that relies on the order in which keys were added. mujs 1.3 gives keys
// back in the order of the alphabet.
(function () {
  var templates = {
    page: "<h1>{title}</h1><ul>{items}</ul><p>{footer}</p>",
    item: "<li class='{kind}'>{text}</li>"
  };
  function Context(values, parent) {
    this.values = values;
    this.parent = parent || null;
  }
  Context.prototype.lookup = function (name) {
    for (var at = this; at !== null; at = at.parent) {
      if (Object.prototype.hasOwnProperty.call(at.values, name)) {
        return at.values[name];
      }
    }
    return undefined;
  };
  function render(name, context) {
    var text = templates[name];
    var out = "";
    var start = 0;
    while (true) {
      var open = text.indexOf("{", start);
      if (open < 0) {
        out += text.slice(start);
        break;
      }
      var close = text.indexOf("}", open);
      out += text.slice(start, open);
      var value = context.lookup(text.slice(open + 1, close));
      out += value === undefined ? "" : String(value);
      start = close + 1;
    }
    return out;
  }
  function escapeText(text) {
    return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  }
  function group(list, key) {
    var found = {};
    for (var i = 0; i < list.length; i++) {
      var name = list[i][key];
      if (!(name in found)) {
        found[name] = [];
      }
      found[name].push(list[i]);
    }
    return found;
  }
  var entries = [
    { kind: "new", text: "zebra & co", weight: 3 },
    { kind: "new", text: "apple", weight: 1 },
    { kind: "hot", text: "mango <3", weight: 2 },
    { kind: "cold", text: "ice", weight: 9 }
  ];
  var root = new Context({ title: "Stock", footer: "end" });
  var html = "";
  var kinds = Object.keys(group(entries, "kind"));
  for (var k = 0; k < kinds.length; k++) {
    var some = group(entries, "kind")[kinds[k]];
    some.sort(function (a, b) { return a.weight - b.weight; });
    for (var i = 0; i < some.length; i++) {
      html += render("item", new Context({ kind: kinds[k], text: escapeText(some[i].text) }, root));
    }
  }
  root.values.items = html;
  var page = render("page", root);
  if (page.indexOf("apple") < 0 || page.length < 40) {
    throw new Error("incomplete page");
  }
  if (kinds.join() !== "new,hot,cold") {
    throw new Error("wrong order: " + kinds.join());
  }
})();
