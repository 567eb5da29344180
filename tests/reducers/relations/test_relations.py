"""Counts, indices and lengths: what is deleted takes them along."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest
from bench.relations.__main__ import CASES
from bench.relations.case import Case
from hypothesis import assume, given
from hypothesis import strategies as st

import marrow
from marrow.reducers.relations.reduce_relations import relations
from marrow.reducers.relations.schema import Count, Fields, Repetition
from marrow.reducers.relations.schema_search import document_of, schema_of
from marrow.reducers.streams.stream import Attempts, finish
from marrow.tree.outline import as_one_piece

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


def numbers(text: bytes) -> list[int]:
    """Read n and n numbers, strictly."""
    count, *rest = text.split()
    values = [int(one, 0) if one[:2] == b"0x" else int(one) for one in rest]
    assert int(count, 16 if count[:2] == b"0x" else 10) == len(values)
    return values


def has_seven(text: bytes) -> bool:
    """Whether a 7 is among n numbers."""
    try:
        return 7 in numbers(text)
    except (AssertionError, ValueError):
        return False


MANY = b" ".join(b"%d" % one for one in range(1, 61))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (b"60\n" + MANY + b"\n", b"1\n7"),
        (b"60\r\n" + MANY + b"\r\n", b"1\r\n7"),
        (b"60\n" + MANY, b"1\n7"),
        (b"0060\n" + MANY + b"\n", b"1\n7"),
        (b"0x3c\n" + MANY + b"\n", b"0x1\n7"),
        (b"60\n" + MANY.replace(b" ", b"  ") + b"\n", b"1\n7"),
        (
            b"60\n" + MANY.replace(b" 5 ", b" -5 ").replace(b" 8 ", b" 99999999999999999999 "),
            b"1\n7",
        ),
        (b"60 " + MANY, b"1 7"),
    ],
)
def test_odd_numbers_and_lines(text: bytes, left: bytes) -> None:
    """Windows line ends, a last line without one, padded, hexadecimal, negative, huge numbers."""
    result = marrow.reduce(text, has_seven, max_tests=400)
    assert result.stopped is None
    assert result.text.split() == left.split() or len(result.text) <= len(left)


def test_a_count_that_is_wrong_already() -> None:
    """Nothing is found, nothing breaks, and plain deletion reduces it."""
    result = marrow.reduce(b"99\n" + MANY + b"\n", lambda text: b"7" in text.split(), max_tests=400)
    assert result.text.strip() == b"7"


def test_counts_that_overlap_by_chance() -> None:
    """n, m and k are the same number; the reader knows which one counts what."""
    rows = b"".join(b"%d %d\n" % (one, 21 - one) for one in range(1, 21))
    text = b"20 20 20\n" + b" ".join(b"%d" % one for one in range(1, 21)) + b"\n" + rows

    def fails(candidate: bytes) -> bool:
        try:
            head, first, *others = candidate.removesuffix(b"\n").split(b"\n")
            n, m, k = map(int, head.split())
            pairs = [tuple(map(int, one.split())) for one in others]
        except ValueError:
            return False
        right = len(first.split()) == n and len(pairs) == m and n >= 1 and 1 <= k <= 20
        return right and all(len(one) == 2 for one in pairs) and any(one[0] > 3 for one in pairs)

    result = marrow.reduce(text, fails, max_tests=900)
    assert result.stopped is None
    assert len(result.text.split()) == 6


def test_the_same_for_any_number_of_workers_and_after_a_stop(tmp_path: Path) -> None:
    """The schema comes from the input, so a resumed run makes the same attempts."""
    case = next(one for one in CASES if one.name == "components")
    alone = marrow.reduce(case.text, case.fails)
    assert marrow.reduce(case.text, case.fails, jobs=3).text == alone.text
    journal = tmp_path / "journal"
    stopped = marrow.reduce(case.text, case.fails, max_tests=20, journal=journal)
    assert stopped.stopped is not None
    assert marrow.reduce(case.text, case.fails, journal=journal).text == alone.text


def test_a_text_without_relations_costs_no_test() -> None:
    """Words and log lines: the reduction is the same without the pass."""
    text = b"".join(b"line %d of a log says %s\n" % (at, b"no" * (at % 7)) for at in range(40))
    with_pass = marrow.reduce(text, lambda one: b"nono" in one)
    without = marrow.reduce(text, lambda one: b"nono" in one, passes="-relations")
    assert with_pass.text == without.text
    assert with_pass.tests <= 1.02 * without.tests + 1


def test_large_texts_lose_something_at_once() -> None:
    """A large text: the first deletion comes within 50 attempts."""
    rows = b"".join(b"%d %d\n" % (at % 977 + 1, at * 7 % 977 + 1) for at in range(200_000))
    text = b"977 200000\n" + rows
    tree = as_one_piece(text)
    attempts = Attempts(relations(text)(tree, finish))

    def strict(candidate: bytes) -> bool:
        lines = candidate.removesuffix(b"\n").split(b"\n")
        return int(lines[0].split()[1]) == len(lines) - 1

    first = next(at for at, one in enumerate(attempts) if strict(one.tree.text))
    assert first < 50


def test_steps_tell_what_went_with_its_count() -> None:
    """The steps say what the count went with."""
    phases: list[str] = []
    marrow.reduce(
        b"60\n" + MANY + b"\n",
        has_seven,
        on_event=lambda one: phases.append(getattr(one, "phase", "")),
    )
    assert any("with their count" in one for one in phases)


def test_lists_of_a_parsed_text_go_with_their_count() -> None:
    """JSON that says how many items it has; a number equal by chance costs two tests."""
    items = b", ".join(b"%d" % one for one in range(100, 140))
    text = b'{"length": 40, "items": [' + items + b"]}"

    def fails(candidate: bytes) -> bool:
        value = json.loads(candidate)
        return value["length"] == len(value["items"]) and 117 in value["items"]

    def strict(candidate: bytes) -> bool:
        try:
            return fails(candidate)
        except (ValueError, KeyError, TypeError):
            return False

    result = marrow.reduce(text, strict, language="json", max_tests=300)
    assert json.loads(result.text) == {"length": 1, "items": [117]}


@given(st.integers(5, 12), st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=5))
def test_candidates_keep_the_relations(count: int, pairs: list[tuple[int, int]]) -> None:
    """Whatever is deleted: n values, m pairs of indices up to n, and their counts agree."""
    values = b" ".join(b"%d" % (7 * one) for one in range(count))
    rows = b"".join(b"%d %d\n" % pair for pair in pairs)
    text = b"%d %d\n%s\n%s" % (count, len(pairs), values, rows)
    found = schema_of(text)
    assume(found is not None and len(found[1]) == 3)
    for one in islice(Attempts(relations(text)(as_one_piece(text), finish)), 40):
        assert found is not None
        assert document_of(one.tree.text, *found) is not None
