"""The HDD family: every variant 1-tree-minimal by brute force; exact results on small programs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.reducers.algorithms.hdd import Walk, hdd
from marrow.reducers.algorithms.hdd_variants import (
    HDD_VARIANTS,
    HOIST_VARIANTS,
    Variant,
    variant_of,
)
from marrow.reducers.algorithms.hoist import Hoisting, hoisted
from marrow.reducers.algorithms.prepare import flatten, unroll
from marrow.reducers.algorithms.settings import Settings
from marrow.reducers.algorithms.traversal import Agenda, BreadthFirst, ByLevel, DepthFirst
from marrow.reducers.pipeline.algorithm_table import ALGORITHMS, algorithm_of
from marrow.reducers.streams.minimal_replacement import Replacements, exchange, prune, vanishes
from marrow.reducers.streams.stream import Reducer, finish
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import QUANTIFIED, EditError, Node, Place, Token, Tree, size
from tests.reducers.running import run
from tests.tree.strategies import trees


class SameSlot:
    """Slots of the random trees of these tests: anything fits where anything else stood."""

    exact = False

    def accepts(self, slot: str, node: Node) -> bool:
        return slot == node.slot

    def minimal(self, _name: str, node: Node) -> Node | None:
        return Token(node.symbol, node.text[:1]) if isinstance(node, Token) else None


def random_test(tree: Tree, seed: int, rarity: int) -> Callable[[Tree], bool]:
    """A test that is no rhyme or reason, but always the same: the hardest kind."""

    def interesting(candidate: Tree) -> bool:
        if candidate.text == tree.text:
            return True
        key = hashlib.blake2b(candidate.text + str(seed).encode()).digest()
        return key[0] % rarity == 0

    return interesting


def to_fixpoint(reducer: Reducer, tree: Tree, interesting: Callable[[Tree], bool]) -> Tree:
    """Repeat a reducer, with no parser between the passes."""
    while True:
        result = run(tree, reducer(tree, finish), interesting)
        if not result.accepted:
            return tree
        tree = result.tree


def vanishing_places(tree: Tree) -> list[Place]:
    return [
        place.child(child.key)
        for place, node in tree.walk()
        if node.kind in QUANTIFIED
        for child in node.elements
        if child.token_count and vanishes(tree, place.child(child.key))
    ]


@settings(max_examples=30)
@given(trees(12), st.integers(0, 2**32), st.integers(2, 6))
@pytest.mark.parametrize("variant", HDD_VARIANTS, ids=lambda variant: variant.name)
def test_one_tree_minimal_for_any_test(
    variant: Variant, tree: Tree, seed: int, rarity: int
) -> None:
    interesting = random_test(tree, seed, rarity)
    reducers = algorithm_of(variant.name).stages(SameSlot(), Settings())
    end = tree
    for reducer in reducers:
        end = to_fixpoint(reducer, end, interesting)
    assert interesting(end)
    assert end.token_count <= tree.token_count
    for place in vanishing_places(end):
        try:
            smaller = end.delete([place])
        except EditError:
            continue
        assert smaller.text == end.text or not interesting(smaller), place
    flat = unroll(flatten(end))
    if variant.coarse:
        return
    phi = Replacements(end, SameSlot())
    for place in unit_places(flat):
        for smaller in (
            prune(flat, [place], phi),
            exchange(flat, [place], phi.of),
            exchange(flat, [place], phi.of_kind),
        ):
            assert not size(smaller) < size(flat) or not interesting(smaller)
        if variant.hoisting.interlaced:
            for one in hoisted(SameSlot(), flat, place):
                assert not size(one) < size(flat) or not interesting(one)


AGENDAS: list[Agenda] = [
    ByLevel(),
    BreadthFirst(),
    BreadthFirst(backwards=True),
    DepthFirst(),
    DepthFirst(backwards=True),
]


@given(trees(20))
def test_every_order_looks_at_the_same_nodes(tree: Tree) -> None:
    seen = [sorted(map(Place.path, unit_places(tree, agenda))) for agenda in AGENDAS]
    assert all(one == seen[0] for one in seen)


@settings(max_examples=20)
@given(trees(12), st.integers(0, 2**32))
@pytest.mark.parametrize("agenda", AGENDAS)
def test_any_order_ends_one_tree_minimal(agenda: Agenda, tree: Tree, seed: int) -> None:
    interesting = random_test(tree, seed, 3)
    end = to_fixpoint(hdd(Walk(agenda=agenda), SameSlot()), tree, interesting)
    for place in vanishing_places(end):
        smaller = end.delete([place])
        assert smaller.text == end.text or not interesting(smaller)


def unit_places(tree: Tree, agenda: Agenda = AGENDAS[1]) -> list[Place]:
    """The places that a walk looks at."""
    places: list[Place] = []
    while (found := agenda.next(tree)) is not None:
        group, agenda = found
        places.extend(group.places)
    return places


def texts(tree: Tree) -> list[bytes]:
    return [token.text for token in tree.tokens()]


CASES = [
    (
        "c",
        "coarse-hddr*",
        b"int g(int a, int b) { return a; }\nint main(void) {\n  int x = 1, y = 2;\n"
        b'  if (x) { puts("a"); puts("b"); }\n  return g(x, y);\n}\n',
        [b'puts("b")'],
        b'int main() {\n  if (x) { puts("b"); }\n}\n',
    ),
    (
        "c",
        "hddhr*",
        b"int g(int a, int b) { return a; }\nint main(void) {\n  int x = 1, y = 2;\n"
        b'  if (x) { puts("a"); puts("b"); }\n  return g(x, y);\n}\n',
        [b'puts("b")'],
        b'a a { puts("b"); }',
    ),
    (
        "javascript",
        "coarse-hddr*",
        b"import a, { b, c } from 'm';\nclass A extends B { f(x, y = 1) { return x; } g() {} }\n"
        b"export default async function h(p) { for (const q of p) { await q; k(1, [3, 4]); } }\n",
        [b"4", b"k("],
        b"export function h() { for (q of p) { k([4]) } }\n",
    ),
    (
        "python",
        "coarse-hddr*",
        b"import os, sys\n\nclass A(B):\n    x: int = 1\n    def f(self, a, *, b=2) -> int:\n"
        b"        # say so\n        if a:\n            return f'{a} {b}'\n        else:\n"
        b"            print(1); print(2)\n",
        [b"print(2)"],
        b"class A:\n    def f() :\n        if a:\n            return\n        else:\n"
        b"            print(2)\n",
    ),
    (
        "json",
        "coarse-hdd*",
        b'{"a": [1, 2, {"b": null, "c": [true, false]}], "d": "e"}\n',
        [b"false"],
        b'{"a": [{"c": [false]}]}\n',
    ),
    (
        "json",
        "hddh*",
        b'{"a": [1, 2, {"b": null, "c": [true, false]}], "d": "e"}\n',
        [b"false"],
        b"false\n",
    ),
]


@pytest.mark.parametrize(("language", "name", "text", "needed", "expected"), CASES)
def test_exact_results(
    language: str, name: str, text: bytes, needed: list[bytes], expected: bytes
) -> None:
    front = TreeSitterFrontEnd(language)
    validity = front.validity()
    tree = front.parse(text)
    validity.rebase(tree)

    def interesting(candidate: Tree) -> bool:
        return validity.valid(candidate) and all(part in candidate.text for part in needed)

    reducer = algorithm_of(name).reducer(front, front.parse)
    result = run(tree, reducer(tree, finish), interesting)
    assert texts(result.tree) == texts(front.parse(expected))
    again = front.parse(result.tree.text)
    assert not run(again, reducer(again, finish), interesting).accepted


def test_table_1() -> None:
    assert [variant.name for variant in HDD_VARIANTS] == [
        "hdd*",
        "hoist*+hdd*",
        "hddh*",
        "hoist*+hddh*",
        "hddr*",
        "hoistr*+hddr*",
        "hddhr*",
        "hoistr*+hddhr*",
        "coarse-hdd*",
        "coarse-hoist*+hdd*",
        "coarse-hddh*",
        "coarse-hoist*+hddh*",
        "coarse-hddr*",
        "coarse-hoistr*+hddr*",
        "coarse-hddhr*",
        "coarse-hoistr*+hddhr*",
    ]


@pytest.mark.parametrize(
    "variant", [*HDD_VARIANTS, *HOIST_VARIANTS], ids=lambda variant: variant.name
)
def test_names_are_read_back(variant: Variant) -> None:
    assert variant_of(variant.name) == variant
    plain = variant.name.replace("*", "")
    assert variant_of(plain) == replace(variant, fixpoint=False)
    assert algorithm_of(variant.name).name == variant.name
    assert algorithm_of(plain).name == plain
    once = algorithm_of(variant.name, Settings(once=True))
    assert not once.fixpoint
    assert "*" not in once.name


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Coarse HDDr", "coarse-hddr"),
        ("coarse hddr*", "coarse-hddr*"),
        ("HDDr", "hddr"),
        ("Hoist* + HDD*", "hoist*+hdd*"),
        ("Coarse Hoistr* + HDDHr*", "coarse-hoistr*+hddhr*"),
        ("Hoist*", "hoist*"),
        ("hdd", "hdd"),
    ],
)
def test_names_as_the_paper_writes_them(name: str, meant: str) -> None:
    assert algorithm_of(name).name == meant


def test_hoisting_as_an_option() -> None:
    assert algorithm_of("hddr*", Settings(Hoisting.BOTH)).name == "hoistr*+hddhr*"
    assert algorithm_of("hddr*", Settings(Hoisting.BEFORE, once=True)).name == "hoistr+hddr"
    with pytest.raises(LookupError, match="hoisting is a part"):
        algorithm_of("perses*", Settings(Hoisting.BOTH))
    with pytest.raises(LookupError, match="no algorithm called"):
        algorithm_of("creduce")


def test_algorithms_have_one_name_each() -> None:
    names = [algorithm.name for algorithm in ALGORITHMS]
    assert len(set(names)) == len(names)
    assert all(algorithm_of(name).name == name for name in names)
