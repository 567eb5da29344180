"""Direct recursion at either end of a rule, turned into lists.

`introduce_star` is the star introduction of Perses Normal Form (Algorithm 1, lines 39 to 49) and
its mirror image. `introduce_lists` does the same for rules of operators, as authors of real
grammars write them, one layer for each level of precedence.
"""

from __future__ import annotations

from marrow.grammar.model.recursion import Recursion, recursion
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
    far = 0 if mirrored else -1
    found = operators(flat, name)
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


def operators(flat: FlatGrammar, name: str) -> Recursion[Expression]:
    """Return how the alternatives of a rule are recursive; earlier ones bind tighter."""
    return recursion([option.items for option in flat.rules[name]], Reference(name))


def introduce_lists(flat: FlatGrammar, name: str) -> None:
    """Turn direct recursion at both ends of a rule into lists, and keep its precedence.

    `E ::= E * E | E + E | - E | x` gets a layer for each binary operator: `E ::= T (+ T)*`,
    `T ::= O (* O)*`, `O ::= -* x`; operators that associate to the right are lists as well. A
    prefix that is looser than a binary operator takes the layer it stands in front of as its
    operand.
    """
    found = operators(flat, name)
    if found.binary:
        _introduce_layers(flat, name, found)
    elif found.prefix and found.suffix:
        # What comes first binds tighter, so its list is the inner one.
        suffix_inside = min(found.suffix) < min(found.prefix)
        operand = introduce_star(flat, name, mirrored=suffix_inside)
        if operand is not None:
            introduce_star(flat, operand, mirrored=not suffix_inside)
    else:
        introduce_star(flat, name, mirrored=bool(found.prefix))


def _introduce_layers(flat: FlatGrammar, name: str, found: Recursion[Expression]) -> None:
    """Make the layers of a rule with binary operators, the rule itself being the loosest."""
    binary = list(found.binary.values())
    layers = [
        flat.fresh(f"{name}_{atom_name(items[0]) if items else 'sequence'}", name)
        for items in binary[:-1]
    ]
    layers.append(name)
    first = min(found.binary)
    loose = [
        Sequence((*items, Reference(layers[_level(found, place)])))
        for place, items in found.prefix.items()
        if place > first
    ]
    tight = [items for place, items in found.prefix.items() if place < first]
    suffix_inside = bool(found.suffix) and (not tight or min(found.suffix) < min(found.prefix))
    below = _operand(flat, name, found, tight, loose, suffix_inside=suffix_inside)
    for layer, items in zip(layers, binary, strict=True):
        step = Sequence((*items, below))
        star = flat.repeated([step], Quantifier.STAR, name)
        flat.rules[layer] = [Sequence((below, *star))]
        below = Reference(layer)


def _level(found: Recursion[Expression], place: int) -> int:
    """Return the layer that the alternative at a place takes as its operand."""
    return sum(1 for other in found.binary if other < place) - 1


def _operand(
    flat: FlatGrammar,
    name: str,
    found: Recursion[Expression],
    tight: list[Items],
    loose: list[Sequence],
    *,
    suffix_inside: bool,
) -> Expression:
    """Return what binary operators stand between: `prefix* primary suffix*`.

    What follows a loose prefix takes all suffixes, so none follow it.
    """
    heads = _star(flat, name, tight, "head")
    tails = _star(flat, name, list(found.suffix.values()), "tail")
    primary = found.primary.values()
    if suffix_inside or not tails:
        inner = [Sequence((*items, *tails)) for items in primary]
        options = _around(flat, name, heads, [*inner, *loose])
    else:
        inner = [Sequence((*heads, *items)) for items in primary]
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
