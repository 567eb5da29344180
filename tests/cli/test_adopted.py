"""Processes that marrow did not start are left alone, whoever their parent is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.cli.running import ALGORITHM, executable
from tests.engine.scripts import alive, pid_in


def test_children_of_a_job_that_was_there_before_live_on(work: Path) -> None:
    """`sh -c 'job & exec marrow ...'`: the job ends, and marrow inherits its children."""
    executable(work / "test.sh", 'sleep 0.5; grep -q needle "$1"')
    left, detached = work / "left", work / "detached"
    executable(
        work / "job",
        f"sleep 1000 & echo $! > {left}\nsetsid sh -c 'echo $$ > {detached}; exec sleep 1000' &\n"
        "sleep 1",
    )
    line = './job & exec "$@"'
    words = [sys.executable, "-m", "marrow", "reduce", "input.c", "./test.sh", "-j1", "-q"]
    ended = subprocess.run(["sh", "-c", line, "sh", *words, *ALGORITHM], cwd=work, check=False)
    pids = [pid_in(left), pid_in(detached)]
    try:
        assert ended.returncode == 0
        assert all(map(alive, pids))
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
