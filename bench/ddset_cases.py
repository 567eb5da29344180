"""Real failures of real programs, for DDSET: small inputs, and tests with the verdict protocol.

A test exits with 0 if the candidate fails, with 125 if it is not a valid input (another error comes
first), with anything else if it is valid and does not fail. It gets the candidate as `$1`, in a
directory of its own. Candidates are random: tests that run command lines refuse what could do harm,
and a program that loops is ended after a second of the processor, which the test says by exiting
with `TOO_LONG`.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from typing import Final

from marrow.engine.process.command import TestCommand

#: The exit code of a test whose program took too long, as that of `timeout`.
TOO_LONG: Final = 124

#: Each program gets a second of the processor: all that end take less than a tenth (Guile). One
#: that takes more is killed, and the shell says 137.
_LIMIT: Final = "ulimit -t 1\n"


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure: the input, the grammar that ships for it, and the test, for the shell.

    `about` says what is wrong.
    """

    name: str
    grammar: str
    file: str
    about: str
    text: str
    script: str
    needs: tuple[str, ...]

    def missing(self) -> list[str]:
        """Return the programs that are not installed."""
        return [program for program in self.needs if shutil.which(program) is None]

    def command(self) -> TestCommand:
        """Return the test."""
        return TestCommand.shell(self.script)


def _runs(program: str, message: str) -> str:
    """Return a test: a program ends with a message; any other error makes an input invalid."""
    return (
        f"{_LIMIT}said=$({program} 2>&1)\ncode=$?\n"
        f"[ $code -ne 137 ] || exit {TOO_LONG}\n"
        f'case $said in *"{message}"*) exit 0;; esac\n'
        "[ $code -eq 0 ] || exit 125\nexit 1\n"
    )


def _differs(wrong: str, right: str, word: str) -> str:
    """Return a test: one interpreter throws a word that another, which is right, does not.

    What the other one cannot run is no program to compare them by.
    """
    return (
        f'{_LIMIT}said=$({wrong} "$1" 2>&1)\n'
        f"[ $? -ne 137 ] || exit {TOO_LONG}\n"
        f'case $said in *"{word}"*) ;; *Error*) exit 125;; *) exit 1;; esac\n'
        f'other=$({right} "$1" 2>&1)\n'
        f"[ $? -ne 137 ] || exit {TOO_LONG}\n"
        f'case $other in *"{word}"*) exit 1;; *Error*) exit 125;; esac\n'
        "exit 0\n"
    )


def _python(code: str) -> str:
    return f"{_LIMIT}exec {sys.executable} -I -S -c '{code}' \"$1\"\n"


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
        _runs('lua5.3 "$1"', "chain too long"),
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
        _runs('lua5.4 "$1"', "step is zero"),
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
        _differs("mujs", "duk", "not the same"),
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
        _differs("mujs", "duk", "holes counted"),
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
        _differs("duk", "mujs", "INVALID opcode"),
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
        _runs('guile --no-auto-compile "$1"', "expecting symbol"),
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
        _runs('guile --no-auto-compile "$1"', "string-prefix?: Wrong type"),
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
        _runs('sqlite3 -batch < "$1"', "unable to use function MATCH"),
        ("sqlite3",),
    ),
    Failure(
        "jq-implode",
        "json",
        "input.json",
        "jq 1.6: implode on an array that has anything but numbers aborts",
        '[72, 105, {"code": [33, 33]}, 46]\n',
        _LIMIT
        + 'jq implode "$1" > said 2>&1\ncase $? in 134) exit 0;; 2|4) exit 125;; esac\nexit 1\n',
        ("jq",),
    ),
    Failure(
        "find-prune",
        "find",
        "input.txt",
        "find: with -depth, -prune does nothing, and what is below a directory is found",
        "find . -depth -name pruned -prune -o -type d -print\n",
        _python(_FIND),
        ("find",),
    ),
    Failure(
        "grep-backtracking",
        "grep",
        "input.txt",
        "grep -P: nested quantifiers exceed the backtracking limit on 30 characters",
        "echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab | grep -n -P '(x|a+)+$'\n",
        _python(_GREP.replace("MESSAGE", "backtracking limit")),
        ("grep",),
    ),
    Failure(
        "grep-two-patterns",
        "grep",
        "input.txt",
        "grep -P: with two patterns it gives up, as no other kind of pattern does",
        "echo 'key: value' | grep -n -P -e '^key' -i --regexp='value$' -o\n",
        _python(_GREP.replace("MESSAGE", "single pattern")),
        ("grep",),
    ),
    Failure(
        "python-json-keys",
        "json",
        "input.json",
        "Python's json: of members with the same name all but one are lost without a word",
        '{"name": "x", "tags": [1, 2, {"id": "a", "n": 0, "id": "b"}], "size": 3}\n',
        _python(_DUPLICATE_KEYS),
        (),
    ),
    Failure(
        "python-xml-namespace",
        "xml",
        "input.xml",
        "Python's ElementTree: a default namespace cannot be written if there is an attribute",
        '<list xmlns="urn:x"><item>one</item><item id="2">two</item></list>\n',
        _python(_NAMESPACE),
        (),
    ),
)
