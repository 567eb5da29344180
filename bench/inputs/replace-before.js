// A text indexer with a stop list, a stemmer and a highlighter. In replacement texts "$`" stands
// for all that is in front of the match; mujs 1.3 takes only what follows the match before.
"use strict";
var documents = [
  { id: 1, title: "Boats", text: "The boats are sailing slowly along the river and the sea." },
  { id: 2, title: "Trees", text: "Trees grew; a tree grows where no trees had been growing." },
  { id: 3, title: "Roads", text: "All roads lead to other roads, never to the sea." }
];
var stop = {};
"the a an and are all to no had been where along other never".split(" ").forEach(function (word) {
  stop[word] = true;
});
function stem(word) {
  var rules = [[/ies$/, "y"], [/ing$/, ""], [/ly$/, ""], [/([^s])s$/, "$1"]];
  for (var i = 0; i < rules.length; i++) {
    if (rules[i][0].test(word) && word.length > 4) {
      return word.replace(rules[i][0], rules[i][1]);
    }
  }
  return word;
}
function words(text) {
  var found = text.toLowerCase().match(/[a-z]+/g);
  return found === null ? [] : found;
}
function Index() {
  this.entries = Object.create(null);
  this.size = 0;
}
Index.prototype.add = function (doc) {
  var self = this;
  words(doc.text).forEach(function (word, position) {
    if (stop[word]) {
      return;
    }
    var key = stem(word);
    var entry = self.entries[key];
    if (entry === undefined) {
      entry = self.entries[key] = { count: 0, places: [] };
      self.size++;
    }
    entry.count++;
    entry.places.push({ doc: doc.id, at: position });
  });
};
Index.prototype.find = function (query) {
  var scores = {};
  var self = this;
  words(query).map(stem).forEach(function (key) {
    var entry = self.entries[key];
    if (!entry) {
      return;
    }
    for (var i = 0; i < entry.places.length; i++) {
      var id = entry.places[i].doc;
      scores[id] = (scores[id] || 0) + 1 / entry.count;
    }
  });
  return Object.keys(scores).sort(function (a, b) { return scores[b] - scores[a]; });
};
function highlight(text, key) {
  var pieces = text.split(" ");
  for (var i = 0; i < pieces.length; i++) {
    var bare = pieces[i].replace(/[.,;]/g, "");
    if (stem(bare.toLowerCase()) === key) {
      pieces[i] = "<b>" + pieces[i] + "</b>";
    }
  }
  return pieces.join(" ");
}
function matrix(rows, columns, fill) {
  var result = [];
  for (var r = 0; r < rows; r++) {
    var row = [];
    for (var c = 0; c < columns; c++) {
      row.push(typeof fill === "function" ? fill(r, c) : fill);
    }
    result.push(row);
  }
  return result;
}
function distance(a, b) {
  var table = matrix(a.length + 1, b.length + 1, function (r, c) { return r === 0 ? c : c === 0 ? r : 0; });
  for (var i = 1; i <= a.length; i++) {
    for (var j = 1; j <= b.length; j++) {
      var same = a.charAt(i - 1) === b.charAt(j - 1) ? 0 : 1;
      table[i][j] = Math.min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + same);
    }
  }
  return table[a.length][b.length];
}
function prefixes(path) {
  return path.replace(/\//g, "|$`/");
}
var index = new Index();
documents.forEach(function (doc) { index.add(doc); });
var report = [];
["sea", "growing trees", "road", "nothing"].forEach(function (query) {
  var ids = index.find(query);
  var best = ids.length ? documents[ids[0] - 1] : null;
  report.push({
    query: query,
    ids: ids,
    text: best ? highlight(best.text, stem(words(query)[0])) : "",
    near: documents.map(function (doc) { return distance(doc.title.toLowerCase(), query); })
  });
});
var paths = ["usr/share/doc", "home", "var/log"];
var expanded = paths.map(prefixes);
if (report[0].ids.length !== 2 || index.size < 5) {
  throw new Error("bad index");
}
if (expanded[0].split("|")[2] !== "usr/share/doc") {
  throw new Error("bad prefix " + expanded[0]);
}
