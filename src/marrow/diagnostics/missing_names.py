"""What the output of a failing test says is missing: the names in its messages.

A message is a line with the word `error` in it, or with a place of the input (`x.go:3:5: undefined:
f`), and the lines after it. Compilers quote the names that they do not know, and mark what they
speak of in a line of the input (`^~~~`); where nothing is quoted, any word may be a name. Notes
count only where the rest of a message has no name, or where the message is that of the failure
itself. Linkers name functions with the types of all parameters: the name counts, and what is around
it tells it from others.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

_WORD: Final = re.compile(rb"[A-Za-z_$][\w$]*")
# The name of an operator in C++, as declarations have it.
_OPERATOR: Final = re.compile(
    rb"\boperator(?:\(\)|\[\]|<=>|->\*?|<<=|>>=|&&|\|\||\+\+|--|<<|>>|[-+*/%^&|=!<>]=|[-+*/%^&|~!=<>,])"
)
_HEAD: Final = re.compile(
    rb"\berror\b|Error\b|undefined (?:reference|symbol)"
    rb"|^[^\s:]+:\d+(?::\d+)?: (?!note|warning|remark)",
    re.I,
)
# The end of what a linker says.
_SUMMARY: Final = re.compile(rb"ld returned \d|linker command failed")
# What a linker misses, as the sources have it.
_LINKED: Final = re.compile(rb"undefined (?:reference to|symbol:) [`'\"]?(.+?)['\"]?$")
_ARGUMENTS: Final = re.compile(rb"<[^<>]*>|\[abi:\w+\]|\(anonymous namespace\)::")
_NOTE: Final = re.compile(rb"\b(?:note|help|warning|remark): ")
# In front of the words of a message: its place, its kind.
_PLACE: Final = re.compile(rb"^\S*?:\d+(?::\d+)?:\s*|^(?:fatal )?error(?:\[\w+\])?:\s*", re.I)
_QUOTED: Final = re.compile(
    "'([^'\n]+)'|‘([^’\n]+)’|\"([^\"\n]+)\"|`([^`'\n]+)[`']".encode(), re.MULTILINE
)
_MARKED: Final = re.compile(rb"^[ \t|\d]*?(~*\^[~^]*)")

_UNDEFINED: Final = re.compile(rb"\bundefined\b|\b(?:not|never|before its) defin", re.I)

# Messages without a word of their own that are looked at; compilers that fail go on for long.
_MOST: Final = 100


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A message of a tool: its words, and the names in it, the most telling first.

    `named` are quoted in its first line, `marked` in the input, `noted` in its notes;
    `around` are the scopes that a linker says a function is in.
    """

    words: bytes
    named: frozenset[bytes]
    marked: frozenset[bytes]
    noted: frozenset[bytes]
    around: frozenset[bytes] = frozenset()

    @property
    def about_definition(self) -> bool:
        """Whether it says that something has no definition; a declaration may be there."""
        return _UNDEFINED.search(self.words) is not None


def messages(output: bytes, usual: Collection[bytes] = ()) -> list[Diagnostic]:
    """Return the messages of an output, each once, without those that are usual."""
    found: dict[bytes, Diagnostic] = {}
    for lines in _split(output.splitlines()):
        message: Diagnostic | None = _read(lines)
        if message is not None and message.words in usual:
            message = _first_unusual(lines, usual)
        if message is not None and len(found) < _MOST:
            found.setdefault(message.words + b" ".join(sorted(message.marked)), message)
    return list(found.values())


def misses_bodies(output: bytes) -> bool:
    """Return whether a linker misses functions: a program is made, so declarations do not do."""
    return any(_LINKED.search(line) for line in output.splitlines())


def words_of_messages(output: bytes) -> frozenset[bytes]:
    """Return the words of all messages of an output, and of all notes."""
    notes = (_without_place(one) for one in output.splitlines() if _NOTE.search(one))
    return frozenset((*(one.words for one in messages(output)), *notes))


def _split(lines: list[bytes]) -> Iterator[list[bytes]]:
    """Yield the lines of each message."""
    lines = [line for line in lines if not _SUMMARY.search(line)]
    heads = [at for at, one in enumerate(lines) if _HEAD.search(one) and not _NOTE.search(one)]
    for start, end in itertools.pairwise([*heads, len(lines)]):
        yield lines[start:end]


def _first_unusual(lines: list[bytes], usual: Collection[bytes]) -> Diagnostic | None:
    """Return the first note that is not usual, of those that quote names.

    The first is nearest to the cause: how it came to that is said after it.
    """
    notes = [at for at, line in enumerate(lines) if _NOTE.search(line)]
    for at, end in itertools.pairwise([*notes, len(lines)]):
        if _quoted(lines[at]) and _without_place(lines[at]) not in usual:
            return _read(lines[at:end])
    return None


def _without_place(line: bytes) -> bytes:
    while (place := _PLACE.match(line)) is not None:
        line = line[place.end() :]
    return line


def _read(lines: list[bytes]) -> Diagnostic:
    words = _without_place(lines[0])
    if linked := _LINKED.search(words):
        name, around = _function(linked[1])
        none = frozenset[bytes]()
        return Diagnostic(linked[0], frozenset((name,)), none, none, around)
    notes = next((at for at, one in enumerate(lines) if at and _NOTE.search(one)), len(lines))
    own, rest = lines[1:notes], lines[notes:]
    marked = frozenset(
        name for above, line in itertools.pairwise(own) for name in _under(above, line)
    )
    named = _quoted(words)
    if not named and not marked:
        named = frozenset(word for line in (words, *own) for word in _WORD.findall(line))
    noted = frozenset(name for line in rest if _NOTE.search(line) for name in _quoted(line))
    return Diagnostic(words, named, marked, noted)


def _function(signature: bytes) -> tuple[bytes, frozenset[bytes]]:
    """Return the name of a function, or of what else a linker misses, and its scopes."""
    sign = _OPERATOR.search(signature)
    head = signature[: sign.start()] if sign else signature
    shorter = b""
    while head != shorter:  # arguments nest
        head, shorter = _ARGUMENTS.sub(b"", head), head
    path = _WORD.findall(head.partition(b"(")[0])
    name = sign[0] if sign else path.pop() if path else b""
    return name, frozenset(path)


def _quoted(line: bytes) -> frozenset[bytes]:
    """Return the words in quotes, and the names of operators."""
    quoted = [part for found in _QUOTED.findall(line) for part in found if part]
    words = (word for part in quoted for word in _WORD.findall(part))
    return frozenset((*words, *(sign for part in quoted for sign in _OPERATOR.findall(part))))


def _under(line: bytes, marks: bytes) -> list[bytes]:
    """Return the words of a line that are marked in the next one (`^~~~`)."""
    found = _MARKED.match(marks)
    if found is None:
        return []
    start, end = found.span(1)
    return [one[0] for one in _WORD.finditer(line) if one.start() < end and one.end() > start]
