"""Masks the parts of a command's output that vary, as regular expressions.

A line becomes an extended regular expression (POSIX, as `grep -E` reads it) that matches the line
and also its like from another run or for a smaller input: the literal text stays, what varies
(directories, places in the input, addresses, process ids, times) becomes a class of characters.
"""

from __future__ import annotations

import re
from typing import Final

_SPECIAL: Final = re.compile(r"[.\[\]{}()*+?^$|\\]")

# Control characters (colours of a terminal), and bytes that are not text: anything may stand there.
_UNPRINTABLE: Final = re.compile(r"(?:\x1b\[[0-9;]*[A-Za-z]|[\x00-\x1f\x7f\udc80-\udcff])+")

#: What varies, and what matches it. The first that applies at a position counts.
_VARYING: Final = (
    (r"(?:/var)?/tmp/[^\s:;,'\"`()<>\[\]]+", "[^ ]*"),
    (r"(?:/[^\s/:;,'\"`()<>\[\]]+)+/(?=[^\s/:;,'\"`()<>\[\]]+)", "[^ ]*/"),
    (r"0x[0-9a-fA-F]+", "0x[0-9a-fA-F]+"),
    (r"==\d+==", "==[0-9]+=="),
    (r"\b\d{4}-\d\d-\d\d\b", "[0-9-]+"),
    (r"\b\d\d:\d\d:\d\d(?:\.\d+)?\b", "[0-9:.]+"),
    (r"\b\d+(?:\.\d+)?(?= ?(?:[mun]?s|sec|secs|seconds?|minutes?)\b)", "[0-9.]+"),
    (r"(?<=\bpid )\d+|(?<=\bprocess )\d+|(?<=\bthread )\d+", "[0-9]+"),
    (r"(?i:(?<=\bline )|(?<=\bcolumn )|(?<=\bcol )|(?<=\bposition )|(?<=\boffset ))\d+", "[0-9]+"),
    (r"(?i:(?<=\bline: )|(?<=\bcolumn: )|(?<=\bposition: )|(?<=\boffset: ))\d+", "[0-9]+"),
    (r"(?<=:)\d+(?=:)|(?<=:)\d+(?=,? )|\b\d+(?=:\d)", "[0-9]+"),
    (r"\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b", "[0-9a-f]+"),
)
_VARIES: Final = re.compile("|".join(f"({pattern})" for pattern, _ in _VARYING))


def escaped(text: str) -> str:
    """Return the regular expression for a literal text."""
    return _SPECIAL.sub(lambda match: "\\" + match[0], text)


def line_pattern(line: str, name: str, *, digits: bool = False) -> str:
    """Return the regular expression for a line; `name` is the input's own file name.

    `digits` also takes every number for something that varies.
    """
    pieces = _UNPRINTABLE.split(line.strip())
    pattern = ".*".join(_piece(piece, name, digits=digits) for piece in pieces)
    # A wildcard at an end says nothing, since a pattern may match anywhere in a line.
    pattern = re.sub(r"^(?:\.\*|\[\^ \]\*|\[0-9\]\+:|[: ])+", "", pattern)
    return re.sub(r"(?:\.\*|\[\^ \]\*| )+$", "", pattern)


def _piece(text: str, name: str, *, digits: bool) -> str:
    """Return the pattern for printable text."""
    around = _input_place(name).split(text)
    return "[^ ]*".join(_varying(part, digits=digits) for part in around)


def _input_place(name: str) -> re.Pattern[str]:
    """Return what finds the input's path, with the line and column that may stand behind it."""
    place = r"(?:(?::\d+)+:?|\(\d+(?:[,:]\d+)*\):?)?"
    return re.compile(rf"(?:/[^\s'\"`()<>\[\]]*/)?(?<![\w.-]){re.escape(name)}\b{place}")


def _varying(text: str, *, digits: bool) -> str:
    parts: list[str] = []
    position = 0
    for match in _VARIES.finditer(text):
        assert match.lastindex is not None
        parts += [_literal(text[position : match.start()], digits=digits)]
        parts.append(_VARYING[match.lastindex - 1][1])
        position = match.end()
    parts.append(_literal(text[position:], digits=digits))
    return "".join(parts)


def _literal(text: str, *, digits: bool) -> str:
    if not digits:
        return escaped(text)
    return "[0-9]+".join(escaped(piece) for piece in re.split(r"\d+", text))
