"""File systems without locks: said, and done without a journal."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import ALGORITHM

#: Stands in for a file system whose locks fail, as NFS without its lock server does.
STAND_IN = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
static int refused(int command) {
  return command == F_SETLK || command == F_SETLKW || command == F_GETLK;
}
static int passed_on(const char *name, int file, int command, void *argument) {
  int (*real)(int, int, ...) = dlsym(RTLD_NEXT, name);
  if (refused(command)) { errno = ENOLCK; return -1; }
  return real(file, command, argument);
}
int fcntl(int file, int command, ...) {
  va_list rest; va_start(rest, command);
  void *argument = va_arg(rest, void *); va_end(rest);
  return passed_on("fcntl", file, command, argument);
}
int fcntl64(int file, int command, ...) {
  va_list rest; va_start(rest, command);
  void *argument = va_arg(rest, void *); va_end(rest);
  return passed_on("fcntl64", file, command, argument);
}
int flock(int file, int operation) { (void)file; (void)operation; errno = ENOLCK; return -1; }
"""


@pytest.fixture
def no_locks(tmp_path: Path) -> dict[str, str]:
    if shutil.which("gcc") is None or sys.platform != "linux":
        pytest.skip("no gcc to build a stand-in with")
    (tmp_path / "stand_in.c").write_text(STAND_IN)
    library = tmp_path / "stand_in.so"
    words = ["gcc", "-shared", "-fPIC", "-o", str(library), str(tmp_path / "stand_in.c"), "-ldl"]
    subprocess.run(words, check=True)
    return {**os.environ, "LD_PRELOAD": str(library)}


@pytest.mark.parametrize("resume", [False, True])
def test_a_run_goes_on_without_a_journal(
    work: Path, no_locks: dict[str, str], resume: bool
) -> None:
    words = [sys.executable, "-m", "marrow", "reduce", "input.c", "./test.sh", *ALGORITHM]
    before = b""
    if resume:
        subprocess.run([*words, "-q", "--max-tests", "3"], cwd=work, check=True)
        before = (work / "input.reduced.c.marrow").read_bytes()
        words.append("--resume")
    ended = subprocess.run(
        words, cwd=work, env=no_locks, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert "cannot be locked, so no journal is kept" in " ".join(ended.stderr.split())
    assert "needle" in (work / "input.reduced.c").read_text()
    journal = work / "input.reduced.c.marrow"
    assert (journal.read_bytes() if journal.exists() else b"") == before


def test_a_report_says_why_there_is_none(work: Path, no_locks: dict[str, str]) -> None:
    words = [sys.executable, "-m", "marrow"]
    subprocess.run([*words, "reduce", "input.c", "./test.sh", "-q", *ALGORITHM], check=True)
    ended = subprocess.run(
        [*words, "report", "input.c"], env=no_locks, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 9
    assert "files cannot be locked there" in ended.stderr
