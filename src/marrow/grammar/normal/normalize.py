"""Perses Normal Form: any grammar into an equivalent one whose lists are quantified rules.

Section 4.1 and Algorithm 1 of "Perses: Syntax-Guided Program Reduction" (Sun et al., ICSE 2018).
The result has the form of Definition 3.1 and derives the same
texts. There are two forms:

* `substitute=True` is Algorithm 1 in full. It departs from the paper in the order of its steps:
  the star of a nonterminal is introduced right after its own substitution (Paull's order), since
  the algorithm as printed does not end on some grammars.
* `substitute=False` leaves indirect recursion alone and turns direct recursion at both ends of a
  rule into lists. Rules keep their names, and operators their precedence. Only where this leaves
  recursive rules that no quantified rule describes, they are substituted.

`docs/explanation/normal-form.md` explains both, and how `normalize` chooses.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from marrow.base.reachability import reached
from marrow.grammar.model.analysis import require_usable
from marrow.grammar.model.expressions import references
from marrow.grammar.model.graph import cycles
from marrow.grammar.model.rules import (
    Expression,
    Grammar,
    GrammarError,
    Reference,
    Repeat,
    Sequence,
    alternatives,
)
from marrow.grammar.normal.epsilon import preprocess
from marrow.grammar.normal.flat import FlatGrammar, unique
from marrow.grammar.normal.list_introduction import (
    introduce_lists,
    introduce_optional,
    introduce_plus,
    introduce_star,
    operators,
)

#: Substitution is chosen by itself only if the result is at most this many times as large as
#: without: Figure 4's grammar gets 1.25 times as large, Go's 5 times and C's 29 times.
GROWTH: Final = 2

#: Where substitution gives up, in symbols: three times as much as C's grammar comes to, the largest
#: of those that end.
MOST_SYMBOLS: Final = 100_000

#: An alternative with up to this many empty rules is written out with and without each of them, as
#: in the paper: eight alternatives at most.
_WRITTEN_OUT: Final = 3


class _TooLarge(Exception):
    """Substitution has made more symbols than it may."""


def normalize(grammar: Grammar, *, substitute: bool | None = None) -> Grammar:
    """Return an equivalent grammar in Perses Normal Form.

    Without `substitute`, the full algorithm is used if it loses nothing: no rule states a
    precedence by the order of its operators, and the result is at most `GROWTH` times as large as
    the form without substitution. Raises `GrammarError` if a name is undefined, if the start rule
    derives no text, or if substitution, where it was asked for, makes more than `MOST_SYMBOLS`
    symbols.
    """
    require_usable(grammar)
    if substitute is False:
        return _with_lists(grammar).grammar()
    if substitute is True:
        try:
            return _with_substitution(grammar, MOST_SYMBOLS).grammar()
        except _TooLarge:
            raise GrammarError(
                f"the normal form of {grammar.name!r} by substitution has more than "
                f"{MOST_SYMBOLS:,} symbols. Use the form without substitution."
            ) from None
    plain = _with_lists(grammar)
    flat = FlatGrammar(grammar)
    if any(len(operators(flat, name).binary) > 1 for name in grammar.rules):
        return plain.grammar()
    try:
        return _with_substitution(grammar, GROWTH * plain.symbols()).grammar()
    except _TooLarge:
        return plain.grammar()


# -- without substitution ---------------------------------------------------------------------


def _with_lists(grammar: Grammar) -> FlatGrammar:
    flat = FlatGrammar(grammar)
    preprocess(flat, expand=0)
    for name in list(flat.rules):
        introduce_plus(flat, name)
        introduce_optional(flat, name, _mergeable(flat, name))
    for name in list(flat.rules):
        introduce_lists(flat, name)
    for mirrored in (False, True):
        _list_the_rest(flat, mirrored=mirrored)
    for name in list(flat.rules):
        introduce_plus(flat, name)
    flat.drop_unreachable()
    return flat


def _list_the_rest(flat: FlatGrammar, *, mirrored: bool) -> None:
    """Substitute where nothing else gives a list: rules that no quantified rule describes.

    Definition 3.1 asks for it. It concerns plain BNF only: in grammars with quantifiers nearly
    every rule leads to one.
    """
    cycles = _cycles(flat, mirrored=mirrored)
    listed = described(flat.snapshot()) if cycles else set()
    for component in dict.fromkeys(cycles.values()):
        if len(component) > 1 and not component <= listed:
            with suppress(_TooLarge):
                _transform(flat, component, MOST_SYMBOLS, mirrored=mirrored)


def described(grammar: Grammar) -> set[str]:
    """Return the rules that are transitively described by a quantified rule."""
    users: dict[str, list[str]] = {}
    quantified = []
    for name, rule in grammar.rules.items():
        for reference in references(rule.body):
            users.setdefault(reference.name, []).append(name)
        if any(_is_quantified(option) for option in alternatives(rule.body)):
            quantified.append(name)
    return set(reached(quantified, lambda name: users.get(name, ())))


def _is_quantified(option: Expression) -> bool:
    items = option.items if isinstance(option, Sequence) else (option,)
    return any(isinstance(item, Repeat) for item in items)


def _mergeable(flat: FlatGrammar, name: str) -> Callable[[Sequence], int | None]:
    """Return which alternatives may be merged with which: operators may not.

    `- E | E - E` is not `E? - E` to a reader, nor to the parser that minds precedence.
    """
    this = Reference(name)
    infix = bool(operators(flat, name).binary)

    def group(option: Sequence) -> int | None:
        items = option.items
        if not items or items[0] == this or (infix and items[-1] == this):
            return None
        return int(items[-1] == this)

    return group


# -- Algorithm 1 ------------------------------------------------------------------------------


def _with_substitution(grammar: Grammar, limit: int) -> FlatGrammar:
    flat = FlatGrammar(grammar)
    preprocess(flat, expand=_WRITTEN_OUT)
    for mirrored in (False, True):
        _normalize_side(flat, limit, mirrored=mirrored)
    flat.drop_unreachable()
    return flat


def _normalize_side(flat: FlatGrammar, limit: int, *, mirrored: bool) -> None:
    """Turn recursion at one end of the rules into lists (GrammarNormalizationLeft and -Right)."""
    for component in dict.fromkeys(_cycles(flat, mirrored=mirrored).values()):
        _transform(flat, component, limit, mirrored=mirrored)
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


def _transform(flat: FlatGrammar, component: frozenset[str], limit: int, *, mirrored: bool) -> None:
    """Turn the indirect recursion of a component into direct recursion, and that into stars.

    The order of the nonterminals, random in the paper, is the order of the grammar. Each is free of
    lower ones at its end, and of itself, before the next one is looked at, so each substitution
    leads upwards and the whole ends.
    """
    order: list[str] = []
    for name in [name for name in flat.rules if name in component]:
        for lower in order:
            _substitute(flat, name, lower, mirrored=mirrored)
            if flat.symbols() > limit:
                raise _TooLarge
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
