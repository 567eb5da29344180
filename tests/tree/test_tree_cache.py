"""Facts about a tree are found once, and go with the tree."""

from __future__ import annotations

import gc
import weakref

import pytest

from marrow.tree import Branch, Kind, Token, Tree
from marrow.tree.tree_cache import LARGE, kept

asked: list[bytes] = []


@kept
def first_word(tree: Tree) -> bytes:
    asked.append(tree.text)
    return next(tree.tokens()).text


def tree_of(word: str, count: int = 1) -> Tree:
    tokens = [Token("word", word.encode(), key=key) for key in range(count)]
    return Tree(Branch(Kind.STAR, "words", tokens))


@pytest.fixture(autouse=True)
def _nothing_asked() -> None:
    asked.clear()


def test_a_fact_is_found_once() -> None:
    one, two = tree_of("a"), tree_of("a")
    assert [first_word(one), first_word(one), first_word(two)] == [b"a"] * 3
    assert len(asked) == 2


def test_facts_keep_no_tree_alive() -> None:
    tree = tree_of("a")
    first_word(tree)
    known = weakref.ref(tree)
    gc.disable()
    try:
        del tree
        assert known() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(("count", "most"), [(1, 16), (LARGE + 1, 2)])
def test_facts_of_a_few_trees_are_kept(count: int, most: int) -> None:
    trees = [tree_of(str(number), count) for number in range(most + 1)]
    for tree in trees:
        first_word(tree)
    assert not trees[0].facts
    assert all(tree.facts for tree in trees[1:])
    first_word(trees[0])
    assert len(asked) == most + 2
