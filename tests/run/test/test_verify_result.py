"""The last runs: a result that does not hold every time is not the result."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.engine.delta import delta
from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal, digest
from marrow.engine.journal.journal_file import AcceptedStep
from marrow.engine.verdict import Verdict
from marrow.run.output.result import Ending, Result
from marrow.run.test.verify_result import ResultVerifier

SOURCE = b"x" * 60


def reduced(lengths: list[int]) -> tuple[Journal, Result]:
    """Return the journal and the result of a run that shortened the source step by step."""
    journal = Journal.in_memory()
    text = SOURCE
    for number, length in enumerate(lengths):
        after = SOURCE[:length]
        step = AcceptedStep(0, length, length, "", "", digest(after), delta(text, after))
        journal.put_step(number, step)
        journal.put(digest(after), Verdict.INTERESTING)
        text = after
    return journal, Result(text, "", "", "minimal", 60, len(text), 60, len(text))


@given(lengths=st.sets(st.integers(0, 59)), steady=st.integers(0, 60))
def test_it_goes_back_to_the_last_step_that_holds(lengths: set[int], steady: int) -> None:
    steps = sorted(lengths, reverse=True)
    journal, result = reduced(steps)
    runs = count()
    # What is shorter than `steady` is interesting in every other run.
    executor = CallableExecutor(lambda text: len(text) >= steady or next(runs) % 2 == 1)
    try:
        ResultVerifier(executor, journal, SOURCE).check(result)
    finally:
        executor.close()
    held = [length for length in (60, *steps) if length >= steady]
    assert (result.verified, len(result.text)) == (True, held[-1])
    assert (result.tokens_after, result.bytes_after) == (held[-1], held[-1])
    smallest = min([60, *steps])
    assert (result.smallest is None) == (smallest >= steady)
    if result.smallest is not None:
        assert result.smallest.interesting < result.smallest.runs
        assert result.guarantee.startswith("none")
        assert journal.get(digest(SOURCE[:smallest])) is Verdict.NOT_INTERESTING
    assert all(
        journal.get(digest(SOURCE[:one])) is Verdict.INTERESTING for one in steps if one >= steady
    ), "what holds stays known"


def test_where_nothing_holds_the_smallest_stays_and_is_not_verified() -> None:
    journal, result = reduced([50, 40, 30, 3])
    executor = CallableExecutor(lambda _: False)
    try:
        outcome = ResultVerifier(executor, journal, SOURCE).check(result)
    finally:
        executor.close()
    assert (outcome.verdict, result.verified) == (Verdict.NOT_INTERESTING, False)
    assert (len(result.text), result.smallest) == (3, None)
    assert journal.get(digest(SOURCE[:3])) is Verdict.INTERESTING, "the test may be at fault"


@pytest.mark.parametrize(
    ("ending", "searched", "runs"),
    [(Ending.FINISHED, 99, 3), (Ending.FINISHED, 350, 6), (Ending.FINISHED, 9_000, 10)]
    + [(ending, 9_000, 1) for ending in (Ending.LIMIT, Ending.GOAL)],
)
def test_a_result_is_looked_at_more_often_after_a_long_search_that_was_not_cut_short(
    ending: Ending, searched: int, runs: int
) -> None:
    journal, result = reduced([50, 40])
    result.ending, result.tests = ending, searched
    executor = CallableExecutor(lambda _: True)
    try:
        ResultVerifier(executor, journal, SOURCE).check(result)
    finally:
        executor.close()
    assert (result.verified, result.repeats) == (True, runs)
