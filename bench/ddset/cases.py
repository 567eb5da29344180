"""Real failures of real programs, for DDSET: small inputs, and tests with the verdict protocol.

The search was tuned on these and those of `ddset_parser_cases`, which have no grammar;
`ddset_held_out` has those that it was not.
"""

from __future__ import annotations

from typing import Final

from bench.ddset.failure import LIMIT, Failure, differs, python, runs

_DUPLICATE_KEYS: Final = """
import json, sys
lost = False
def members(pairs):
    global lost
    lost = lost or len(dict(pairs)) < len(pairs)
    return dict(pairs)
try:
    with open(sys.argv[1], encoding="utf-8") as file:
        json.load(file, object_pairs_hook=members)
except (ValueError, RecursionError):
    sys.exit(125)
sys.exit(not lost)
"""

_NAMESPACE: Final = """
import sys
from xml.etree import ElementTree
try:
    root = ElementTree.parse(sys.argv[1]).getroot()
except (ElementTree.ParseError, ValueError, LookupError):
    sys.exit(125)
space = root.tag[1:].partition("}")[0] if root.tag[0] == "{" else ""
if not space:
    sys.exit(1)
try:
    ElementTree.tostring(root, default_namespace=space)
except ValueError:
    sys.exit(0)
sys.exit(1)
"""

#: Words that make find change files or start programs, and places outside of the test's directory.
_FIND: Final = r"""
import shlex, subprocess, sys, os
try:
    words = shlex.split(open(sys.argv[1]).read())
except ValueError:
    sys.exit(125)
harmful = ("-exec", "-ok", "-delete", "-fprint", "-fls", "-files0", "/", "~")
if not words or words[0] != "find" or any(
    one.startswith(harmful) or ".." in one or "\0" in one for one in words
):
    sys.exit(125)
os.makedirs("tree/pruned/below", exist_ok=True)
def run(words):
    ended = subprocess.run(words, cwd="tree", capture_output=True)
    if ended.returncode == -9:
        sys.exit(124)
    if ended.returncode or ended.stderr:
        sys.exit(125)
    return set(ended.stdout.split())
deep = run(words)
shallow = run(["-true" if one in ("-depth", "-d") else one for one in words])
sys.exit(not deep - shallow)
"""

_GREP: Final = r"""
import shlex, subprocess, sys
try:
    words = list(shlex.shlex(open(sys.argv[1]).read(), posix=True, punctuation_chars="|<>"))
except ValueError:
    sys.exit(125)
if any(one[0:1] in "/~<>" or ".." in one or "\0" in one for one in words if one):
    sys.exit(125)
text = b""
if "|" in words:
    at = words.index("|")
    text = " ".join(words[1:at]).encode() + b"\n"
    words = words[at + 1 :]
if not words or words[0] not in ("grep", "egrep") or "|" in words:
    sys.exit(125)
ended = subprocess.run(words, input=text, capture_output=True)
if ended.returncode == -9:
    sys.exit(124)
if b"MESSAGE" in ended.stderr:
    sys.exit(0)
sys.exit(125 if ended.returncode > 1 else 1)
"""

FAILURES: Final = (
    Failure(
        "lua-index-loop",
        "lua",
        "input.lua",
        "Lua 5.3: a table that is its own __index is searched 2,000 times, then gives an error",
        """\
local Account = {}
local accounts = setmetatable({}, {__mode = "k"})
setmetatable(Account, {__index = Account})
function Account.new(balance)
  local self = {balance = balance}
  accounts[self] = true
  return self
end
print(Account.new(10).balance)
print(Account.owner)
""",
        runs('lua5.3 "$1"', "chain too long"),
        ("lua5.3",),
    ),
    Failure(
        "lua-for-step",
        "lua",
        "input.lua",
        "Lua 5.4: a loop with a step of 0 is an error; in Lua 5.3 it goes on for ever",
        """\
local total = 0
for i = 10, 1, -1 do total = total + i end
for i = 1, 3, 0 do
  total = total - i
  if total < 0 then break end
end
print(total)
""",
        runs('lua5.4 "$1"', "step is zero"),
        ("lua5.4",),
    ),
    Failure(
        "lua-goto-scope",
        "lua",
        "input.lua",
        "Lua 5.4: goto continue is refused once a local variable stands before the label",
        """\
for i = 1, 10 do
  if i % 2 == 0 then goto continue end
  local half = i / 2
  print(half)
  ::continue::
  print(i)
end
""",
        'exec lua5.4 -e \'local f, m = loadfile("\'"$1"\'")\n'
        "if f then os.exit(1) end\n"
        'os.exit(m:find("jumps into the scope", 1, true) and 0 or 125)\' < /dev/null\n',
        ("lua5.4",),
    ),
    Failure(
        "mujs-arguments",
        "javascript",
        "input.js",
        "MuJS: an assignment to arguments[0] does not change the parameter",
        """\
function twice(x) {
  arguments[0] = x * 2;
  if (x !== 8) throw "not the same";
  return x;
}
var results = [];
results.push(twice(4));
""",
        differs("mujs", "duk", "not the same"),
        ("mujs", "duk"),
    ),
    Failure(
        "mujs-holes",
        "javascript",
        "input.js",
        "MuJS: a hole in an array literal is an element",
        """\
var primes = [2, 3, , 7];
var count = 0;
for (var i = 0; i < primes.length; i++) {
  if (primes.hasOwnProperty(i)) count++;
}
if (count === 4) throw "holes counted";
""",
        differs("mujs", "duk", "holes counted"),
        ("mujs", "duk"),
    ),
    Failure(
        "duk-break-in-finally",
        "javascript",
        "input.js",
        "Duktape: leaving a labelled try statement by break in its finally is an internal error",
        """\
function read(lines) {
  var count = 0;
  done: try {
    if (lines.length) return count + 1;
    count = 2;
  } finally {
    break done;
  }
  return -1;
}
read(["a", "b"]);
""",
        differs("duk", "mujs", "INVALID opcode"),
        ("mujs", "duk"),
    ),
    Failure(
        "guile-export",
        "sexpr",
        "input.scm",
        "Guile 3: export with something else than names fails inside of the module system",
        """\
(define (area w h) (* w h))
(define version 3)
(export area "version")
(display (area 2 version))
""",
        runs('guile --no-auto-compile "$1"', "expecting symbol"),
        ("guile",),
    ),
    Failure(
        "guile-include",
        "sexpr",
        "input.scm",
        "Guile 3: include of something else than a file's name fails inside of the expander",
        """\
(define (square x) (* x x))
(let ((x 3))
  (include 42)
  (display (square x)))
""",
        runs('guile --no-auto-compile "$1"', "string-prefix?: Wrong type"),
        ("guile",),
    ),
    Failure(
        "sqlite-match",
        "sqlite",
        "input.sql",
        "SQLite: MATCH is an operator for any table, but only full-text tables can do it",
        """\
CREATE TABLE notes(title TEXT, body TEXT);
INSERT INTO notes VALUES ('one', 'first'), ('two', 'second');
SELECT title, count(*) FROM notes WHERE body MATCH 'first' GROUP BY title ORDER BY 2;
""",
        runs('sqlite3 -batch < "$1"', "unable to use function MATCH"),
        ("sqlite3",),
    ),
    Failure(
        "jq-implode",
        "json",
        "input.json",
        "jq 1.6: implode on an array that has anything but numbers aborts, or names that error",
        '[72, 105, {"code": [33, 33]}, 46]\n',
        LIMIT
        + 'jq implode "$1" > said 2>&1\ncase $? in 134) exit 0;; 2|4) exit 125;; esac\n'
        + 'grep -q "codepoint needs to be numeric" said && exit 0\nexit 1\n',
        ("jq",),
    ),
    Failure(
        "find-prune",
        "find",
        "input.txt",
        "find: with -depth, -prune does nothing, and what is below a directory is found",
        "find . -depth -name pruned -prune -o -type d -print\n",
        python(_FIND),
        ("find",),
    ),
    Failure(
        "grep-backtracking",
        "grep",
        "input.txt",
        "grep -P: nested quantifiers exceed the backtracking limit on 30 characters",
        "echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab | grep -n -P '(x|a+)+$'\n",
        python(_GREP.replace("MESSAGE", "backtracking limit")),
        ("grep",),
    ),
    Failure(
        "grep-two-patterns",
        "grep",
        "input.txt",
        "grep -P: with two patterns it gives up, as no other kind of pattern does",
        "echo 'key: value' | grep -n -P -e '^key' -i --regexp='value$' -o\n",
        python(_GREP.replace("MESSAGE", "single pattern")),
        ("grep",),
    ),
    Failure(
        "python-json-keys",
        "json",
        "input.json",
        "Python's json: of members with the same name all but one are lost without a word",
        '{"name": "x", "tags": [1, 2, {"id": "a", "n": 0, "id": "b"}], "size": 3}\n',
        python(_DUPLICATE_KEYS),
        (),
    ),
    Failure(
        "python-xml-namespace",
        "xml",
        "input.xml",
        "Python's ElementTree: a default namespace cannot be written if there is an attribute",
        '<list xmlns="urn:x"><item>one</item><item id="2">two</item></list>\n',
        python(_NAMESPACE),
        (),
    ),
    Failure(
        "go-internal-error",
        "go",
        "input.go",
        "Go 1.19: a generic function that makes another instance of its parameter's type",
        """\
package main

type list[T any] struct {
	first *node[T]
}

type node[T any] struct {
	value T
	next  *node[T]
}

func (l *list[T]) push(value T) {
	l.first = &node[T]{value, l.first}
}

func (l *list[T]) each(f func(T)) {
	for n := l.first; n != nil; n = n.next {
		f(n.value)
	}
}

func convert[T, U any](l *list[T], f func(T) U) *list[U] {
	r := &list[U]{}
	l.each(func(v T) { r.push(f(v)) })
	return r
}

func main() {
	l := &list[int]{}
	l.push(3)
	convert(l, func(v int) bool { return v > 2 }).each(func(b bool) { println(b) })
}
""",
        runs('go tool compile -o input.o "$1"', "internal compiler error"),
        ("go",),
    ),
    Failure(
        "node-dead-zone",
        "javascript",
        "input.js",
        "Node: even typeof cannot look at a name before its let",
        """\
function pick(options) {
  if (typeof fallback === "undefined") {
    return options[0];
  }
  let fallback = options.length ? options[1] : null;
  return fallback;
}
var chosen = pick(["a", "b"]);
console.log(chosen);
""",
        runs('node "$1"', "before initialization"),
        ("node",),
    ),
)
