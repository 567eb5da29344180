"""Short forms of bench/endurance.py: what hundreds of tests leave behind is nothing."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process.command import TestCommand as Command
from marrow.engine.process.sandbox import Sandbox
from marrow.engine.verdict import Verdict
from tests.sandboxes import needs_sandbox

FILES = Path("/proc/self/fd")

#: Of every four candidates one is interesting, one is not, one hangs, one writes a lot.
MIXED = Command.shell(
    'case $(cat "$1") in *0) exit 0;; *1) exit 1;; *2) sleep 100;; '
    '*) head -c 1000000 /dev/zero > a; mkdir -p "$TMPDIR/b/c"; exit 1;; esac'
)


@pytest.mark.skipif(not FILES.exists(), reason="open files are counted in /proc")
@pytest.mark.parametrize(
    "sandbox", [None, pytest.param(Sandbox(), marks=needs_sandbox)], ids=["plain", "sandbox"]
)
def test_tests_leave_no_files_open_no_threads_and_no_directories(
    temporary: Path, sandbox: Sandbox | None
) -> None:
    files, threads = len(os.listdir(FILES)), threading.active_count()
    executor = CommandExecutor(replace(MIXED, sandbox=sandbox), "x", 2)
    executor.allow(0.5)
    jobs = [executor.submit(b"%d" % (number % 4), capture=number % 3 == 0) for number in range(24)]
    for job in jobs[5::8]:
        job.cancel()
    done = [outcome_of(job).verdict for job in jobs if not job.future.cancelled()]
    assert Verdict.TIMEOUT in done
    executor.close()
    assert len(os.listdir(FILES)) <= files  # those of tests before may be closed meanwhile
    assert threading.active_count() <= threads
