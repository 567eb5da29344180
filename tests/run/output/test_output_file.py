"""The result on disk: whole at any time, and never at the cost of the original."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import IO, Any
from unittest import mock

import pytest

from marrow.run.output.output_file import OutputError, OutputFile, ResultWriter


def test_writes_at_once(tmp_path: Path) -> None:
    output = OutputFile(tmp_path / "out", 0o640)
    output.write(b"one")
    output.write(b"two")
    assert output.path.read_bytes() == output.read() == b"two"
    assert output.path.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    output = OutputFile(tmp_path / "out")
    contents = [bytes([65 + number]) * 200_000 for number in range(6)]
    output.write(contents[0])
    seen: set[bytes] = set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            seen.add(output.path.read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    for content in contents * 5:
        output.write(content)
    done.set()
    reader.join()
    assert seen <= set(contents)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(target)
    OutputFile(link).write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_what_a_killed_run_left_is_taken_up(tmp_path: Path) -> None:
    output = OutputFile(tmp_path / "out")
    (tmp_path / output._temporary).write_bytes(b"half")
    output.write(b"whole")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_failure_keeps_what_was_there(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="another place with output"):
        OutputFile(tmp_path / "missing" / "out").write(b"x")
    output = OutputFile(tmp_path / "out")
    output.write(b"old")

    def full_disk(file: int, mode: str) -> IO[Any]:
        os.close(file)
        return open("/dev/full", mode, 0)

    with (
        mock.patch("marrow.base.open_directory.open", full_disk, create=True),
        pytest.raises(OutputError, match="No space left") as caught,
    ):
        output.write(b"new")
    assert "Free some space" in str(caught.value)
    assert output.read() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_originals_are_never_written_over(tmp_path: Path) -> None:
    output = OutputFile(tmp_path / "input")
    kept = []
    for text in (b"one", b"two", b"two", b"three"):
        output.write(text)
        kept.append(getattr(output.keep_old(".orig"), "name", None))
    assert kept == ["input.orig", "input.orig2", "input.orig2", "input.orig3"]
    assert (tmp_path / "input.orig").read_bytes() == b"one"
    assert (tmp_path / "input.orig2").read_bytes() == b"two"


def test_keeping_the_old(tmp_path: Path) -> None:
    output = OutputFile(tmp_path / "out")
    assert output.keep_old() is None
    output.write(b"one")
    assert output.keep_old() == tmp_path / "out~"
    assert output.keep_old() == tmp_path / "out~"
    output.write(b"two")
    assert output.keep_old() == tmp_path / "out~2"
    assert (tmp_path / "out~").read_bytes() == b"one"
    if os.geteuid() == 0:
        return
    (tmp_path / "out~2").unlink()
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="Nothing was changed"):
        output.keep_old()
    tmp_path.chmod(0o700)


def test_the_keeper_writes_the_newest(tmp_path: Path) -> None:
    written: list[bytes] = []
    keeper = ResultWriter(written.append, lambda _: None)
    for number in range(100):
        keeper.keep(b"%d" % number)
    keeper.close()
    assert written[-1] == b"99"
    assert written == sorted(written, key=int)


def test_the_keeper_tells_of_a_failure_once_and_goes_on() -> None:
    told: list[str] = []
    written: list[bytes] = []
    failed = threading.Event()

    def write(text: bytes) -> None:
        if len(text) > 1:
            failed.set()
            raise OutputError("no space\nFree some.")
        written.append(text)

    keeper = ResultWriter(write, told.append)
    keeper.keep(b"long")
    failed.wait(20)
    while not told:
        keeper.keep(b"long")
    keeper.keep(b"s")
    keeper.close()
    assert told == ["no space"]
    assert written == [b"s"]
