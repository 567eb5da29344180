"""The preprocessing of Perses Normal Form: no empty alternatives, no rules without use.

An alternative is *empty* if it consists of rules that have an empty alternative, or of nothing.
Stars and optionals that the author wrote are not empty alternatives: they are what the normal form
wants, and stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Final

from marrow.grammar.model.expressions import holds, references, settle
from marrow.grammar.model.rules import Choice, Expression, Quantifier, Reference, Repeat, Sequence
from marrow.grammar.normal.flat import FlatGrammar, Items, unique

#: An alternative with up to this many empty rules is written out with and without each of them, as
#: in the paper: eight alternatives at most.
_WRITTEN_OUT: Final = 3


def preprocess(flat: FlatGrammar) -> None:
    """Remove empty alternatives and rules without use; the language stays the same.

    Where an alternative holds more than `_WRITTEN_OUT` rules that may be empty they become
    optional, which says the same without doubling the alternatives for each.
    """
    _drop_unproductive(flat)
    _erase_blank(flat)
    empty = _empty(flat)
    for name, options in flat.rules.items():
        flat.rules[name] = _without_empty(name, options, empty)
    if flat.start in empty or not flat.rules[flat.start]:
        _restart(flat)
        flat.rules[flat.start].append(Sequence(()))
    flat.drop_unreachable()


def _empty(flat: FlatGrammar) -> set[str]:
    """Return the rules that derive the empty text, and would not without empty alternatives."""
    blank = _least(flat, lambda option, found: all(flat.refers(a) in found for a in option.items))

    def by_quantifier(option: Sequence, found: set[str]) -> bool:
        return bool(option.items) and holds(option, lambda atom: flat.refers(atom) in found)

    return blank - _least(flat, by_quantifier)


def _restart(flat: FlatGrammar) -> None:
    """Make a new start rule if the old one is used, for the start rule may be empty, others not."""
    old = flat.start
    every = (option for options in flat.rules.values() for option in options)
    if any(reference.name == old for option in every for reference in references(option)):
        flat.start = flat.fresh("start", old)
        # The start rule comes first, where readers look for it.
        flat.rules = {flat.start: [Sequence((Reference(old),))], **flat.rules}


def _least(flat: FlatGrammar, known: Callable[[Sequence, set[str]], bool]) -> set[str]:
    """Return the least set of rules that have an alternative with a property, given that set."""
    found: set[str] = set()

    def update(name: str) -> bool:
        if name in found or not any(known(option, found) for option in flat.rules[name]):
            return False
        found.add(name)
        return True

    settle({name: Choice(tuple(options)) for name, options in flat.rules.items()}, update)
    return found


def _drop_unproductive(flat: FlatGrammar) -> None:
    """Remove what derives no text at all; the start rule is known to derive one."""

    def derives(option: Expression, found: set[str]) -> bool:
        return holds(option, lambda atom: flat.refers(atom) is None or flat.refers(atom) in found)

    good = _least(flat, derives)
    bad = set(flat.rules) - good
    if bad:
        for name in good:
            left = [option for option in flat.rules[name] if derives(option, good)]
            flat.rules[name] = _erased(left, bad)
        for name in bad:
            del flat.rules[name]


def _erase_blank(flat: FlatGrammar) -> None:
    """Remove the rules that derive the empty text only, and all references to them."""

    def says(option: Sequence, found: set[str]) -> bool:
        names = (flat.refers(_core(atom)) for atom in option.items)
        return any(name is None or name in found for name in names)

    blank = set(flat.rules) - _least(flat, says)
    if blank:
        for name in list(flat.rules):
            flat.rules[name] = _erased(flat.rules[name], blank)
            if name in blank and name != flat.start:
                del flat.rules[name]


def _core(atom: Expression) -> Expression:
    """Return what is quantified in a quantified atom, else the atom."""
    return atom.item if isinstance(atom, Repeat) else atom


def _erased(options: list[Sequence], names: set[str]) -> list[Sequence]:
    """Return alternatives without the atoms that refer to some rules."""

    def kept(atom: Expression) -> bool:
        core = _core(atom)
        return not isinstance(core, Reference) or core.name not in names

    return unique(replace(one, items=tuple(filter(kept, one.items))) for one in options)


def _without_empty(name: str, options: list[Sequence], empty: set[str]) -> list[Sequence]:
    """Return the alternatives of a rule for every text it derives but the empty one."""
    found = []
    for option in options:
        items = tuple(_filled(atom, empty) for atom in option.items)
        for variant in _variants(items, empty, Reference(name)):
            if variant and variant != (Reference(name),):
                found.append(Sequence(variant, option.right))
    return unique(found)


def _filled(atom: Expression, empty: set[str]) -> Expression:
    """Return an atom such that it derives what it did when its rule is no longer empty."""
    match atom:
        case Repeat(Reference(name), Quantifier.PLUS) if name in empty:
            return replace(atom, quantifier=Quantifier.STAR)
        case _:
            return atom


def _variants(items: Items, empty: set[str], this: Reference) -> Iterator[Items]:
    """Return what an alternative becomes when the rules in it are no longer empty.

    The rule itself at an end of it is always written out, for that is how lists are recognised.
    """
    at = [i for i, atom in enumerate(items) if isinstance(atom, Reference) and atom.name in empty]
    out = at if len(at) <= _WRITTEN_OUT else [i for i in at if i in (0, len(items) - 1)]
    if out is not at:
        out = [i for i in out if items[i] == this]
    for count in range(len(out) + 1):
        for gone in combinations(reversed(out), count):
            left = [i for i in range(len(items)) if i not in gone]
            optional = [i for i in left if i in at and i not in out]
            yield from _with_optionals(items, left, optional)


def _with_optionals(items: Items, left: list[int], optional: list[int]) -> Iterator[Items]:
    """Return the items that are left, with some of them optional, but never all of them."""
    made = [Repeat(items[i], Quantifier.OPTIONAL) if i in optional else items[i] for i in left]
    if len(optional) < len(left):
        yield tuple(made)
        return
    # All of it may be empty: one alternative for each item that is the first to be there.
    for index, position in enumerate(left):
        yield (items[position], *made[index + 1 :])
