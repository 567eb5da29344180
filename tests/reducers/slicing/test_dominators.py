"""Reach: the same as a walk through the whole graph."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from marrow.reducers.slicing.dominators import Reachability, reversed_edges

NODES = st.integers(0, 11)
GRAPHS = st.lists(st.lists(NODES, max_size=3), min_size=12, max_size=12)


def walked(graph: Sequence[Sequence[int]], roots: Iterable[int], away: Container[int]) -> set[int]:
    found: set[int] = set()
    pending = [*roots]
    while pending:
        node = pending.pop()
        if node not in found and node not in away:
            found.add(node)
            pending.extend(graph[node])
    return found


@given(GRAPHS, st.sets(NODES, min_size=1, max_size=3), st.sets(NODES, max_size=4), st.data())
def test_what_is_lost_is_what_a_walk_no_longer_finds(
    graph: list[list[int]], roots: set[int], gone: set[int], data: st.DataObject
) -> None:
    reach = Reachability(graph, reversed_edges(graph), roots, gone)
    before = walked(graph, roots, gone)
    assert {node for node, reached in enumerate(reach.reached) if reached} == before
    for _ in range(3):  # each question leaves all as it was
        away = data.draw(st.sets(NODES, max_size=4))
        assert reach.lost(away) == before - walked(graph, roots, gone | away) - away
