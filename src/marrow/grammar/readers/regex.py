"""Turns the regular expressions of Lark's terminals (Python's `re`) into expressions.

Look-around, anchors and back references are not regular: they are left out with a note, and the
terminal is marked as guarded, so that it loses ties.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from marrow.grammar.model.charset import Ranges, any_case, complement, normalised
from marrow.grammar.model.rules import Characters, Expression, Position, Quantifier, Repeat
from marrow.grammar.model.transform import MOST_COPIES, count, repeated
from marrow.grammar.readers.build import QUANTIFIERS, Builder
from marrow.grammar.readers.scan import Source, escaped, text_expression
from marrow.grammar.readers.unicode import unicode_property

_COUNT: Final = re.compile(r"\{(?=,?\d)(\d*)(,?)(\d*)\}")
_GROUP: Final = re.compile(
    r"\?(?:(?P<look><?[=!])|P<(?P<name>\w+)>|(?P<comment>\#[^)]*\))|(?P<atomic>>)"
    r"|(?P<flags>[aiLmsux]*)(?:-(?P<off>[imsx]+))?(?P<colon>[:)])|P=(?P<back>\w+)\))"
)

#: Characters by their octal number; elsewhere than in sets, fewer digits refer to a group.
_OCTAL: Final = re.compile(r"\\(0[0-7]{0,2}|[0-3][0-7]{2})")
_OCTAL_IN_SET: Final = re.compile(r"\\([0-3]?[0-7]{1,2})")

#: Escapes that match no character but a place between two.
_PLACES: Final = "bBAZzG"


@dataclass(frozen=True, slots=True)
class Regex:
    """A regular expression, whether something of it was left out, and what to say about that."""

    body: Expression
    guarded: bool
    remarks: tuple[str, ...]


def read_regex(source: Source, start: int, end: int, flags: str) -> Regex:
    """Read the regular expression between two offsets of a grammar file."""
    return _Reader(source, start, end, flags).read()


@dataclass(frozen=True, slots=True)
class _Group:
    """The state to restore when a group closes; back references use its `names`."""

    start: int
    flags: frozenset[str]
    look: bool = False
    names: tuple[str, ...] = ()


class _Reader:
    """Reads from left to right, with the open groups on the builder's stack."""

    def __init__(self, source: Source, start: int, end: int, flags: str) -> None:
        self._source = source
        self._offset = start
        self._end = end
        self._flags = frozenset(flags)
        self._builder: Builder[_Group] = Builder(_Group(start, self._flags))
        self._remarks: dict[str, None] = {}
        self._guarded = False
        self._groups = 0
        self._size = 0  # of what back references were replaced by
        self._bodies: dict[str, Expression] = {}

    def read(self) -> Regex:
        builder = self._builder
        while self._offset < self._end:
            self._element(self._source.text[self._offset])
        if builder.depth:
            self._source.fail(builder.mark.start, "this '(' is never closed. Add ')'.")
        return Regex(builder.finish(), self._guarded, tuple(self._remarks))

    def _element(self, character: str) -> None:
        at = self._offset
        self._offset += 1
        match character:
            case "(":
                self._open(at)
            case ")":
                self._close(at)
            case "|":
                self._builder.next_alternative()
            case "[":
                self._add(self._set(at))
            case ".":
                newline = () if "s" in self._flags else ((10, 10),)
                self._add(complement(newline))
            case "^" | "$":
                self._leave_out(f"the anchor {character!r}")
            case "*" | "+" | "?":
                self._quantify(at, character)
            case "{" if _COUNT.match(self._source.text, at, self._end):
                self._counted(at)
            case "\\":
                self._escape(at)
            case _:
                self._plain(character, at)

    def _position(self, at: int) -> Position:
        return self._source.position(at)

    def _add(self, ranges: Ranges) -> None:
        ranges = any_case(ranges) if "i" in self._flags else ranges
        self._builder.add(Characters(ranges, self._position(self._offset - 1)))

    def _plain(self, character: str, at: int) -> None:
        if "x" in self._flags:
            if character.isspace():
                return
            if character == "#":
                newline = self._source.text.find("\n", at, self._end)
                self._offset = self._end if newline < 0 else newline
                return
        ignore_case = "i" in self._flags
        self._builder.add(text_expression(character, ignore_case, self._position(at)))

    def _leave_out(self, what: str) -> None:
        self._guarded = True
        self._remarks[f"{what} is left out."] = None

    # Groups

    def _open(self, at: int) -> None:
        look = False
        outer = self._flags
        names: tuple[str, ...] = ()
        if self._source.text.startswith("?", self._offset):
            found = _GROUP.match(self._source.text, self._offset, self._end)
            if found is None:
                self._source.fail(at, "this kind of group is not known. Write `(?:...)`.")
            self._offset = found.end()
            if found["comment"]:
                return
            if found["back"]:
                self._refer_back(at, found["back"])
                return
            look = found["look"] is not None
            if found["colon"]:
                self._flags = (self._flags | set(found["flags"])) - set(found["off"] or "")
            if found["colon"] == ")":  # flags from here on, not a group
                return
            if found["name"]:
                names = (found["name"], self._numbered())
        else:
            names = (self._numbered(),)
        self._builder.open(_Group(at, outer, look, names))

    def _numbered(self) -> str:
        self._groups += 1
        return str(self._groups)

    def _refer_back(self, at: int, name: str) -> None:
        """Take for a back reference whatever its group could match."""
        body = self._bodies.get(name)
        if body is None:
            self._source.fail(at, f"there is no group {name} before this. Check the reference.")
        self._size += count(body)
        if self._size > MOST_COPIES:
            self._source.fail(at, "too many back references. Write them out.")
        self._guarded = True
        self._remarks[f"a reference to the group {name} may match another text."] = None
        self._builder.add(body)

    def _close(self, at: int) -> None:
        if not self._builder.depth:
            self._source.fail(at, "this ')' closes nothing. Write `\\)` for the character.")
        body, group = self._builder.close()
        self._flags = group.flags
        if group.look:
            self._leave_out("a condition on what stands before or behind, `(?...)`,")
        else:
            self._bodies.update(dict.fromkeys(group.names, body))
            self._builder.add(body)

    # Quantifiers

    def _quantify(self, at: int, sign: str) -> None:
        greedy = not self._accept("?")
        if greedy:
            self._accept("+")
        if not self._builder.quantify(QUANTIFIERS[sign], greedy):
            if self._guarded:
                return  # it repeats something that was left out
            self._source.fail(at, f"there is nothing that {sign!r} could repeat. Escape it.")

    def _accept(self, sign: str) -> bool:
        found = self._offset < self._end and self._source.text[self._offset] == sign
        self._offset += found
        return found

    def _counted(self, at: int) -> None:
        found = _COUNT.match(self._source.text, at, self._end)
        assert found is not None  # the caller looked
        self._offset = found.end()
        greedy = not self._accept("?")
        item = self._builder.pop()
        if item is None:
            self._source.fail(at, "there is nothing to repeat here. Escape the brace.")
        least = _number(found[1]) or 0
        most = least if not found[2] else _number(found[3])
        if most is not None and most < least:
            self._source.fail(at, "this repeat runs backwards. Write the lower number first.")
        body = repeated(item, least, most, nested=False)
        if body is None:
            self._remarks["a large counted repeat is taken for one without an end."] = None
            body = Repeat(item, Quantifier.PLUS if least else Quantifier.STAR)
        if isinstance(body, Repeat):
            body = Repeat(body.item, body.quantifier, greedy)
        self._builder.add(body)

    # Characters

    def _escape(self, at: int) -> None:
        if self._offset >= self._end:
            self._source.fail(at, r"a backslash with nothing behind it. Write `\\`.")
        letter = self._source.text[self._offset]
        if letter in _PLACES:
            self._offset += 1
            self._leave_out(rf"`\{letter}`")
        elif letter in "123456789" and not _OCTAL.match(self._source.text, at, self._end):
            self._offset += 1
            self._refer_back(at, letter)
        else:
            ranges, self._offset = self._class_or_character(at)
            self._add(ranges)

    def _class_or_character(self, at: int, in_set: bool = False) -> tuple[Ranges, int]:
        """Read an escape that stands for one character, or one of several."""
        source = self._source
        letter = source.text[at + 1 : at + 2]
        ascii_only = "a" in self._flags
        if letter.lower() in ("d", "w", "s"):
            ranges = _shorthand(letter.lower(), ascii_only)
            return complement(ranges) if letter.isupper() else ranges, at + 2
        if letter in ("p", "P"):
            found = re.compile(r"\\[pP](?:\{([^{}]*)\}|(\w))").match(source.text, at, self._end)
            known = unicode_property(found[1] or found[2] or "") if found else None
            if found is None or known is None:
                source.fail(at, "this Unicode property is not known. Write its characters.")
            return complement(known.ranges) if letter == "P" else known.ranges, found.end()
        octal = (_OCTAL_IN_SET if in_set else _OCTAL).match(source.text, at, self._end)
        if octal:
            code = int(octal[1], 8)
            return ((code, code),), octal.end()
        one = escaped(source, at, self._end, "")
        return ((ord(one.text), ord(one.text)),), one.end

    def _set(self, at: int) -> Ranges:
        text = self._source.text
        negated = self._accept("^")
        found: list[tuple[int, int]] = []
        first = True
        while True:
            if self._offset >= self._end:
                self._source.fail(at, "this character set is never closed. Add `]`.")
            if text[self._offset] == "]" and not first:
                break
            first = False
            ranges = self._one_in_set()
            follows = text[self._offset : self._offset + 2]
            if follows[:1] == "-" and follows[1:] not in ("", "]") and len(ranges) == 1:
                self._offset += 1
                last = self._one_in_set()
                if last[0][0] < ranges[0][0]:
                    self._source.fail(at, "a range in this set runs backwards.")
                ranges = ((ranges[0][0], last[-1][1]),)
            found.extend(ranges)
        self._offset += 1
        ranges = normalised(found)
        if "i" in self._flags:
            ranges = any_case(ranges)
        return complement(ranges) if negated else ranges

    def _one_in_set(self) -> Ranges:
        if self._offset >= self._end:
            self._source.fail(self._offset, "this character set is never closed. Add `]`.")
        character = self._source.text[self._offset]
        if character == "\\":
            ranges, self._offset = self._class_or_character(self._offset, in_set=True)
            return ranges
        self._offset += 1
        return ((ord(character), ord(character)),)


def _number(digits: str) -> int | None:
    """Return a count; what has more digits than any sensible one is too large in any case."""
    return int(digits[:9]) if digits else None


def _shorthand(letter: str, ascii_only: bool) -> Ranges:
    digits = ((48, 57),)
    if letter == "d":
        return digits if ascii_only else _known("Nd")
    if letter == "s":
        blanks = ((9, 13), (32, 32))
        return blanks if ascii_only else _known("White_Space")
    if ascii_only:
        return ((48, 57), (65, 90), (95, 95), (97, 122))
    return normalised((*_known("L"), *_known("N"), (95, 95)))


def _known(name: str) -> Ranges:
    found = unicode_property(name)
    return found.ranges if found else ()
