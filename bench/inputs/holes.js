// A sparse grid. A hole in an array literal is no element, but mujs 1.3 makes it one.
var grid = {
  rows: [[1, , 3], [, 2, ,], [7, 8, 9]],
  count: function () {
    var n = 0;
    for (var r = 0; r < this.rows.length; r++) {
      for (var c in this.rows[r]) {
        if (this.rows[r].hasOwnProperty(c)) {
          n += 1;
        }
      }
    }
    return n;
  }
};
var filled = grid.count();
var label = filled > 6 ? "many" : "few";
if (filled !== 6) {
  throw new RangeError("counted " + filled + " " + label);
}
