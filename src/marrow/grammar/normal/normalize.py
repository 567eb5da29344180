"""Perses Normal Form: any grammar into an equivalent one whose lists are quantified rules.

Section 4.1 and Algorithm 1 of "Perses: Syntax-Guided Program Reduction" (Sun et al., ICSE 2018).
The result has the form of Definition 3.1 and derives the same texts. It departs from the paper in
the order of its steps: the star of a nonterminal is introduced right after its own substitution
(Paull's order), since the algorithm as printed does not end on some grammars.
`docs/explanation/normal-form.md` has the other departures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from marrow.grammar.model.analysis import require_usable
from marrow.grammar.model.graph import cycles
from marrow.grammar.model.rules import Grammar, GrammarError, Reference, Sequence
from marrow.grammar.normal.epsilon import preprocess
from marrow.grammar.normal.flat import FlatGrammar, unique
from marrow.grammar.normal.list_introduction import (
    introduce_optional,
    introduce_plus,
    introduce_star,
)

#: Where substitution gives up, in symbols: three times as much as C's grammar comes to, the largest
#: of those that end.
MOST_SYMBOLS: Final = 100_000


def normalize(grammar: Grammar) -> Grammar:
    """Return an equivalent grammar in Perses Normal Form.

    Raises `GrammarError` if a name is undefined, if the start rule derives no text, or if
    substitution makes more than `MOST_SYMBOLS` symbols.
    """
    require_usable(grammar)
    flat = FlatGrammar(grammar)
    preprocess(flat)
    for mirrored in (False, True):
        _normalize_side(flat, mirrored=mirrored)
    flat.drop_unreachable()
    return flat.grammar()


def _normalize_side(flat: FlatGrammar, *, mirrored: bool) -> None:
    """Turn recursion at one end of the rules into lists (GrammarNormalizationLeft and -Right)."""
    for component in dict.fromkeys(_cycles(flat, mirrored=mirrored).values()):
        _transform(flat, component, mirrored=mirrored)
    cycles = {} if mirrored else _cycles(flat, mirrored=True)
    for name in list(flat.rules):
        introduce_plus(flat, name)
        introduce_optional(flat, name, _unlisted(cycles.get(name, frozenset())))
        introduce_plus(flat, name)


def _unlisted(cycle: frozenset[str]) -> Callable[[Sequence], int | None]:
    """Return which alternatives may be merged: none that ends a list with one that continues it.

    The paper merges all of them on the left pass, and thereby hides right recursion from the next.
    """

    def group(option: Sequence) -> int | None:
        if not option.items:
            return None
        last = option.items[-1]
        return int(isinstance(last, Reference) and last.name in cycle)

    return group


def _cycles(flat: FlatGrammar, *, mirrored: bool) -> dict[str, frozenset[str]]:
    """Return for each rule that is recursive at an end the rules that it is so with."""
    graph = {name: _corners(flat, name, mirrored=mirrored) for name in flat.rules}
    return {name: frozenset(component) for component in cycles(graph) for name in component}


def _corners(flat: FlatGrammar, name: str, *, mirrored: bool) -> list[str]:
    """Return the rules that alternatives of a rule start with (or, mirrored, end with)."""
    end = -1 if mirrored else 0
    atoms = (option.items[end] for option in flat.rules[name] if option.items)
    return [corner for atom in atoms if (corner := flat.refers(atom)) is not None]


def _transform(flat: FlatGrammar, component: frozenset[str], *, mirrored: bool) -> None:
    """Turn the indirect recursion of a component into direct recursion, and that into stars.

    The order of the nonterminals, random in the paper, is the order of the grammar. Each is free of
    lower ones at its end, and of itself, before the next one is looked at, so each substitution
    leads upwards and the whole ends.
    """
    order: list[str] = []
    for name in [name for name in flat.rules if name in component]:
        for lower in order:
            _substitute(flat, name, lower, mirrored=mirrored)
            if flat.symbols() > MOST_SYMBOLS:
                raise GrammarError(
                    f"the normal form of {flat.name!r} has more than {MOST_SYMBOLS:,} symbols. "
                    "Use the grammar as it is: lists are found in its rules."
                )
        operand = introduce_star(flat, name, mirrored=mirrored)
        order.append(name)
        if operand is not None:
            order.append(operand)


def _substitute(flat: FlatGrammar, name: str, lower: str, *, mirrored: bool) -> None:
    """Replace a lower nonterminal at the end of a rule's alternatives by its own alternatives."""
    there = Reference(lower)
    end = -1 if mirrored else 0
    options: list[Sequence] = []
    for option in flat.rules[name]:
        if not option.items or option.items[end] != there:
            options.append(option)
            continue
        for other in flat.rules[lower]:
            if mirrored:
                items = (*option.items[:-1], *other.items)
            else:
                items = (*other.items, *option.items[1:])
            options.append(Sequence(items))
    this = (Reference(name),)
    flat.rules[name] = unique(option for option in options if option.items != this)
