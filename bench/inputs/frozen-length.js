// A ring buffer of fixed size. mujs 1.3 does not let an array's length be made read-only.
var Ring = (function () {
  function fixed(list) {
    var kept = list.slice();
    try {
      if (kept.length > 0) {
        Object.defineProperty(kept, "length", { writable: false });
      }
    } finally {
      Ring.made = (Ring.made || 0) + 1;
    }
    return kept;
  }
  function Ring(size) {
    var empty = [];
    while (empty.length < size) {
      empty.push(null);
    }
    this.items = fixed(empty);
    this.at = 0;
  }
  Ring.prototype = {
    push: function (item) {
      this.items[this.at % this.items.length] = item;
      this.at += 1;
      return this;
    },
    last: function (count) {
      var found = [];
      for (var i = 1; i <= Math.min(count, this.at); i++) {
        found.unshift(this.items[(this.at - i) % this.items.length]);
      }
      return found;
    }
  };
  return Ring;
})();
var events = { seen: 0, kinds: { key: /^key-\w+$/, mouse: /^mouse-(up|down)$/i } };
function kindOf(event) {
  for (var kind in events.kinds) {
    if (events.kinds[kind].test(event)) {
      return kind;
    }
  }
  return event ? "other" : "none";
}
var ring = new Ring(4);
["key-a", "mouse-up", "key-b", "scroll", "Mouse-Down"].forEach(function (event, index) {
  events.seen = index;
  ring.push({ kind: kindOf(event), name: event, even: index % 2 === 0 });
});
var last = ring.last(3).map(function (one) { return one.kind; }).join(" ");
if (last !== "key other mouse") {
  throw new Error("unexpected: " + last);
}
