"""Sweeps: every item in turn, but no more of a sort of which many failed in a row."""

from __future__ import annotations

from collections.abc import Iterator

from marrow.reducers.streams.stream import finish
from marrow.reducers.streams.sweep import GIVE_UP_AFTER, sweep
from marrow.tree import ROOT, Branch, Kind, Place, Token, Tree
from tests.reducers.running import run

COUNT = 3 * GIVE_UP_AFTER


def words(*texts: str) -> tuple[Tree, list[Place]]:
    tokens = [Token("word", text.encode(), key=key) for key, text in enumerate(texts)]
    return Tree(Branch(Kind.REGULAR, "words", tokens)), [ROOT.child(one.key) for one in tokens]


def shorter(tree: Tree, place: Place) -> Iterator[Tree]:
    node = tree.at(place)
    assert isinstance(node, Token)
    if len(node.text) > 1:
        yield tree.retext(place, node.text[:-1])


def first_letter(tree: Tree, place: Place) -> str:
    node = tree.at(place)
    assert node is not None
    return chr(node.text[0])


def test_all_items_without_sorts() -> None:
    tree, places = words(*(f"a{number}" for number in range(COUNT)))
    result = run(tree, sweep(tree, places, shorter, finish, ""), lambda _: False)
    assert len(result.tried) == COUNT


def test_a_sort_is_given_up_and_others_go_on() -> None:
    texts = [f"{letter}{number}" for letter in "ab" for number in range(COUNT)]
    tree, places = words(*texts, "c0")
    letters = {place: first_letter(tree, place) for place in places}
    stream = sweep(tree, places, shorter, finish, "", sort=letters.__getitem__)
    result = run(tree, stream, lambda one: one.text.endswith(b"c"))
    assert len(result.tried) == 2 * GIVE_UP_AFTER + 1
    assert len(result.accepted) == 1


def test_a_success_renews_the_patience() -> None:
    tree, places = words(*(f"a{chr(98 + number % 20)}" for number in range(COUNT)))
    sevenths = {place for number, place in enumerate(places) if number % 7 == 6}

    def test(candidate: Tree) -> bool:
        changed = {place for place in places if len(getattr(candidate.at(place), "text", b"")) == 1}
        return changed <= sevenths

    result = run(tree, sweep(tree, places, shorter, finish, "", sort=lambda _: 0), test)
    assert len(result.accepted) == len(sevenths)
