"""What goes wrong around a run has its own message and exit code; nothing of it is a bug."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from marrow.cli.exits import Exit
from marrow.engine.journal.journal_file import discard
from marrow.run.output.output_file import ResultWriter
from tests.cli.running import ALGORITHM, PROGRAM, executable, marrow

SHELL = [sys.executable, "-m", "marrow"]


def redirected(*words: str, to: str) -> subprocess.CompletedProcess[str]:
    """Run marrow with a stream that leads elsewhere."""
    line = " ".join(f"'{word}'" for word in (*SHELL, *words))
    return subprocess.run(
        ["/bin/sh", "-c", f"{line} {to}"], capture_output=True, text=True, check=False
    )


class TestLongNames:
    @pytest.mark.parametrize("length", [236, 245, 247, 255])
    def test_are_refused_before_any_test_runs(self, work: Path, length: int) -> None:
        name = "x" * (length - 2) + ".c"
        (work / name).write_text(PROGRAM)
        executable(work / "test.sh", f'touch {work}/asked; grep -q needle "$1"')
        ended = marrow("reduce", name, "test.sh")
        assert (ended.code, (work / "asked").exists()) == (Exit.OUTPUT, False)
        assert "too long" in ended.err
        assert "-o" in ended.err

    def test_go_with_a_short_result(self, work: Path) -> None:
        name = "x" * 253 + ".c"
        (work / name).write_text(PROGRAM)
        assert marrow("reduce", name, "test.sh", "-o", "out.c", "-q").code == 0
        assert "needle" in (work / "out.c").read_text()

    def test_the_longest_that_fits(self, work: Path) -> None:
        name = "x" * (255 - 12 - len(".marrow") - len(".reduced.c")) + ".c"
        (work / name).write_text(PROGRAM)
        for _ in range(2):  # the second run keeps the first one's result
            assert marrow("reduce", name, "test.sh", "-q", *ALGORITHM).code == 0


class TestAnInputThatTestsRemove:
    def test_is_known_already(self, work: Path) -> None:
        executable(work / "test.sh", f'rm -f {work}/input.c; grep -q needle "$1"')
        (work / "input.c").chmod(0o640)
        ended = marrow("reduce", "input.c", "test.sh")
        assert ended.code == 0, ended.err
        assert "needle" in (work / "input.reduced.c").read_text()
        assert (work / "input.reduced.c").stat().st_mode & 0o777 == 0o640

    def test_is_kept_where_it_is_written_over(self, work: Path) -> None:
        executable(work / "test.sh", f'rm -f {work}/input.c; grep -q needle "$1"')
        ended = marrow("reduce", "input.c", "test.sh", "--in-place", "-j1")
        assert ended.code == 0, ended.err
        assert (work / "input.c.orig").read_text() == PROGRAM


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
class TestStreamsThatTakeNoMore:
    @pytest.mark.parametrize("option", ["--json", "-v"])
    def test_the_summary(self, work: Path, option: str) -> None:
        ended = redirected("reduce", "input.c", "test.sh", option, *ALGORITHM, to="> /dev/full")
        assert ended.returncode == Exit.OUTPUT
        assert "cannot write to standard output: No space left on device" in ended.stderr
        assert "The result is in input.reduced.c" in ended.stderr
        assert "needle" in (work / "input.reduced.c").read_text()

    @pytest.mark.parametrize(
        "words", [("--help",), ("languages",), ("tree", "input.c"), ("config", "--json")]
    )
    def test_other_commands(self, work: Path, words: tuple[str, ...]) -> None:
        ended = redirected(*words, to="> /dev/full")
        assert (ended.returncode, ended.stderr.count("\n")) == (Exit.OUTPUT, 2), ended.stderr

    def test_standard_error(self, work: Path) -> None:
        ended = redirected("reduce", "input.c", "test.sh", *ALGORITHM, to="2> /dev/full")
        assert (ended.returncode, "verified" in ended.stdout) == (0, True)
        assert redirected("reduce", "nowhere.c", "test.sh", to="2> /dev/full").returncode == 3
        both = redirected("reduce", "input.c", "test.sh", *ALGORITHM, to="> /dev/full 2>&1")
        assert both.returncode == Exit.OUTPUT

    def test_closed_streams(self, work: Path) -> None:
        for to in ("2>&-", "0<&- 2>&-", ">&-", "0<&- >&- 2>&-"):
            ended = redirected("reduce", "input.c", "test.sh", *ALGORITHM, to=to)
            assert ended.returncode == 0, (to, ended)
            assert "needle" in (work / "input.reduced.c").read_text()

    def test_a_reader_that_went_away(self, work: Path) -> None:
        ended = redirected("reduce", "input.c", "test.sh", *ALGORITHM, to="| true")
        assert ("Traceback" in ended.stderr, "bug" in ended.stderr) == (False, False)
        assert "needle" in (work / "input.reduced.c").read_text()


def test_a_journal_never_takes_the_place_of_a_device(work: Path) -> None:
    os.mkfifo(work / "pipe")
    ended = marrow("reduce", "input.c", "test.sh", "--journal", "pipe", *ALGORITHM)
    assert (ended.code, "not a regular file" in ended.err) == (Exit.JOURNAL, True)
    assert "--no-journal" in ended.err
    assert (work / "pipe").is_fifo()
    discard(work / "pipe")
    assert (work / "pipe").is_fifo()
    assert not (work / "pipe~").exists()


def test_a_report_never_takes_the_place_of_a_device(work: Path) -> None:
    os.mkfifo(work / "pipe")
    ended = marrow("reduce", "input.c", "test.sh", "--report", "pipe", *ALGORITHM)
    assert (ended.code, "not a regular file" in ended.err) == (Exit.OUTPUT, True)
    assert (work / "pipe").is_fifo()


@pytest.mark.parametrize("what", ["/dev/zero", "pipe"])
class TestFilesWithoutEnd:
    """None of these may be read, or waited for."""

    @pytest.mark.parametrize(
        ("words", "code"),
        [
            (("reduce", "input.c", "test.sh", "--grammar", "{}"), Exit.INPUT),
            (("reduce", "input.c", "test.sh", "--model", "{}"), Exit.USAGE),
            (("reduce", "input.c", "test.sh", "--rewrites", "{}"), Exit.USAGE),
            (("reduce", "{}", "test.sh"), Exit.INPUT),
            (("grammar", "{}"), Exit.INPUT),
            (("match", "{}", "input.c"), Exit.INPUT),
            (("produce", "{}"), Exit.INPUT),
            (("tree", "{}"), Exit.INPUT),
        ],
    )
    def test_are_refused(self, work: Path, what: str, words: tuple[str, ...], code: Exit) -> None:
        os.mkfifo(work / "pipe")
        ended = marrow(*(word.format(what) for word in words))
        assert (ended.code, "regular file" in ended.err) == (code, True), ended


def test_a_temporary_directory_that_cannot_be_used(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", None)
    for place in ("missing", "input.c"):
        monkeypatch.setenv("TMPDIR", str(work / place))
        ended = marrow("reduce", "input.c", "test.sh")
        assert (ended.code, str(work / place) in ended.err) == (Exit.TEST, True), ended
        assert "TMPDIR" in ended.err


@pytest.mark.parametrize("jobs", ["-j1", "-j3"])
@pytest.mark.parametrize("allowed", [0, 1, 2, 3, 4, 5])
def test_no_room_for_another_thread(
    work: Path, monkeypatch: pytest.MonkeyPatch, jobs: str, allowed: int
) -> None:
    """However many threads there may be: a message, or a run that does with fewer."""
    begin, left = threading.Thread.start, [allowed]

    def limited(thread: threading.Thread) -> None:
        if left[0] <= 0:
            raise RuntimeError("can't start new thread")
        left[0] -= 1
        begin(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    ended = marrow("reduce", "input.c", "test.sh", jobs, *ALGORITHM)
    assert ended.code in (Exit.DONE, Exit.TEST), ended
    assert ended.code == Exit.DONE or "no room for another thread" in ended.err
    assert ended.code == Exit.TEST or allowed > 1


def test_the_best_is_kept_without_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    kept: list[bytes] = []
    warned: list[str] = []
    keeper = ResultWriter(kept.append, warned.append)
    keeper.keep(b"one")
    keeper.keep(b"two")
    keeper.close()
    assert (kept, warned) == ([b"one", b"two"], [])


@pytest.mark.parametrize(
    "words",
    [
        ("reduce", "", "test.sh"),
        ("reduce", "input.c", "", "test.sh"),
        ("reduce", "input.c", "test.sh", "-o", ""),
        ("reduce", "input.c", "test.sh", "--journal", ""),
    ],
)
def test_an_empty_name_is_not_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "input.c").write_text(PROGRAM)
    executable(tmp_path / "test.sh", "exit 0")
    before = sorted(tmp_path.iterdir())
    ended = marrow(*words)
    assert ended.code == Exit.USAGE
    assert "is a shell variable not set?" in ended.err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGINT, Exit.INTERRUPTED),
        (signal.SIGTERM, Exit.TERMINATED),
        (signal.SIGHUP, Exit.TERMINATED),
        (signal.SIGQUIT, Exit.QUIT),
    ],
)
def test_signals_while_the_input_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, code: Exit
) -> None:
    def interrupted(*_: object) -> None:
        signal.raise_signal(number)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("marrow.cli.commands.reduce.plan_reduction", interrupted)
    (tmp_path / "input.c").write_text(PROGRAM)
    executable(tmp_path / "test.sh", "exit 0")
    ended = marrow("reduce", "input.c", "test.sh")
    assert (ended.code, ended.err) == (code, "")


@pytest.mark.parametrize("options", [(), ("--no-journal",)])
def test_only_what_can_be_resumed_is_said_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "input.c").write_text(PROGRAM)
    executable(tmp_path / "test.sh", 'grep -q needle "$1"')
    ended = marrow("reduce", "input.c", "test.sh", "--max-tests", "1", *options)
    assert ended.code == Exit.DONE
    assert "stopped: " in ended.out
    assert ("--resume" in ended.out) is not bool(options)
