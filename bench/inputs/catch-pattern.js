// A tokenizer for a small language. Duktape 2.7 does not know a pattern after catch.
var source = "let total = price * (count + 2.5) / 'none'; emit total";
var rules = [
  { kind: "space", test: /^\s+/, skip: true },
  { kind: "number", test: /^\d+(\.\d+)?/, value: parseFloat },
  { kind: "word", test: /^[a-z]+/, value: function (word) { return word; } },
  { kind: "string", test: /^'[^']*'/, value: function (text) { return text.slice(1, -1); } },
  { kind: "mark", test: /^[=*()+\/;]/ }
];
function scan(text) {
  var found = [];
  var start = 0;
  while (start < text.length) {
    var rest = text.substring(start);
    var matched = null;
    for (var i = 0; i < rules.length && !matched; i++) {
      var match = rules[i].test.exec(rest);
      if (match) {
        matched = { rule: rules[i], text: match[0] };
      }
    }
    if (!matched) {
      throw { message: "no token", position: start };
    }
    if (!matched.rule.skip) {
      var value = matched.rule.value ? matched.rule.value(matched.text) : matched.text;
      found.push([matched.rule.kind, value]);
    }
    start += matched.text.length;
  }
  return found;
}
function count(tokens, kind) {
  return tokens.filter(function (token) { return token[0] === kind; }).length;
}
var tokens = [];
var failures = 0;
do {
  try {
    tokens = tokens.concat(scan(failures ? source : source + " ?"));
  } catch ({ message, position }) {
    failures += message === "no token" && position > 0 ? 1 : 2;
  }
} while (failures === 1 && tokens.length === 0);
if (count(tokens, "word") !== 6 || count(tokens, "number") > 1) {
  throw new Error("miscounted " + tokens.join("|"));
}
