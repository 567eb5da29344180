"""The base of all readers: files beside a grammar, positions, the syntax of notations, escapes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NoReturn, TypeAlias

from lark import Lark, Token
from lark.exceptions import UnexpectedToken, VisitError
from lark.lexer import PatternStr
from lark.visitors import Transformer_NonRecursive

from marrow.base.bounded_file import read_bounded
from marrow.grammar.model.charset import Ranges, complement, normalised, unicode_property
from marrow.grammar.model.expressions import choice, sequence
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    EPSILON,
    LAST_CHARACTER,
    Characters,
    Expression,
    GrammarError,
    Literal,
    Note,
    Position,
    Quantifier,
    Repeat,
)

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


#: Says what a lexeme is, given its kind and the kinds that fit, and where it ends.
Refine: TypeAlias = Callable[[Source, "re.Match[str]", Container[str]], tuple[str, int]]

#: How many of the expected lexemes a message names.
_MOST_EXPECTED: Final = 6


@dataclass(frozen=True)
class Syntax:
    """The syntax of a notation: a pattern for lexemes, and a grammar of Lark for what they make.

    The grammar is in the file `NAME.lark` of this folder.

    `pattern` has one named group for each kind of lexeme; the group `blank` (white space, comments)
    is passed over. Signs, and words where they fit, are those of the grammar itself. What begins
    with a text in `unclosed` and does not match is said to lack its end. `called` says what people
    call a kind.
    """

    name: str
    pattern: re.Pattern[str]
    unclosed: Mapping[str, str]
    called: Mapping[str, str]

    @cached_property
    def _parser(self) -> Lark:
        file = f"{self.name}.lark"
        return Lark.open(file, rel_to=__file__, parser="lalr", maybe_placeholders=False)

    @cached_property
    def _words(self) -> dict[str, str]:
        """The names of the signs and words that the grammar itself has."""
        found = ((one.pattern, one.name) for one in self._parser.terminals)
        return {pattern.value: name for pattern, name in found if isinstance(pattern, PatternStr)}

    def read(self, source: Source, builder: ExpressionBuilder, refine: Refine) -> Any:
        """Return what a builder makes of a file; raise `GrammarError` where it does not fit.

        `refine` may choose another kind for a lexeme, and another end.
        """
        parser: Any = self._parser.parse_interactive("")
        token = Token("$END", "")
        opened: list[Token] = []
        try:
            for token in self._lexemes(source, parser.choices, refine):
                if token in _PAIRS:
                    opened.append(token)
                elif token in _PAIRS.values() and opened and _PAIRS[opened[-1]] == token:
                    opened.pop()
                elif token in _PAIRS.values():
                    advice = "Remove it, or add what opens it."
                    if opened:
                        line = source.position(_start(opened[-1])).line
                        advice = f"Close {str(opened[-1])!r} in line {line} first."
                    source.fail(_start(token), f"this {str(token)!r} closes nothing. {advice}")
                parser.feed_token(token)
            token = Token("$END", "", start_pos=len(source.text))
            tree = parser.feed_token(token)
        except UnexpectedToken as error:
            self._refuse(source, token, opened, parser.accepts() or error.expected)
        try:
            return builder.transform(tree)
        except VisitError as error:
            raise error.orig_exc from None

    def _lexemes(
        self, source: Source, fitting: Callable[[], Container[str]], refine: Refine
    ) -> Iterator[Token]:
        text, offset = source.text, 0
        while offset < len(text):
            found = self.pattern.match(text, offset)
            if found is None:
                ends = self.unclosed.items()
                unclosed = (what for start, what in ends if text.startswith(start, offset))
                foreign = f"{text[offset]!r} does not belong in a grammar. Remove it, or quote it."
                source.fail(offset, next(unclosed, foreign))
            if found.lastgroup == "blank":
                offset = found.end()
                continue
            kind, end = refine(source, found, fitting())
            word = self._words.get(text[offset:end], "")
            kind = word if word in fitting() or kind == "sign" else kind.upper()
            yield Token(kind or "SIGN", text[offset:end], start_pos=offset)
            offset = end

    def _refuse(
        self, source: Source, token: Token, opened: Sequence[Token], expected: Collection[str]
    ) -> NoReturn:
        """Say what was expected in the place of a lexeme."""
        if opened and self._words.get(_PAIRS[opened[-1]]) in expected:
            advice = f"Add {_PAIRS[opened[-1]]!r}."
            source.fail(_start(opened[-1]), f"this {str(opened[-1])!r} is never closed. {advice}")
        signs = {name: repr(sign) for sign, name in self._words.items()} | {"$END": "the end"}
        signs |= self.called
        every = {signs.get(one) or f"a {one.lower()}" for one in expected}
        names = sorted(every, key=lambda one: (one[1:-1] not in _ENDS, one))
        shown = [*names[:_MOST_EXPECTED], *(["..."] if len(names) > _MOST_EXPECTED else [])]
        found = repr(str(token)[:40]) if token else "the end of the file"
        advice = " Is a ';' missing before it?" if token == ":" else ""
        source.fail(_start(token), f"expected {', '.join(shown)}, found {found}.{advice}")


_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}

#: What may end what was begun: messages name it first.
_ENDS: Final = (";", "|", "/", *_PAIRS.values())


def _start(token: Token) -> int:
    return token.start_pos or 0


class ExpressionBuilder(Transformer_NonRecursive[Token, Any]):
    """Makes expressions of what a grammar of Lark has found; its methods are named after rules.

    `escaped` are the characters that need a backslash in texts, `coded` is how a notation writes
    the number of a character in a set.
    """

    escaped: str = "'\"\\"
    coded: re.Pattern[str] | None = None

    def __init__(self, source: Source) -> None:
        super().__init__(visit_tokens=False)
        self.source: Final = source
        self.notes: Final[list[Note]] = []

    def position(self, token: Token) -> Position:
        """Return where a lexeme begins."""
        return self.source.position(_start(token))

    def fail(self, token: Token, message: str) -> NoReturn:
        """Raise the error that something is wrong at a lexeme."""
        self.source.fail(_start(token), message)

    def note(self, token: Token, message: str, advice: str = "") -> None:
        """Keep a note about a lexeme."""
        self.notes.append(Note(self.position(token), message, advice))

    def alternative(self, items: list[Any]) -> Any:
        """Return the parts of an alternative one after the other."""
        return sequence(items)

    def body(self, items: list[Any]) -> Any:
        """Return the alternatives of a rule or group."""
        return choice(items)

    def optional(self, items: list[Any]) -> Expression:
        """Return `[x]`."""
        return Repeat(items[0], Quantifier.OPTIONAL)

    def text(self, items: list[Token]) -> Expression:
        """Return a text, or the range of characters between two texts: `'a'..'z'`."""
        first, last = self._unquoted(items[0]), self._unquoted(items[-1])
        position = self.position(items[0])
        if len(items) == 1:
            return text_expression(first, items[0].endswith("i"), position) if first else EPSILON
        if len(first) != 1 or len(last) != 1 or first > last:
            advice = "Each end is one character, the lower one first."
            self.fail(items[0], f"this is not a range of characters. {advice}")
        return Characters(((ord(first), ord(last)),), position)

    def _unquoted(self, token: Token) -> str:
        end = len(token) - 1 - token.endswith("i")
        offset, found = _start(token) + 1, ""
        while offset < _start(token) + end:
            character, offset, _ = self._escaped(offset, self.escaped)
            found += character
        return joined_pairs(found)

    # -- characters ---------------------------------------------------------------------------

    def members(self, token: Token, first: int) -> Ranges:
        """Return the characters of a set, `a-z]`, that begin at an offset of a lexeme."""
        offset, end = _start(token) + first, _start(token) + len(token) - 1
        found: list[tuple[int, int]] = []
        while offset < end:
            low, offset = self._member(token, offset)
            if not _is_single(low) or self.source.text[offset] != "-" or offset + 1 >= end:
                found.extend(low)
                continue
            at = offset + 1
            high, offset = self._member(token, at)
            if not _is_single(high):
                found.extend((*low, (ord("-"), ord("-")), *high))
                continue
            if high < low:
                self.source.fail(at, "this range runs backwards. Write the lower end first.")
            found.append((low[0][0], high[0][0]))
        return normalised(found)

    def _member(self, token: Token, offset: int) -> tuple[Ranges, int]:
        """Read one character of a set, or a property; return where it ends, too."""
        text = self.source.text
        if text.startswith(("\\p", "\\P"), offset):
            return self._property(token, offset)
        coded = self.coded.match(text, offset) if self.coded else None
        if coded:
            code = ord(self.character(coded[1], offset))
            return ((code, code),), coded.end()
        character, end, known = self._escaped(offset, "]\\-'\"[^")
        if not known:
            message = f"the escape \\{character} in a character set means {character!r}."
            self.note(token, message, "Leave out the backslash.")
        low = _LOW_HALF.match(text, end) if _SURROGATE.match(character) else None
        if low:
            character, end = joined_pairs(character + chr(int(low[1], 16))), low.end()
        return ((ord(character), ord(character)),), end

    def _property(self, token: Token, offset: int) -> tuple[Ranges, int]:
        r"""Read `\p{...}` or `\P{...}`."""
        found = _PROPERTY.match(self.source.text, offset)
        if found is None:
            self.source.fail(offset, r"`\p` needs the name of a property, as in `\p{Lu}`.")
        name = found[2] if found[2] is not None else found[3]
        known = unicode_property(name)
        if known is None:
            message = f"the Unicode property {name!r} is not known: no character is taken for it."
            self.note(token, message, "Write its characters as ranges.")
            return (), found.end()
        return complement(known) if found[1] == "P" else known, found.end()

    def _escaped(self, offset: int, plain: str) -> tuple[str, int, bool]:
        r"""Read a character, or its escape: `\n`, `\u0041`, `\u{1F600}`, `\x41`, or as it is.

        `plain` lists the characters that have to be escaped in this place. Return where it ends,
        too, and whether a backslash belongs there.
        """
        found = _ESCAPE.match(self.source.text, offset)
        if found is None:
            return self.source.text[offset], offset + 1, True
        digits = found["braced"] or found["four"] or found["eight"] or found["two"]
        if digits:
            return self.character(digits, offset), found.end(), True
        one = found["one"]
        if one in "uUx" and one not in plain:
            what = rf"`\{one}` needs hexadecimal digits, as in `\u0041` or `\u{{1F600}}`."
            self.source.fail(offset, what)
        return _NAMED.get(one, one), found.end(), one in _NAMED or one in plain

    def character(self, digits: str, offset: int) -> str:
        """Return the character of a hexadecimal number."""
        if int(digits, 16) > LAST_CHARACTER:
            self.source.fail(offset, f"there is no character {digits}. The last one is 10FFFF.")
        return chr(int(digits, 16))


#: The second half of a character that is escaped as two.
_LOW_HALF: Final = re.compile(r"\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})")

_PROPERTY: Final = re.compile(r"\\([pP])(?:\{([^{}\]\r\n]*)\}|(\w))")

_NAMED: Final = {
    "n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "a": "\a",
}  # fmt: skip

_ESCAPE: Final = re.compile(
    r"\\(?:u\{(?P<braced>[0-9A-Fa-f]{1,8})\}|u(?P<four>[0-9A-Fa-f]{4})"
    r"|U(?P<eight>[0-9A-Fa-f]{8})|x(?P<two>[0-9A-Fa-f]{2})|(?P<one>.))",
    re.DOTALL,
)


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
    return sequence(items)


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
