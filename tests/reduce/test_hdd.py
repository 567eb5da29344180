"""HDDr: 1-tree-minimal against brute force on random trees; exact results on small programs."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.reduce.algorithms import ALGORITHMS, fixpoint
from marrow.reduce.attempt import finish
from marrow.reduce.hdd import hddr
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import QUANTIFIED, EditError, Place, Tree
from tests.reduce.running import run
from tests.tree.strategies import trees


def removable_places(tree: Tree) -> list[Place]:
    return [
        place.child(child.key)
        for place, node in tree.walk()
        if node.kind in QUANTIFIED
        for child in node.elements
        if child.token_count
    ]


@settings(max_examples=150)
@given(trees(), st.integers(0, 2**32), st.integers(2, 5))
def test_one_tree_minimal_for_any_test(tree: Tree, seed: int, rarity: int) -> None:
    def interesting(candidate: Tree) -> bool:
        if candidate.text == tree.text:
            return True
        key = hashlib.blake2b(candidate.text + str(seed).encode()).digest()
        return key[0] % rarity == 0

    current = tree
    while True:
        result = run(current, hddr(current, finish), interesting)
        if not result.accepted:
            break
        current = result.tree
    assert interesting(current)
    assert current.token_count <= tree.token_count
    for place in removable_places(current):
        try:
            smaller = current.delete([place])
        except EditError:
            continue
        assert not interesting(smaller)


def texts(tree: Tree) -> list[bytes]:
    return [token.text for token in tree.tokens()]


CASES = [
    (
        "c",
        b"int g(int a, int b) { return a; }\nint main(void) {\n  int x = 1, y = 2;\n"
        b'  if (x) { puts("a"); puts("b"); }\n  return g(x, y);\n}\n',
        [b'puts("b")'],
        b'int main() {\n  if (x) { puts("b"); }\n}\n',
    ),
    (
        "javascript",
        b"import a, { b, c } from 'm';\nclass A extends B { f(x, y = 1) { return x; } g() {} }\n"
        b"export default async function h(p) { for (const q of p) { await q; k(1, [3, 4]); } }\n",
        [b"4", b"k("],
        b"export function h() { for (q of p) { k([4]) } }\n",
    ),
    (
        "python",
        b"import os, sys\n\nclass A(B):\n    x: int = 1\n    def f(self, a, *, b=2) -> int:\n"
        b"        # say so\n        if a:\n            return f'{a} {b}'\n        else:\n"
        b"            print(1); print(2)\n",
        [b"print(2)"],
        b"class A:\n    def f() :\n        if a:\n            return\n        else:\n            print(2)\n",
    ),
    (
        "json",
        b'{"a": [1, 2, {"b": null, "c": [true, false]}], "d": "e"}\n',
        [b"false"],
        b'{"a": [{"c": [false]}]}\n',
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

    result = run(tree, fixpoint(hddr, front.parse)(tree, finish), interesting)
    assert texts(result.tree) == texts(front.parse(expected))
    again = front.parse(expected)
    assert not run(again, fixpoint(hddr, front.parse)(again, finish), interesting).accepted


def test_algorithms_are_named() -> None:
    assert ALGORITHMS["hddr*"].fixpoint
    assert not ALGORITHMS["hddr"].fixpoint
    assert all(name == algorithm.name for name, algorithm in ALGORITHMS.items())
