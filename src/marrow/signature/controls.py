"""Controls: what else a command is run on, to see what is special about its failure on the input.

What the empty file or a valid one shows too has nothing to do with the input. An input that is cut
off or lacks a token mostly fails in another way, and shows which lines come with any failure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from marrow.signature.observation import Observation

EMPTY: Final = "the empty file"
TRIVIAL: Final = "a trivial valid file"

_TOKEN: Final = re.compile(r"\w+|[^\w\s]")

# Where a token is deleted: early, in the middle, late.
_QUARTERS: Final = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class ControlRun:
    """A run of the command on something else than the input."""

    what: str
    text: bytes
    seen: Observation

    @property
    def is_foreign(self) -> bool:
        """Return whether nothing of the input is in it."""
        return self.what in (EMPTY, TRIVIAL)


def control_texts(text: bytes, trivial: bytes | None = None) -> list[tuple[str, bytes]]:
    """Return the controls of an input: what each is, and its text."""
    decoded = text.decode("utf-8", "surrogateescape")
    result = [(EMPTY, b"")]
    if trivial is not None:
        result.append((TRIVIAL, trivial))
    result.append(("cut in the middle", _encoded(decoded[: len(decoded) // 2])))
    tokens = list(_TOKEN.finditer(decoded))
    if tokens:
        for number in sorted({len(tokens) * quarter // 4 for quarter in _QUARTERS}):
            gone = tokens[number]
            left = decoded[: gone.start()] + decoded[gone.end() :]
            result.append((f"without token {number}", _encoded(left)))
    return result


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def trivial_text(language: str) -> bytes | None:
    """Return a valid file of a language, as small as it gets; None if none is known."""
    text = _TRIVIAL.get(language)
    return None if text is None else text.encode()


_TRIVIAL: Final = {
    "ada": "procedure Main is\nbegin\n   null;\nend Main;\n",
    "bash": "true\n",
    "c": "int main(void) { return 0; }\n",
    "commonlisp": "(print 1)\n",
    "cpp": "int main() { return 0; }\n",
    "csharp": "class Program { static void Main() { } }\n",
    "css": "a { color: red; }\n",
    "d": "void main() {}\n",
    "dart": "void main() {}\n",
    "elixir": "1\n",
    "fortran": "program main\nend program main\n",
    "go": "package main\n\nfunc main() {}\n",
    "haskell": "main :: IO ()\nmain = return ()\n",
    "html": "<!DOCTYPE html>\n<html><head><title>a</title></head><body></body></html>\n",
    "java": "class Main { public static void main(String[] arguments) { } }\n",
    "javascript": "1;\n",
    "json": "{}\n",
    "julia": "1\n",
    "kotlin": "fun main() {}\n",
    "latex": "\\documentclass{article}\n\\begin{document}\na\n\\end{document}\n",
    "lua": "local a = 1\n",
    "make": "all:\n",
    "nim": "discard\n",
    "ocaml": "let () = ()\n",
    "pascal": "program main;\nbegin\nend.\n",
    "perl": "1;\n",
    "php": "<?php\n",
    "prolog": ":- true.\n",
    "python": "pass\n",
    "r": "1\n",
    "ruby": "1\n",
    "rust": "fn main() {}\n",
    "scala": "object Main extends App {}\n",
    "scheme": "1\n",
    "smtlib": "(check-sat)\n",
    "sql": "SELECT 1;\n",
    "swift": "let a = 1\n",
    "tcl": "set a 1\n",
    "toml": "a = 1\n",
    "typescript": "export {};\n",
    "verilog": "module main; endmodule\n",
    "vhdl": "entity main is end;\n",
    "xml": "<a/>\n",
    "yaml": "a: 1\n",
}
