"""Nodes with a given measure or spelling, to put in the place of another one.

A number is written anew, a text filled up, a list gets elements or loses some, a nest is pumped: a
node is put in the place of the one of its kind inside of it. With a random generator the rest
varies too; without one it is as plain as can be.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from itertools import chain, cycle, islice
from random import Random
from typing import Final

from marrow.abstraction.conditions import (
    Compared,
    Condition,
    Feature,
    Form,
    OneOf,
    Shaped,
    Within,
    chain_of,
    content_of,
    depth_of,
    holding,
    measure,
)
from marrow.abstraction.fragments import FragmentSource
from marrow.abstraction.samples import made_up_name
from marrow.tree import QUANTIFIED, SEPARATOR, Branch, Node, Place, Token, Tree
from marrow.tree.name_spelling import is_name, quote_of
from marrow.tree.node import render, tokens_of

#: The longest text, list and nest that are made: what needs more is not found.
LARGEST: Final = {
    Feature.VALUE: 10**12,
    Feature.LENGTH: 300,
    Feature.COUNT: 24,
    Feature.DEPTH: 24,
}

#: How far random measures are from the end of an open range, in orders of magnitude.
_MAGNITUDES: Final = {Feature.VALUE: 6, Feature.LENGTH: 2, Feature.COUNT: 1, Feature.DEPTH: 1}

#: How often a random node is drawn anew if it does not meet all conditions.
_REDRAWN: Final = 40

#: The same for a nest, which is drawn as often for each depth.
_REDRAWN_NESTS: Final = 3

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_WORD_SIGNS: Final = "ABXYZ0123456789_$"
_TEXT_SIGNS: Final = "ABXYZ0123456789_$ -.,:;!?()éß"


def with_text(material: FragmentSource, old: Node, text: bytes) -> Node:
    """Return a node with another text."""
    if old.token_count == 1:
        # The layout around a word stays as it is.
        return next(tokens_of((old,))).changed(text=text)
    return material.held(material.key(old), text)


def with_content(material: FragmentSource, old: Node, content: str) -> Node:
    """Return a string or a word with another content."""
    text = render((old,)).strip()
    opening, closing = quote_of(text)
    end = text[len(text) - closing :] if opening else b""
    return with_text(material, old, text[:opening] + content.encode() + end)


def with_measure(
    material: FragmentSource,
    old: Node,
    feature: Feature,
    number: Decimal,
    random: Random | None = None,
    forms: Collection[Form] = (),
) -> Node | None:
    """Return a node with a measure; None if there is none.

    The elements of a list are of some `forms`, if any are given.
    """
    if feature is Feature.VALUE:
        return with_text(material, old, f"{number:f}".encode())
    size = int(number)
    if size != number or not 0 <= size <= LARGEST[feature]:
        return None
    if feature is Feature.LENGTH:
        return with_content(material, old, _filler(old, size, random))
    if feature is Feature.COUNT:
        return _with_count(material, old, size, random, forms)
    return _with_depth(material, old, size, random)


def _filler(old: Node, size: int, random: Random | None) -> str:
    if random is None:
        return "a" * size
    signs = _LETTERS
    if random.random() < 0.5:
        own = content_of(render((old,)).strip()).decode("utf-8", "replace")
        return "".join(random.choice(own) for _ in range(size)) if own else "a" * size
    if quote_of(render((old,)).strip())[0]:
        signs += " 0123456789-XYZ"
    return "".join(random.choice(signs if at else _LETTERS) for at in range(size))


def _with_count(
    material: FragmentSource,
    old: Node,
    size: int,
    random: Random | None,
    forms: Collection[Form],
) -> Node | None:
    """Return a list with so many elements: its own, again and again, or others of their kind."""
    if not isinstance(old, Branch) or old.kind not in QUANTIFIED or not old.elements:
        return None
    separators = _separators(material, old)
    fresh = random or Random(f"elements of {size}")
    own = 0 if random is not None else len(old.elements)
    taken: set[bytes] = set()
    elements = [
        _element(material, one, fresh, taken, forms, plain=number < own)
        for number, one in enumerate(islice(cycle(old.elements), size))
    ]
    return _joined(material, old, elements, separators)


def with_elements(material: FragmentSource, old: Branch, at: int, random: Random) -> Node | None:
    """Return a list with a further element before that of a number."""
    separators = _separators(material, old)
    kept = [material.taken(one) for one in old.elements]
    drawn = material.draw(material.key(old.elements[-1]), random, random.choice((1, 3, 8)), "")
    if drawn is None or _values(drawn) & _values(old):
        return None  # two equal keys are one: that would be another change
    kept.insert(min(at, len(kept)), material.taken(drawn))
    return _joined(material, old, kept, separators)


def _values(node: Node) -> set[bytes]:
    """Return the names and strings in a node."""
    return {one.text for one in tokens_of((node,)) if is_name(one) or quote_of(one.text)[0]}


def _separators(material: FragmentSource, old: Branch) -> list[Node]:
    """Return what separates the elements of a list, of the same one or another of its kind."""
    lists: Iterator[Node | None] = iter((old,))
    if len(old.elements) < 2:
        random = Random(f"separator of {old.symbol}")
        drawn = (material.draw(material.key(old), random, 20, "") for _ in range(_REDRAWN))
        lists = chain(lists, drawn)
    for one in lists:
        for inner in () if one is None else Tree(one).nodes():
            if inner.symbol == old.symbol and len(inner.elements) > 1:
                return [child for child in inner.children if child.slot == SEPARATOR]
    return []


def _joined(
    material: FragmentSource, old: Branch, elements: Sequence[Node], separators: Sequence[Node]
) -> Branch:
    """Return a list of elements with separators between them."""
    children: list[Node] = []
    for one in elements:
        if children and separators:
            children.append(material.taken(separators[0]))
        children.append(one)
    keyed = [one.placed(key=at, slot=one.slot) for at, one in enumerate(children)]
    return Branch(old.kind, old.symbol, keyed, slot=old.slot, key=old.key)


def _element(
    material: FragmentSource,
    one: Node,
    random: Random,
    taken: set[bytes],
    forms: Collection[Form],
    *,
    plain: bool,
) -> Node:
    """Return an element, or another one of its kind, if possible without names that are `taken`.

    Parameters and keys mostly have to differ.
    """
    if plain:
        taken |= _values(one)
        return material.taken(one)
    if isinstance(one, Token) and is_name(one):
        return one.changed(text=made_up_name(one.text, random))
    drawn = material.taken(one)
    for _ in range(_REDRAWN):
        other = material.draw(material.key(one), random, random.choice((1, 3, 8)), "")
        if other is not None and (not forms or chain_of(other) in forms):
            drawn = other
            if not taken & _values(drawn):
                break
    taken |= _values(drawn)
    return drawn


def nested_in(node: Node) -> Place | None:
    """Return the place of the outermost node of the same symbol inside of one, the largest."""
    inner = [
        (one.length, place)
        for place, one in Tree(node).walk()
        if place.depth and one.symbol == node.symbol and one.length < node.length
    ]
    return max(inner, key=lambda one: one[0])[1] if inner else None


def _with_depth(
    material: FragmentSource, old: Node, size: int, random: Random | None
) -> Node | None:
    place = nested_in(old)
    if place is None or size < 1:
        return None
    if random is not None:
        for _ in range(_REDRAWN):
            drawn = material.draw(material.key(old), random, random.choice((8, 20, 60)), "")
            if drawn is not None and drawn.symbol == old.symbol and depth_of(drawn) == size:
                return drawn
    tree = Tree(old)
    made: Node = old
    while (depth := depth_of(made)) < size:
        made = tree.replace(place, material.taken(made)).root
        if depth_of(made) <= depth:
            return None
    while depth_of(made) > size:
        inner = nested_in(made)
        found = None if inner is None else Tree(made).at(inner)
        if found is None:
            return None
        made = material.taken(found)
    return made if depth_of(made) == size else None


def numbers_within(condition: Within, random: Random) -> Iterator[Decimal]:
    """Yield random numbers that a condition admits, those next to its ends among them."""
    step = condition.modulus
    while True:
        low, high = random.choice(condition.ranges)
        if low is not None and high is not None:
            number = low + random.randint(0, int((high - low) / step)) * step
        else:
            reach = 10 ** random.randint(0, _MAGNITUDES[condition.feature])
            away = random.choice((0, 1, random.randint(0, reach))) * step
            start = low if low is not None else high
            number = (start or Decimal(condition.remainder)) + (away if low is not None else -away)
            if start is None:
                number = random.choice((number, -number))
        yield number


def random_texts(old: Node, random: Random, near: Sequence[str] = ()) -> Iterator[str]:
    """Yield contents for a word or a string without end: random ones, and known ones changed."""
    quoted = quote_of(render((old,)).strip())[0]
    signs = _TEXT_SIGNS if quoted else _WORD_SIGNS
    while True:
        plain = "".join(random.choices(_LETTERS, k=random.randint(1, 8)))
        base = random.choice(near) if near and random.random() < 0.5 else plain
        at = random.choice((0, len(base), random.randint(0, len(base))))
        added = random.choice(("", random.choice(signs), random.choice(signs), plain[:2]))
        yield base[:at] + added + base[at:]


def drawn_for(
    material: FragmentSource,
    old: Node,
    conditions: Sequence[Condition],
    random: Random,
    known: Sequence[bytes] = (),
) -> Node | None:
    """Return a random node for which conditions hold, comparisons aside."""
    within = next((one for one in conditions if isinstance(one, Within)), None)
    few = next((one for one in conditions if isinstance(one, OneOf) and not one.negated), None)
    shapes = [one for one in conditions if isinstance(one, Shaped)]
    forms = next((one.forms for one in shapes if one.each), ())
    near = [content_of(one.strip()).decode("utf-8", "replace") for one in known]
    texts = random_texts(old, random, near)
    numbers = numbers_within(within, random) if within is not None else iter(())
    deep = within is not None and within.feature is Feature.DEPTH
    for _ in range(_REDRAWN_NESTS if deep else _REDRAWN):
        if few is not None:
            made: Node | None = with_text(material, old, random.choice(few.texts))
        elif shapes and not forms:
            made = material.draw(material.key(old), random, random.choice((1, 3, 8, 20)), "")
        elif within is not None:
            made = with_measure(material, old, within.feature, next(numbers), random, forms)
        else:
            made = with_content(material, old, next(texts))
        if made is not None and holding(conditions, made):
            return made
    return None


def texts_of(conditions: Sequence[Condition]) -> float:
    """Return how many texts meet conditions, as far as that is a small number; 0 if it is not."""
    for one in conditions:
        if isinstance(one, OneOf) and not one.negated:
            return len(one.texts)
        if isinstance(one, Within) and one.feature is Feature.VALUE and one.whole:
            sizes = [high - low for low, high in one.ranges if low is not None and high is not None]
            if len(sizes) == len(one.ranges):
                return sum(int(size) // one.modulus + 1 for size in sizes)
    return 0


def settled(
    material: FragmentSource,
    old: Node,
    relation: Compared,
    other: Node,
    conditions: Sequence[Condition],
    random: Random,
) -> Node | None:
    """Return a node whose measure is related to that of another one; None if there is none."""
    number = measure(relation.other_feature, other)
    if number is None:
        return None
    number += relation.offset
    reach = 10 ** random.randint(0, _MAGNITUDES[relation.feature])
    away = Decimal(random.choice((1, 1, 2, random.randint(1, reach))))
    near = {
        "<": (-away, Decimal(-1)),
        "≤": (-away, Decimal(0)),
        "=": (Decimal(0),),
        "≠": (away, -away),
        "≥": (away, Decimal(0)),
        ">": (away, Decimal(1)),
    }[relation.sign]
    alone = [one for one in conditions if one is not relation]
    made = (
        with_measure(material, old, relation.feature, number + step, random)
        for step in random.sample(near, len(near))
    )
    return next((one for one in made if one is not None and holding(alone, one)), None)
