"""Plus and optional introduction of Perses Normal Form (Algorithm 1, lines 29 to 37)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from marrow.grammar.flat import FlatGrammar, Items, combined
from marrow.grammar.model import Expression, Quantifier, Reference, Repeat, Sequence


def introduce_plus(flat: FlatGrammar, name: str) -> None:
    """Turn `α' (α')*` and `(α')* α'` in the alternatives of a rule into `(α')+`."""
    options = flat.rules[name]
    for index, option in enumerate(options):
        items = option.items
        position = 0
        while position < len(items):
            shorter = _with_plus(flat, items, position)
            if shorter is None:
                position += 1
            else:
                items = shorter
        if items != option.items:
            options[index] = Sequence(items, option.right, option.label)


def _with_plus(flat: FlatGrammar, items: Items, position: int) -> Items | None:
    """Return the items with the star at a position, and its element next to it, made a plus."""
    star = items[position]
    if not isinstance(star, Repeat) or star.quantifier is not Quantifier.STAR:
        return None
    plus = Repeat(star.item, Quantifier.PLUS, star.greedy)
    for element in _spellings(flat, star.item):
        start, end = position - len(element), position + 1 + len(element)
        if start >= 0 and items[start:position] == element:
            return (*items[:start], plus, *items[position + 1 :])
        if items[position + 1 : end] == element:
            return (*items[:position], plus, *items[end:])
    return None


def _spellings(flat: FlatGrammar, element: Expression) -> Iterator[Items]:
    """Return how an element may be written out: as itself, or as its only alternative."""
    yield (element,)
    if isinstance(element, Reference) and flat.made(element.name):
        options = flat.rules.get(element.name, [])
        if len(options) == 1 and options[0].items:
            yield options[0].items


def introduce_optional(
    flat: FlatGrammar, name: str, group: Callable[[Sequence], int | None]
) -> None:
    """Merge pairs of alternatives `α1 α' α2` and `α1 α2` of a rule into `α1 (α')? α2`.

    Longer alternatives come first, and lose as little as possible each time, so that
    `a | a b | a b c` becomes `a (b c?)?`. The merged alternative stands where the earlier one was.
    Only alternatives of the same `group` are merged, none if it is None: `x | x , L` is a list
    still to be found, and no `x (, L)?`.
    """
    waiting = sorted(flat.rules[name], key=lambda option: -len(option.items))
    while waiting:
        longer = waiting.pop(0)
        same = group(longer)
        if same is None or longer not in flat.rules[name]:
            continue
        known = {one.items: one for one in flat.rules[name] if group(one) == same}
        for start, end in _cuts(len(longer.items)):
            shorter = known.get((*longer.items[:start], *longer.items[end:]))
            if shorter is not None:
                merged = _merged(flat, name, longer, start, end)
                _replace(flat.rules[name], longer, shorter, merged)
                waiting.insert(0, merged)
                break


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


def _replace(options: list[Sequence], longer: Sequence, shorter: Sequence, new: Sequence) -> None:
    position = min(options.index(longer), options.index(shorter))
    options.remove(longer)
    options.remove(shorter)
    if all(option.items != new.items for option in options):
        options.insert(position, new)
