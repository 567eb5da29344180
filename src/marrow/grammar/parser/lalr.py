"""LALR(1) tables for productions without ε.

LR(0) automaton, then lookaheads after DeRemer and Pennello ("Efficient computation of LALR(1)
look-ahead sets", 1982). Without ε the *reads* relation is empty, which leaves one pass over the
strongly connected components of *includes*. Sets are integers used as bit sets. Conflicts are not
resolved: an entry then lists every action, for the parser to follow them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from marrow.grammar.model.graph import strongly_connected
from marrow.grammar.parser.bnf import END_TERMINAL

#: What to do: a state to shift to, `~production` to reduce by; several of them are a conflict.
TableAction: TypeAlias = int | tuple[int, ...]

#: The production `start' -> start`, which is the first in all tables.
ACCEPT: Final = 0


@dataclass(frozen=True, slots=True)
class Tables:
    """Actions by state and terminal, and the states after a reduction by state and symbol."""

    actions: list[dict[int, TableAction]]
    gotos: list[dict[int, int]]


#: How many moves between states tables may have: three times as many as the largest grammar that
#: ships makes. With ten times as many, tables take more than 5 s and 500 MB.
MOST_MOVES: Final = 1_000_000


class TooLarge(Exception):
    """Tables would be larger than anybody wants to wait for."""


def build_tables(
    productions: Sequence[tuple[int, tuple[int, ...]]],
    groups: Mapping[int, tuple[int, ...]],
    terminals: int,
) -> Tables:
    """Build the tables of productions; the first is `start' -> start`.

    Raises `TooLarge` if there are more than `MOST_MOVES`.
    """
    automaton = LrAutomaton(productions, groups, terminals)
    automaton.run()
    lookaheads = _Lookaheads(automaton).sets
    tables = Tables([], [])
    for state, (moves, finished) in enumerate(
        zip(automaton.moves, automaton.finished, strict=True)
    ):
        reductions = ((one, lookaheads.get((state, one), 0)) for one in sorted(finished))
        tables.actions.append(_actions(moves, reductions, terminals))
        tables.gotos.append({s: t for s, t in moves.items() if s >= terminals})
    return tables


def _actions(
    moves: Mapping[int, int], reductions: Iterable[tuple[int, int]], terminals: int
) -> dict[int, TableAction]:
    """Return the actions of a state, given its moves and the lookaheads of its reductions."""
    row: dict[int, TableAction] = {s: t for s, t in moves.items() if s < terminals}
    for production, lookaheads in reductions:
        for terminal in bits(lookaheads):
            old = row.get(terminal)
            if old is None:
                row[terminal] = ~production
            else:
                row[terminal] = (*(old if isinstance(old, tuple) else (old,)), ~production)
    return row


def _closed(graph: Mapping[int, Iterable[int]], sets: dict[int, int]) -> dict[int, int]:
    """Add to the set of each node those of the nodes that it leads to."""
    for component in strongly_connected(graph):
        mask = 0
        for node in component:
            mask |= sets.get(node, 0)
            for other in graph[node]:
                mask |= sets.get(other, 0)
        sets.update(dict.fromkeys(component, mask))
    return sets


def bits(mask: int) -> Iterator[int]:
    """Return the numbers of the bits of a set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class LrAutomaton:
    """The LR(0) automaton. An item is a number: where its production starts, plus the dot."""

    def __init__(
        self,
        productions: Sequence[tuple[int, tuple[int, ...]]],
        groups: Mapping[int, tuple[int, ...]],
        terminals: int,
    ) -> None:
        self.productions: Final = productions
        self.terminals: Final = terminals
        self._groups: Final = groups
        self._symbol_at: list[tuple[int, ...]] = []  # the symbols that may follow the dot
        self._production_of: list[int] = []
        starts: list[int] = []
        for number, (_, right) in enumerate(productions):
            starts.append(len(self._symbol_at))
            self._symbol_at += [self.expand(symbol) for symbol in right]
            self._symbol_at.append(())
            self._production_of += [number] * (len(right) + 1)
        self.by_left: Final[dict[int, list[int]]] = {}
        for number, (left, _) in enumerate(productions):
            self.by_left.setdefault(left, []).append(number)
        self._first_moves: dict[int, dict[int, list[int]]] = {}
        for left, numbers in self.by_left.items():
            moves: dict[int, list[int]] = {}
            for number in numbers:
                for symbol in self._symbol_at[starts[number]]:
                    moves.setdefault(symbol, []).append(starts[number] + 1)
            self._first_moves[left] = moves
        self._closures = self._left_closures()
        self._merged: dict[int, dict[int, list[int]]] = {}
        #: The moves of each state, by symbol.
        self.moves: Final[list[dict[int, int]]] = []
        #: The productions that are complete in each state.
        self.finished: Final[list[list[int]]] = []
        #: The items that each state begins with; the first state comes before everything.
        self.kernels: Final[list[tuple[int, ...]]] = []
        self._numbers: Final[dict[tuple[int, ...], int]] = {}
        self._number((starts[ACCEPT],))

    def expand(self, symbol: int) -> tuple[int, ...]:
        """Return the symbols that a symbol on a right side means."""
        return self._groups.get(symbol, (symbol,))

    def _left_closures(self) -> dict[int, int]:
        """Return, for each symbol, the set of symbols that a derivation from it starts with."""
        below = {
            left: [symbol for symbol in moves if symbol >= self.terminals]
            for left, moves in self._first_moves.items()
        }
        symbols = {*below, *(symbol for found in below.values() for symbol in found)}
        return _closed(below, {symbol: 1 << symbol for symbol in symbols})

    def next_states(self, kernel: tuple[int, ...]) -> tuple[dict[int, int], list[int]]:
        """Return the states after each symbol that may come next, and what is complete."""
        moves: dict[int, list[int]] = {}
        closure = 0
        finished = []
        for item in kernel:
            symbols = self._symbol_at[item]
            if not symbols:
                finished.append(self._production_of[item])
            for symbol in symbols:
                moves.setdefault(symbol, []).append(item + 1)
                closure |= self._closures.get(symbol, 0)
        for symbol, items in self._closure_moves(closure).items():
            known = moves.get(symbol)
            moves[symbol] = items if known is None else known + items
        return {s: self._number(tuple(sorted(set(items)))) for s, items in moves.items()}, finished

    def _number(self, kernel: tuple[int, ...]) -> int:
        known = self._numbers.get(kernel)
        if known is None:
            known = self._numbers[kernel] = len(self.kernels)
            self.kernels.append(kernel)
        return known

    def run(self) -> None:
        """Make all states."""
        count = 0
        for kernel in self.kernels:
            moves, finished = self.next_states(kernel)
            count += len(moves)
            if count > MOST_MOVES:
                raise TooLarge
            self.moves.append(moves)
            self.finished.append(finished)

    def _closure_moves(self, closure: int) -> dict[int, list[int]]:
        known = self._merged.get(closure)
        if known is None:
            known = {}
            for left in bits(closure):
                for symbol, items in self._first_moves.get(left, {}).items():
                    known[symbol] = known.get(symbol, []) + items
            self._merged[closure] = known
        return known


class _Lookaheads:
    """The lookahead set of every complete production in every state."""

    def __init__(self, automaton: LrAutomaton) -> None:
        self._automaton: Final = automaton
        terminals = automaton.terminals
        self._numbers: dict[tuple[int, int], int] = {}
        for state, moves in enumerate(automaton.moves):
            for symbol in moves:
                if symbol >= terminals:
                    self._numbers[state, symbol] = len(self._numbers)
        reads = dict(enumerate(self._direct_reads()))
        self._includes: dict[int, list[int]] = {source: [] for source in reads}
        lookbacks = self._relate()
        follow = _closed(self._includes, reads)
        self.sets: Final[dict[tuple[int, int], int]] = {}
        for key, sources in lookbacks.items():
            mask = 0
            for source in sources:
                mask |= follow[source]
            self.sets[key] = mask
        for state in self._walk(0, automaton.productions[ACCEPT][1]):
            self.sets[state, ACCEPT] = 1 << END_TERMINAL

    def _direct_reads(self) -> list[int]:
        """Return the terminals that can be read right after each nonterminal move."""
        automaton = self._automaton
        readable = [
            sum(1 << symbol for symbol in moves if symbol < automaton.terminals)
            for moves in automaton.moves
        ]
        reads = []
        for state, symbol in self._numbers:
            target = automaton.moves[state][symbol]
            mask = readable[target]
            if ACCEPT in automaton.finished[target]:
                mask |= 1 << END_TERMINAL
            reads.append(mask)
        return reads

    def _walk(self, state: int, right: Sequence[int]) -> set[int]:
        """Return the states after reading a right side; variants may lead to several."""
        states = {state}
        for symbol in right:
            states = {
                self._automaton.moves[one][variant]
                for one in states
                for variant in self._automaton.expand(symbol)
                if variant in self._automaton.moves[one]
            }
        return states

    def _relate(self) -> dict[tuple[int, int], list[int]]:
        """Fill *includes*, and return *lookback*: the moves that a reduction may end in."""
        automaton = self._automaton
        numbers = self._numbers
        lookbacks: dict[tuple[int, int], list[int]] = {}
        for (state, left), source in numbers.items():
            for production in automaton.by_left.get(left, ()):
                right = automaton.productions[production][1]
                before = self._walk(state, right[:-1])
                variants = automaton.expand(right[-1])
                for one in before:
                    moves = automaton.moves[one]
                    for variant in variants:
                        target = moves.get(variant)
                        if target is None:
                            continue
                        lookbacks.setdefault((target, production), []).append(source)
                        number = numbers.get((one, variant))
                        if number is not None:
                            self._includes[number].append(source)
        return lookbacks


def lazy_tables(automaton: LrAutomaton) -> Tables:
    """Return tables that get their states when a text first needs them, for large grammars.

    SQL dialects have thousands of rules, and hundreds of keywords that are also names. Their
    LALR(1) tables have tens of millions of entries, of which a text uses a few thousand. Here a
    state of the LR(0) automaton, which has none yet, gets its rows when the parser first looks at
    it, and a production is reduced before any terminal that may follow its symbol anywhere
    (SLR(1)). That means more conflicts, which the parser follows and drops; texts, trees and the
    places of errors are the same.
    """
    return _Growing(automaton).tables


class _Row(dict[int, Any]):
    """A row of a state that is filled when somebody looks at it."""

    __slots__ = ("_growing", "_state")

    def __init__(self, growing: _Growing, state: int) -> None:
        super().__init__()
        self._growing = growing
        self._state = state

    def get(self, key: int, default: Any = None) -> Any:
        """Return an entry of the actual row, which takes this one's place."""
        self._growing.fill(self._state)
        return self._growing.tables.actions[self._state].get(key, default)

    def __missing__(self, key: int) -> int:
        self._growing.fill(self._state)
        return self._growing.tables.gotos[self._state][key]


class _Growing:
    """The states made so far."""

    def __init__(self, automaton: LrAutomaton) -> None:
        self._automaton: Final = automaton
        self._follow: Final = _follow_sets(automaton)
        self.tables: Final = Tables([], [])
        self._add_rows()

    def _add_rows(self) -> None:
        for state in range(len(self.tables.actions), len(self._automaton.kernels)):
            self.tables.actions.append(_Row(self, state))
            self.tables.gotos.append(_Row(self, state))

    def fill(self, state: int) -> None:
        """Make the rows of a state."""
        automaton = self._automaton
        moves, finished = automaton.next_states(automaton.kernels[state])
        self._add_rows()
        lefts = ((one, automaton.productions[one][0]) for one in sorted(finished))
        reductions = ((one, self._follow.get(left, 0)) for one, left in lefts)
        self.tables.actions[state] = _actions(moves, reductions, automaton.terminals)
        self.tables.gotos[state] = {s: t for s, t in moves.items() if s >= automaton.terminals}


def _follow_sets(automaton: LrAutomaton) -> dict[int, int]:
    """Return the terminals that may follow each nonterminal, as sets of bits."""
    first = _first_sets(automaton)
    follow: dict[int, int] = {automaton.productions[ACCEPT][0]: 1 << END_TERMINAL}
    above: dict[int, list[int]] = {}
    for left, right in automaton.productions:
        for at, symbol in enumerate(right):
            for one in automaton.expand(symbol):
                if one < automaton.terminals:
                    continue
                if at + 1 == len(right):
                    above.setdefault(one, []).append(left)
                    continue
                mask = follow.get(one, 0)
                for other in automaton.expand(right[at + 1]):
                    mask |= first[other]
                follow[one] = mask
    graph = {one: above.get(one, []) for one in {*above, *follow, *automaton.by_left}}
    return _closed(graph, follow)


def _first_sets(automaton: LrAutomaton) -> dict[int, int]:
    """Return the terminals that each symbol may begin with, as sets of bits."""
    first = {terminal: 1 << terminal for terminal in range(automaton.terminals)}
    graph: dict[int, list[int]] = {}
    for left, numbers in automaton.by_left.items():
        below = (automaton.productions[number][1][0] for number in numbers)
        graph[left] = list({one for symbol in below for one in automaton.expand(symbol)})
    return _closed(graph, first)
