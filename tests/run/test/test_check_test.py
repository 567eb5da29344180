"""The first runs: more of them where that is cheap."""

from __future__ import annotations

from pathlib import Path

import pytest

import marrow
from marrow.run.test import check_test as check_test_module
from marrow.run.test.check_test import FIRST_RUNS, MOST_FIRST_RUNS, enough_runs


@pytest.fixture(autouse=True)
def as_many_as_users_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_test_module, "MOST_FIRST_RUNS", MOST_FIRST_RUNS)


#: Interesting but for every tenth run.
SELDOM = 'echo >> {log}; [ $(($(wc -l < {log}) % 10)) -ne 0 ] && grep -q x "$1"'


def test_slow_tests_run_three_times_and_quick_ones_more_often() -> None:
    assert enough_runs(10.0) == FIRST_RUNS
    assert enough_runs(0.1) == 10
    assert enough_runs(0.0) == MOST_FIRST_RUNS
    assert enough_runs(10.0, least=50) == 50


def test_a_test_that_is_seldom_flaky_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("marrow.run.test.check_test._CHEAP", 1e6)
    script = tmp_path / "test.sh"
    script.write_text(f"#!/bin/sh\n{SELDOM.format(log=tmp_path / 'log')}\n")
    script.chmod(0o755)
    result = marrow.reduce(b"x y z", script, language="words")
    assert result.reliability is not None
    assert result.reliability.share > 0.7
