"""Closures: binary reduction of dependency graphs as a list minimiser, and as an algorithm."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from marrow.reducers.algorithms.closures import Closures, closures_of
from marrow.reducers.algorithms.ddmin import Configuration, delete_places
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.reducers.streams.stream import Attempts, Stream, finish
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import ROOT, Place, Tree

FRONT = TreeSitterFrontEnd("javascript")


def program(uses: list[list[int]]) -> bytes:
    """Return declarations of which each uses some of those before it."""
    lines = []
    for at, used in enumerate(uses):
        before = sorted({one % at for one in used}) if at else []
        lines.append(f"var v{at} = [{', '.join(f'v{one}' for one in before)}];")
    return "\n".join(lines).encode()


def configured(tree: Tree) -> Configuration[Place]:
    (star,) = (child for child in tree.root.children if child.elements)
    places = tuple(ROOT.child(star.key).child(one.key) for one in star.elements)
    return Configuration(tree, places, delete_places)


def closed(text: bytes) -> bool:
    """Return whether all that is used is declared."""
    words = text.replace(b"[", b" ").replace(b"]", b" ").replace(b",", b" ").replace(b";", b" ")
    names = [one for one in words.split() if one.startswith(b"v") and one != b"var"]
    declared = {line.split()[1] for line in text.splitlines() if line.strip()}
    return set(names) <= declared


def minimised(tree: Tree, wanted: set[bytes]) -> tuple[bytes, list[bytes]]:
    tried: list[bytes] = []
    found: list[bytes] = []

    def done(result: Configuration[Place]) -> Stream | None:
        found.append(result.tree.text)
        return None

    def test(text: bytes) -> bool:
        tried.append(text)
        return closed(text) and all(b"var " + one + b" " in text for one in wanted)

    attempts = Attempts(Closures()(configured(tree), done))
    while (one := next(attempts, None)) is not None:
        if test(one.tree.text):
            attempts = Attempts(one.then())
    return found[-1], tried


@given(
    st.lists(st.lists(st.integers(0, 30), max_size=3), min_size=2, max_size=12),
    st.sets(st.integers(0, 11), min_size=1, max_size=2),
)
def test_the_result_is_the_closure_of_what_is_wanted(
    uses: list[list[int]], picks: set[int]
) -> None:
    text = program(uses)
    wanted = {f"v{one % len(uses)}".encode() for one in picks}
    tree = FRONT.parse(text)
    result, _ = minimised(tree, wanted)
    every = closures_of(configured(tree))
    needed: set[int] = set()
    for one in wanted:
        at = int(one[1:])
        needed |= min((closure for closure in every if at in closure), key=len)
    kept = {int(line.split()[1][1:]) for line in result.splitlines() if line.strip()}
    assert kept == needed


def test_it_takes_a_logarithm_of_tests_where_halves_fail() -> None:
    """One chain among many declarations: halves of the list hold no whole chain."""
    chain = [[at - 8] if at >= 8 else [] for at in range(64)]
    tree = FRONT.parse(program(chain))
    result, tried = minimised(tree, {b"v61"})
    assert len(result.splitlines()) == 8
    assert len(set(tried)) < 30


def test_the_algorithm_is_there_by_name() -> None:
    algorithm = algorithm_of("closures*")
    assert algorithm.name == "closures*"
    reducer = algorithm.reducer(FRONT, FRONT.parse)
    tree = FRONT.parse(program([[], [0], [1], [0, 2]]))
    attempts = Attempts(reducer(tree, finish))
    while (one := next(attempts, None)) is not None:
        if b"var v1" in one.tree.text and closed(one.tree.text):
            tree, attempts = one.tree, Attempts(one.then())
    assert tree.text == b"var v1"
