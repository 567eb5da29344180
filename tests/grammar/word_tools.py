"""Real tools that say which small texts of their language they refuse, many at a time."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

#: Which of some texts a tool refuses.
Tool = Callable[[Sequence[str]], set[str]]

#: Words that make find change files, start programs or read its starting points from elsewhere, and
#: places outside of the directory it is run in.
_HARMFUL: Final = ("-exec", "-ok", "-delete", "-fprint", "-fls", "-files0", "/", "~")

#: Seconds for a tool that waits for something, and for one command line: a regular expression that
#: repeats a hundred thousand times is as bad as an illegal one.
_TIMEOUT: Final = 120.0
_TIMEOUT_OF_ONE: Final = 5.0


def _by_line(command: Sequence[str], file: str, message: str, head: str = "") -> Tool:
    """Return a tool that reads many texts in one file, and names the lines of its errors.

    An error may make the next text look wrong, or hide it: a text that is named is tried alone, and
    the others again without it.
    """

    def errors(texts: Sequence[str]) -> set[str]:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / file
            starts: list[int] = []
            lines = head.count("\n") + 1
            for text in texts:
                starts.append(lines)
                lines += len(re.findall(r"\r\n|\r|\n", text)) + 1
            path.write_bytes((head + "".join(f"{text}\n" for text in texts)).encode())
            with path.open("rb") as given:
                said = subprocess.run(
                    command, stdin=given, cwd=directory, capture_output=True, timeout=_TIMEOUT
                )
        output = (said.stdout + said.stderr).decode(errors="replace")
        named = [int(one) for one in re.findall(message, output, re.MULTILINE)]
        if said.returncode and not named:
            raise RuntimeError(f"{command[0]}: {output[:500]}")
        found = set()
        for line in named:
            before = [index for index, start in enumerate(starts) if start <= line]
            if before:
                found.add(texts[before[-1]])
        return found

    def refused(texts: Sequence[str]) -> set[str]:
        bad: set[str] = set()
        left = list(texts)
        while left and (found := errors(left)):
            bad |= {text for text in found if errors([text])}
            left = [text for text in left if text not in found]
        return bad

    return refused


def _script(*command: str) -> Tool:
    """Return a tool that is a program: it reads texts as JSON, and writes indices."""

    def refused(texts: Sequence[str]) -> set[str]:
        said = subprocess.run(
            command, input=json.dumps(list(texts)), capture_output=True, text=True, check=True,
            timeout=_TIMEOUT,
        )  # fmt: skip
        bad: list[int] = json.loads(said.stdout)
        return {texts[index] for index in bad}

    return refused


def _by_nul(*command: str) -> Tool:
    """Return a tool that is a program: it reads texts that end with NUL, and writes indices."""

    def refused(texts: Sequence[str]) -> set[str]:
        said = subprocess.run(
            command, input="".join(f"{text}\0" for text in texts).encode(), capture_output=True,
            check=True, timeout=_TIMEOUT,
        )  # fmt: skip
        return {texts[int(index)] for index in said.stdout.split()}

    return refused


def _python(texts: Sequence[str]) -> set[str]:
    def bad(text: str) -> bool:
        try:
            json.loads(text)
        except ValueError:
            return True
        return False

    return {text for text in texts if bad(text)}


def _command_line(texts: Sequence[str]) -> set[str]:
    """Run command lines of find and grep, but none that could do harm."""
    found = set()
    with tempfile.TemporaryDirectory() as directory:
        for text in texts:
            try:
                words = shlex.split(text)
            except ValueError:
                found.add(text)
                continue
            if words[0] == "find" and any(
                word.startswith(_HARMFUL) or ".." in word for word in words[1:]
            ):
                continue
            if "\0" in text:
                found.add(text)
                continue
            try:
                ended = subprocess.run(
                    words, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True,
                    timeout=_TIMEOUT_OF_ONE,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                found.add(text)
                continue
            # find ends with 1 on an error, grep with 2.
            if ended.returncode == 2 or (words[0] == "find" and ended.returncode):
                found.add(text)
    return found


def _xmllint(texts: Sequence[str]) -> set[str]:
    with tempfile.TemporaryDirectory() as directory:
        names = [f"{index}.xml" for index in range(len(texts))]
        for name, text in zip(names, texts, strict=True):
            (Path(directory) / name).write_bytes(text.encode())
        said = subprocess.run(
            ["xmllint", "--nonet", "--noout", *names], cwd=directory, capture_output=True,
            timeout=_TIMEOUT,
        )  # fmt: skip
    found = re.findall(rb"^(\d+)\.xml:\d+: (?!namespace|.*warning)", said.stderr, re.MULTILINE)
    return {texts[int(index)] for index in found}


_NODE: Final = """
const vm = require("vm");
const bad = [];
JSON.parse(require("fs").readFileSync(0)).forEach((text, index) => {
  try { new vm.Script(text); } catch { bad.push(index); }
});
console.log(JSON.stringify(bad));
"""

_LUA: Final = """
local index = 0
for text in io.read('a'):gmatch('([^\\0]*)\\0') do
  if not load(text) then print(index) end
  index = index + 1
end
"""

_GUILE: Final = """
(use-modules (ice-9 rdelim))
(set-port-encoding! (current-input-port) "UTF-8")
(let loop ((index 0))
  (let ((text (read-delimited (string #\\nul))))
    (unless (or (eof-object? text) (string-null? text))
      (catch #t
        (lambda ()
          (call-with-input-string text
            (lambda (port)
              (read port)
              (unless (eof-object? (read port)) (throw 'more)))))
        (lambda _ (display index) (newline)))
      (loop (+ index 1)))))
"""

_CLOJURE: Final = """
(let [texts (butlast (clojure.string/split (slurp *in*) #"\\u0000" -1))]
  (doseq [[index text] (map-indexed vector texts)]
    (try
      (binding [*ns* (the-ns 'user)]
        (when (not= 1 (count (read-string (str "[" text "\n]")))) (println index)))
      (catch Throwable _ (println index)))))
"""

TOOLS: Final[Mapping[str, Tool]] = {
    "gcc": _by_line(
        ("gcc", "-fsyntax-only", "-w", "-fmax-errors=0", "words.c"),
        "words.c",
        r"^words\.c:(\d+):.*error:",
    ),
    "javac": _by_line(
        ("javac", "-proc:none", "-encoding", "UTF-8", "-Xmaxerrs", "100000", "words.java"),
        "words.java",
        r"^words\.java:(\d+): error:",
    ),
    "go": _by_line(
        ("go", "tool", "compile", "-e", "-o", "words.o", "words.go"),
        "words.go",
        r"^words\.go:(\d+):",
        "package p\n",
    ),
    "z3": _by_line(("z3", "words.smt2"), "words.smt2", r'^\(error "line (\d+)'),
    "sqlite3": _by_line(("sqlite3", "-batch"), "words.sql", r"[Ee]rror near line (\d+)"),
    "xmllint": _xmllint,
    "node": _script("node", "-e", _NODE),
    "lua5.4": _by_nul("lua5.4", "-e", _LUA),
    "guile": _by_nul("guile", "--no-auto-compile", "-c", _GUILE),
    "clojure": _by_nul("clojure", "-e", _CLOJURE),
    "find": _command_line,
    "grep": _command_line,
    "python": _python,
}
