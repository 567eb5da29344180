"""Where the end of the input may stand: at the end of a text and nowhere else.

In `file: line+; line: A (NL | EOF);` only the last line may end with EOF. Such a grammar gets every
symbol twice: as it is, for the end of a text, and an *inner* one that never derives EOF, for all
places that something follows. Other grammars stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from marrow.grammar.parser.bnf import END_TERMINAL, Bnf, Production, Shape


def with_inner_symbols(bnf: Bnf) -> Bnf:
    """Return productions in which EOF is never followed by a token.

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
