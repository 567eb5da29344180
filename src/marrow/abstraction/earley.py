"""Earley's algorithm over the productions of a grammar, with a pattern on top.

Jay Earley, "An efficient context-free parsing algorithm", CACM 1970. The productions have no ε, so
an item is never completed where it was predicted, and the algorithm is complete as it stands. All
readings are kept, not one of them: a pattern needs every stretch that a nonterminal may be. A
production is only predicted if it may begin with the token that comes next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from marrow.grammar.generation.roots import Roots
from marrow.grammar.model.rules import GrammarError
from marrow.grammar.parser.bnf import END_TERMINAL, Bnf

#: A production's number, how many of its symbols were read, and where it began.
_Item: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Given:
    """A token of the pattern that must be there."""

    kind: int
    text: str


@dataclass(frozen=True, slots=True)
class FreePart:
    """A part of the pattern that varies; `empty` says that it may be nothing at all."""

    hole: int
    symbol: int
    empty: bool


class Symbols:
    """The symbols and productions of a grammar, as the chart needs them."""

    def __init__(self, bnf: Bnf) -> None:
        self._kinds: Final = {name: kind for kind, name in enumerate(bnf.terminals)}
        self._roots: Final = Roots(bnf)
        self.terminals: Final = len(bnf.terminals)
        self.rights: Final = [one.right for one in bnf.productions]
        self.lefts: Final = [one.left for one in bnf.productions]
        #: The productions of a symbol; a group has those of its members.
        self.productions: Final[dict[int, list[int]]] = {}
        for number, left in enumerate(self.lefts):
            self.productions.setdefault(left, []).append(number)
        #: The symbols that a symbol may stand for: itself, and the groups it is in.
        self.stands_for: Final = {left: [left] for left in self.productions}
        for group, members in bnf.groups.items():
            own = self.productions.setdefault(group, [])
            for member in members:
                own += self.productions.get(member, ())
                self.stands_for.setdefault(member, [member]).append(group)
        self.firsts: Final = _firsts(self)

    def kind(self, name: str) -> int:
        """Return the number of a terminal."""
        return self._kinds[name]

    def part(self, hole: int, symbol: str) -> FreePart:
        """Return the part of a pattern for a hole with a symbol of the tree.

        Raises `GrammarError` if the tree is of another grammar.
        """
        root = self._roots.get(symbol)
        if root is None:
            raise GrammarError(f"it has no {symbol!r}, which stands in the tree")
        return FreePart(hole, root.symbol, root.empty is not None)


def _firsts(symbols: Symbols) -> dict[int, set[int]]:
    """Return the terminals that each symbol may begin with."""
    found: dict[int, set[int]] = {symbol: set() for symbol in symbols.productions}
    users: dict[int, list[int]] = {}
    work: list[tuple[int, int]] = []
    for symbol, numbers in symbols.productions.items():
        for number in numbers:
            first = symbols.rights[number][0]
            if first < symbols.terminals:
                work.append((symbol, first))
            else:
                users.setdefault(first, []).append(symbol)
    while work:
        symbol, terminal = work.pop()
        if terminal not in found[symbol]:
            found[symbol].add(terminal)
            work.extend((user, terminal) for user in users.get(symbol, ()))
    return found


class Chart:
    """The stretches of a text that the parts of a pattern may be.

    `whole` says that the text has the form of the pattern, groups aside; `furthest` how many parts
    were read at most, and up to which token. The end of the input counts as a token.
    """

    def __init__(
        self,
        symbols: Symbols,
        parts: Sequence[Given | FreePart],
        kinds: Sequence[int],
        texts: Sequence[str],
    ) -> None:
        self._symbols: Final = symbols
        self._parts: Final = parts
        # Rules that name the end of the input (EOF) read it as a token of its own.
        self._kinds: Final = [*kinds, END_TERMINAL]
        self._texts: Final = [*texts, ""]
        self._free: Final = {part.symbol for part in parts if isinstance(part, FreePart)}
        self._stretches: Final[dict[tuple[int, int], list[int]]] = {}
        #: What waits at a position for a symbol: items, and parts of the pattern (their numbers).
        self._waiting: Final[list[dict[int, list[_Item]]]] = [
            {} for _ in range(len(self._kinds) + 1)
        ]
        self._parts_waiting: Final[list[dict[int, list[int]]]] = [
            {} for _ in range(len(self._kinds) + 1)
        ]
        self._reached: Final[list[set[int]]] = [set() for _ in range(len(self._kinds) + 1)]
        #: The items at the current position; of those, the ones that are still to be looked at.
        self._items: set[_Item] = set()
        self._agenda: list[_Item] = []
        self._reach(0, 0)
        for at in range(len(self._kinds) + 1):
            self._close(at)
            self._items = set()
            if at < len(self._kinds):
                self._read(at)
        self.whole: Final = any(len(parts) in reached for reached in self._reached[-2:])
        self.furthest: Final = max(
            (max(reached), at) for at, reached in enumerate(self._reached) if reached
        )

    def ends(self, part: int, at: int) -> Sequence[int]:
        """Return where a part of the pattern may end if it begins at a token."""
        one = self._parts[part]
        if isinstance(one, Given):
            return (at + 1,) if self._is_given(one, at) else ()
        found = self._stretches.get((one.symbol, at), ())
        return (at, *found) if one.empty else found

    def _is_given(self, part: Given, at: int) -> bool:
        return (
            at < len(self._kinds) and self._kinds[at] == part.kind and self._texts[at] == part.text
        )

    def _reach(self, part: int, at: int) -> None:
        """Note that everything in front of a part can be read up to a token."""
        while part not in self._reached[at]:
            self._reached[at].add(part)
            if part == len(self._parts):
                return
            one = self._parts[part]
            if isinstance(one, Given):
                return
            self._parts_waiting[at].setdefault(one.symbol, []).append(part)
            self._predict(one.symbol, at)
            if not one.empty:
                return
            part += 1

    def _predict(self, symbol: int, at: int) -> None:
        """Add the productions of a symbol that may begin with the next token."""
        if symbol < self._symbols.terminals or at == len(self._kinds):
            return
        waiting = self._waiting[at]
        if symbol in waiting:
            return
        waiting[symbol] = []
        kind = self._kinds[at]
        symbols = self._symbols
        for number in symbols.productions.get(symbol, ()):
            first = symbols.rights[number][0]
            if first == kind or (first >= symbols.terminals and kind in symbols.firsts[first]):
                self._add((number, 0, at))

    def _add(self, item: _Item) -> None:
        if item not in self._items:
            self._items.add(item)
            self._agenda.append(item)

    def _close(self, at: int) -> None:
        """Predict and complete until nothing is new."""
        symbols = self._symbols
        waiting = self._waiting[at]
        agenda = self._agenda
        while agenda:
            item = agenda.pop()
            number, read, start = item
            right = symbols.rights[number]
            if read < len(right):
                following = right[read]
                self._predict(following, at)
                waiting.setdefault(following, []).append(item)
                continue
            for symbol in symbols.stands_for[symbols.lefts[number]]:
                self._complete(symbol, start, at)

    def _complete(self, symbol: int, start: int, at: int) -> None:
        for number, read, origin in self._waiting[start].get(symbol, ()):
            self._add((number, read + 1, origin))
        if symbol in self._free:
            ends = self._stretches.setdefault((symbol, start), [])
            if at not in ends[-1:]:
                ends.append(at)
                for part in self._parts_waiting[start].get(symbol, ()):
                    self._reach(part + 1, at)

    def _read(self, at: int) -> None:
        """Move over the next token."""
        kind = self._kinds[at]
        for number, read, start in self._waiting[at].get(kind, ()):
            self._add((number, read + 1, start))
        if kind in self._free:
            self._stretches.setdefault((kind, at), []).append(at + 1)
            for part in self._parts_waiting[at].get(kind, ()):
                self._reach(part + 1, at + 1)
        for part in tuple(self._reached[at]):
            if part < len(self._parts):
                one = self._parts[part]
                if isinstance(one, Given) and self._is_given(one, at):
                    self._reach(part + 1, at + 1)
