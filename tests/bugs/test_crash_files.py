"""Reading crash files: folders of fuzzers, archives, and what is no input."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from marrow.base.errors import InputError
from marrow.bugs.crash_files import read_crash_files


def names(path: Path) -> list[str]:
    return [os.path.relpath(one.name, path) for one in read_crash_files([path]).files]


@pytest.mark.parametrize("stats", [True, False])
def test_an_afl_output_gives_what_failed(tmp_path: Path, stats: bool) -> None:
    for folder in ("crashes", "hangs", "queue"):
        (tmp_path / "default" / folder).mkdir(parents=True)
        (tmp_path / "default" / folder / "id:000000,sig:06").write_text(folder)
        (tmp_path / "default" / folder / "README.txt").write_text("Command line used")
    if stats:
        (tmp_path / "default" / "fuzzer_stats").write_text("start_time : 1")
    found = sorted(names(tmp_path))
    assert found == ["default/crashes/id:000000,sig:06", "default/hangs/id:000000,sig:06"]


def test_names_of_other_fuzzers_and_odd_ones(tmp_path: Path) -> None:
    given = ["crash-da39", "leak-1", "timeout-2", "SIGSEGV.PC.5.fuzz", "a b\n\x1b[1m", "-rf", "é"]
    for name in given:
        (tmp_path / name).write_text(name)
    (tmp_path / "HONGGFUZZ.REPORT.TXT").write_text("=====")
    (tmp_path / "empty").write_text("")
    assert sorted(names(tmp_path)) == sorted([*given, "empty"])


def test_archives(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("crashes/one", "1")
        archive.writestr("crashes/README.txt", "no input")
        archive.writestr("queue/id:000000,src:0", "does not fail")
    with tarfile.open(tmp_path / "b.tar.gz", "w:gz") as tar:
        info = tarfile.TarInfo("two")
        info.size = 1
        tar.addfile(info, io.BytesIO(b"2"))
    found = read_crash_files([tmp_path / "a.zip", tmp_path / "b.tar.gz"])
    assert [one.text for one in found.files] == [b"1", b"2"]
    assert len(found.left_out) == 2


def test_a_broken_archive_is_listed(tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04 not one")
    (tmp_path / "one").write_text("1")
    found = read_crash_files([tmp_path / "bad.zip", tmp_path / "one"])
    assert [one.text for one in found.files] == [b"1"]
    assert "cannot be read" in found.left_out[0].why


@pytest.mark.parametrize("there", [False, True])
def test_nothing_there(tmp_path: Path, there: bool) -> None:
    path = tmp_path / "crashes"
    if there:
        path.mkdir()
    with pytest.raises(InputError, match="there is no"):
        read_crash_files([path])
