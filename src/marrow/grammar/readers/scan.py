"""The base of all readers: files beside a grammar, positions, lexemes one at a time, escapes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn, TypeAlias

from marrow.base.bounded_file import read_bounded
from marrow.grammar.model.charset import Ranges, normalised
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    Characters,
    Expression,
    GrammarError,
    Literal,
    Note,
    Position,
    Sequence,
)

#: The kind of the lexeme after the last one.
END: Final = "end"

#: Characters that no text decoded from bytes has; grammars name them as halves of pairs.
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Source:
    """The text of a grammar file, with its name and the places of its lines."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self._lines = [0, *(found.end() for found in re.finditer("\r\n|\n|\r", text))]

    def position(self, offset: int) -> Position:
        """Return line and column of an offset."""
        line = bisect_right(self._lines, offset)
        return Position(self.name, line, offset - self._lines[line - 1] + 1)

    def fail(self, offset: int, message: str) -> NoReturn:
        """Raise the error that something is wrong at an offset."""
        raise GrammarError(message, self.position(offset))


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A piece of a grammar file: a name, a quoted text, a sign."""

    kind: str
    text: str
    start: int
    end: int

    def __str__(self) -> str:
        shown = self.text if len(self.text) <= 40 else self.text[:37] + "..."
        return "the end of the file" if self.kind == END else f"{shown!r}"


class Scanner:
    """Lexemes of a source, one at a time, so that the reader can decide what comes next.

    `pattern` has one named group for each kind; the group `blank` (white space, comments) is
    passed over. What begins with a text in `unclosed` and does not match is said to lack its end.
    """

    def __init__(
        self, source: Source, pattern: re.Pattern[str], unclosed: Mapping[str, str]
    ) -> None:
        self.source = source
        self.offset = 0
        self.notes: list[Note] = []
        self._pattern = pattern
        self._unclosed = unclosed
        self._next: Lexeme | None = None

    def peek(self) -> Lexeme:
        """Return the next lexeme and leave it there."""
        if self._next is None:
            self._next = self._read()
        return self._next

    def take(self) -> Lexeme:
        """Return the next lexeme and go past it."""
        lexeme = self.peek()
        self._next = None
        self.offset = lexeme.end
        return lexeme

    def accept(self, *texts: str) -> Lexeme | None:
        """Take the next lexeme if it is one of these signs or words."""
        lexeme = self.peek()
        return self.take() if lexeme.kind != END and lexeme.text in texts else None

    def expect(self, text: str, what: str) -> Lexeme:
        """Take the next lexeme, which has to be this sign."""
        lexeme = self.take()
        if lexeme.kind == END or lexeme.text != text:
            self.fail(lexeme, f"expected {text!r} {what}, found {lexeme}.")
        return lexeme

    def expect_kind(self, kind: str, what: str) -> Lexeme:
        """Take the next lexeme, which has to be of this kind."""
        lexeme = self.take()
        if lexeme.kind != kind:
            self.fail(lexeme, f"expected {what}, found {lexeme}.")
        return lexeme

    def go_to(self, offset: int) -> None:
        """Go on reading at an offset."""
        self.offset = offset
        self._next = None

    def position(self, lexeme: Lexeme) -> Position:
        """Return where a lexeme begins."""
        return self.source.position(lexeme.start)

    def fail(self, lexeme: Lexeme, message: str) -> NoReturn:
        """Raise the error that something is wrong at a lexeme."""
        self.source.fail(lexeme.start, message)

    def note(self, lexeme: Lexeme, message: str, advice: str = "") -> None:
        """Keep a note about a lexeme."""
        self.notes.append(Note(self.position(lexeme), message, advice))

    def _read(self) -> Lexeme:
        text = self.source.text
        offset = self.offset
        while offset < len(text):
            found = self._pattern.match(text, offset)
            if found is None or found.end() == offset:
                self._complain(offset)
            kind = found.lastgroup or ""
            if kind != "blank":
                return Lexeme(kind, found.group(), offset, found.end())
            offset = found.end()
        return Lexeme(END, "", len(text), len(text))

    def _complain(self, offset: int) -> NoReturn:
        text = self.source.text
        for start, what in self._unclosed.items():
            if text.startswith(start, offset):
                self.source.fail(offset, what)
        self.source.fail(
            offset, f"{text[offset]!r} does not belong in a grammar. Remove it, or quote it."
        )


_NAMED: Final = {
    "n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "a": "\a",
}  # fmt: skip

_ESCAPE: Final = re.compile(
    r"\\(?:u\{(?P<braced>[0-9A-Fa-f]{1,8})\}|u(?P<four>[0-9A-Fa-f]{4})"
    r"|U(?P<eight>[0-9A-Fa-f]{8})|x(?P<two>[0-9A-Fa-f]{2})|(?P<one>.))",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Escaped:
    """A character written with a backslash; `known` if the backslash belongs there."""

    text: str
    end: int
    known: bool


def escaped(source: Source, offset: int, end: int, plain: str) -> Escaped:
    r"""Read the escape at an offset: `\n`, `\u0041`, `\u{1F600}`, `\x41`, or a character itself.

    `plain` lists the characters that have to be escaped in this place.
    """
    found = _ESCAPE.match(source.text, offset, end)
    if found is None:
        source.fail(offset, r"a backslash with nothing after it. Write `\\` for a backslash.")
    digits = found["braced"] or found["four"] or found["eight"] or found["two"]
    if digits:
        code = int(digits, 16)
        if code > 0x10FFFF:
            source.fail(offset, f"there is no character {digits}. The last one is 10FFFF.")
        return Escaped(chr(code), found.end(), True)
    one = found["one"]
    if one in "uUx" and one not in plain:
        source.fail(offset, rf"`\{one}` needs hexadecimal digits, as in `\u0041` or `\u{{1F600}}`.")
    return Escaped(_NAMED.get(one, one), found.end(), one in _NAMED or one in plain)


def unquoted(source: Source, start: int, end: int, plain: str) -> str:
    """Return the text between two offsets with its escapes read."""
    found: list[str] = []
    offset = start
    while offset < end:
        character = source.text[offset]
        if character == "\\":
            one = escaped(source, offset, end, plain)
            found.append(one.text)
            offset = one.end
        else:
            found.append(character)
            offset += 1
    return joined_pairs("".join(found))


def set_ranges(
    source: Source, start: int, end: int, read: Callable[[int], tuple[Ranges, int]]
) -> Ranges:
    """Return the characters of a set between two offsets: single ones, and ranges as `a-z`.

    `read` returns what is at an offset, which may be several characters, and where that ends.
    """
    found: list[tuple[int, int]] = []
    offset = start
    while offset < end:
        first, offset = read(offset)
        if not _is_single(first) or source.text[offset] != "-" or offset + 1 >= end:
            found.extend(first)
            continue
        at = offset + 1
        last, offset = read(at)
        if not _is_single(last):
            found.extend((*first, (ord("-"), ord("-")), *last))
            continue
        if last < first:
            source.fail(at, "this range runs backwards. Write the lower end first.")
        found.append((first[0][0], last[0][0]))
    return normalised(found)


def _is_single(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]


def joined_pairs(text: str) -> str:
    """Make one character of two halves that were escaped one by one (`\\uD83D\\uDE00`)."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def text_expression(text: str, ignore_case: bool, position: Position) -> Expression:
    """Return the expression for a text; half characters, which no literal can hold, become sets."""
    if not _SURROGATE.search(text):
        return Literal(text, ignore_case, position)
    items: list[Expression] = []
    for part in re.split("([\ud800-\udfff])", text):
        if _SURROGATE.match(part):
            items.append(Characters(((ord(part), ord(part)),), position))
        elif part:
            items.append(Literal(part, ignore_case, position))
    return items[0] if len(items) == 1 else Sequence(tuple(items))


def plain_name(name: str, others: Container[str]) -> str:
    """Return a name without its angle brackets, if that leaves it different from the others."""
    if len(name) > 2 and name[0] in "<⟨" and name[-1] in ">⟩":
        bare = name[1:-1].strip()
        if bare and bare != END_OF_INPUT and bare not in others:
            return bare
    return name


def stem(name: str) -> str:
    """Return a file's name without folders and suffix: the name of its grammar."""
    last = re.split(r"[/\\]", name)[-1]
    return last.rpartition(".")[0] or last


#: Grammars are written by hand; what is larger is some other file given by mistake.
_LARGEST_FILE: Final = 20_000_000

#: Where files are looked up that a grammar needs, seen from its own folder: beside it, in the
#: folders that projects keep imported grammars in, and one level up.
_FOLDERS: Final = (".", "import", "imports", "lib", "..")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The text of a file, the name to call it by, and what to say about it."""

    name: str
    text: str
    note: Note | None = None


#: Returns the file with this name that a grammar needs; None if there is none.
Loader: TypeAlias = Callable[[str], Loaded | None]


def load_file(path: Path) -> Loaded:
    """Return the text of a file; raise `GrammarError` if it cannot be read."""
    try:
        content = read_bounded(path, _LARGEST_FILE)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise GrammarError(f"{path}: cannot read this file ({reason}).") from error
    try:
        return Loaded(str(path), content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        note = Note(
            Position(str(path), line, column),
            "this file is not UTF-8: it is read as Latin-1.",
            "Save it as UTF-8.",
        )
        return Loaded(str(path), content.decode("latin-1"), note)


class Folder:
    """The folder of a grammar, in which the files that it needs are looked up."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        #: Whether a file was found that the grammar asked for.
        self.used = False

    def load(self, name: str) -> Loaded | None:
        """Return the file of a name; None if there is none."""
        for inner in _FOLDERS:
            path = self._path / inner / name
            if path.is_file():
                self.used = True
                return load_file(path)
        return None
