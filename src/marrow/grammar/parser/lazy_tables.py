"""Tables for grammars that are too large for tables: states are made when a text first needs them.

SQL dialects have thousands of rules, and hundreds of keywords that are also names. Their LALR(1)
tables have tens of millions of entries, of which a text uses a few thousand. Here a state of the
LR(0) automaton gets its rows when the parser first looks at it, and a production is reduced before
any terminal that may follow its symbol anywhere (SLR(1)). That means more conflicts, which the
parser follows and drops; texts, trees and the places of errors are the same.
"""

from __future__ import annotations

from typing import Any, Final

from marrow.grammar.model.graph import strongly_connected
from marrow.grammar.parser.bnf import END_TERMINAL
from marrow.grammar.parser.lalr import ACCEPT, LrAutomaton, TableAction, Tables, bits


def lazy_tables(automaton: LrAutomaton) -> Tables:
    """Return tables that grow; `automaton` has no states yet."""
    return _Growing(automaton).tables


class _Row(dict[int, Any]):
    """Stands for the row of a state until somebody looks at it."""

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
