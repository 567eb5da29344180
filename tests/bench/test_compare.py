"""The runner that compares reducers works on a tiny case."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from bench.cases import CASES, CannotMakeError, Case, Prepared, prepare, select
from bench.cases.sources import Generated
from bench.compare import table
from bench.runs import FailedRunError, Limits, Run, compare


def tiny() -> str:
    return "".join(f"int value_{number} = {number};\n" for number in range(8))


TINY = Case(
    name="tiny",
    file="input.c",
    language="c",
    about="a needle",
    source=Generated(tiny),
    script="grep -q 'value_5 = 5;' input.c",
    tokens=40,
    size=152,
)


@pytest.fixture(autouse=True)
def made_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.runs.prepare", lambda case: prepare(case, tmp_path / "cache"))


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    return compare([TINY], ["perses*", "hddr* --hoist before"], results=tmp_path / "results")


def test_runners_agree_on_a_tiny_case(runs: list[Run]) -> None:
    assert {run.after.tokens for run in runs} <= {5, 4}
    assert all(run.before.tokens == 40 and run.tests > 0 and not run.stopped for run in runs)
    assert all("value_5 = 5;" in Path(run.result).read_text() for run in runs)
    shown = table(runs, [run.runner for run in runs]).splitlines()
    assert len(shown) == 2 + 2 * len(runs)
    assert shown[-len(runs)].startswith("| geometric mean | 1 cases | perses* |")


def test_finished_runs_are_not_repeated(
    tmp_path: Path, runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("a known run was repeated")

    monkeypatch.setattr("bench.runs._marrow", never)
    again = compare([TINY], [runs[0].runner], results=tmp_path / "results")
    assert again == runs[:1]
    with pytest.raises(AssertionError, match="repeated"):
        compare([TINY], [runs[0].runner], Limits(jobs=2), results=tmp_path / "results")


def test_runs_on_a_case_share_verdicts(
    tmp_path: Path, runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"

    def noted(case: Case) -> Prepared:
        made = prepare(case, tmp_path / "cache")
        made.test.write_text(f"#!/bin/bash\ncat input.c >> {log}\n{case.script}\n")
        return made

    monkeypatch.setattr("bench.runs.prepare", noted)
    (again,) = compare([TINY], ["perses*"], results=tmp_path / "elsewhere")
    assert again.after == runs[0].after
    assert not log.exists()
    with pytest.raises(FailedRunError):
        compare([replace(TINY, script="true")], ["perses*"], results=tmp_path / "elsewhere")


def test_a_case_says_what_is_missing(tmp_path: Path) -> None:
    lacking = Case(
        "lacking", "input.c", "c", "", Generated(tiny), "", 1, 1, needs=("no-such-program",)
    )
    with pytest.raises(CannotMakeError, match="no-such-program"):
        prepare(lacking, tmp_path)


def test_cases_have_names_of_their_own() -> None:
    assert all(name == case.name for name, case in CASES.items())
    assert select(["all"]) == list(CASES.values())
    with pytest.raises(LookupError):
        select(["no such case"])
