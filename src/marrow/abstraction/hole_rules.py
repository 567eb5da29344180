"""Rules for the parts of a pattern beyond their nonterminals, in words and as a check.

A new name must not occur elsewhere. And a part may have to differ from another one: two equal
patterns are one for grep, two equal keys are one key, so what fails with two different texts passes
with the same one twice. Such a part varies, as long as it is not the same as the other one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import Final

from marrow.abstraction.conditions import evidence_of, holding, structural
from marrow.abstraction.pattern import Hole, Pattern, compact, hole_text
from marrow.grammar.model.parse_error import ParseError
from marrow.tree import ROOT, Node, Place, Replace, Token, Tree
from marrow.tree.node import render

#: The rule for a name that nobody has given, in words.
NEW_NAME_RULE: Final = "a name that occurs nowhere else and means nothing to the program"


def rules_of(pattern: Pattern, hole: Hole) -> list[str]:
    """Return what holds for a part that varies, in words."""
    found = [NEW_NAME_RULE] if hole.new_name else []
    found += [f"never the same as {_shown(pattern, one)}" for one in hole.marked.differs]
    found += [f"{one.words()}: {evidence_of(one)}" for one in hole.marked.conditions if one.words()]
    return found


def _shown(pattern: Pattern, place: Place) -> str:
    """Return what a place holds, with its text in the input where that varies."""
    node = pattern.tree.at(place)
    assert node is not None
    own, shown = render((node,)).decode("utf-8", "backslashreplace"), compact(pattern, place)
    return shown if shown == own else f"{shown} ({own!r} in the input)"


def unfit(pattern: Pattern, parts: Sequence[tuple[Hole, str]]) -> str:
    """Say which rule a text breaks that has the form of a pattern; nothing if it breaks none."""
    filled = read = _filled(pattern.tree, parts)
    if any(structural(one) for hole, _ in parts for one in hole.marked.conditions):
        # Layout is all that may be missing: words are measured all the same.
        with suppress(ParseError):
            read = pattern.language.parse(filled.text)
    for hole, text in parts:
        if not conditions_hold(read, [hole]):
            return f"it has the form, but {text!r} is not {hole_text(hole.marked)}"
    for hole, text in parts:
        for pair in unlike([hole]):
            if not differ(filled, [pair]):
                shown, same = hole_text(hole.marked), compact(pattern, pair[1])
                return f"it has the form, but {shown} must not be the same as {same}"
        if hole.new_name:
            name = text.strip()
            if name.encode("utf-8", "surrogateescape") in hole.marked.passing:
                return f"it has the form, but with the name {name} inputs pass"
            word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
            if len(word.findall(_decoded(filled.text))) > len(hole.places):
                return f"it has the form, but the name {name} must occur nowhere else"
    return ""


def unknown_names(parts: Sequence[tuple[Hole, str]]) -> str:
    """Say of which new names it is not known whether they mean something to the program."""
    names = [
        text.strip()
        for hole, text in parts
        if hole.new_name
        and text.strip().encode("utf-8", "surrogateescape") not in hole.marked.samples
    ]
    if not names:
        return ""
    return f"whether {' and '.join(names)} means something to the program is not known"


def _filled(tree: Tree, parts: Sequence[tuple[Hole, str]]) -> Tree:
    """Return the tree of a pattern with texts in the places of its holes."""
    edits = []
    for hole, text in parts:
        content = text.encode("utf-8", "surrogateescape")
        for place in hole.places:
            old = tree.at(place)
            assert old is not None
            edits.append(Replace(place, Token(old.symbol, content, slot=old.slot)))
    return tree.edit(edits)


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


#: How many other parts one part may have to differ from: what needs more is needed as it is.
MOST_TWINS: Final = 2


def spelled(node: Node) -> bytes:
    """Return the text of a node without white space."""
    return b"".join(render((node,)).split())


def twin_of(
    before: Tree, after: Tree, places: Sequence[Place], holes: Collection[Place]
) -> Place | None:
    """Return another place with the text that filled some places, in the tree after that.

    It is the outermost one, not below any of `holes`, whose text was another one before.
    """
    filled, old = after.at(places[0]), before.at(places[0])
    assert filled is not None
    assert old is not None
    text = spelled(filled)
    above = {step for place in places for step in place.upwards()}
    stack: list[tuple[Place, Node]] = [(ROOT, after.root)] if text else []
    while stack:
        place, node = stack.pop()
        if place in places or node.token_count < filled.token_count:
            continue
        same = node.token_count == filled.token_count and spelled(node) == text
        if same and place not in above:
            other = before.at(place)
            if other is not None and spelled(other) != spelled(old):
                return place
        elif place not in holes:
            stack.extend((place.child(child.key), child) for child in reversed(node.children))
    return None


def doubtful_places(pattern: Pattern) -> frozenset[Place]:
    """Return the places that were always the same as others, but may not have to be."""
    found: set[Place] = set()
    for hole in pattern.holes():
        unsure = [place for place in hole.places if pattern.marks[place].doubtful]
        # One that must not differ from the others: then they may not from it.
        if len(hole.places) > 1 and len(hole.places) - len(unsure) != 1:
            found.update(hole.places if len(unsure) == len(hole.places) else unsure)
    return frozenset(found)


def unlike(holes: Iterable[Hole]) -> list[tuple[Place, Place]]:
    """Return the pairs of places that must differ."""
    return [(hole.places[0], other) for hole in holes for other in hole.marked.differs]


def conditions_hold(tree: Tree, holes: Iterable[Hole]) -> bool:
    """Whether the conditions of all holes hold in a tree."""
    return all(
        (node := tree.at(hole.places[0])) is not None
        and holding(hole.marked.conditions, node, tree)
        for hole in holes
        if hole.marked.conditions
    )


def differ(tree: Tree, pairs: Iterable[tuple[Place, Place]]) -> bool:
    """Whether all places that must differ do."""
    for one, other in pairs:
        first, second = tree.at(one), tree.at(other)
        if first is not None and second is not None and spelled(first) == spelled(second):
            return False
    return True
