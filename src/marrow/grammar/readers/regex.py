r"""Turns the regular expressions of Lark's terminals into expressions, with Python's own parser.

Look-around, anchors and back references are not regular. They are left out with a note, and the
terminal is marked as guarded, so that it loses ties. `\p{...}`, which the `regex` module knows and
`re` does not, is written out as ranges first.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from re import _parser
from typing import Any, Final, TypeAlias

from marrow.grammar.model.charset import (
    Ranges,
    any_case,
    complement,
    matched_by,
    normalised,
    unicode_property,
)
from marrow.grammar.model.expressions import MOST_COPIES, choice, count, repeated, sequence
from marrow.grammar.model.rules import (
    Characters,
    Expression,
    GrammarError,
    Position,
    Quantifier,
    Repeat,
)
from marrow.grammar.readers.scan import text_expression

#: A part of a parsed pattern: the operation and its arguments, as `re` has them.
_Part: TypeAlias = tuple[Any, Any]

_PROPERTY: Final = re.compile(r"\\([pP])(?:\{([^{}]*)\}|(\w))|\\.|\[\^?\]?|\]", re.DOTALL)

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


def read_regex(text: str, position: Position) -> Regex:
    """Read the regular expression of a terminal."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed: Any = _parser.parse(_with_ranges(text, position))
        return _Reader(position).read(parsed)
    except re.error as error:
        message = f"this is not a regular expression of Python: {error.msg}."
        raise GrammarError(message, position) from None
    except (OverflowError, RecursionError):
        message = "this regular expression is too large for Python. Split it."
        raise GrammarError(message, position) from None


def _with_ranges(text: str, position: Position) -> str:
    r"""Return a pattern with its `\p{...}` written as ranges."""
    found: list[str] = []
    in_set = False
    last = 0
    for one in _PROPERTY.finditer(text):
        if not one[1]:
            in_set = (in_set or one[0][0] == "[") and one[0] != "]"
            continue
        known = unicode_property(one[2] or one[3] or "")
        if known is None:
            message = f"the Unicode property {one[0]} is not known. Write its characters."
            raise GrammarError(message, position)
        ranges = complement(known) if one[1] == "P" else known
        members = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)
        found += [text[last : one.start()], members if in_set else f"[{members}]"]
        last = one.end()
    return "".join([*found, text[last:]])


class _Reader:
    """Turns what Python's parser made of a pattern into an expression."""

    def __init__(self, position: Position) -> None:
        self._position: Final = position
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
            raise GrammarError("too many back references. Write them out.", self._position)
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
            sign = words[-1][0]
            return _category(sign.upper() if "NOT" in words else sign.lower(), bool(flags & re.A))


@cache
def _category(sign: str, ascii_only: bool) -> Ranges:
    r"""Return the characters that Python's `\d`, `\s` or `\w` matches."""
    return matched_by(re.compile(rf"\{sign}+", re.A if ascii_only else re.U))
