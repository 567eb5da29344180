"""The first and the last runs: few, unless a test wavers."""

from __future__ import annotations

from itertools import count

import pytest

import marrow
from marrow.run.test.check_test import FIRST_RUNS


@pytest.mark.parametrize("words", [2, 50])
def test_a_steady_test_is_run_three_times_on_the_input_and_on_the_result(words: int) -> None:
    text = b"x " * words
    seen = []

    def test(candidate: bytes) -> bool:
        seen.append(candidate)
        return candidate.count(b"x") * 2 >= words

    result = marrow.reduce(text, test, language="words")
    assert seen[: FIRST_RUNS + 1] == [*[text] * FIRST_RUNS, b""]
    last = result.repeats - FIRST_RUNS - 1
    assert seen[-last:] == [result.text] * last
    assert last == FIRST_RUNS + (result.tests - result.repeats) // 100


def test_a_test_that_is_seldom_flaky_is_found_out_by_a_long_search() -> None:
    runs = count(1)
    words = [b"w%d" % number for number in range(120)]
    text = b" ".join(words)

    def test(candidate: bytes) -> bool:
        return all(word in candidate.split() for word in words[::3]) and next(runs) % 5 != 0

    result = marrow.reduce(text, test, language="words", jobs=1)
    assert result.reliability is not None
    assert result.reliability.share > 0.7
