"""LALR(1) tables for productions without ε.

LR(0) automaton, then lookaheads after DeRemer and Pennello ("Efficient computation of LALR(1)
look-ahead sets", 1982). Without ε the *reads* relation is empty, which leaves one pass over the
strongly connected components of *includes*. Sets are integers used as bit sets. Conflicts are not
resolved: an entry then lists every action, for the parser to follow them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    actions: list[dict[int, TableAction]] = []
    gotos: list[dict[int, int]] = []
    for state, moves in enumerate(automaton.moves):
        row: dict[int, TableAction] = {s: t for s, t in moves.items() if s < terminals}
        for production in sorted(automaton.finished[state]):
            for terminal in bits(lookaheads.get((state, production), 0)):
                old = row.get(terminal)
                if old is None:
                    row[terminal] = ~production
                elif isinstance(old, int):
                    row[terminal] = (old, ~production)
                else:
                    row[terminal] = (*old, ~production)
        actions.append(row)
        gotos.append({s: t for s, t in moves.items() if s >= terminals})
    return Tables(actions, gotos)


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
        #: The item that everything starts from.
        self.first: Final = starts[ACCEPT]

    def expand(self, symbol: int) -> tuple[int, ...]:
        """Return the symbols that a symbol on a right side means."""
        return self._groups.get(symbol, (symbol,))

    def _left_closures(self) -> dict[int, int]:
        """Return, for each symbol, the set of symbols that a derivation from it starts with."""
        below = {
            left: [symbol for symbol in moves if symbol >= self.terminals]
            for left, moves in self._first_moves.items()
        }
        closures: dict[int, int] = {}
        for component in strongly_connected(below):
            closure = sum(1 << left for left in component)
            for left in component:
                for symbol in below[left]:
                    closure |= closures.get(symbol, 1 << symbol)
            closures.update(dict.fromkeys(component, closure))
        return closures

    def expand_kernel(self, kernel: tuple[int, ...]) -> tuple[dict[int, list[int]], list[int]]:
        """Return the items after each symbol that may come next, and what is complete."""
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
        return moves, finished

    def run(self) -> None:
        """Make all states."""
        kernels: dict[tuple[int, ...], int] = {(self.first,): 0}
        queue: list[tuple[int, ...]] = [(self.first,)]
        count = 0
        for kernel in queue:
            moves, finished = self.expand_kernel(kernel)
            count += len(moves)
            if count > MOST_MOVES:
                raise TooLarge
            row = {}
            for symbol, items in moves.items():
                key = tuple(sorted(set(items)))
                state = kernels.get(key)
                if state is None:
                    state = kernels[key] = len(queue)
                    queue.append(key)
                row[symbol] = state
            self.moves.append(row)
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
        self._follow = self._direct_reads()
        self._includes: list[list[int]] = [[] for _ in self._follow]
        lookbacks = self._relate()
        self._close()
        self.sets: Final[dict[tuple[int, int], int]] = {}
        for key, sources in lookbacks.items():
            mask = 0
            for source in sources:
                mask |= self._follow[source]
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

    def _close(self) -> None:
        """Add to each set those it includes, directly or through others."""
        follow, includes = self._follow, self._includes
        for component in strongly_connected(dict(enumerate(includes))):
            mask = 0
            for node in component:
                mask |= follow[node]
                for other in includes[node]:
                    mask |= follow[other]
            for node in component:
                follow[node] = mask


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
        self._numbers: Final[dict[tuple[int, ...], int]] = {}
        self._kernels: Final[list[tuple[int, ...]]] = []
        self.tables: Final = Tables([], [])
        self._number((automaton.first,))

    def _number(self, kernel: tuple[int, ...]) -> int:
        known = self._numbers.get(kernel)
        if known is None:
            known = self._numbers[kernel] = len(self._kernels)
            self._kernels.append(kernel)
            self.tables.actions.append(_Row(self, known))
            self.tables.gotos.append(_Row(self, known))
        return known

    def fill(self, state: int) -> None:
        """Make the rows of a state."""
        automaton = self._automaton
        moves, finished = automaton.expand_kernel(self._kernels[state])
        row: dict[int, TableAction] = {}
        gotos: dict[int, int] = {}
        for symbol, items in moves.items():
            target = self._number(tuple(sorted(set(items))))
            if symbol < automaton.terminals:
                row[symbol] = target
            else:
                gotos[symbol] = target
        for production in sorted(finished):
            left = automaton.productions[production][0]
            for terminal in bits(self._follow.get(left, 0)):
                old = row.get(terminal)
                if old is None:
                    row[terminal] = ~production
                else:
                    row[terminal] = (*((old,) if isinstance(old, int) else old), ~production)
        self.tables.actions[state] = row
        self.tables.gotos[state] = gotos


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
    for component in strongly_connected(graph):
        mask = 0
        for one in component:
            mask |= follow.get(one, 0)
            for other in graph[one]:
                mask |= follow.get(other, 0)
        follow.update(dict.fromkeys(component, mask))
    return follow


def _first_sets(automaton: LrAutomaton) -> dict[int, int]:
    """Return the terminals that each symbol may begin with, as sets of bits."""
    first = {terminal: 1 << terminal for terminal in range(automaton.terminals)}
    graph: dict[int, list[int]] = {}
    for left, numbers in automaton.by_left.items():
        below = (automaton.productions[number][1][0] for number in numbers)
        graph[left] = list({one for symbol in below for one in automaton.expand(symbol)})
    inner = {left: [one for one in below if one in graph] for left, below in graph.items()}
    for component in strongly_connected(inner):
        mask = 0
        for left in component:
            for one in graph[left]:
                mask |= first.get(one, 0)
        first.update(dict.fromkeys(component, mask))
    return first
