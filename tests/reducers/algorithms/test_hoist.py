"""Deep chains are peeled in few tests; ordinary nesting is reduced as the paper has it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from marrow.reducers.algorithms.hoist import LONG, first_links, jumps
from marrow.reducers.algorithms.settings import Settings
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.reducers.streams.stream import finish
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import Tree
from tests.reducers.running import Run, run

DEEP = 1_000


def brackets(count: int, inside: bytes) -> bytes:
    return b"[" * count + inside + b"]" * count


def reduced(
    language: str, text: bytes, interesting: Callable[[bytes], bool], bound: int = 4
) -> Run:
    front = TreeSitterFrontEnd(language)
    validity = front.validity()
    tree = front.parse(text)
    validity.rebase(tree)

    def test(candidate: Tree) -> bool:
        return validity.valid(candidate) and interesting(candidate.text)

    reducer = algorithm_of("perses*", Settings(bound=bound)).reducer(front, front.parse)
    return run(tree, reducer(tree, finish), test)


CASES: list[tuple[str, bytes, Callable[[bytes], bool], bytes]] = [
    ("json", brackets(DEEP, b"7"), lambda text: b"7" in text, b"7"),
    (
        "json",
        brackets(DEEP, b"7"),
        lambda text: text.count(b"[") >= 5,
        brackets(5, b""),
    ),
    (
        "json",
        brackets(DEEP, b"7, " + brackets(DEEP, b"8")),
        lambda text: b"7" in text and b"8" in text,
        b"[7, 8]",
    ),
    (
        "c",
        b"int x = " + b"(" * DEEP + b"7" + b")" * DEEP + b";",
        lambda text: b"7" in text,
        b"int x = 7;",
    ),
    ("javascript", b"{" * DEEP + b"f();" + b"}" * DEEP, lambda text: b"f()" in text, b"f()"),
]


@pytest.mark.parametrize(("language", "text", "interesting", "expected"), CASES)
def test_peeled_in_few_tests(
    language: str, text: bytes, interesting: Callable[[bytes], bool], expected: bytes
) -> None:
    result = reduced(language, text, interesting)
    assert result.tree.text.split() == expected.split()
    # log2(1000)² is 100; one by one it would be more than a thousand.
    assert len(result.tried) <= 100


def test_a_chain_that_must_stay_costs_little_more_than_its_nodes() -> None:
    text = brackets(300, b"7")
    result = reduced("json", text, lambda candidate: candidate == text)
    plain = 2 * 300  # the paper: each level deleted from its list, and replaced by the next
    assert len(result.tried) <= plain + 80


def test_what_people_write_is_no_chain() -> None:
    front = TreeSitterFrontEnd("json")
    for depth, found in ((LONG - 1, 0), (LONG + 1, 6)):
        array = front.parse(brackets(depth, b"7")).root.children[0]
        while array.symbol != "array":
            array = array.children[0]
        assert len(jumps(array, lambda one: one.symbol in ("array", "number"), 4)) == found


def test_where_chains_begin() -> None:
    front = TreeSitterFrontEnd("json")
    chain = brackets(LONG, b"7")
    for text, begun in (
        (chain, [chain]),
        (brackets(LONG - 1, b"7"), []),
        (b"[1, " + chain + b", " + chain + b"]", [b"[1, " + chain + b", " + chain + b"]"]),
        (b'{"a": ' + chain + b', "b": ' + chain + b"}", [chain, chain]),
        (b'{"a": ' * LONG + b"7" + b"}" * LONG, [b'{"a": ' * LONG + b"7" + b"}" * LONG]),
    ):
        tree = front.parse(text)
        found = [node for place in first_links(tree) if (node := tree.at(place)) is not None]
        assert [one.text for one in found if one.symbol in ("array", "object")] == begun


NESTED = b"int f() { if (a) { while (b) { for (;;) { do { g(); } while (c); } } } }"


@pytest.mark.parametrize("bound", [0, 1, 2, 3, 4, 8, 10**9])
def test_the_bound(bound: int) -> None:
    result = reduced("c", NESTED, lambda text: b"g()" in text and b"f()" in text, bound)
    shown = b" ".join(result.tree.text.split())
    kept = b"int f() { if (a) { while (b) { for (;;) { do { g(); } while (c); } } } }"
    assert shown == (b"int f() { g(); }" if bound else kept)
