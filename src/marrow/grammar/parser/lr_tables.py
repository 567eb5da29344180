"""LR tables for productions without ε, which get their states when a text first needs them.

LR(0) automaton; a production is reduced before any terminal that may follow its symbol anywhere
(SLR(1)). Conflicts are not resolved: an entry then lists every action, for the parser to follow
them all and drop those that lead nowhere. So a text uses a few hundred states, also where all
states of a SQL dialect, with hundreds of keywords that are also names, would have tens of millions
of entries. Sets are integers used as bit sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from marrow.grammar.model.graph import closed
from marrow.grammar.parser.bnf import END_TERMINAL

#: What to do: a state to shift to, `~production` to reduce by; several of them are a conflict.
TableAction: TypeAlias = int | tuple[int, ...]

#: The production `start' -> start`, which is the first in all tables.
ACCEPT: Final = 0


class Tables:
    """Actions by state and terminal, and the states after a reduction by state and symbol.

    An item is a number: where its production starts, plus the dot.
    """

    def __init__(
        self,
        productions: Sequence[tuple[int, tuple[int, ...]]],
        groups: Mapping[int, tuple[int, ...]],
        terminals: int,
    ) -> None:
        """`groups` has the symbols that a symbol on a right side means, if there are several."""
        self._productions: Final = productions
        self._terminals: Final = terminals
        self._groups: Final = groups
        self._symbol_at: list[tuple[int, ...]] = []  # the symbols that may follow the dot
        self._production_of: list[int] = []
        #: The items after a first symbol, by left side and that symbol.
        self._first_moves: Final[dict[int, dict[int, list[int]]]] = {}
        for number, (left, right) in enumerate(productions):
            start = len(self._symbol_at)
            self._symbol_at += [groups.get(symbol, (symbol,)) for symbol in right]
            self._symbol_at.append(())
            self._production_of += [number] * (len(right) + 1)
            moves = self._first_moves.setdefault(left, {})
            for symbol in self._symbol_at[start]:
                moves.setdefault(symbol, []).append(start + 1)
        graph = {left: [*moves] for left, moves in self._first_moves.items()}
        symbols = {*graph, *(symbol for found in graph.values() for symbol in found)}
        #: The symbols that a derivation from each symbol starts with.
        self._firsts: Final = closed(graph, {symbol: 1 << symbol for symbol in symbols})
        self._follow: Final = self._follow_sets()
        self._merged: Final[dict[int, dict[int, list[int]]]] = {}
        #: The items that each state begins with.
        self._kernels: Final[list[tuple[int, ...]]] = []
        self._numbers: Final[dict[tuple[int, ...], int]] = {}
        self.actions: Final[list[dict[int, TableAction]]] = []
        self.gotos: Final[list[dict[int, int]]] = []
        self._number((0,))

    def fill(self, state: int) -> None:
        """Make the rows of a state."""
        moves: dict[int, list[int]] = {}
        closure = 0
        finished = []
        for item in self._kernels[state]:
            symbols = self._symbol_at[item]
            if not symbols:
                finished.append(self._production_of[item])
            for symbol in symbols:
                moves.setdefault(symbol, []).append(item + 1)
                closure |= self._firsts.get(symbol, 0)
        for symbol, items in self._closure_moves(closure).items():
            moves[symbol] = moves.get(symbol, []) + items
        targets = {s: self._number(tuple(sorted(set(items)))) for s, items in moves.items()}
        row: dict[int, TableAction] = {s: t for s, t in targets.items() if s < self._terminals}
        for production in sorted(finished):
            for terminal in _bits(self._follow.get(self._productions[production][0], 0)):
                old = row.get(terminal)
                if old is None:
                    row[terminal] = ~production
                else:
                    row[terminal] = (*(old if isinstance(old, tuple) else (old,)), ~production)
        self.actions[state] = row
        self.gotos[state] = {s: t for s, t in targets.items() if s >= self._terminals}

    def _number(self, kernel: tuple[int, ...]) -> int:
        known = self._numbers.get(kernel)
        if known is None:
            known = self._numbers[kernel] = len(self._kernels)
            self._kernels.append(kernel)
            self.actions.append(_Row(self, known))
            self.gotos.append(_Row(self, known))
        return known

    def _closure_moves(self, closure: int) -> dict[int, list[int]]:
        known = self._merged.get(closure)
        if known is None:
            known = self._merged[closure] = {}
            for left in _bits(closure):
                for symbol, items in self._first_moves.get(left, {}).items():
                    known[symbol] = known.get(symbol, []) + items
        return known

    def _follow_sets(self) -> dict[int, int]:
        """Return the terminals that may follow each nonterminal."""
        terminals = (1 << self._terminals) - 1
        follow: dict[int, int] = {self._productions[ACCEPT][0]: 1 << END_TERMINAL}
        above: dict[int, list[int]] = {left: [] for left in self._first_moves}
        for left, right in self._productions:
            for at, symbol in enumerate(right):
                for one in self._groups.get(symbol, (symbol,)):
                    if one < self._terminals:
                        continue
                    if at + 1 == len(right):
                        above.setdefault(one, []).append(left)
                        continue
                    for other in self._groups.get(right[at + 1], right[at + 1 : at + 2]):
                        first = self._firsts.get(other, 1 << other) & terminals
                        follow[one] = follow.get(one, 0) | first
        return closed({one: above.get(one, []) for one in {*above, *follow}}, follow)


class _Row(dict[int, Any]):
    """A row of a state that is filled when somebody looks at it."""

    __slots__ = ("_state", "_tables")

    def __init__(self, tables: Tables, state: int) -> None:
        super().__init__()
        self._tables = tables
        self._state = state

    def get(self, key: int, default: Any = None) -> Any:
        """Return an entry of the actual row, which takes this one's place."""
        self._tables.fill(self._state)
        return self._tables.actions[self._state].get(key, default)

    def __missing__(self, key: int) -> int:
        self._tables.fill(self._state)
        return self._tables.gotos[self._state][key]


def _bits(mask: int) -> Iterator[int]:
    """Return the numbers of the bits of a set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
