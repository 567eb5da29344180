"""Direct recursion at either end of a rule, turned into lists.

`introduce_star` is the star introduction of Perses Normal Form (Algorithm 1, lines 39 to 49) and
its mirror image. `introduce_lists` does the same for rules of operators, as authors of real
grammars write them, one layer for each level of precedence.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from marrow.grammar.model.rules import Expression, Quantifier, Reference, Sequence
from marrow.grammar.normal.flat import FlatGrammar, Items, unique
from marrow.grammar.normal.rule_names import atom_name


def introduce_star(flat: FlatGrammar, name: str, *, mirrored: bool = False) -> str | None:
    """Turn `N ::= N a | b` into `N ::= b a*`; mirrored, `N ::= a N | b` into `N ::= a* b`.

    Where an alternative is recursive at its other end too, as in `N ::= N + N | - N | x`, the rest
    becomes a rule of its own, in which `N` at the other end is that rule again: the star around it
    takes what follows. So `N ::= O (+ O)*`, `O ::= - O | x`. The name of that rule is returned.
    """
    this = Reference(name)
    near, far = (-1, 0) if mirrored else (0, -1)
    steps: list[Items] = []
    bases: list[Sequence] = []
    for option in flat.rules[name]:
        if option.items == (this,):
            continue
        if option.items and option.items[near] == this:
            steps.append(option.items[:-1] if mirrored else option.items[1:])
        else:
            bases.append(option)
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
    star = _star(flat, name, steps, "head" if mirrored else "tail")
    flat.rules[name] = [
        Sequence((*star, *base.items) if mirrored else (*base.items, *star)) for base in bases
    ]
    return operand


def _star(flat: FlatGrammar, name: str, steps: list[Items], what: str) -> Items:
    """Return the star of what a recursive rule adds at its end: one atom, or none."""
    wanted = f"{name}_{what}" if len(steps) > 1 else ""
    return flat.repeated(map(Sequence, steps), Quantifier.STAR, name, wanted=wanted)


def _with_end(items: Items, far: int, old: Reference, new: Expression) -> Items:
    """Return items with another atom at one end, if an old one stands there."""
    if not items or items[far] != old:
        return items
    return (*items[:-1], new) if far else (new, *items[1:])


@dataclass(slots=True)
class _Operators:
    """The alternatives of a rule by how they are recursive; numbers are places in the rule.

    What comes earlier in the rule binds tighter.
    """

    binary: list[tuple[int, Items]] = field(default_factory=list)
    prefix: list[tuple[int, Items]] = field(default_factory=list)
    suffix: list[tuple[int, Items]] = field(default_factory=list)
    primary: list[Sequence] = field(default_factory=list)


def _operators(flat: FlatGrammar, name: str) -> _Operators:
    this = Reference(name)
    found = _Operators()
    for number, option in enumerate(flat.rules[name]):
        items = option.items
        left = bool(items) and items[0] == this
        right = bool(items) and items[-1] == this
        if items == (this,):
            continue
        if left and right:
            found.binary.append((number, items[1:-1]))
        elif left:
            found.suffix.append((number, items[1:]))
        elif right:
            found.prefix.append((number, items[:-1]))
        else:
            found.primary.append(option)
    return found


def has_binary(flat: FlatGrammar, name: str) -> int:
    """Return how many alternatives of a rule are recursive at both ends."""
    return len(_operators(flat, name).binary)


def introduce_lists(flat: FlatGrammar, name: str) -> None:
    """Turn direct recursion at both ends of a rule into lists, and keep its precedence.

    `E ::= E * E | E + E | - E | x` gets a layer for each binary operator: `E ::= T (+ T)*`,
    `T ::= O (* O)*`, `O ::= -* x`; operators that associate to the right are lists as well. A
    prefix that is looser than a binary operator takes the layer it stands in front of as its
    operand.
    """
    operators = _operators(flat, name)
    if operators.binary:
        _introduce_layers(flat, name, operators)
    elif operators.prefix and operators.suffix:
        # What comes first binds tighter, so its list is the inner one.
        suffix_inside = operators.suffix[0][0] < operators.prefix[0][0]
        operand = introduce_star(flat, name, mirrored=suffix_inside)
        if operand is not None:
            introduce_star(flat, operand, mirrored=not suffix_inside)
    else:
        introduce_star(flat, name, mirrored=bool(operators.prefix))


def _introduce_layers(flat: FlatGrammar, name: str, operators: _Operators) -> None:
    """Make the layers of a rule with binary operators, the rule itself being the loosest."""
    binary = operators.binary
    layers = [
        flat.fresh(f"{name}_{atom_name(items[0]) if items else 'sequence'}", name)
        for _, items in binary[:-1]
    ]
    layers.append(name)
    first = binary[0][0]
    loose = [
        Sequence((*items, Reference(layers[_level(binary, number)])))
        for number, items in operators.prefix
        if number > first
    ]
    tight = [items for number, items in operators.prefix if number < first]
    suffix_inside = bool(operators.suffix) and (
        not tight or operators.suffix[0][0] < operators.prefix[0][0]
    )
    below = _operand(flat, name, operators, tight, loose, suffix_inside=suffix_inside)
    for layer, (_, items) in zip(layers, binary, strict=True):
        step = Sequence((*items, below))
        star = flat.repeated([step], Quantifier.STAR, name)
        flat.rules[layer] = [Sequence((below, *star))]
        below = Reference(layer)


def _level(binary: list[tuple[int, Items]], number: int) -> int:
    """Return the layer that the alternative with a number takes as its operand."""
    return sum(1 for other, _ in binary if other < number) - 1


def _operand(
    flat: FlatGrammar,
    name: str,
    operators: _Operators,
    tight: list[Items],
    loose: list[Sequence],
    *,
    suffix_inside: bool,
) -> Expression:
    """Return what binary operators stand between: `prefix* primary suffix*`.

    What follows a loose prefix takes all suffixes, so none follow it.
    """
    heads = _star(flat, name, tight, "head")
    tails = _star(flat, name, [items for _, items in operators.suffix], "tail")
    if suffix_inside or not tails:
        inner = [Sequence((*option.items, *tails)) for option in operators.primary]
        options = _around(flat, name, heads, [*inner, *loose])
    else:
        inner = [Sequence((*heads, *option.items)) for option in operators.primary]
        base = flat.element(unique(inner), name, f"{name}_primary")
        options = [Sequence((base, *tails))]
        options += [Sequence((*heads, *option.items)) for option in loose]
    return flat.element(unique(options), name, f"{name}_operand")


def _around(flat: FlatGrammar, name: str, heads: Items, options: list[Sequence]) -> list[Sequence]:
    """Return alternatives with a list in front; several become one rule first."""
    if not heads:
        return options
    base = flat.element(unique(options), name, f"{name}_primary")
    return [Sequence((*heads, base))]
