"""Perses: 1-tree-minimal by brute force, replacement by descendants, exact results."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.reducers.algorithms.perses import Tidy, nothing, perses
from marrow.reducers.algorithms.traversal import Heap
from marrow.reducers.algorithms.unused import delete_unused
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.reducers.streams.stream import finish
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import EditError, Tree
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
@pytest.mark.parametrize("upwards", [False, True])
@pytest.mark.parametrize("tidy", [nothing, delete_unused])
def test_one_tree_minimal_for_any_test(
    tidy: Tidy, upwards: bool, tree: Tree, seed: int, rarity: int
) -> None:
    interesting = random_test(tree, seed, rarity)
    end = to_fixpoint(perses(SameSlot(), upwards=upwards, tidy=tidy), tree, interesting)
    assert interesting(end)
    for place in vanishing_places(end):
        try:
            smaller = end.delete([place])
        except EditError:
            continue
        assert smaller.text == end.text or not interesting(smaller)


def test_upwards_the_smallest_come_first() -> None:
    tree = TreeSitterFrontEnd("json").parse(b"[[1, [2]], [3, 4, [5, [6]]]]")
    for upwards in (False, True):
        stream = perses(SameSlot(), upwards=upwards)(tree, finish)
        tried = run(tree, stream, lambda _: False).tried
        first, last = len(tried[0]), len(tried[-1])
        assert first > last if upwards else first < last


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers()), max_size=40))
def test_heap_pops_in_order_and_keeps_old_versions(items: list[tuple[int, int]]) -> None:
    empty: Heap[tuple[int, int]] = Heap()
    heap = empty.push((key, (key, at)) for at, (key, _) in enumerate(items))
    versions = []
    popped: list[tuple[int, int]] = []
    rest = heap
    while rest:
        versions.append((rest, list(popped)))
        value, rest = rest.pop()
        popped.append(value)
    assert popped == sorted(popped)
    random.Random(0).shuffle(versions)
    for version, before in versions:
        value, _ = version.pop()
        assert value == popped[len(before)]
    with pytest.raises(IndexError):
        rest.pop()


CASES = [
    (
        "c",
        b'int main() {\n  int a = 1;\n  if (a) {\n    printf("%d", a);\n    printf("Hello ");\n'
        b'    printf("world!");\n    printf("End");\n  }\n  return 0;\n}\n',
        [b"main()", b'printf("Hello ")', b'printf("world!")', b"return 0"],
        b'int main() { printf("Hello "); printf("world!"); return 0; }',
    ),
    (
        "javascript",
        b"function f(a) { while (a) { if (b) { try { g(1 + h(2) + 3); } finally { } } } }",
        [b"h(2)"],
        b"h(2)",
    ),
    (
        "rust",
        b'fn main() { let x = 1; loop { if x { loop { f(); println!("a"); } } } }',
        [b"println!"],
        b"println!();",
    ),
    # No name alone was seen where these have a value: the parser says that it may stand there.
    ("c", b"struct S { int f; };\nstruct S g = {};\n", [b"S g"], b"S g;"),
    (
        "go",
        b"package p\nconst (\n a = 1\n)\nvar b T[int]\n",
        [b"p", b"var b T"],
        b"package p\nvar b T",
    ),
    ("json", b'{"a": [1, {"b": [true, 2]}]}', [b"true"], b"true"),
]


@pytest.mark.parametrize(("language", "text", "needed", "expected"), CASES)
def test_exact_results(language: str, text: bytes, needed: list[bytes], expected: bytes) -> None:
    front = TreeSitterFrontEnd(language)
    validity = front.validity()
    tree = front.parse(text)
    validity.rebase(tree)

    def interesting(candidate: Tree) -> bool:
        return validity.valid(candidate) and all(part in candidate.text for part in needed)

    reducer = algorithm_of("perses*").reducer(front, front.parse)
    result = run(tree, reducer(tree, finish), interesting)
    assert texts(result.tree) == texts(front.parse(expected))
