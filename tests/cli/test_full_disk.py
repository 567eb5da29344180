"""A full disk: for the result, the journal and the temporary directory."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.cli.exits import Exit
from tests.cli.running import ALGORITHM, PROGRAM, Ended, executable, marrow

#: An input that is larger than what is left on the small disk.
LARGE = PROGRAM + "\n".join(f"int filler{number} = {number};" for number in range(1000))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 kB; only root can make one."""
    path = tmp_path / "disk"
    path.mkdir()
    if os.geteuid() != 0 or sys.platform != "linux":
        pytest.skip("only root can mount a small disk")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(path)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip("no right to mount a small disk")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=False)


def fill(path: Path, left: int = 0) -> None:
    """Leave only so many bytes, in whole pages, on a disk."""
    with (path / "filler").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    if left:
        os.truncate(path / "filler", max(0, (path / "filler").stat().st_size - left))


def test_the_result_has_no_room(work: Path, small_disk: Path) -> None:
    (work / "input.c").write_text(LARGE)
    fill(small_disk, 65536 if len(LARGE) < 16384 else 20480)
    # The journal needs a little; the input does not fit.
    ended = marrow("reduce", "input.c", "test.sh", "-o", small_disk / "out.c", *ALGORITHM)
    assert ended.code in (Exit.OUTPUT, Exit.JOURNAL)
    assert "Free some space" in ended.err
    assert not (small_disk / "out.c").exists()
    assert (work / "input.c").read_text() == LARGE


def test_the_disk_fills_up_during_the_run(work: Path, small_disk: Path) -> None:
    (work / "input.c").write_text(LARGE)
    executable(
        work / "test.sh",
        f"[ -e {small_disk}/out.c ] && cat /dev/zero > {small_disk}/filler 2> /dev/null; "
        'grep -q needle "$1"',
    )
    ended = marrow("reduce", "input.c", "test.sh", "-o", small_disk / "out.c", *ALGORITHM)
    said = " ".join(ended.err.split())
    # The journal gives up and the run goes on; the result cannot be written and says so.
    assert "the journal cannot be written any more" in said
    assert ended.code in (0, Exit.OUTPUT)
    if ended.code == Exit.OUTPUT:
        assert "Free some space" in said
    kept = (small_disk / "out.c").read_text()
    assert "needle" in kept, "the best that could be written is there, whole"
    assert (work / "input.c").read_text() == LARGE


def test_the_temporary_directory_is_full(
    work: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "input.c").write_text(LARGE)
    fill(small_disk)
    monkeypatch.setattr("tempfile.tempdir", str(small_disk))
    ended = marrow("reduce", "input.c", "test.sh", *ALGORITHM)
    assert ended.code == Exit.TEST
    assert "temporary" in ended.err
    assert "TMPDIR" in ended.err
    assert [path.name for path in small_disk.iterdir()] == ["filler"]


def limited(work: Path, kilobytes: int, *arguments: str) -> Ended:
    """Run marrow where no file may grow beyond a size: a full disk without being root."""
    program = (
        "import resource, signal, sys; from marrow.cli.main import run; "
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({kilobytes << 10},) * 2); run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return Ended(done.returncode, done.stdout, done.stderr)


def test_files_may_not_grow(work: Path) -> None:
    (work / "input.c").write_text(LARGE)
    ended = limited(work, 8, "reduce", "input.c", "test.sh", *ALGORITHM)
    assert ended.code == Exit.TEST
    assert "no space for the candidate" in ended.err
    assert (work / "input.c").read_text() == LARGE


def test_the_journal_may_not_grow(work: Path) -> None:
    ended = limited(work, 2, "reduce", "input.c", "test.sh", *ALGORITHM)
    assert ended.code == Exit.JOURNAL
    assert "cannot be written" in ended.err
    assert "Free some space" in ended.err
