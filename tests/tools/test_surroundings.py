"""The suite can be run on what resembles another machine: a bare one, a busy one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="needs dpkg")
def test_a_bare_path_has_the_essential_programs_alone() -> None:
    script = "for one in sh grep python3 gcc git bwrap node; do command -v $one; done; exit 3"
    done = run("tools.bare_path", "sh", "-c", script)
    assert done.returncode == 3
    found = [line.rpartition("/")[2] for line in done.stdout.splitlines()]
    assert found == ["sh", "grep", "python3"]


def test_load_ends_with_the_command() -> None:
    """The busy processes are children of the tool, which has waited for all of them."""
    done = run("tools.under_load", "sh", "-c", "cat /proc/$PPID/task/*/children; exit 4")
    assert done.returncode == 4
    busy = [pid for pid in done.stdout.split() if Path(f"/proc/{pid}/stat").exists()]
    assert len(done.stdout.split()) >= 4 or sys.platform != "linux"
    assert busy == []


def test_both_say_what_they_are_for() -> None:
    for tool in ("tools.bare_path", "tools.under_load"):
        done = run(tool)
        assert done.returncode == 2
        assert "COMMAND" in done.stderr
