"""An edit gives the same tree and text as building and rendering everything anew."""

from __future__ import annotations

import gc
import weakref

from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.tree import ROOT, Branch, EditError, Kind, Token, Tree
from marrow.tree.node import render
from tests.tree.strategies import edits, rebuilt, trees


def same(tree: Tree) -> None:
    text, count = tree.text, tree.token_count  # from the change alone, before the root is made
    assert count == tree.root.token_count
    assert text == tree.head + render((tree.root,)) + tree.tail
    fresh = Tree(rebuilt(tree.root), tree.head, tree.tail)
    assert tree.text == fresh.text
    assert tree.root.token_count == fresh.root.token_count
    assert tree.root.length == fresh.root.length
    assert tree.root.first is fresh.root.first
    assert tree.root.last is fresh.root.last
    assert len(tree.root.text) == tree.root.length
    for (_, one), (_, two) in zip(tree.walk(), fresh.walk(), strict=True):
        assert one.text == two.text
        assert (one.token_count, one.length) == (two.token_count, two.length)
        if isinstance(one, Branch):
            assert isinstance(two, Branch)
            assert one.starts == two.starts


@settings(max_examples=150)
@given(st.data())
def test_edits_agree_with_rebuilding(data: st.DataObject) -> None:
    tree = data.draw(trees())
    for _ in range(3):
        chosen = data.draw(edits(tree))
        try:
            after = tree.edit(chosen)
        except EditError:
            continue
        assert after is tree or after.edits == tuple(chosen)
        same(after)
        assert after.plain.text == after.text
        assert after.plain.root is after.root
        assert not after.plain.edits
        tree = data.draw(st.sampled_from((after, after.plain)))


def test_a_tree_does_not_keep_the_trees_alive_that_led_to_it() -> None:
    tokens = [Token("word", b"%d" % key, key=key, serial=key) for key in range(40)]
    tree = Tree(Branch(Kind.STAR, "words", tokens))
    before: list[weakref.ref[Tree]] = []
    gc.disable()
    try:
        for token in tokens[:-1]:
            before += (weakref.ref(tree), weakref.ref(tree.plain))
            tree = tree.delete([ROOT.child(token.key)])
            assert (tree.token_count, tree.text[:1]) != (0, b"")
        alive = [one for one in before if one() is not None]
        assert [one() for one in alive] == [tree.origin]
    finally:
        gc.enable()
