// Parses version strings. A group inside a repeated group is not forgotten by mujs 1.3 when the
// repetition does not match it any more.
var versions = ["1.2.3-rc1", "2.0", "3.1.4"];
function parse(text) {
  var match = /^(\d+)(?:\.(\d+))?/.exec(text);
  if (!match) {
    return null;
  }
  return { major: +match[1], minor: match[2] === undefined ? 0 : +match[2] };
}
var parsed = [];
for (var i in versions) {
  parsed.push(parse(versions[i]));
}
var tags = /(z)((a+)?(b+)?(c))*/.exec("zaacbbbcac");
if (parsed.length === 3 && parsed[2].minor === 1) {
  if (tags[4] !== undefined) {
    throw new Error("stale group " + tags[4]);
  }
}
