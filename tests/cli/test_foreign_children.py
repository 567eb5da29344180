"""Processes that marrow did not start are left alone, whoever their parent is."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import ALGORITHM, PATIENCE, executable
from tests.engine.scripts import alive, pid_in, soon

WORDS = [sys.executable, "-m", "marrow", "reduce", "input.c", "./test.sh", "-j1", "-q"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a run inherits on Linux only")

# What a run of its own would be asked to end: of this session, of another, without a mark.
JOB = """\
echo $$ > job.pid
sleep 1000 & echo $! > {left}
setsid sh -c 'echo $$ > {detached}; exec sleep 1000' &
env -i /usr/bin/setsid /bin/sh -c 'echo $$ > {bare}; exec /bin/sleep 1000' &
"""
END = ["while ! [ -e {work}/begun ]; do sleep 0.01; done", "exec sleep 1000"]


@pytest.mark.parametrize("stays", [False, True], ids=["the job ends", "the job stays"])
def test_what_a_job_has_started_lives_on(work: Path, stays: bool) -> None:
    """`sh -c 'job & exec marrow ...'`: a job that ends must not leave its children to marrow."""
    executable(work / "test.sh", f': > {work}/begun; sleep 0.2; grep -q needle "$1"')
    files = {name: work / name for name in ("left", "detached", "bare")}
    executable(work / "job", JOB.format(**files) + END[stays].format(work=work))
    line = './job & exec "$@"'
    ended = subprocess.run(["sh", "-c", line, "sh", *WORDS, *ALGORITHM], cwd=work, check=False)
    pids = [pid_in(path) for path in files.values()]
    if stays:
        pids.append(pid_in(work / "job.pid"))
    try:
        assert ended.returncode == 0
        assert all(map(alive, pids))
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)


def test_detached_processes_of_tests_are_ended_all_the_same(work: Path) -> None:
    """A job that is there before does not make marrow spare what its own tests leave."""
    pid = work / "pid"
    executable(
        work / "test.sh",
        f"[ -s {pid} ] || env -i /usr/bin/setsid /bin/sh -c 'echo $$ > {pid}; exec /bin/sleep 1000'"
        f' > /dev/null 2>&1 &\nwhile ! [ -s {pid} ]; do sleep 0.01; done; grep -q needle "$1"',
    )
    line = 'sleep 1000 & echo $! > job; exec "$@"'
    ended = subprocess.run(["sh", "-c", line, "sh", *WORDS, *ALGORITHM], cwd=work, check=False)
    job = pid_in(work / "job")
    try:
        assert ended.returncode == 0
        assert not alive(pid_in(pid))
        assert alive(job)
    finally:
        os.kill(job, signal.SIGKILL)


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGQUIT, 131), (signal.SIGKILL, -9)],
)
def test_signals_and_exit_codes_are_passed_on(work: Path, number: int, code: int) -> None:
    started = work / "started"
    executable(work / "test.sh", f'echo $$ > {started}; sleep 0.3; grep -q needle "$1"')
    line = 'sleep 1000 & echo $! > job; exec "$@"'
    process = subprocess.Popen(["sh", "-c", line, "sh", *WORDS, *ALGORITHM], cwd=work)
    try:
        pid_in(started)
        process.send_signal(number)
        assert process.wait(PATIENCE) == code
        assert alive(pid_in(work / "job"))
        # Also where it was killed: its worker ends in good order.
        assert soon(lambda: not list((work.parent / "temporary").iterdir()))
    finally:
        os.kill(pid_in(work / "job"), signal.SIGKILL)


def test_stops_and_goes_on(work: Path) -> None:
    started = work / "started"
    executable(work / "test.sh", f'echo $$ > {started}; sleep 0.1; grep -q needle "$1"')
    line = 'sleep 1000 & echo $! > job; exec "$@"'
    # A group whose parent is in the same session: others are never stopped by this signal.
    words = ["sh", "-c", line, "sh", *WORDS, *ALGORITHM]
    process = subprocess.Popen(words, cwd=work, process_group=0)
    try:
        pid_in(started)
        process.send_signal(signal.SIGTSTP)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        process.send_signal(signal.SIGCONT)
        assert process.wait(PATIENCE) == 0
    finally:
        os.kill(pid_in(work / "job"), signal.SIGKILL)


@pytest.mark.skipif(shutil.which("unshare") is None, reason="there is no unshare")
@pytest.mark.skipif(os.geteuid() != 0, reason="a PID namespace needs root")
def test_the_first_process_of_a_container_spares_what_others_leave_there(work: Path) -> None:
    """Whatever is started by others in a container (`docker exec`) is left to its first process."""
    begun, pid, once = work / "begun", work / "pid", work / "once"
    executable(
        work / "test.sh",
        f": > {begun}; while ! [ -s {pid} ]; do sleep 0.01; done\n"
        f"[ -e {once} ] || {{ : > {once}; sleep 1.5; }}\n"
        f'sleep 0.2; kill -0 $(cat {pid}) && grep -q needle "$1"',
    )
    first = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    process = subprocess.Popen([*first, *WORDS, *ALGORITHM], cwd=work)
    assert soon(begun.exists)
    inside = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0]
    left = f"setsid sh -c 'echo $$ > {pid}; exec sleep 1000' > /dev/null 2>&1 &"
    subprocess.run(["nsenter", "-t", inside, "-p", "sh", "-c", left], check=True)
    assert process.wait(PATIENCE) == 0
