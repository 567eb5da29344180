"""A disk that becomes full during a run: nothing is lost, only the usual files are left."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.cli.running import executable

# A small disk that only the run sees: SIZE, then the words to run there.
SMALL = "size=$1; shift; mount -t tmpfs -o size=${size}k none disk && cp input.c disk && cd disk\n"
AFTER = '"$@"; echo "code $?"; ls; mount -o remount,size=10000k . && "$@" --resume; echo "code $?"'


@cache
def unshared() -> list[str]:
    words = ["unshare", "-m", "--propagation", "private", *([] if os.getuid() == 0 else ["-r"])]
    if shutil.which("unshare") is None or subprocess.run([*words, "true"], check=False).returncode:
        pytest.skip("no private mounts on this system")
    return words


@pytest.mark.parametrize("size", [60])
def test_the_result_is_there_and_the_journal_is_one_file(work: Path, size: int) -> None:
    words = unshared()
    lines = (f"int f{i}(int a) {{ return a + {i}; }}\n" for i in range(60))
    (work / "input.c").write_text("".join(lines) + "int needle;\n")
    executable(work / "test.sh", 'grep -q needle "$1"')
    (work / "disk").mkdir()
    run = [sys.executable, "-m", "marrow", "reduce", "input.c", str(work / "test.sh"), "-j1", "-q"]
    ended = subprocess.run(
        [*words, "sh", "-c", SMALL + AFTER, "sh", str(size), *run],
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
    )
    said = ended.stdout.split("\n")
    assert said[0] == "code 0", ended
    assert set(said[1:-2]) == {"input.c", "input.reduced.c", "input.reduced.c.marrow"}
    # What was learnt before the disk was full is known when there is space again.
    assert said[-2] == "code 0", ended
