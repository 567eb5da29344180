"""The symbols that a random tree may start with: all that a node of a parsed tree may be.

These are the rules, the tokens, and the quantifiers and groups inside rules, by the names that the
parser gives their nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from marrow.grammar.parser.bnf import ABSENT, Bnf, Entry, Production, Shape
from marrow.tree import Branch


@dataclass(frozen=True, slots=True)
class Root:
    """A symbol to derive, and how it is shown; `empty` is the node if it derives nothing.

    `number` is the production that holds the symbol as its only child, or -1 for rules, which need
    none.
    """

    symbol: int
    number: int = -1
    empty: Branch | None = None


class Roots:
    """All roots of a grammar, with the productions that they need in addition to the grammar's."""

    def __init__(self, bnf: Bnf) -> None:
        self._found: Final[dict[str, Root]] = {}
        self.productions: Final[list[Production]] = list(bnf.productions)
        empties = _empties(bnf)
        for name, symbol in bnf.starts.items():
            self._found[name] = Root(symbol, -1, bnf.empty_rules.get(name))
        for production in bnf.productions:
            for entry in production.entries:
                if entry.child != ABSENT:
                    self._add(entry, production.right[entry.child], empties)
            if production.shape is Shape.NODE:
                self._hold(production.name, production.left, Entry(0, production.name), None)

    def _add(self, entry: Entry, symbol: int, empties: Mapping[str, Branch]) -> None:
        if entry.wrap is not None:
            whole = replace(entry, child=0, wrap_slot=entry.wrap_name)
            self._hold(entry.wrap_name, symbol, whole, empties.get(entry.wrap_name))
        if entry.token:
            self._hold(entry.token, symbol, Entry(0, entry.token, entry.token), None)

    def _hold(self, name: str, symbol: int, entry: Entry, empty: Branch | None) -> None:
        if name not in self._found:
            self._found[name] = Root(symbol, len(self.productions), empty)
            self.productions.append(Production(-1, (symbol,), 0, 0, Shape.NODE, "", (entry,)))

    def get(self, name: str) -> Root | None:
        """Return the root with a name."""
        return self._found.get(name)

    def names(self) -> list[str]:
        """Return the names of all roots, rules first."""
        return list(self._found)


def _empties(bnf: Bnf) -> dict[str, Branch]:
    """Return the nodes of quantifiers that hold nothing."""
    found: dict[str, Branch] = {}
    for production in bnf.productions:
        for entry in production.entries:
            if entry.child == ABSENT and entry.wrap is not None:
                nodes = bnf.empties[entry.empty]
                if len(nodes) == 1:
                    found[entry.wrap_name] = nodes[0]
    return found
