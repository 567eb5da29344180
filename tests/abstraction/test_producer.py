"""The producer: what comes out belongs to the pattern, is new, small first, the same again."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from marrow.abstraction.pattern import Evidence, Pattern
from marrow.abstraction.pattern_json import from_json, to_json
from marrow.abstraction.producer import Producer, Verified, verify
from marrow.abstraction.recogniser import Recogniser
from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.sample_tester import SampleTester
from marrow.engine.verdict import Verdict
from tests.abstraction.finding import CALCULATOR, SCRIPT, search
from tests.abstraction.marking import by_text, marked, shipped


def texts(pattern: Pattern, number: int, seed: int = 0) -> list[bytes]:
    return [sample.text for sample in Producer(pattern, seed).inputs(number)]


def test_new_different_small_first_and_the_same_again() -> None:
    pattern = by_text(CALCULATOR, b"((4))", {("expr", b"4"): 0})
    found = texts(pattern, 50)
    assert len(set(found)) == 50
    assert b"((4))" not in found
    assert [len(text) for text in found] == sorted(len(text) for text in found)
    assert found == texts(pattern, 50)
    assert found != texts(pattern, 50, seed=1)
    assert found == texts(from_json(to_json(pattern)), 50)


def test_groups_vary_as_one() -> None:
    pattern = by_text(CALCULATOR, b"a + a", {("var", b"a"): 1, ("op", b"+"): 0})
    for text in texts(pattern, 30):
        assert re.fullmatch(rb"([a-f]+) [-+*/] \1", text)


def test_no_more_than_there_are() -> None:
    assert texts(by_text(CALCULATOR, b"1+2", {("op", b"+"): 0}), 10) == [b"1*2", b"1-2", b"1/2"]
    assert texts(by_text(CALCULATOR, b"1+2", {}), 10) == []


@pytest.mark.parametrize(
    ("grammar", "text", "free"),
    [
        ("json", b'{"a": [1, {"b": null}], "a": 2}', {"value"}),
        (
            "lua",
            b"local x = {1, 2, n = f(3)}\nfor i = 1, #x do print(x[i] .. 'a') end",
            {"expression"},
        ),
        ("sexpr", b"(define (f x) (if (> x 1) 'a #t))", {"atom", "quoted"}),
    ],
)
def test_what_is_produced_belongs_to_the_pattern(grammar: str, text: bytes, free: set[str]) -> None:
    pattern = marked(
        shipped(grammar), text, lambda place, node: node.symbol in free and place.depth > 4
    )
    recogniser = Recogniser(pattern)
    produced = texts(pattern, 20)
    assert len(produced) == 20
    assert all(recogniser.match(one) for one in produced)


def test_patterns_that_were_found_give_inputs_that_fail() -> None:
    def fails(text: bytes) -> bool:
        return bool(re.search(rb"\{\s*(\w+)\s*:\s*\1\s*=>", text))

    pattern, _ = search(b"var {baz: baz => {}} = baz => {};", fails, SCRIPT)
    produced = texts(pattern, 40)
    assert len(produced) == 40
    assert all(fails(text) for text in produced)


def test_verify_counts_as_table_2_does() -> None:
    verdicts = {b"a": Verdict.UNRESOLVED, b"b": Verdict.NOT_INTERESTING}
    pattern = by_text(CALCULATOR, b"c", {("char", b"c"): 0})
    samples = Producer(pattern).inputs(9)
    assert [sample.text for sample in samples] == [b"a", b"b", b"d", b"e", b"f"]
    executor = CallableExecutor(lambda text: verdicts.get(text, Verdict.INTERESTING), 2)
    try:
        said = verify(samples, SampleTester(executor, Journal.in_memory()))
    finally:
        executor.close()
    assert (said.valid, said.failing) == (4, 3)
    assert (said.valid_share, said.failing_share) == (0.8, 0.75)
    assert Verified(()).valid_share == Verified(()).failing_share == 0.0


def test_where_samples_often_were_invalid_inputs_stay_near_those_that_were_not() -> None:
    """Most parts of each input stood together in one failing sample of the search."""
    holes = {("Identifier", name): 0 for name in (b"a", b"b", b"c", b"d", b"e", b"f")}
    pattern = by_text(SCRIPT, b"a + b + c + d + e + f;", holes)
    rows = tuple(tuple(f"{name}{number}".encode() for name in "uvwxyz") for number in range(30))
    sure = replace(pattern, joint=Evidence(failing=100), together=rows)
    doubtful = replace(sure, joint=Evidence(failing=80, unresolved=20))

    def alike(one: Pattern) -> list[int]:
        inputs = [set(sample.text.split()) for sample in Producer(one).inputs(40)]
        return [max(len(words & set(row)) for row in rows) for words in inputs]

    kept = from_json(to_json(doubtful))
    assert kept.together == rows
    # Up to a third of six parts is drawn anew; the last one stands in front of a semicolon.
    assert min(alike(kept)) >= 3
    assert max(alike(sure)) < 3
