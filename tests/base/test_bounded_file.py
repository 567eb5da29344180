"""Files are read up to a size, and only where that never waits."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from marrow.base.bounded_file import read_bounded


def test_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"ten bytes.")
    assert read_bounded(tmp_path / "file", 10) == b"ten bytes."
    with pytest.raises(OSError, match="larger than"):
        read_bounded(tmp_path / "file", 9)


def test_what_has_no_end_or_waits(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(OSError, match="not a regular file"):
            read_bounded(path)
    with pytest.raises(IsADirectoryError):
        read_bounded(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_bounded(tmp_path / "nothing")


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_files_of_the_kernel() -> None:
    assert b"Name:" in read_bounded("/proc/self/status")  # which says that it is empty
    with pytest.raises(OSError, match="larger than"):
        read_bounded("/proc/self/status", 10)


def test_what_would_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As /proc/kmsg would: a regular file, but reading waits; and takes messages from others."""
    (tmp_path / "file").touch()

    def read(_: int, __: int) -> bytes:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "read", read)
    with pytest.raises(OSError, match="would wait for ever"):
        read_bounded(tmp_path / "file")


def test_a_sparse_file_of_a_terabyte(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        try:
            file.truncate(1 << 40)
        except OSError:
            pytest.skip("the file system has no such files")
    with pytest.raises(OSError, match="larger than"):
        read_bounded(tmp_path / "sparse")
