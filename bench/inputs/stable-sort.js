// A scheduler that sorts tasks by priority and counts on equal ones to stay in their order, as the
// language has demanded since 2019. The sort of Duktape 2.7 is not stable.
function Task(name, priority, run) {
  this.name = name;
  this.priority = priority;
  this.run = run;
  this.done = false;
}
function Queue() {
  this.tasks = [];
  this.ticks = 0;
}
Queue.prototype = {
  add: function (name, priority, run) {
    this.tasks.push(new Task(name, priority, run || function () { return name; }));
    return this;
  },
  sorted: function () {
    return this.tasks.slice().sort(function (a, b) { return b.priority - a.priority; });
  },
  step: function () {
    this.ticks += 1;
    var order = this.sorted();
    for (var i = 0; i < order.length; i++) {
      var task = order[i];
      if (!task.done) {
        task.done = true;
        return task.run(this);
      }
    }
    return null;
  },
  get left() {
    var n = 0;
    for (var i = 0; i < this.tasks.length; i++) {
      if (!this.tasks[i].done) {
        n++;
      }
    }
    return n;
  }
};
function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
var queue = new Queue();
queue.add("read", 2).add("parse", 1).add("check", 1).add("emit", 1, function (q) { return "emit" + q.left; });
queue.add("log", 0, function () { return String(fibonacci(7)); });
queue.add("free", 1);
var seen = [];
for (var next = queue.step(); next !== null; next = queue.step()) {
  seen.push(next);
  if (queue.ticks > 100) {
    throw new Error("never ends");
  }
}
var summary = {};
seen.forEach(function (name, at) {
  summary[name] = { at: at, length: name.length, odd: at % 2 === 1 };
});
var names = queue.sorted().map(function (task) { return task.name; });
if (names[0] === "read" && names.join(" ") !== "read parse check emit free log") {
  throw new Error("not stable");
}
