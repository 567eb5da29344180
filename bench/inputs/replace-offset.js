// A tokenizer that counts columns while it replaces tabs. mujs 1.3 passes the offset of each match
// from the end of the one before, not from the start of the text.
var source = "let\tx = 1;\n\tif (x) {\n\t\tprint(x);\t// done\n\t}\n";
var options = { width: 4, trim: true, keep: ["string", "comment"] };
function Line(number, text) {
  this.number = number;
  this.text = text;
  this.columns = [];
}
Line.prototype.length = function () {
  return this.text.length;
};
function pad(n) {
  var s = "";
  while (s.length < n) {
    s += " ";
  }
  return s;
}
function expand(line) {
  return line.text.replace(/\t/g, function (match, offset) {
    line.columns.push(offset);
    return pad(options.width);
  });
}
var lines = source.split("\n");
var total = 0;
for (var i = 0; i < lines.length; i++) {
  var line = new Line(i + 1, lines[i]);
  var wide = expand(line);
  total += wide.length;
  if (options.trim && wide.length === 0) {
    continue;
  }
  for (var j = 1; j < line.columns.length; j++) {
    if (line.columns[j] <= line.columns[j - 1]) {
      throw new Error("columns do not grow");
    }
  }
}
if (total < 10) {
  throw new Error("too short: " + total);
}
