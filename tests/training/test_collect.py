"""Collecting over a corpus: the same whatever the workers, bounded, resumable."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.engine.journal.journal import Journal
from marrow.engine.search import dispatcher
from marrow.training.collect import (
    Bounds,
    RejectedFile,
    TaskEnded,
    TrainingEvent,
    find_sources,
)
from tests.training.corpus import PROGRAMS, collect, no_loose_names, write


def test_the_same_whatever_the_workers(tmp_path: Path) -> None:
    place = write(tmp_path)
    one = collect(place)
    assert set(one.files) == set(PROGRAMS)
    assert len(one.observations) > 30
    assert {observation.removed for observation in one.observations} == {True, False}
    four = collect(place, workers=4)
    assert (four.files, four.tests) == (one.files, one.tests)
    assert collect(place, seed=1).files != one.files


def test_files_take_turns(tmp_path: Path) -> None:
    events: list[TrainingEvent] = []
    collect(write(tmp_path), listener=events.append)
    ended = [event for event in events if isinstance(event, TaskEnded)]
    assert [event.turn for event in ended] == [0, 0, 0, 1, 1, 1]
    assert len({event.source.name for event in ended[:3]}) == 3


@pytest.mark.parametrize("most", [1, 2, 20])
def test_the_limit_of_tests(tmp_path: Path, most: int) -> None:
    found = collect(write(tmp_path), Bounds(tests=most))
    assert found.tests == most
    assert found.stopped == f"the limit of {most} tests is reached"


def test_the_limit_of_a_task(tmp_path: Path) -> None:
    found = collect(write(tmp_path), Bounds(tokens=1, task_tests=2))
    assert found.tests == 3 * (1 + 2)
    assert not found.stopped


def test_the_limit_of_time(tmp_path: Path) -> None:
    found = collect(write(tmp_path), Bounds(seconds=-1.0))
    assert (found.tests, found.stopped) == (0, "the time limit is reached")


def test_a_run_that_is_resumed_ends_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    place = write(tmp_path / "corpus")
    whole = collect(place)
    path = tmp_path / "journal"
    first = Journal(path, {}, resume=False)
    part = collect(place, Bounds(tokens=2, tests=whole.tests // 2), journal=first)
    first.close()
    assert part.stopped
    asked: list[bytes] = []

    def check(text: bytes) -> bool:
        asked.append(text)
        return no_loose_names(text)

    second = Journal(path, {}, resume=True)
    rest = collect(place, journal=second, check=check)
    second.close()
    assert (rest.files, rest.tests) == (whole.files, whole.tests)
    assert len(asked) == rest.run < whole.run


def test_files_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    programs = {
        "loose.py": "print(missing)\n",
        "broken.py": "def (:\n",
        "short.py": "1\n",
        "good.py": PROGRAMS["two.py"],
    }
    found = collect(write(tmp_path, programs))
    assert set(found.files) == {"good.py"}
    assert {one.source.name: one.reason for one in found.rejected} == {
        "loose.py": "does not pass the check",
        "broken.py": "has syntax errors",
        "short.py": "has less than two tokens",
    }


def test_a_file_that_vanishes_is_told(tmp_path: Path) -> None:
    write(tmp_path)
    events: list[TrainingEvent] = []

    def remove_the_others(event: TrainingEvent) -> None:
        events.append(event)
        if isinstance(event, TaskEnded):
            for path in tmp_path.rglob("*.py"):
                if path.name != event.source.path.name:
                    path.unlink()

    found = collect(tmp_path, Bounds(tokens=1), listener=remove_the_others)
    assert len(found.files) == 1
    assert [one.reason for one in found.rejected] == [
        "cannot be read: No such file or directory"
    ] * 2
    assert [event for event in events if isinstance(event, RejectedFile)] == found.rejected


def test_a_check_that_cannot_be_run_ends_it(tmp_path: Path) -> None:
    def broken(text: bytes) -> bool:
        raise RuntimeError("no compiler")

    with pytest.raises(dispatcher.TestFailureError, match="no compiler"):
        collect(write(tmp_path), check=broken)


def test_the_files_of_a_corpus(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "notes.txt").write_text("text")
    (tmp_path / "link.py").symlink_to(tmp_path / "one.py")
    (tmp_path / "script").write_text("print(1)\n")
    names = {source.name for source in find_sources([tmp_path], "python")}
    assert names == set(PROGRAMS)
    assert not find_sources([tmp_path], "go")
    assert [one.name for one in find_sources([tmp_path / "script"], "python")] == ["script"]
    assert not find_sources([tmp_path], "python", most_bytes=10)
    orders = {
        tuple(one.name for one in find_sources([tmp_path], "python", seed=seed))
        for seed in range(20)
    }
    assert len(orders) > 1
