"""The large cases: own sources, chosen by name or by their group, never by `all`."""

from __future__ import annotations

from bench.cases import CASES, LARGE, select
from bench.cases.sources import LARGE_SOURCES, Preprocessed


def test_the_group_names_them_and_all_does_not() -> None:
    assert select(["large"]) == list(LARGE.values())
    assert not set(LARGE) & set(CASES)
    assert sum(case.held_out for case in LARGE.values()) == 5


def test_sources_are_ours_and_there() -> None:
    for case in LARGE.values():
        assert isinstance(case.source, Preprocessed)
        assert (LARGE_SOURCES / case.source.name).is_file()
