"""Productions for drawing: symbols that a tree may start with, and where the input may end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from marrow.grammar.parser.bnf import (
    ABSENT,
    END_TERMINAL,
    Bnf,
    Entry,
    Production,
    Shape,
)
from marrow.tree import Branch


def with_inner_symbols(bnf: Bnf) -> Bnf:
    """Return productions in which EOF is never followed by a token.

    In `file: line+; line: A (NL | EOF);` only the last line may end with EOF. Such a grammar gets
    every symbol twice: as it is, for the end of a text, and an *inner* one that never derives EOF,
    for all places that something follows. Other grammars stay as they are.

    The inner production of number n is number n plus the count of the original ones, and the inner
    symbol s is number s plus the count of names.
    """
    ending = _deriving(bnf, lambda terminal: terminal == END_TERMINAL)
    reading = _deriving(bnf, lambda terminal: terminal != END_TERMINAL)
    outer = [_outer(one, ending, reading, len(bnf.names)) for one in bnf.productions]
    repeated = any(
        one.shape is Shape.SPLICE
        and len(one.right) > 1
        and one.right[0] == one.left
        and not ending.isdisjoint(one.right[1:])
        for one in bnf.productions
    )
    if not repeated and all(a is b for a, b in zip(outer, bnf.productions, strict=True)):
        return bnf
    inner = [_inner(one, len(bnf.terminals), len(bnf.names)) for one in bnf.productions]
    groups = dict(bnf.groups)
    for symbol, members in bnf.groups.items():
        groups[symbol + len(bnf.names)] = tuple(one + len(bnf.names) for one in members)
    return replace(bnf, productions=(*outer, *inner), groups=groups)


def _deriving(bnf: Bnf, wanted: Callable[[int], bool]) -> set[int]:
    """Return the symbols that may derive one of some terminals."""
    users: dict[int, set[int]] = {}
    for one in bnf.productions:
        for symbol in one.right:
            users.setdefault(symbol, set()).add(one.left)
    for group, members in bnf.groups.items():
        for member in members:
            users.setdefault(member, set()).add(group)
    found = {terminal for terminal in range(len(bnf.terminals)) if wanted(terminal)}
    work = list(found)
    while work:
        new = users.get(work.pop(), set()) - found
        found |= new
        work.extend(new)
    return found


def _outer(one: Production, ending: set[int], reading: set[int], shift: int) -> Production:
    """Return a production whose symbols do not end the text where something follows them."""
    step = one.shape is Shape.SPLICE and len(one.right) > 1 and one.right[0] == one.left
    right = list(one.right)
    for at in range(1 if step else 0, len(right) - 1):
        if right[at] in ending and not reading.isdisjoint(right[at + 1 :]):
            right[at] += shift  # for EOF itself: a symbol that derives nothing
    return one if tuple(right) == one.right else replace(one, right=tuple(right))


def _inner(one: Production, terminals: int, shift: int) -> Production:
    """Return the production of an inner symbol."""
    right = tuple(
        symbol if END_TERMINAL != symbol < terminals else symbol + shift for symbol in one.right
    )
    return replace(one, left=one.left + shift, right=right)


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
    """The symbols that a random tree may start with: all that a node of a parsed tree may be.

    These are the rules, the tokens, and the quantifiers and groups inside rules, by the names that
    the parser gives their nodes; `productions` has those that they need beyond the grammar's.
    """

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
