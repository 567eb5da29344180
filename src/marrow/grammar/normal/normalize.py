"""Perses Normal Form: any grammar into an equivalent one whose lists are quantified rules.

Section 4.1 and Algorithm 1 of "Perses: Syntax-Guided Program Reduction" (Sun et al., ICSE 2018).
The result has the form of Definition 3.1 and derives the same texts. It departs from the paper in
the order of its steps: the star of a nonterminal is introduced right after its own substitution
(Paull's order), since the algorithm as printed does not end on some grammars.
`docs/explanation/normal-form.md` has the other departures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from marrow.grammar.model.analysis import require_usable
from marrow.grammar.model.graph import cycles, recursion
from marrow.grammar.model.rules import (
    Expression,
    Grammar,
    GrammarError,
    Quantifier,
    Reference,
    Repeat,
    Sequence,
)
from marrow.grammar.normal.epsilon import preprocess
from marrow.grammar.normal.flat import FlatGrammar, Items, combined, unique


def introduce_star(flat: FlatGrammar, name: str, *, mirrored: bool = False) -> str | None:
    """Turn `N ::= N a | b` into `N ::= b a*`; mirrored, `N ::= a N | b` into `N ::= a* b`.

    Where an alternative is recursive at its other end too, as in `N ::= N + N | - N | x`, the rest
    becomes a rule of its own, in which `N` at the other end is that rule again: the star around it
    takes what follows. So `N ::= O (+ O)*`, `O ::= - O | x`. The name of that rule is returned.
    """
    this = Reference(name)
    far = 0 if mirrored else -1
    found = recursion([option.items for option in flat.rules[name]], this)
    near = found.prefix if mirrored else found.suffix
    # An alternative that is recursive at both ends keeps the far one for now.
    both = {at: (this, *mid) if mirrored else (*mid, this) for at, mid in found.binary.items()}
    steps = [items for _, items in sorted({**near, **both}.items())]
    others = {**(found.suffix if mirrored else found.prefix), **found.primary}
    bases = [flat.rules[name][at] for at in sorted(others)]
    if not steps:
        flat.rules[name] = bases
        return None
    ends = [*steps, *(option.items for option in bases)]
    operand: str | None = None
    if len(bases) == 1 and len(bases[0].items) == 1:
        # The operand is a single symbol: no need for a rule.
        base = bases[0].items[0]
        steps = [_with_end(items, far, this, base) for items in steps]
    elif any(items and items[far] == this for items in ends):
        operand = flat.fresh(f"{name}_operand", name)
        there = Reference(operand)
        steps = [_with_end(items, far, this, there) for items in steps]
        flat.rules[operand] = unique(
            Sequence(_with_end(option.items, far, this, there)) for option in bases
        )
        bases = [Sequence((there,))]
    # What the rule adds at its end: one atom, or none.
    wanted = f"{name}_{'head' if mirrored else 'tail'}" if len(steps) > 1 else ""
    star = flat.repeated(map(Sequence, steps), Quantifier.STAR, name, wanted=wanted)
    flat.rules[name] = [
        Sequence((*star, *base.items) if mirrored else (*base.items, *star)) for base in bases
    ]
    return operand


def _with_end(items: Items, far: int, old: Reference, new: Expression) -> Items:
    """Return items with another atom at one end, if it has an old one."""
    if not items or items[far] != old:
        return items
    return (*items[:-1], new) if far else (new, *items[1:])


def introduce_plus(flat: FlatGrammar, name: str) -> None:
    """Turn `α' (α')*` and `(α')* α'` in the alternatives of a rule into `(α')+`."""
    options = flat.rules[name]
    for index, option in enumerate(options):
        items, position = option.items, 0
        while position < len(items):
            shorter = _with_plus(flat, items, position)
            position += shorter is None
            items = shorter or items
        options[index] = replace(option, items=items)


def _with_plus(flat: FlatGrammar, items: Items, position: int) -> Items | None:
    """Return the items with the star at a position, and its element next to it, made a plus."""
    star = items[position]
    if not isinstance(star, Repeat) or star.quantifier is not Quantifier.STAR:
        return None
    plus = Repeat(star.item, Quantifier.PLUS, star.greedy)
    # An element may be written out: as its only alternative.
    spellings: list[Items] = [(star.item,)]
    if isinstance(star.item, Reference) and flat.made(star.item.name):
        options = flat.rules.get(star.item.name, [])
        spellings += [one.items for one in options if len(options) == 1 and one.items]
    for element in spellings:
        start, end = position - len(element), position + 1 + len(element)
        if start >= 0 and items[start:position] == element:
            return (*items[:start], plus, *items[position + 1 :])
        if items[position + 1 : end] == element:
            return (*items[:position], plus, *items[end:])
    return None


def introduce_optional(
    flat: FlatGrammar, name: str, group: Callable[[Sequence], int | None]
) -> None:
    """Merge pairs of alternatives `α1 α' α2` and `α1 α2` of a rule into `α1 (α')? α2`.

    Longer alternatives come first, and lose as little as possible each time, so that
    `a | a b | a b c` becomes `a (b c?)?`. The merged alternative replaces the earlier one.
    Only alternatives of the same `group` are merged, none if it is None: `x | x , L` is a list
    still to be found, and no `x (, L)?`.
    """
    merging = _Merging(flat.rules[name], group)
    numbers = range(len(merging.options))
    waiting = sorted(numbers, key=lambda one: (len(merging.codes[one]), -one))
    while waiting:
        longer = waiting.pop()
        pair = merging.pair(longer)
        if pair is not None:
            shorter, start, end = pair
            merged = _merged(flat, name, merging.options[longer], start, end)
            waiting.append(merging.replace(longer, shorter, merged))
    flat.rules[name] = merging.result()


class _Merging:
    """The alternatives of a rule while they are merged, with numbers for their symbols.

    Substitution makes rules with thousands of alternatives, and comparing numbers is cheap.
    """

    def __init__(self, options: list[Sequence], group: Callable[[Sequence], int | None]) -> None:
        self._group: Final = group
        self._codes: dict[Expression, int] = {}
        self._known: dict[tuple[int | None, tuple[int, ...]], int] = {}
        self._place: list[int] = []
        self.options: Final[list[Sequence]] = []
        self.codes: Final[list[tuple[int, ...]]] = []
        self._gone: set[int] = set()
        for place, option in enumerate(options):
            self._add(option, place)

    def _add(self, option: Sequence, place: int) -> int:
        number = len(self.options)
        code = tuple(self._codes.setdefault(atom, len(self._codes)) for atom in option.items)
        self.options.append(option)
        self.codes.append(code)
        self._place.append(place)
        self._known.setdefault((self._group(option), code), number)
        return number

    def pair(self, longer: int) -> tuple[int, int, int] | None:
        """Return an alternative that is another one with a part cut out, and that part."""
        group, code = self._group(self.options[longer]), self.codes[longer]
        if group is None or longer in self._gone:
            return None
        for start, end in _cuts(len(code)):
            shorter = self._known.get((group, code[:start] + code[end:]))
            if shorter is not None and shorter not in self._gone:
                return shorter, start, end
        return None

    def replace(self, longer: int, shorter: int, merged: Sequence) -> int:
        """Put one alternative in the place of two; return its number."""
        self._gone |= {longer, shorter}
        for number in (longer, shorter):
            self._known.pop((self._group(self.options[number]), self.codes[number]), None)
        number = self._add(merged, min(self._place[longer], self._place[shorter]))
        if self._known[self._group(merged), self.codes[number]] != number:
            self._gone.add(number)  # it says the same as one that is there already
        return number

    def result(self) -> list[Sequence]:
        """Return the alternatives that are left, in their order."""
        left = [number for number in range(len(self.options)) if number not in self._gone]
        return [self.options[number] for number in sorted(left, key=self._place.__getitem__)]


def _cuts(length: int) -> Iterator[tuple[int, int]]:
    """Return the parts that may be cut from a sequence: short ones first, then late ones."""
    for size in range(1, length):
        for start in range(length - size, -1, -1):
            yield start, start + size


def _merged(flat: FlatGrammar, name: str, longer: Sequence, start: int, end: int) -> Sequence:
    """Return an alternative with a part of it made optional."""
    part = longer.items[start:end]
    if len(part) == 1 and isinstance(part[0], Repeat):
        optional: Items = (combined(part[0], Quantifier.OPTIONAL),)
    else:
        optional = flat.repeated([Sequence(part)], Quantifier.OPTIONAL, name)
    return Sequence((*longer.items[:start], *optional, *longer.items[end:]))


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
        last = option.items[-1] if option.items else None
        return int(isinstance(last, Reference) and last.name in cycle) if last else None

    return group


def _cycles(flat: FlatGrammar, *, mirrored: bool) -> dict[str, frozenset[str]]:
    """Return for each rule that is recursive at an end the rules that it is so with."""
    end = -1 if mirrored else 0
    graph = {}
    for name, options in flat.rules.items():
        corners = (flat.refers(option.items[end]) for option in options if option.items)
        graph[name] = [corner for corner in corners if corner is not None]
    return {name: frozenset(component) for component in cycles(graph) for name in component}


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
        order += [name] if operand is None else [name, operand]


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
            rest = option.items[:-1] if mirrored else option.items[1:]
            items = rest + other.items if mirrored else other.items + rest
            options.append(Sequence(items))
    this = (Reference(name),)
    flat.rules[name] = unique(option for option in options if option.items != this)
