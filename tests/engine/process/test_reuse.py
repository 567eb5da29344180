"""Directories that serve several tests: fresh for each, and only where nobody is left in them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process import watchdog
from marrow.engine.process.command import TestCommand as Command
from marrow.engine.verdict import Verdict
from tests.engine.scripts import quoted

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="orphans are inherited on Linux only"),
    pytest.mark.usefixtures("temporary"),
]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "_SWEEP_SECONDS", 0.05)


class Logged:
    """Runs tests that log the inode and the path of their directory."""

    def __init__(self, log: Path, body: str, workers: int = 1, *, adopt: bool = True) -> None:
        self._log = log
        note = f'echo "$(stat -c %i .) $PWD $(ls -A | wc -l) $(ls -A "$TMPDIR" | wc -l)" >> {log}'
        self.executor = CommandExecutor(
            Command.shell(f"{note}\n{body}"), "input", workers, adopt=adopt
        )

    def run(self, text: bytes = b"x") -> Verdict:
        return self.executor.submit(text).future.result(60).verdict

    def lines(self) -> list[list[str]]:
        return [line.split() for line in self._log.read_text().splitlines()]

    def until(self, condition: Callable[[list[list[str]]], bool]) -> bool:
        """Run tests until the log fulfils a condition; wait for the watchdog in between."""
        for _ in range(200):
            self.run()
            if condition(self.lines()):
                return True
            time.sleep(0.01)
        return False


def reused(lines: list[list[str]]) -> bool:
    return len({line[0] for line in lines}) < len(lines)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_directory_is_reused_under_another_name(tmp_path: Path, workers: int) -> None:
    tests = Logged(tmp_path / "log", 'grep -q yes "$1"', workers)
    with closing(tests.executor):
        assert tests.run(b"a longer candidate, yes") is Verdict.INTERESTING
        assert tests.until(reused)
        assert tests.run(b"yes") is Verdict.INTERESTING
        assert tests.run(b"no") is Verdict.NOT_INTERESTING
    lines = tests.lines()
    assert len({line[1] for line in lines}) == len(lines), "every test has a path of its own"
    assert {tuple(line[2:]) for line in lines} == {("1", "0")}


def some_tests(tests: Logged) -> list[list[str]]:
    with closing(tests.executor):
        for _ in range(30):
            tests.run()
            time.sleep(0.01)
    return tests.lines()


@pytest.mark.parametrize(
    "touched",
    [
        "touch more",
        "chmod 700 .",
        "chmod 600 input",
        'touch "$TMPDIR/more"',
        "rm input; ln -s /etc/passwd input",
        "rm input; mkfifo input",
    ],
)
def test_a_directory_that_was_touched_is_removed(tmp_path: Path, touched: str) -> None:
    lines = some_tests(Logged(tmp_path / "log", f"umask 022; {touched}; exit 1"))
    assert {tuple(line[2:]) for line in lines} == {("1", "0")}


def test_a_candidate_that_was_linked_to_is_not_written_over(tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    tests = Logged(tmp_path / "log", f'[ -e {quoted(saved)} ] || ln "$1" {quoted(saved)}; exit 0')
    with closing(tests.executor):
        tests.run(b"precious")
        tests.until(lambda lines: len(lines) > 30)
    assert saved.read_bytes() == b"precious"


@pytest.mark.parametrize("workers", [1, 3])
def test_a_process_that_stays_does_not_meet_another_test(tmp_path: Path, workers: int) -> None:
    """It writes into its directory as long as it lives; no other test may see that."""
    body = "setsid sh -c 'while :; do : > late; sleep 0.01; done' > /dev/null 2>&1 &\nexit 1"
    lines = some_tests(Logged(tmp_path / "log", body, workers))
    assert {tuple(line[2:]) for line in lines} == {("1", "0")}


def test_a_process_that_writes_late_and_ends(tmp_path: Path) -> None:
    body = "setsid sh -c 'sleep 0.02; : > late' > /dev/null 2>&1 &\nexit 1"
    lines = some_tests(Logged(tmp_path / "log", body))
    assert {tuple(line[2:]) for line in lines} == {("1", "0")}


def test_where_orphans_are_not_inherited_nothing_is_reused(tmp_path: Path) -> None:
    tests = Logged(tmp_path / "log", "exit 1", adopt=False)
    with closing(tests.executor):
        for _ in range(3):
            tests.run()
        assert tests.executor._runner._workspace._spare == []
