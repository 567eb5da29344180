"""Incremental parsing says the same as parsing anew, also after many steps."""

from __future__ import annotations

import tree_sitter
import tree_sitter_language_pack
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.syntax.reparse import ReparseValidity, reparse
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import QUANTIFIED, Place, Splice, Tree
from marrow.tree.edit import difference
from marrow.tree.tree import apply_splices, deletable

PYTHON = b"""def f(a, b):
    if a:
        for x in b:
            print(x, "\xc3\xa9")
        while b: b = g(b)
    return [a,
            b]

class C(D):
    x = 1

    def h(self): return self.x
"""
LANGUAGE = tree_sitter_language_pack.get_language("python")
FRONT = TreeSitterFrontEnd("python")
INPUT = FRONT.parse(PYTHON)


def seen(parsed: tree_sitter.Tree) -> list[tuple[object, ...]]:
    """Return all nodes with where they stand."""
    nodes = [parsed.root_node]
    for node in nodes:
        nodes.extend(node.children)
    return [(one.type, one.start_byte, one.start_point, one.end_point) for one in nodes]


@given(st.data())
def test_the_tree_of_another_text_is_reused(data: st.DataObject) -> None:
    points = st.integers(0, len(PYTHON))
    some = data.draw(st.lists(points, min_size=2, max_size=8, unique=True).map(sorted))
    splices = [
        Splice(start, end, data.draw(st.sampled_from([b"", b"x", b"\n", b"a\n  b"])))
        for start, end in zip(some[::2], some[1::2], strict=False)
    ]
    text = apply_splices(PYTHON, splices)
    parser = tree_sitter.Parser(LANGUAGE)
    again = reparse(parser, parser.parse(PYTHON), PYTHON, text)
    whole = parser.parse(text)
    if not whole.root_node.has_error:
        assert seen(again) == seen(whole)


def lists(tree: Tree) -> list[tuple[Place, ...]]:
    """Return what can be deleted, list by list."""
    return [
        tuple(place.child(child.key) for child in deletable(node))
        for place, node in tree.walk()
        if node.kind in QUANTIFIED and len(deletable(node)) > 1
    ]


@settings(max_examples=30)
@given(st.data())
def test_a_judge_says_the_same_however_it_came_to_a_tree(data: st.DataObject) -> None:
    tree = INPUT
    judge = ReparseValidity("python")
    judge.rebase(tree)
    for _ in range(4):
        found = lists(tree)
        if not found:
            break
        places = data.draw(st.sampled_from(found))
        candidate = tree.delete(data.draw(st.sets(st.sampled_from(places[1:]), min_size=1)))
        fresh = ReparseValidity("python")
        fresh.rebase(Tree(tree.root, tree.head, tree.tail, indented=tree.indented))
        assert judge.valid(candidate) == fresh.valid(candidate)
        if judge.valid(candidate):
            judge = judge.copy()
            judge.rebase(candidate)
            tree = candidate


@given(st.lists(st.binary(max_size=4), max_size=4), st.data())
def test_a_difference_turns_one_text_into_another(pieces: list[bytes], data: st.DataObject) -> None:
    old = b"".join(pieces)
    other = b"".join(data.draw(st.permutations(pieces)))
    new = data.draw(st.sampled_from([other, old[1:], old[:-1], old + b"x", b"", old]))
    splice = difference(old, new)
    assert apply_splices(old, [splice]) == new
    removed = old[splice.start : splice.end]
    # Nothing that both have stands at either end of what is exchanged.
    assert not (removed and splice.text and removed[0] == splice.text[0])
    assert not (removed and splice.text and removed[-1] == splice.text[-1])


@settings(max_examples=30)
@given(st.data())
def test_a_text_without_origin_is_judged_as_one_that_is_parsed_anew(data: st.DataObject) -> None:
    judge = ReparseValidity("python")
    judge.rebase(INPUT)
    tokens = list(INPUT.tokens())
    gone = data.draw(st.sets(st.integers(0, len(tokens) - 1), min_size=1, max_size=6))
    text = b" ".join(token.text for at, token in enumerate(tokens) if at not in gone)
    parsed = tree_sitter.Parser(LANGUAGE).parse(text)
    assert judge.valid(FRONT.parse(text)) == (not parsed.root_node.has_error)
