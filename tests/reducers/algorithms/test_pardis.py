"""Pardis: 1-tree-minimal by brute force, the largest first, one at a time; exact results."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.reducers.algorithms.pardis import pardis
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.reducers.streams.stream import finish
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import Tree
from tests.reducers.algorithms.test_hdd import (
    SameSlot,
    random_test,
    texts,
    to_fixpoint,
    vanishing_places,
)
from tests.reducers.running import run
from tests.tree.strategies import trees


@settings(max_examples=80)
@given(trees(12), st.integers(0, 2**32), st.integers(2, 6))
def test_one_tree_minimal_for_any_test(tree: Tree, seed: int, rarity: int) -> None:
    interesting = random_test(tree, seed, rarity)
    end = to_fixpoint(pardis(SameSlot()), tree, interesting)
    assert interesting(end)
    for place in vanishing_places(end):
        smaller = end.delete([place])
        assert smaller.text == end.text or not interesting(smaller)


@settings(max_examples=80)
@given(trees(20))
def test_what_takes_more_tokens_with_it_is_tried_first(tree: Tree) -> None:
    stream = pardis(SameSlot())(tree, finish)
    assert stream is not None
    sizes = [attempt.tree.token_count for attempt in stream]
    # A separator goes with its element, but for the only one: then the order may be off by one.
    assert all(later >= earlier - 1 for earlier, later in pairwise(sizes))


def test_no_node_is_tried_twice_in_a_pass() -> None:
    front = TreeSitterFrontEnd("c")
    tree = front.parse(b"int a; int f(int x) { g(x); { h(); } return x; }")
    stream = pardis(SameSlot())(tree, finish)
    assert stream is not None
    tried = [texts(attempt.tree) for attempt in stream]
    everything = [b"int", b"a", b";"]
    assert tried[0] == []
    assert tried[1] == everything  # the function goes before what is in it
    assert [one.count(b"g") for one in tried[2:4]] == [0, 1]  # its statements, then the block


CASES = [
    (
        "c",
        b'int g(int a) { return a; }\nint main(void) {\n  int x = 1, y = 2;\n  if (x) { puts("a");'
        b' puts("b"); }\n  return g(x);\n}\n',
        [b'puts("b")'],
        b'int main() { if (x) { puts("b"); } }',
    ),
    (
        "javascript",
        b"function f(a) { while (a) { if (b) { g(1 + h(2) + 3); } else { } } }",
        [b"h(2)"],
        b"function f() { while (a) { if (b) { g(h(2)) } } }",
    ),
]


@pytest.mark.parametrize(("language", "text", "needed", "expected"), CASES)
def test_exact_results(language: str, text: bytes, needed: list[bytes], expected: bytes) -> None:
    front = TreeSitterFrontEnd(language)
    validity = front.validity()
    tree = front.parse(text)
    validity.rebase(tree)

    def interesting(candidate: Tree) -> bool:
        return validity.valid(candidate) and all(part in candidate.text for part in needed)

    reducer = algorithm_of("pardis*").reducer(front, front.parse)
    result = run(tree, reducer(tree, finish), interesting)
    assert texts(result.tree) == texts(front.parse(expected))
