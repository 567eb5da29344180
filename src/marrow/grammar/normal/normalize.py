"""Perses Normal Form: any grammar into an equivalent one whose lists are quantified rules.

Section 4.1 and Algorithm 1 of "Perses: Syntax-Guided Program Reduction" (Sun et al., ICSE 2018).
The functions have its names, and name its lines. What the paper prints for the left end of rules,
and leaves out for the right end, is one function here that is told the side. The result has the
form of Definition 3.1 and derives the same texts. Where a function departs from the paper, it says
so; `docs/explanation/normal-form.md` lists the departures with their reasons.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter
from typing import Final

from marrow.base.errors import error_text
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

#: Where substitution gives up, in symbols: three times as much as C's grammar comes to, the largest
#: of those that end.
MOST_SYMBOLS: Final = 100_000


def normalize(grammar: Grammar) -> Grammar:
    """Return an equivalent grammar in Perses Normal Form: Normalization, lines 1 to 4.

    Raises `GrammarError` if a name is undefined, if the start rule derives no text, or if
    substitution makes more than `MOST_SYMBOLS` symbols.
    """
    require_usable(grammar)
    flat = FlatGrammar(grammar)
    preprocess(flat)
    grammar_normalization(flat, right=False)
    grammar_normalization(flat, right=True)
    flat.drop_unreachable()
    return flat.grammar()


def grammar_normalization(flat: FlatGrammar, *, right: bool) -> None:
    """Turn recursion at one end of rules into lists: GrammarNormalizationLeft, lines 5 to 15."""
    for component in dict.fromkeys(_components(flat, right=right).values()):
        grammar_transformation(flat, component, right=right)
    quantifier_introduction(flat, {} if right else _components(flat, right=True))


def _components(flat: FlatGrammar, *, right: bool) -> dict[str, frozenset[str]]:
    """Return for each rule that is recursive at an end those that it is so with: lines 6 to 8."""
    end = -1 if right else 0
    graph = {}
    for name, options in flat.rules.items():
        corners = (flat.refers(option.items[end]) for option in options if option.items)
        graph[name] = [corner for corner in corners if corner is not None]
    return {name: frozenset(component) for component in cycles(graph) for name in component}


def grammar_transformation(flat: FlatGrammar, component: frozenset[str], *, right: bool) -> None:
    """Turn the indirect recursion of a component into direct recursion, and that into stars.

    GrammarTransformationLeft, lines 16 to 25, and StarIntroductionLeft. Departures: the order of
    the nonterminals, random in the paper, is that of the grammar. The star of a nonterminal comes
    right after its own substitution (Paull's order), where the paper substitutes them all first;
    as printed, that does not end if a lower nonterminal is itself recursive. Here each is free of
    lower ones at its end, and of itself, before the next one is looked at, so each substitution
    leads upwards.
    """
    lower: list[str] = []
    for name in [name for name in flat.rules if name in component]:
        for other in lower:
            _substitute(flat, name, other, right=right)
            if flat.symbols() > MOST_SYMBOLS:
                problem = error_text("normal_form_too_large", name=flat.name, most=MOST_SYMBOLS)
                raise GrammarError(problem)
        operand = star_introduction(flat, name, right=right)
        lower += [name] if operand is None else [name, operand]


def _substitute(flat: FlatGrammar, name: str, lower: str, *, right: bool) -> None:
    """Replace a lower nonterminal at the end of alternatives by its own: lines 19 to 23."""
    there = Reference(lower)
    end = -1 if right else 0
    options: list[Sequence] = []
    for option in flat.rules[name]:
        if not option.items or option.items[end] != there:
            options.append(option)
            continue
        for other in flat.rules[lower]:
            rest = option.items[:-1] if right else option.items[1:]
            items = rest + other.items if right else other.items + rest
            options.append(Sequence(items))
    this = (Reference(name),)
    flat.rules[name] = unique(option for option in options if option.items != this)


def quantifier_introduction(flat: FlatGrammar, cycles: dict[str, frozenset[str]]) -> None:
    """Introduce `+` and `?` in all rules: QuantifierIntroductionLeft, lines 26 to 38.

    `cycles` has the rules that are recursive at the end that comes next. Departures: stars are
    there already (see `grammar_transformation`), and `+` is looked for once more after `?`.
    """
    for name in list(flat.rules):
        plus_introduction(flat, name)
        optional_introduction(flat, name, cycles.get(name, frozenset()))
        plus_introduction(flat, name)


def star_introduction(flat: FlatGrammar, name: str, *, right: bool) -> str | None:
    """Turn `N ::= N a | b` into `N ::= b a*`, or `N ::= a N | b` into `N ::= a* b`.

    StarIntroductionLeft, lines 39 to 49. Departure: where an alternative is recursive at its other
    end too, as in `N ::= N + N | - N | x`, the rest becomes a rule of its own, in which `N` at the
    other end is that rule again: the star around it takes what follows. So `N ::= O (+ O)*`,
    `O ::= - O | x`, and a text has one tree. The name of that rule is returned.
    """
    this = Reference(name)
    far = 0 if right else -1
    found = recursion([option.items for option in flat.rules[name]], this)
    near = found.prefix if right else found.suffix
    # An alternative that is recursive at both ends keeps the far one for now.
    both = {at: (this, *mid) if right else (*mid, this) for at, mid in found.binary.items()}
    steps = [items for _, items in sorted({**near, **both}.items())]
    others = {**(found.suffix if right else found.prefix), **found.primary}
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
    wanted = f"{name}_{'head' if right else 'tail'}" if len(steps) > 1 else ""
    star = flat.repeated(map(Sequence, steps), Quantifier.STAR, name, wanted=wanted)
    flat.rules[name] = [
        Sequence((*star, *base.items) if right else (*base.items, *star)) for base in bases
    ]
    return operand


def _with_end(items: Items, far: int, old: Reference, new: Expression) -> Items:
    """Return items with another atom at one end, if it has an old one."""
    if not items or items[far] != old:
        return items
    return (*items[:-1], new) if far else (new, *items[1:])


def plus_introduction(flat: FlatGrammar, name: str) -> None:
    """Turn `α' (α')*` in the alternatives of a rule into `(α')+`: lines 29 to 31.

    Departure: `(α')* α'`, which the right end gives, as well.
    """
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


def optional_introduction(flat: FlatGrammar, name: str, cycle: frozenset[str]) -> None:
    """Merge pairs of alternatives `α1 α' α2` and `α1 α2` into `α1 (α')? α2`: lines 32 to 36.

    Longer alternatives come first, and lose as little as possible each time, so that
    `a | a b | a b c` becomes `a (b c?)?`. The merged alternative replaces the earlier one.
    Departure: one that ends with a rule of `cycle` is merged with such ones only. `x | x , L` is a
    list for the right end to find, which the paper hides as `x (, L)?`.
    """
    # Substitution makes rules with thousands of alternatives, and comparing numbers is cheap.
    numbers: dict[Expression, int] = {}

    def code(option: Sequence) -> tuple[int, ...]:
        return tuple(numbers.setdefault(atom, len(numbers)) for atom in option.items)

    found: dict[tuple[int, ...], tuple[int, Sequence]] = {}  # with the place in the rule
    for place, option in enumerate(flat.rules[name]):
        found.setdefault(code(option), (place, option))
    recursive = {numbers[atom] for atom in map(Reference, cycle) if atom in numbers}
    waiting = sorted(found, key=lambda one: (len(one), -found[one][0]))
    while waiting:
        longer = waiting.pop()
        for start, end in _cuts(len(longer)) if longer in found else ():
            shorter = longer[:start] + longer[end:]
            if shorter in found and (longer[-1] in recursive) == (shorter[-1] in recursive):
                (place, option), (other, _) = found.pop(longer), found.pop(shorter)
                merged = _merged(flat, name, option, start, end)
                found.setdefault(code(merged), (min(place, other), merged))
                waiting.append(code(merged))
                break
    flat.rules[name] = [option for _, option in sorted(found.values(), key=itemgetter(0))]


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
