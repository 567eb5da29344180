"""Stopping and going on: signals, kills, and what --resume may and may not do."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from marrow.cli.exits import Exit
from tests.cli.running import ALGORITHM, PATIENCE, PROGRAM, end, executable, marrow, start
from tests.engine.scripts import alive, soon

#: The default, and a test that takes its time and logs every candidate by a hash of its content.
SLOW = 'cksum < "$1" >> {log}; sleep {seconds}; grep -q needle "$1" && grep -q main "$1"'


def slow_test(work: Path, seconds: float = 0.05) -> None:
    executable(work / "test.sh", SLOW.format(log=work / "log", seconds=seconds))


def log(work: Path) -> list[str]:
    return (work / "log").read_text().splitlines() if (work / "log").exists() else []


def undisturbed(work: Path) -> bytes:
    """What a run gives that nobody stops."""
    assert marrow("reduce", "input.c", "test.sh", "-o", "whole.c", "-q", *ALGORITHM).code == 0
    (work / "log").unlink()
    return (work / "whole.c").read_bytes()


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_killed_and_resumed(work: Path, jobs: str) -> None:
    slow_test(work)
    whole = undisturbed(work)
    process = start("reduce", "input.c", "test.sh", jobs, *ALGORITHM, cwd=work)
    assert soon(lambda: len(set(log(work))) >= 8)  # whatever number of first runs
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = log(work)
    best = (work / "input.reduced.c").read_text()
    assert "needle" in best
    assert (work / "input.reduced.c.marrow").exists()
    # A test that was under way when the kill came has no verdict, and must be asked again.
    known = set(before[: -2 * int(jobs[2:])])
    (work / "log").unlink()
    ended = marrow("reduce", "input.c", "test.sh", jobs, "--resume", *ALGORITHM)
    assert ended.code == 0
    assert re.search(r"resuming with \d+ known verdicts", ended.err)
    assert (work / "input.reduced.c").read_bytes() == whole
    after = log(work)
    assert not known & set(after) - {after[-1]}  # the last ones check the result
    # Once more: nothing is left to ask but that.
    (work / "log").unlink()
    assert marrow("reduce", "input.c", "test.sh", "--resume", "-q", *ALGORITHM).code == 0
    assert set(log(work)) == {after[-1]}


def test_resuming_never_loses_the_best(work: Path) -> None:
    slow_test(work)
    marrow("reduce", "input.c", "test.sh", "-j1", "--max-tests", "6", *ALGORITHM)
    best = (work / "input.reduced.c").read_bytes()
    assert len(best) < len(PROGRAM)
    # Stopped at once: what the journal knows is known again, and the file is as good as before.
    ended = marrow("reduce", "input.c", "test.sh", "--resume", "--max-time", "0.001", *ALGORITHM)
    assert ended.code == 0
    assert "stopped" in ended.out
    assert (work / "input.reduced.c").read_bytes() == best


def test_in_place_killed_and_resumed(work: Path) -> None:
    slow_test(work)
    whole = undisturbed(work)
    process = start("reduce", "input.c", "test.sh", "-j1", "--in-place", *ALGORITHM, cwd=work)
    assert soon(lambda: len(set(log(work))) >= 8)  # whatever number of first runs
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert (work / "input.c.orig").read_text() == PROGRAM
    ended = marrow("reduce", "input.c", "test.sh", "--in-place", "--resume", *ALGORITHM)
    assert ended.code == 0, ended.err
    assert (work / "input.c").read_bytes() == whole
    assert (work / "input.c.orig").read_text() == PROGRAM
    assert not (work / "input.c.orig2").exists()


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGINT, Exit.INTERRUPTED),
        (signal.SIGTERM, Exit.TERMINATED),
        (signal.SIGQUIT, Exit.QUIT),
        (signal.SIGXCPU, Exit.TERMINATED),
    ],
)
def test_signals(work: Path, number: signal.Signals, code: Exit) -> None:
    pids = work / "pids"
    hangs = work / "hangs"
    body = f'echo $$ >> {pids}; grep -q needle "$1" || {{ echo > {hangs}; exec sleep 100000; }}'
    executable(work / "test.sh", body)
    process = start(
        "reduce", "input.c", "test.sh", "-j2", "--allow-empty", *ALGORITHM, cwd=work
    )  # fmt: skip
    assert soon(hangs.exists)
    process.send_signal(number)
    process.send_signal(number)
    ended = end(process)
    assert ended.code == code
    assert "stopped: interrupted" in ended.out
    assert "--resume" in ended.out
    assert "needle" in (work / "input.reduced.c").read_text()
    assert not any(alive(int(pid)) for pid in pids.read_text().split())


def test_a_signal_before_the_first_candidate(work: Path) -> None:
    ready = work / "ready"
    executable(work / "test.sh", f"touch {ready}; sleep 1000")
    process = start("reduce", "input.c", "test.sh", cwd=work)
    assert soon(ready.exists)
    process.send_signal(signal.SIGINT)
    ended = end(process)
    assert ended.code == Exit.INTERRUPTED
    assert "nothing was changed" in ended.err
    assert {path.name for path in work.iterdir()} == {"input.c", "test.sh", "ready"}


def test_started_with_interrupts_ignored(work: Path) -> None:
    slow_test(work, 0.02)
    process = subprocess.Popen(
        [
            "/bin/sh",
            "-c",
            "trap '' INT HUP; exec \"$@\"",
            "sh",
            sys.executable,
            "-m",
            "marrow",
            "reduce",
            "input.c",
            "test.sh",
            "-q",
            *ALGORITHM,
        ],
        cwd=work,
    )
    assert soon(lambda: len(set(log(work))) >= 3)
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 0


def test_another_run_on_the_same_result(work: Path) -> None:
    # As soon as there is a result, no test ends any more.
    result = work / "input.reduced.c"
    waits = f"while [ -e {result} ]; do sleep 0.1; done"
    executable(work / "test.sh", f'{waits}; grep -q needle "$1" && grep -q main "$1"')
    process = start("reduce", "input.c", "test.sh", *ALGORITHM, cwd=work)
    assert soon(result.exists)
    for options in ((), ("--resume",)):
        ended = marrow("reduce", "input.c", "test.sh", *options, *ALGORITHM)
        assert ended.code == Exit.JOURNAL
        assert "another marrow is at work" in ended.err
    process.send_signal(signal.SIGTERM)
    assert end(process).code == Exit.TERMINATED


def stopped(work: Path) -> None:
    ended = marrow("reduce", "input.c", "test.sh", "-j1", "--max-tests", "3", *ALGORITHM)
    assert ended.code == 0


def test_nothing_to_resume(work: Path) -> None:
    ended = marrow("reduce", "input.c", "test.sh", "--resume", *ALGORITHM)
    assert ended.code == Exit.JOURNAL
    assert "nothing to resume" in ended.err


def test_another_input(work: Path) -> None:
    stopped(work)
    (work / "input.c").write_text(PROGRAM + "int more;\n")
    ended = marrow("reduce", "input.c", "test.sh", "--resume", *ALGORITHM)
    assert ended.code == Exit.JOURNAL
    assert "the input is not the one" in ended.err


def test_another_test(work: Path) -> None:
    stopped(work)
    executable(work / "test.sh", 'grep -q main "$1"')
    ended = marrow("reduce", "input.c", "test.sh", "--resume", *ALGORITHM)
    assert ended.code == Exit.JOURNAL
    assert "the test is not the one" in ended.err


def test_other_settings_are_noted_and_never_lose_the_best(work: Path) -> None:
    executable(work / "test.sh", 'grep -q needle "$1"')
    thorough = ("--algorithm", "hddhr*")
    assert marrow("reduce", "input.c", "test.sh", "-q", *thorough).code == 0
    best = (work / "input.reduced.c").read_bytes()
    same = marrow("reduce", "input.c", "test.sh", "--resume", *thorough)
    assert "other settings" not in same.err
    for other in (("--algorithm", "coarse-hddr", "--once"), (*thorough, "--split", "3")):
        ended = marrow("reduce", "input.c", "test.sh", "--resume", *other)
        assert ended.code == 0, ended.err
        assert "another algorithm or other settings" in ended.err
        assert len((work / "input.reduced.c").read_bytes()) <= len(best)


def test_a_damaged_journal(work: Path) -> None:
    stopped(work)
    journal = work / "input.reduced.c.marrow"
    journal.write_bytes(b"garbage " * 1000)
    ended = marrow("reduce", "input.c", "test.sh", "--resume", *ALGORITHM)
    assert ended.code == Exit.JOURNAL
    assert "cannot be used" in ended.err
    # Without --resume it is in nobody's way, but not thrown away either.
    ended = marrow("reduce", "input.c", "test.sh", *ALGORITHM)
    assert ended.code == 0
    assert "not a readable journal" in ended.err
    assert (work / "input.reduced.c.marrow~").read_bytes().startswith(b"garbage")


def test_an_unfinished_run_is_not_forgotten(work: Path) -> None:
    stopped(work)
    ended = marrow("reduce", "input.c", "test.sh", *ALGORITHM)
    assert ended.code == 0
    assert "--resume would have continued" in ended.err
    assert (work / "input.reduced.c.marrow~").exists()
    assert "--resume would" not in marrow("reduce", "input.c", "test.sh", *ALGORITHM).err


def test_an_unfit_test_does_not_cost_the_journal(work: Path) -> None:
    stopped(work)
    assert marrow("reduce", "input.c", "--shell", "false", *ALGORITHM).code == Exit.NOT_INTERESTING
    assert marrow("reduce", "input.c", "test.sh", "--resume", *ALGORITHM).code == 0


def test_a_journal_of_version_0_1_still_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files were written by version 0.1, stopped after four tests."""
    written = Path(__file__).parent / "journal_0_1"
    shutil.copy(written / "input.c", tmp_path / "input.c")
    shutil.copy(written / "result.c", tmp_path / "input.reduced.c")
    shutil.copy(written / "journal.sqlite", tmp_path / "input.reduced.c.marrow")
    monkeypatch.chdir(tmp_path)
    words = ("--shell", 'grep -q needle "$1"', "--algorithm", "hddr*", "-j1")
    ended = marrow("reduce", "input.c", *words, "--resume")
    assert ended.code == 0
    assert re.search(r"resuming with \d+ known verdicts", ended.err)
    assert "needle" in (tmp_path / "input.reduced.c").read_text()
