"""How many steps a backtracking matcher takes: counted, so that no clock is needed.

`steps_of` walks the parsed form of a regular expression as Python's own matcher does, without its
shortcuts. `pumped` makes strings that are hard for an expression out of the expression itself: each
repeat is fed with what it accepts, many times, with something after it that makes the match fail.
"""

from __future__ import annotations

import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

Item: TypeAlias = tuple[Any, Any]
Matcher: TypeAlias = Callable[[int], bool]

#: Characters of every kind that expressions tell apart.
_USUAL: Final = "aZ0_ \t\n.,:;/\\-+'\"`<>([{)]}#=@*&|^~$%!?xéΩ\x00"

_REPEATS: Final = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_SINGLE: Final = (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN)

#: From here on, a repeat counts as one without an end.
MANY: Final = 1000


class TooManySteps(Exception):
    """The count has passed its limit."""


class CountingMatcher:
    """Matches as a backtracking matcher does, and counts its steps."""

    def __init__(self, expression: str | bytes, flags: int = 0, limit: int = 1_000_000) -> None:
        self.tree = parsed(expression, flags)
        self.flags = self.tree.state.flags
        self.limit = limit
        self.text = ""
        self.steps = 0
        self._groups: dict[int, tuple[int, int]] = {}
        self._end = 0
        self._match = self._sequence(list(self.tree), self._accept, self.flags)
        self._whole = self._sequence(list(self.tree), self._at_end, self.flags)

    def count(self, text: str, method: str) -> int:
        """Return the steps of a method of compiled expressions on a text."""
        self.text, self.steps = text, 0
        at = 0
        if method in ("match", "fullmatch"):
            self._match(0) if method == "match" else self._whole(0)
            return self.steps
        while at <= len(text):
            start = at
            while start <= len(text) and not self._match(start):
                start += 1
            if start > len(text) or method == "search":
                break
            at = max(self._end, start + 1)
        return self.steps

    def end_at(self, text: str, start: int) -> int | None:
        """Return where a match that begins at a place ends; None without one."""
        self.text, self.steps = text, 0
        return self._end if self._match(start) else None

    def _accept(self, at: int) -> bool:
        self._end = at
        return True

    def _at_end(self, at: int) -> bool:
        return at == len(self.text)

    def _step(self) -> None:
        self.steps += 1
        if self.steps > self.limit:
            raise TooManySteps

    def _sequence(self, items: Sequence[Item], then: Matcher, flags: int) -> Matcher:
        for item in reversed(items):
            then = self._item(item, then, flags)
        return then

    def _item(self, item: Item, then: Matcher, flags: int) -> Matcher:
        op, value = item
        if op in _SINGLE:
            return self._single(accepts(item, flags), then)
        if op in _REPEATS:
            return self._repeat(item, then, flags)
        if op is sre.BRANCH:
            return self._branch([self._sequence(list(one), then, flags) for one in value[1]])
        if op is sre.SUBPATTERN:
            return self._group(value, then, flags)
        if op is sre.ATOMIC_GROUP:
            return self._atomic(list(value), then, flags)
        if op in (sre.ASSERT, sre.ASSERT_NOT):
            return self._look(op, value, then, flags)
        if op is sre.AT:
            return self._position(value, then, flags)
        if op is sre.GROUPREF:
            return self._reference(value, then)
        raise NotImplementedError(op)

    def _single(self, fits: Callable[[str], bool], then: Matcher) -> Matcher:
        def match(at: int) -> bool:
            self._step()
            return at < len(self.text) and fits(self.text[at]) and then(at + 1)

        return match

    def _branch(self, ways: list[Matcher]) -> Matcher:
        def match(at: int) -> bool:
            self._step()
            return any(way(at) for way in ways)

        return match

    def _group(self, value: Any, then: Matcher, flags: int) -> Matcher:
        number, added, removed, body = value
        starts: list[int] = []

        def close(at: int) -> bool:
            start = starts.pop()
            before = self._groups.get(number)
            self._groups[number] = (start, at)
            if then(at):
                return True
            starts.append(start)
            if before is None:
                self._groups.pop(number, None)
            else:
                self._groups[number] = before
            return False

        inner = self._sequence(list(body), close, (flags | added) & ~removed)

        def match(at: int) -> bool:
            starts.append(at)
            if inner(at):
                return True
            starts.pop()
            return False

        return match

    def _atomic(self, items: Sequence[Item], then: Matcher, flags: int) -> Matcher:
        inner = self._sequence(items, self._accept, flags)
        return lambda at: inner(at) and then(self._end)

    def _look(self, op: Any, value: Any, then: Matcher, flags: int) -> Matcher:
        direction, body = value
        inner = self._sequence(list(body), self._accept, flags)
        width = body.getwidth()[0] if direction < 0 else 0
        wanted = op is sre.ASSERT

        def match(at: int) -> bool:
            found = at >= width and inner(at - width)
            return found == wanted and then(at)

        return match

    def _position(self, where: Any, then: Matcher, flags: int) -> Matcher:
        lines = bool(flags & re.MULTILINE)

        def holds(at: int) -> bool:
            text = self.text
            if where in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
                whole = where is sre.AT_BEGINNING_STRING or not lines
                return at == 0 or (not whole and text[at - 1] == "\n")
            if where is sre.AT_END:
                last = at == len(text) or (at == len(text) - 1 and text[at] == "\n")
                return last or (lines and text[at] == "\n")
            if where is sre.AT_END_STRING:
                return at == len(text)
            before = at > 0 and _is_word(text[at - 1])
            after = at < len(text) and _is_word(text[at])
            return (before != after) == (where is sre.AT_BOUNDARY)

        def match(at: int) -> bool:
            self._step()
            return holds(at) and then(at)

        return match

    def _reference(self, number: int, then: Matcher) -> Matcher:
        def match(at: int) -> bool:
            self._step()
            span = self._groups.get(number)
            if span is None:
                return False
            text = self.text[span[0] : span[1]]
            return self.text.startswith(text, at) and then(at + len(text))

        return match

    def _repeat(self, item: Item, then: Matcher, flags: int) -> Matcher:
        op, (low, high, body) = item
        items = list(body)
        if op is sre.POSSESSIVE_REPEAT:
            return self._atomic([(sre.MAX_REPEAT, (low, high, body))], then, flags)
        if len(items) == 1 and items[0][0] in _SINGLE:
            fits = accepts(items[0], flags)
            return self._run(fits, low, high, then, lazy=op is sre.MIN_REPEAT)
        return self._loop(items, low, high, then, flags, lazy=op is sre.MIN_REPEAT)

    def _run(
        self, fits: Callable[[str], bool], low: int, high: int, then: Matcher, *, lazy: bool
    ) -> Matcher:
        def match(at: int) -> bool:
            end = at
            while end - at < high and end < len(self.text) and (not lazy or end - at < low):
                self._step()
                if not fits(self.text[end]):
                    break
                end += 1
            if end - at < low:
                return False
            if not lazy:
                for stop in range(end, at + low - 1, -1):
                    self._step()
                    if then(stop):
                        return True
                return False
            while not then(end):
                self._step()
                if end - at >= high or end >= len(self.text) or not fits(self.text[end]):
                    return False
                end += 1
            return True

        return match

    def _loop(
        self, items: list[Item], low: int, high: int, then: Matcher, flags: int, *, lazy: bool
    ) -> Matcher:
        rounds: list[tuple[int, int]] = []

        def after(at: int) -> bool:
            count, start = rounds.pop()
            done = (at != start or count < low) and attempt(at, count + 1)
            rounds.append((count, start))
            return done

        inner = self._sequence(items, after, flags)

        def attempt(at: int, count: int) -> bool:
            self._step()
            if lazy and count >= low and then(at):
                return True
            if count < high:
                rounds.append((count, at))
                if inner(at):
                    rounds.pop()
                    return True
                rounds.pop()
            return not lazy and count >= low and then(at)

        return lambda at: attempt(at, 0)


def parsed(expression: str | bytes, flags: int = 0) -> Any:
    """Return the parsed form of an expression; one for bytes as if it were for text."""
    if isinstance(expression, bytes):
        expression = expression.decode("latin-1")
        flags |= re.ASCII
    return parser.parse(expression, flags & ~re.DEBUG)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def accepts(item: Item, flags: int) -> Callable[[str], bool]:
    """Return what a part of one character accepts."""
    exact = _exactly(item, flags)
    if flags & re.IGNORECASE:
        return lambda one: exact(one) or exact(one.lower()) or exact(one.upper())
    return exact


def _exactly(item: Item, flags: int) -> Callable[[str], bool]:
    op, value = item
    if op is sre.LITERAL:
        return chr(value).__eq__
    if op is sre.NOT_LITERAL:
        return chr(value).__ne__
    if op is sre.ANY:
        return (lambda one: True) if flags & re.DOTALL else "\n".__ne__
    wanted = not any(kind is sre.NEGATE for kind, _ in value)
    tests = [_member(kind, what, flags) for kind, what in value if kind is not sre.NEGATE]
    return lambda one: any(test(one) for test in tests) == wanted


def _member(kind: Any, value: Any, flags: int) -> Callable[[str], bool]:
    if kind is sre.LITERAL:
        return chr(value).__eq__
    if kind is sre.RANGE:
        low, high = chr(value[0]), chr(value[1])
        return lambda one: low <= one <= high
    assert kind is sre.CATEGORY, kind
    name = str(value)
    tests = {"DIGIT": str.isdigit, "SPACE": str.isspace, "WORD": _is_word}
    test = next(test for word, test in tests.items() if word in name)
    ascii_only = bool(flags & re.ASCII)
    return lambda one: (test(one) and (one.isascii() or not ascii_only)) != ("NOT" in name)


def _children(item: Item) -> list[list[Item]]:
    op, value = item
    if op in _REPEATS:
        return [list(value[2])]
    if op is sre.BRANCH:
        return [list(one) for one in value[1]]
    if op is sre.SUBPATTERN:
        return [list(value[3])]
    if op is sre.ATOMIC_GROUP:
        return [list(value)]
    if op in (sre.ASSERT, sre.ASSERT_NOT):
        return [list(value[1])]
    return []


def _flags_in(item: Item, flags: int) -> int:
    op, value = item
    return (flags | value[1]) & ~value[2] if op is sre.SUBPATTERN else flags


def _singles(items: Sequence[Item], flags: int) -> Iterator[tuple[Item, int]]:
    for item in items:
        if item[0] in _SINGLE:
            yield item, flags
        for child in _children(item):
            yield from _singles(child, _flags_in(item, flags))


def alphabet(items: Sequence[Item], flags: int) -> list[str]:
    """Return a character for each set of characters that an expression tells apart."""
    tests = []
    written: dict[str, None] = dict.fromkeys(_USUAL)
    for item, inner in _singles(items, flags):
        tests.append(accepts(item, inner))
        values = (
            [value for kind, value in item[1] if kind is sre.LITERAL]
            if (item[0] is sre.IN)
            else [item[1]]
            if item[0] in (sre.LITERAL, sre.NOT_LITERAL)
            else []
        )
        written.update(dict.fromkeys(map(chr, values)))
    chosen: dict[tuple[bool, ...], str] = {}
    for one in written:
        chosen.setdefault((*(test(one) for test in tests), _is_word(one), one == "\n"), one)
    return list(chosen.values())


def sample(items: Sequence[Item], flags: int, liked: str = "", branch: int = 0) -> str:
    """Return a short text that a sequence accepts, made of a character wherever that fits."""
    return "".join(_sample(item, flags, liked, branch) for item in items)


def _sample(item: Item, flags: int, liked: str, branch: int) -> str:
    op, value = item
    if op in _SINGLE:
        fits = accepts(item, flags)
        if liked and fits(liked):
            return liked
        return next(
            (one for one in _USUAL + string.printable if fits(one)),
            chr(item[1])
            if (op is sre.LITERAL)
            else next((chr(one) for one in range(0x3000) if fits(chr(one))), ""),
        )
    if op in _REPEATS:
        times = min(max(int(value[0]), 1 if liked else 0), MANY)
        return sample(list(value[2]), flags, liked, branch) * times
    if op is sre.BRANCH:
        ways = value[1]
        return sample(list(ways[branch % len(ways)]), flags, liked, branch)
    if op is sre.SUBPATTERN:
        return sample(list(value[3]), _flags_in(item, flags), liked, branch)
    if op is sre.ATOMIC_GROUP:
        return sample(list(value), flags, liked, branch)
    return ""


#: Of so many alternatives of a repeated part, each is pumped.
_BRANCHES: Final = 6


def pumps(tree: Any, *, anchored: bool) -> Iterator[tuple[str, str]]:
    """Yield what leads to each repeat without an end, and what it is fed with."""
    seen: set[tuple[str, str]] = set()
    for found in _repeats(list(tree), _Around("", (), ()), tree.state.flags):
        for pump in _fed(found):
            for lead in (found.prefix,) if anchored else (found.prefix, ""):
                if pump and (lead, pump) not in seen:
                    seen.add((lead, pump))
                    yield lead, pump


def _fed(found: _Repeat) -> Iterator[str]:
    """Yield what a repeat accepts."""
    body, flags = list(found.item[1][2]), found.flags
    ways = _BRANCHES if any(map(_has_branch, body)) else 1
    for letter in alphabet([*found.beside, found.item], flags):
        yield from (sample(body, flags, letter, way) for way in range(ways))
    # All that leads here, again and again: a search that fails begins anew at each.
    yield found.prefix + sample(body, flags)
    # What the repeat accepts along with what comes after it, up to the next repeat.
    for count in range(1, len(found.after) + 1):
        yield sample(body, flags) + sample(found.after[:count], flags)


def _has_branch(item: Item) -> bool:
    return item[0] is sre.BRANCH or any(
        _has_branch(one) for child in _children(item) for one in child
    )


@dataclass(frozen=True, slots=True)
class _Around:
    """What comes before a part of an expression and after it, and what may match beside it."""

    prefix: str
    after: Sequence[Item]
    beside: Sequence[Item]


@dataclass(frozen=True, slots=True)
class _Repeat:
    item: Item
    prefix: str
    after: Sequence[Item]
    beside: Sequence[Item]
    flags: int


def _repeats(items: Sequence[Item], around: _Around, flags: int) -> Iterator[_Repeat]:
    for at, item in enumerate(items):
        prefix = around.prefix + sample(items[:at], flags)
        after = [*items[at + 1 :], *around.after]
        beside = [*around.beside, *items[:at], *items[at + 1 :]]
        repeats = item[0] in _REPEATS and item[1][1] >= MANY
        if repeats:
            yield _Repeat(item, prefix, after[:4], beside, flags)
        for child in _children(item):
            # Of alternatives that are not repeated, one does not meet what another one accepts.
            other = [*beside, item] if repeats else beside
            yield from _repeats(child, _Around(prefix, after, other), _flags_in(item, flags))


def pumped(tree: Any, *, anchored: bool = False) -> Iterator[Callable[[int], str]]:
    """Yield what makes strings of about a size that are hard for an expression, if any are."""
    for lead, pump in pumps(tree, anchored=anchored):
        for end in ("\x00", "\n\x00"):
            yield partial(_string, lead, pump, end)


def _string(lead: str, pump: str, end: str, size: int) -> str:
    return f"{lead}{pump * max(1, size // len(pump))}{end}"
