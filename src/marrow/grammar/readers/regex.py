r"""Turns the regular expressions of Lark's terminals into expressions, with Python's own parser.

Look-around, anchors and back references are not regular. They are left out with a note, and the
terminal is marked as guarded, so that it loses ties. `\p{...}`, which the `regex` module knows and
`re` does not, is written out as ranges first.

`unicode_property` knows these properties for all notations, from Python's own `unicodedata`.
General categories, the properties of letter case, white space and identifiers are exact (in the
Unicode version of the Python that runs). Scripts are not in the standard library: they are taken
from the first word of the characters' names, which is right for letters and misses some signs.
Blocks and emoji are unknown.
"""

from __future__ import annotations

import re
import sys
import tomllib
import unicodedata
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Final, TypeAlias

from marrow.grammar.model.charset import ANY_CHARACTER, Ranges, any_case, complement, normalised
from marrow.grammar.model.expressions import MOST_COPIES, choice, count, repeated, sequence
from marrow.grammar.model.rules import Characters, Expression, Position, Quantifier, Repeat
from marrow.grammar.readers.scan import Source, library, text_expression

#: A part of a parsed pattern: the operation and its arguments, as `re` has them.
_Part: TypeAlias = tuple[Any, Any]

_PROPERTY: Final = re.compile(r"\\([pP])(?:\{([^{}]*)\}|(\w))|\\.|\[\^?\]?|\]", re.DOTALL)

_FLAGS: Final = {"i": re.I, "m": re.M, "s": re.S, "u": re.U, "x": re.X, "l": re.L, "a": re.A}

#: What is not regular.
_LEFT_OUT: Final = {
    "AT": "an anchor or a word boundary",
    "ASSERT": "a look-around, `(?...)`,",
    "ASSERT_NOT": "a look-around, `(?...)`,",
}

#: Quantifiers by least and most times; the parser's number for "without an end" is huge.
_ENDLESS: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Regex:
    """A regular expression, whether something of it was left out, and what to say about that."""

    body: Expression
    guarded: bool
    remarks: tuple[str, ...]


def read_regex(source: Source, start: int, end: int, flags: str) -> Regex:
    """Read the regular expression between two offsets of a grammar file."""
    text = _with_ranges(source, start, end)
    given = 0
    for flag in flags:
        given |= _FLAGS.get(flag, 0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = _parser().parse(text, given)
        return _Reader(source, start).read(parsed)
    except re.error as error:
        at = error.pos if error.pos is not None and text == source.text[start:end] else 0
        source.fail(start + at, f"this is not a regular expression of Python: {error.msg}.")
    except (OverflowError, RecursionError):
        source.fail(start, "this regular expression is too large for Python. Split it.")


def _parser() -> Any:
    """Return the parser of the standard library; it has no public name."""
    try:
        return import_module("re._parser")
    except ModuleNotFoundError:
        return import_module("sre_parse")


def _with_ranges(source: Source, start: int, end: int) -> str:
    r"""Return a pattern with its `\p{...}` written as ranges."""
    found: list[str] = []
    in_set = False
    last = start
    for one in _PROPERTY.finditer(source.text, start, end):
        if not one[1]:
            in_set = (in_set or one[0][0] == "[") and one[0] != "]"
            continue
        known = unicode_property(one[2] or one[3] or "")
        if known is None:
            source.fail(one.start(), "this Unicode property is not known. Write its characters.")
        ranges = complement(known.ranges) if one[1] == "P" else known.ranges
        members = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)
        found += [source.text[last : one.start()], members if in_set else f"[{members}]"]
        last = one.end()
    return "".join([*found, source.text[last:end]])


class _Reader:
    """Turns what Python's parser made of a pattern into an expression."""

    def __init__(self, source: Source, start: int) -> None:
        self._source: Final = source
        self._start: Final = start
        self._position: Final[Position] = source.position(start)
        self._remarks: dict[str, None] = {}
        self._guarded = False
        self._size = 0  # of what back references were replaced by
        self._groups: dict[int, Expression] = {}

    def read(self, parsed: Any) -> Regex:
        """Return the expression of a whole pattern."""
        body = self._sequence(parsed, parsed.state.flags)
        return Regex(body, self._guarded, tuple(self._remarks))

    def _sequence(self, parts: Iterable[_Part], flags: int) -> Expression:
        made = [self._part(str(operation), given, flags) for operation, given in parts]
        return sequence([one for one in made if one is not None])

    def _part(self, operation: str, given: Any, flags: int) -> Expression | None:
        """Return one part of a pattern; None if it is left out."""
        match operation:
            case "LITERAL":
                return text_expression(chr(given), bool(flags & re.I), self._position)
            case "NOT_LITERAL":
                return self._characters(((given, given),), flags, negated=True)
            case "ANY":
                return Characters(complement(() if flags & re.S else ((10, 10),)), self._position)
            case "IN":
                negated = str(given[0][0]) == "NEGATE"
                found = [one for part in given[negated:] for one in _members(part, flags)]
                return self._characters(normalised(found), flags, negated=negated)
            case "BRANCH":
                return choice([self._sequence(one, flags) for one in given[1]])
            case "SUBPATTERN":
                number, added, removed, inside = given
                body = self._sequence(inside, (flags | added) & ~removed)
                if number is not None:
                    self._groups[number] = body
                return body
            case "ATOMIC_GROUP":
                return self._sequence(given, flags)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                return self._repeat(given, flags, greedy=operation != "MIN_REPEAT")
            case "GROUPREF":
                return self._refer_back(given)
            case _:
                self._guarded = True
                what = _LEFT_OUT.get(operation, f"what Python calls {operation}")
                self._remarks[f"{what} is left out."] = None
                return None

    def _characters(self, ranges: Ranges, flags: int, *, negated: bool) -> Expression:
        ranges = any_case(ranges) if flags & re.I else ranges
        return Characters(complement(ranges) if negated else ranges, self._position)

    def _repeat(self, given: Any, flags: int, *, greedy: bool) -> Expression:
        least, most, inside = int(given[0]), int(given[1]), given[2]
        item = self._sequence(inside, flags)
        if (least, most) == (0, 1):
            return Repeat(item, Quantifier.OPTIONAL, greedy)
        body = repeated(item, least, None if most >= _ENDLESS else most, nested=False)
        if body is None:
            self._remarks["a large counted repeat is taken for one without an end."] = None
            body = Repeat(item, Quantifier.PLUS if least else Quantifier.STAR)
        return Repeat(body.item, body.quantifier, greedy) if isinstance(body, Repeat) else body

    def _refer_back(self, number: int) -> Expression:
        """Take for a back reference whatever its group could match."""
        body = self._groups[number]
        self._size += count(body)
        if self._size > MOST_COPIES:
            self._source.fail(self._start, "too many back references. Write them out.")
        self._guarded = True
        self._remarks[f"a reference to the group {number} may match another text."] = None
        return body


def _members(part: _Part, flags: int) -> Ranges:
    """Return the characters that a part of a set matches."""
    operation, given = part
    match str(operation):
        case "LITERAL":
            return ((given, given),)
        case "RANGE":
            return ((given[0], given[1]),)
        case _:  # CATEGORY_DIGIT, CATEGORY_NOT_WORD, ...
            words = str(given).split("_")
            ranges = _shorthand(words[-1], bool(flags & re.A))
            return complement(ranges) if "NOT" in words else ranges


def _shorthand(kind: str, ascii_only: bool) -> Ranges:
    if kind == "DIGIT":
        return ((48, 57),) if ascii_only else _known("Nd")
    if kind == "SPACE":
        return ((9, 13), (32, 32)) if ascii_only else _known("White_Space")
    if ascii_only:
        return ((48, 57), (65, 90), (95, 95), (97, 122))
    return normalised((*_known("L"), *_known("N"), (95, 95)))


def _known(name: str) -> Ranges:
    found = unicode_property(name)
    return found.ranges if found else ()


#: Yes-or-no properties by how a character is tested for them, and what is not exact about it.
_BINARY: Final[dict[str, tuple[Callable[[str], bool], str]]] = {
    "uppercase": (str.isupper, ""),
    "lowercase": (str.islower, ""),
    "xidstart": (lambda one: one != "_" and one.isidentifier(), ""),
    "xidcontinue": (lambda one: ("a" + one).isidentifier(), ""),
    "idstart": (lambda one: one != "_" and one.isidentifier(), "taken as XID_Start"),
    "idcontinue": (lambda one: ("a" + one).isidentifier(), "taken as XID_Continue"),
    "alphabetic": (
        lambda one: unicodedata.category(one)[0] == "L" or unicodedata.category(one) == "Nl",
        "taken as the letters and letter numbers (L, Nl)",
    ),
}

_FIXED: Final[dict[str, Ranges]] = {
    "any": ANY_CHARACTER,
    "ascii": ((0, 0x7F),),
    "asciihexdigit": ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
    "whitespace": (
        (0x9, 0xD), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
        (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Property:
    """The characters that have a property, and what to say if that is not exact."""

    ranges: Ranges
    remark: str = ""


@cache
def _names() -> dict[str, dict[str, str]]:
    """Return the names of categories, properties and scripts that differ from their own."""
    found = library("unicode.toml")
    return tomllib.loads(found.text) if found is not None else {}


@cache
def unicode_property(name: str) -> Property | None:
    r"""Return the characters of the property that `\p{...}` names, None if it is unknown.

    A leading `^` and the form `kind=value` (`Script=Greek`, `gc=Lu`, `Alphabetic=No`) are known.
    """
    bare = name.lstrip("^")
    if (len(name) - len(bare)) % 2:
        return _complement(unicode_property(bare))
    kind, equals, value = bare.partition("=")
    kind, plain = _plain(kind), _plain(value)
    if not equals:
        return (
            _category(kind)
            or _binary(kind.removeprefix("is"))
            or _script(kind.removeprefix("is"), bare)
        )
    if kind in ("generalcategory", "gc"):
        return _category(plain)
    if kind in ("script", "sc", "scriptextensions", "scx"):
        return _script(plain, value)
    if plain in ("no", "n", "false", "f"):
        return _complement(_binary(kind))
    return _binary(kind) if plain in ("yes", "y", "true", "t") else None


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


def _complement(found: Property | None) -> Property | None:
    return None if found is None else Property(complement(found.ranges), found.remark)


@cache
def _categories() -> dict[str, Ranges]:
    """Return the characters of every two-letter general category."""
    found: dict[str, list[tuple[int, int]]] = {}
    start, current = 0, unicodedata.category("\0")
    for code in range(1, sys.maxunicode + 1):
        category = unicodedata.category(chr(code))
        if category != current:
            found.setdefault(current, []).append((start, code - 1))
            start, current = code, category
    found.setdefault(current, []).append((start, sys.maxunicode))
    return {name: tuple(ranges) for name, ranges in found.items()}


def _category(name: str) -> Property | None:
    """Return the characters of a general category, by its short or long name."""
    short = _names()["categories"].get(name, name).lower()
    cased = short in ("lc", "l&")
    found = [
        one
        for category, ranges in _categories().items()
        if category.lower().startswith(short) or (cased and category in ("Lu", "Ll", "Lt"))
        for one in ranges
    ]
    return Property(normalised(found)) if found and short else None


def _binary(name: str) -> Property | None:
    """Return the characters that have a yes-or-no property."""
    name = _names()["short"].get(name, name)
    if name in _FIXED:
        return Property(_FIXED[name])
    if name == "assigned":
        return _complement(_category("cn"))
    if name not in _BINARY:
        return None
    holds, remark = _BINARY[name]
    return Property(_where(holds), remark)


def _script(plain: str, name: str) -> Property | None:
    """Return the letters, marks and numbers whose names begin with the name of a script."""
    start = _names()["scripts"].get(plain) or re.sub(r"[_-]", " ", name).upper()
    ranges = _where(lambda one: unicodedata.name(one, "").startswith(f"{start} "), kinds="LMN")
    return Property(ranges, "taken from the names of the characters") if ranges else None


def _where(holds: Callable[[str], bool], kinds: str = "LMNPS") -> Ranges:
    """Return the letters, marks, numbers and signs that pass a test; no others have properties."""
    return normalised(
        (code, code)
        for name, ranges in _categories().items()
        if name[0] in kinds
        for first, last in ranges
        for code in range(first, last + 1)
        if holds(chr(code))
    )
