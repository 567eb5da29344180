// A glob matcher made of regular expressions. A star of something that may be empty is no endless
// loop, but mujs 1.3 says it is.
var patterns = ["*.js", "src/**/test", "a?c"];
var names = ["main.js", "src/x/test", "abc", "src/y.js"];
var cache = {};
function compile(glob) {
  if (cache.hasOwnProperty(glob)) {
    return cache[glob];
  }
  var out = "^";
  for (var i = 0; i < glob.length; i++) {
    var c = glob.charAt(i);
    if (c === "*") {
      out += glob.charAt(i + 1) === "*" ? (i++, ".*") : "[^/]*";
    } else if (c === "?") {
      out += "[^/]";
    } else if (/[a-z0-9]/i.test(c)) {
      out += c;
    } else {
      out += "\\" + c;
    }
  }
  return (cache[glob] = new RegExp(out + "$"));
}
var hits = [];
patterns.forEach(function (pattern) {
  names.filter(function (name) { return compile(pattern).test(name); })
    .forEach(function (name) { hits.push([pattern, name]); });
});
var words = "alpha  beta".split(" ").filter(Boolean);
do {
  var word = words.pop();
  var tail = /(?:[xyz]*)*$/.exec(word);
  hits.push(tail.index);
} while (words.length > 0 && hits.length < 20);
