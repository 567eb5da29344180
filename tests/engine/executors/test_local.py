"""Tests as commands: what they are given, what their ends mean, and every way they misbehave."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process.command import TestCommand as Command
from marrow.engine.verdict import Outcome, Verdict
from tests.engine.scripts import alive, command, pid_in, quoted, script, soon

linux = pytest.mark.skipif(sys.platform != "linux", reason="orphans are inherited on Linux only")


@contextlib.contextmanager
def running(test: Command, name: str = "input.c", workers: int = 1) -> Iterator[CommandExecutor]:
    executor = CommandExecutor(test, name, workers, adopt=True)
    try:
        yield executor
    finally:
        executor.close()


def outcome(
    test: Command, candidate: bytes = b"int x;", *, name: str = "input.c", timeout: float = 60.0
) -> Outcome:
    with running(test, name) as executor:
        executor.allow(timeout)
        return executor.submit(candidate, capture=True).future.result(120)


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        (0, Verdict.INTERESTING),
        (1, Verdict.NOT_INTERESTING),
        (2, Verdict.NOT_INTERESTING),
        (124, Verdict.NOT_INTERESTING),
        (125, Verdict.UNRESOLVED),
        (127, Verdict.NOT_INTERESTING),
        (255, Verdict.NOT_INTERESTING),
    ],
)
def test_exit_codes(temporary: Path, code: int, verdict: Verdict) -> None:
    got = outcome(Command.shell(f"exit {code}"))
    assert (got.verdict, got.exit_code) == (verdict, code)


def test_killed_by_a_signal_is_not_interesting(temporary: Path) -> None:
    got = outcome(Command.shell("kill -SEGV $$"))
    assert (got.verdict, got.exit_code) == (Verdict.NOT_INTERESTING, -11)


@pytest.mark.parametrize(
    "name", ["input.c", "with space.c", "quote'\".c", "-dash.c", "größe.c", "$HOME;`x`.c", "*.c"]
)
def test_the_candidate_is_in_the_directory_the_argument_and_the_input(
    temporary: Path, tmp_path: Path, name: str
) -> None:
    body = (
        'n=$(basename -- "$1"); [ "$(cat < "$1")" = "a b" ] && [ "$(cat)" = "a b" ] && '
        '[ "$(cat < "./$n")" = "a b" ] && [ "$(dirname -- "$1")" = "$PWD" ] && [ $# = 1 ] && '
        '[ "$(ls | wc -l)" = 1 ] && printf %s "$n"'
    )
    got = outcome(command(tmp_path, body), b"a b", name=name)
    assert (got.verdict, got.output.decode()) == (Verdict.INTERESTING, name)


def test_no_shebang(temporary: Path, tmp_path: Path) -> None:
    test = command(tmp_path, '[ "$(cat "$1")" = yes ]', first_line="")
    assert outcome(test, b"yes").verdict is Verdict.INTERESTING
    assert outcome(test, b"no").verdict is Verdict.NOT_INTERESTING


def test_no_shebang_found_out_by_many_at_once(temporary: Path, tmp_path: Path) -> None:
    test = command(tmp_path, '[ "$(cat "$1")" = yes ]', first_line="")
    for _ in range(5):
        with running(test, workers=4) as executor:
            jobs = [executor.submit(b"yes") for _ in range(8)]
            assert {job.future.result(60).verdict for job in jobs} == {Verdict.INTERESTING}


def test_missing_interpreter(temporary: Path, tmp_path: Path) -> None:
    got = outcome(command(tmp_path, "exit 0", first_line="#!/no/such/interpreter\n"))
    assert got.verdict is Verdict.ERROR
    assert "interpreter" in got.message
    assert "test.sh" in got.message


@pytest.mark.parametrize("memory", [None, 1 << 30])
def test_deleted_meanwhile(temporary: Path, tmp_path: Path, memory: int | None) -> None:
    path = script(tmp_path, "exit 1")
    with running(Command.executable(str(path), memory=memory)) as executor:
        assert executor.submit(b"x").future.result().verdict is Verdict.NOT_INTERESTING
        path.unlink()
        got = executor.submit(b"x").future.result()
    assert got.verdict is Verdict.ERROR
    assert "does not exist" in got.message


def test_hangs(temporary: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    got = outcome(Command.shell(f"echo $$ > {quoted(pid)}; sleep 1000"), timeout=0.3)
    assert got.verdict is Verdict.TIMEOUT
    assert not alive(pid_in(pid))


def test_ignores_termination(temporary: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    body = f"trap '' TERM INT HUP; echo $$ > {quoted(pid)}; while :; do sleep 1000; done"
    assert outcome(Command.shell(body), timeout=0.3).verdict is Verdict.TIMEOUT
    assert not alive(pid_in(pid))


def test_hangs_with_children(temporary: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    body = f"(sleep 1000 & echo $! > {quoted(pid)}; wait) & wait"
    assert outcome(Command.shell(body), timeout=0.5).verdict is Verdict.TIMEOUT
    assert not alive(pid_in(pid))


def test_a_child_in_the_background_does_not_outlive_the_test(
    temporary: Path, tmp_path: Path
) -> None:
    pid = tmp_path / "pid"
    got = outcome(Command.shell(f"sleep 1000 & echo $! > {quoted(pid)}; exit 0"))
    assert got.verdict is Verdict.INTERESTING
    assert not alive(pid_in(pid))


DETACHED = {
    "session": "setsid sh -c 'echo $$ > {pid}; exec sleep 1000' > /dev/null 2>&1 &",
    "double fork": "(setsid sh -c '(echo $$ > {pid}; exec sleep 1000) & ' &) > /dev/null 2>&1",
    "no mark": "env -i /usr/bin/setsid /bin/sh -c 'echo $$ > {pid}; exec /bin/sleep 1000' "
    "> /dev/null 2>&1 &",
    "holds the output": "setsid sh -c 'echo $$ > {pid}; exec sleep 1000' &",
}


@linux
@pytest.mark.parametrize("how", DETACHED.values(), ids=DETACHED.keys())
def test_detached_processes_do_not_outlive_the_run(
    temporary: Path, tmp_path: Path, how: str
) -> None:
    pid = tmp_path / "pid"
    wait = f"while ! [ -s {quoted(pid)} ]; do sleep 0.01; done; exit 0"
    got = outcome(Command.shell(f"{how.format(pid=quoted(pid))}\n{wait}"))
    assert got.verdict is Verdict.INTERESTING
    assert not alive(pid_in(pid))


@linux
@pytest.mark.parametrize("how", [DETACHED["session"], DETACHED["no mark"]])
def test_detached_processes_are_ended_while_the_run_goes_on(
    temporary: Path, tmp_path: Path, how: str
) -> None:
    pid = tmp_path / "pid"
    wait = f"while ! [ -s {quoted(pid)} ]; do sleep 0.01; done; exit 0"
    with running(Command.shell(f"{how.format(pid=quoted(pid))}\n{wait}")) as executor:
        executor.submit(b"x").future.result(60)
        assert soon(lambda: not alive(pid_in(pid)))


@linux
def test_helpers_of_a_running_test_are_left_alone(temporary: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    start = DETACHED["no mark"].format(pid=quoted(pid))
    # Longer than the watchdog takes to look for orphans, twice.
    body = f"{start}\nsleep 2.5; kill -0 $(cat {quoted(pid)})"
    assert outcome(Command.shell(body)).verdict is Verdict.INTERESTING


@linux
def test_a_detached_process_that_goes_on_writing(temporary: Path, tmp_path: Path) -> None:
    started = tmp_path / "started"
    body = (
        f"setsid sh -c 'i=0; while :; do i=$((i+1)); mkdir -p d$i; : > d$i/f; : > {started}; done' "
        f"> /dev/null 2>&1 &\nwhile ! [ -e {quoted(started)} ]; do sleep 0.01; done"
    )
    assert outcome(Command.shell(body)).verdict is Verdict.INTERESTING
    # The fixture sees that nothing is left.


def test_fills_its_directory(temporary: Path) -> None:
    body = (
        "i=0; while [ $i -lt 50 ]; do : > f$i; mkdir -p a$i/b/c; : > a$i/b/c/f; i=$((i+1)); done; "
        "ln -s / root; ln -s . loop; mkfifo pipe; mktemp > /dev/null; mktemp -d > /dev/null"
    )
    assert outcome(Command.shell(body)).verdict is Verdict.INTERESTING


def test_directories_deeper_than_a_path_can_name(temporary: Path, tmp_path: Path) -> None:
    program = (
        "import os\nfor i in range(500):\n os.mkdir('directory'); os.chdir('directory')\n"
        "open('f', 'w').close()\n"
    )
    test = command(tmp_path, program, first_line=f"#!{sys.executable}\n")
    assert outcome(test).verdict is Verdict.INTERESTING


def test_makes_its_directory_read_only(temporary: Path) -> None:
    body = "mkdir -p a/b; : > a/b/f; chmod 000 a/b; chmod 555 a; chmod 500 ."
    assert outcome(Command.shell(body)).verdict is Verdict.INTERESTING


@pytest.mark.skipif(os.geteuid() != 0, reason="another user is needed, whom rights do stop")
def test_read_only_directories_without_special_rights(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    for parent in list(tmp_path.parents)[:3]:
        if parent != Path("/tmp"):
            parent.chmod(parent.stat().st_mode | 0o055)
    place = tmp_path / "place"
    place.mkdir()
    (place / "a" / "b").mkdir(parents=True)
    (place / "a" / "b" / "f").touch()
    nobody = 65534
    for path in (tmp_path, place, place / "a", place / "a" / "b", place / "a" / "b" / "f"):
        os.chown(path, nobody, nobody)
    (place / "a" / "b").chmod(0o000)
    (place / "a").chmod(0o555)
    place.chmod(0o500)
    pid = os.fork()
    if pid == 0:
        try:
            os.setgid(nobody)
            os.setuid(nobody)
            from marrow.engine.process.workspace import remove

            os._exit(0 if remove(place) else 1)
        except BaseException:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert not place.exists()


@pytest.mark.parametrize("what", ["rm -rf -- *", 'rm -rf "$PWD"', 'cd ..; rm -rf "$PWD"'])
def test_removes_its_directory(temporary: Path, what: str) -> None:
    with running(Command.shell(f"{what}; exit 0")) as executor:
        for _ in range(2):
            assert executor.submit(b"x").future.result(60).verdict is Verdict.INTERESTING


@pytest.mark.parametrize("capture", [False, True])
def test_prints_megabytes(temporary: Path, capture: bool) -> None:
    body = "echo start; yes 0123456789 | head -c 5000000; yes x | head -c 3000000 >&2; echo end"
    with running(Command.shell(body)) as executor:
        got = executor.submit(b"x", capture=capture).future.result(60)
    assert got.verdict is Verdict.INTERESTING
    assert len(got.output) < 10_000
    if capture:
        assert got.output.startswith(b"start\n")
        assert got.output.endswith(b"end\n")
        assert b"bytes left out" in got.output


def test_memory_limit(temporary: Path, tmp_path: Path) -> None:
    path = script(tmp_path, "x = bytearray(600 << 20)", f"#!{sys.executable}\n")
    free = Command.executable(str(path))
    limited = Command.executable(str(path), memory=300 << 20)
    assert outcome(free).verdict is Verdict.INTERESTING
    got = outcome(limited)
    assert got.verdict is Verdict.NOT_INTERESTING
    assert b"MemoryError" in got.output


def test_cancelling_kills_the_test(temporary: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with running(Command.shell(f"echo $$ > {quoted(pid)}; sleep 1000")) as executor:
        job = executor.submit(b"x")
        number = pid_in(pid)
        job.cancel()
        job.future.result(60)
        assert not alive(number)


def test_cancelling_a_test_that_waits(temporary: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    with running(Command.shell(f'cat "$1" >> {quoted(ran)}; sleep 0.3')) as executor:
        first, second = executor.submit(b"1"), executor.submit(b"2")
        second.cancel()
        assert second.future.cancelled()
        first.future.result(60)
    assert ran.read_text() == "1"


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_no_more_tests_at_once_than_workers(temporary: Path, tmp_path: Path, workers: int) -> None:
    log = quoted(tmp_path / "log")
    body = f"echo + >> {log}; sleep 0.05; echo - >> {log}"
    with running(Command.shell(body), workers=workers) as executor:
        for job in [executor.submit(b"x") for _ in range(3 * workers)]:
            job.future.result(60)
    now = most = 0
    for line in (tmp_path / "log").read_text().split():
        now += 1 if line == "+" else -1
        most = max(most, now)
    assert 1 <= most <= workers


def test_closing_ends_what_runs(temporary: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with running(Command.shell(f"echo $$ > {quoted(pid)}; sleep 1000"), workers=3) as executor:
        jobs = [executor.submit(b"x") for _ in range(7)]
        number = pid_in(pid)
    assert not alive(number)
    assert all(job.future.done() for job in jobs)
