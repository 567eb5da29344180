"""Counts, indices and lengths: what is deleted takes them along."""

from __future__ import annotations

import pytest
from bench.relations.__main__ import CASES
from bench.relations.case import Case

import marrow
from marrow.reducers.relations.schema import Count, Fields, Repetition
from marrow.reducers.relations.schema_search import schema_of

N, M = ((0,), 0), ((0,), 1)
LETTERS = Fields(1, None, Count((M,)))


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        (b"3\n5 6 7\n", (Fields(1), Fields(0, Count((N,))))),
        (b"3 5 6 7\n", (Fields(1, Count((N,))),)),
        (b"4\n1 2\n2 3\n2 4\n", (Fields(1), Repetition(Count((N,), -1), (Fields(2),)))),
        (b"2 3\n7 8 9\n1 2 3\n", (Fields(2), Repetition(Count((N,)), (Fields(0, Count((M,))),)))),
        (b"2 3\n7 8 9 1 2 3\n", (Fields(2), Fields(0, Count((N, M))))),
        (
            b"2 4\n.#..\n##..\n",
            (Fields(2), Repetition(Count((N,)), (Fields(1, None, Count((M,))),))),
        ),
        (b"5\n(()))\n", (Fields(1), Fields(1, None, Count((N,))))),
    ],
)
def test_the_schema_of_a_text(text: bytes, schema: object) -> None:
    """Numbers are found that count words, lines and letters."""
    found = schema_of(text)
    assert found is not None
    assert found[1] == schema


@pytest.mark.parametrize("text", [b"to be\nor not\n", b"", b"\n", b"7", b"a 2\n3\n"])
def test_no_schema(text: bytes) -> None:
    """A text in which no number counts anything has no schema."""
    assert schema_of(text) is None


QUICK = ("window", "components", "distinct", "diameter", "inversions", "zeros", "cells", "unions")


@pytest.mark.parametrize("case", [one for one in CASES if one.name in QUICK], ids=lambda c: c.name)
def test_cases_come_down_to_what_a_person_has(case: Case) -> None:
    """Strict readers and wrong programs: thousands of tokens, a few hundred tests."""
    result = marrow.reduce(case.text, case.fails, max_tests=600)
    assert result.stopped is None
    assert len(result.text) <= len(case.hand)
