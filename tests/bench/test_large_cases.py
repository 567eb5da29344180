"""The large cases: own sources, chosen by name or by their group, never by `all`."""

from __future__ import annotations

from bench.cases import CASES, LARGE, select
from bench.cases.large import GROUP, HELD_OUT, Preprocessed


def test_the_group_names_them_and_all_does_not() -> None:
    assert select([GROUP]) == list(LARGE.values())
    assert not set(LARGE) & set(CASES)
    assert set(LARGE) >= HELD_OUT


def test_sources_are_ours_and_there() -> None:
    from bench.cases.large import _SOURCES

    for case in LARGE.values():
        assert isinstance(case.source, Preprocessed)
        assert (_SOURCES / case.source.name).is_file()
