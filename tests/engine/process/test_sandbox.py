"""The sandbox: what a test in it can do and cannot, and that nothing of it outlives its test."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process.command import TestCommand as Command
from marrow.engine.process.sandbox import Sandbox, SandboxError, check_sandbox
from marrow.engine.verdict import Outcome, Verdict
from tests.engine.scripts import alive, command, quoted, soon
from tests.sandboxes import fake_bwrap, needs_sandbox

YES, NO = Verdict.INTERESTING, Verdict.NOT_INTERESTING


def sandboxed(test: Command, *more: Path) -> Command:
    return replace(test, sandbox=Sandbox.around(more))


def run(test: Command, *, seconds: float = 60.0) -> Outcome:
    executor = CommandExecutor(test, "input.txt")
    executor.allow(seconds)
    try:
        return outcome_of(executor.submit(b"text\n", capture=True))
    finally:
        executor.close()


@needs_sandbox
def test_a_test_can_write_its_own_places_only(temporary: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("safe")
    body = f"""\
grep -q text "$1" && grep -q text || exit 1
echo changed > "$1" && echo x > here && echo x > "$TMPDIR/there" && echo x > /tmp/marrow-x || exit 2
echo x > {quoted(outside)}/file && exit 3
rm -f {quoted(outside)}/file && exit 4
touch "$HOME/marrow-x" /etc/marrow-x /run/marrow-x && exit 5
[ "$(cat {quoted(outside)}/file)" = safe ] || exit 6
[ "$PWD" = "${{1%/*}}" ] || exit 7
echo x > /dev/null && [ -r /proc/self/stat ] || exit 8
exit 0
"""
    outcome = run(sandboxed(command(tmp_path, body), outside))
    assert (outcome.verdict, outcome.exit_code) == (YES, 0), outcome.message or outcome.output
    assert (outside / "file").read_text() == "safe"
    assert not Path("/tmp/marrow-x").exists()


@needs_sandbox
def test_what_else_is_in_tmp_is_hidden(temporary: Path, tmp_path: Path) -> None:
    if Path("/tmp") not in tmp_path.parents:
        pytest.skip("the test's own directory is not in /tmp")
    (tmp_path / "scripts").mkdir()
    (tmp_path / "secret").write_text("x")
    test = command(tmp_path / "scripts", f"[ -e {quoted(tmp_path)}/secret ]")
    assert run(test).verdict is YES
    assert run(sandboxed(test)).verdict is NO
    assert run(sandboxed(test, tmp_path / "secret")).verdict is YES


@needs_sandbox
def test_there_is_no_network(temporary: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        program = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
        test = command(tmp_path, f'exec {quoted(Path(sys.executable))} -c "{program}"')
        assert run(test).verdict is YES
        assert run(sandboxed(test, Path(sys.prefix))).verdict is NO


@needs_sandbox
@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("exit 0", YES),
        ("exit 1", NO),
        ("exit 125", Verdict.UNRESOLVED),
        ("kill -SEGV $$", NO),
        ("kill 0", NO),
    ],
)
def test_verdicts_are_those_of_the_test(
    temporary: Path, tmp_path: Path, body: str, verdict: Verdict
) -> None:
    assert run(sandboxed(command(tmp_path, body))).verdict is verdict


@needs_sandbox
def test_scripts_without_a_first_line_and_limits_of_memory_work(
    temporary: Path, tmp_path: Path
) -> None:
    test = command(tmp_path, "[ $(ulimit -v) = 1000000 ]", first_line="")
    assert run(replace(sandboxed(test), memory=1_024_000_000)).verdict is YES


@needs_sandbox
def test_processes_of_a_test_end_with_it(temporary: Path, tmp_path: Path) -> None:
    # By the argument of `sleep`, since ids are others in there; a group of their own for each.
    test = command(tmp_path, "setsid sleep 31.4151 & setsid sleep 31.4152 & sleep 0.1; exit 0")
    assert run(sandboxed(test)).verdict is YES
    assert soon(lambda: not sleeping("31.415"))


@needs_sandbox
def test_time_limits_and_cancelling_kill_all_of_it(temporary: Path, tmp_path: Path) -> None:
    test = sandboxed(command(tmp_path, "setsid sleep 31.4161 & sleep 31.4162"))
    assert run(test, seconds=0.5).verdict is Verdict.TIMEOUT
    assert soon(lambda: not sleeping("31.416"))
    executor = CommandExecutor(test, "input.txt")
    job = executor.submit(b"x")
    assert soon(lambda: len(sleeping("31.416")) == 2)
    job.cancel()
    assert soon(lambda: not sleeping("31.416"))
    executor.close()


@needs_sandbox
def test_a_killed_run_leaves_no_test_behind(tmp_path: Path) -> None:
    test = command(tmp_path, "setsid sleep 31.4171 & sleep 31.4172")
    program = (
        "from marrow.engine.process.command import TestCommand\n"
        "from marrow.engine.executors.local import CommandExecutor\n"
        "from marrow.engine.process.sandbox import Sandbox\n"
        f"test = TestCommand({test.arguments!r}, sandbox=Sandbox())\n"
        "CommandExecutor(test, 'x').submit(b'x').future.result()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert soon(lambda: len(sleeping("31.417")) == 2)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert soon(lambda: not sleeping("31.417"))


def sleeping(argument: str) -> list[int]:
    """Return the processes that sleep for a time that begins so."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0] == b"sleep" and words[1].startswith(argument.encode()):
                found.append(int(entry.name))
    return [pid for pid in found if alive(pid)]


@needs_sandbox
def test_a_test_that_cannot_be_started_gives_no_verdict(temporary: Path, tmp_path: Path) -> None:
    outcome = run(sandboxed(command(tmp_path, "", first_line="#!/no/such/interpreter\n")))
    assert outcome.verdict is Verdict.ERROR
    assert "could not be started in its sandbox: bwrap: execvp" in outcome.message


def test_a_sandbox_that_fails_later_gives_no_verdict(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = fake_bwrap(tmp_path / "bin", "echo 'bwrap: no more namespaces' >&2; exit 1")
    monkeypatch.setenv("PATH", f"{fake}:{os.environ['PATH']}")
    outcome = run(sandboxed(command(tmp_path, "exit 0")))
    assert outcome.verdict is Verdict.ERROR
    assert "no more namespaces" in outcome.message


def test_where_there_is_none_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(SandboxError, match=r"not installed\nInstall it"):
        check_sandbox()
    fake = fake_bwrap(tmp_path / "bin", "echo 'bwrap: No permissions' >&2; exit 1")
    monkeypatch.setenv("PATH", f"{fake}:/usr/bin:/bin")
    with pytest.raises(SandboxError, match=r"bwrap: No permissions\nThe system must permit"):
        check_sandbox()


def test_what_is_made_visible_is_what_lies_in_hidden_places() -> None:
    assert Sandbox.around(["/etc/passwd", "/usr/bin", "/tmp", "/tmp/no/such/file"]) == Sandbox()


def test_the_journal_tells_a_test_in_a_sandbox_from_one_outside() -> None:
    test = Command.shell("true")
    assert test.fingerprint() != replace(test, sandbox=Sandbox()).fingerprint()
    inside = replace(test, sandbox=Sandbox())
    assert inside.unresolved_if("false").sandbox == inside.through_shell().sandbox == Sandbox()
