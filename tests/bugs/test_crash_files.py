"""Reading crash files: folders of fuzzers, archives, and what is no input."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from marrow.base.deadline import Deadline, within
from marrow.base.errors import InputError
from marrow.bugs import crash_files
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
    with pytest.raises(InputError, match="there is no file" if there else "does not exist"):
        read_crash_files([path])


def test_links_to_directories_are_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "crashes"
    folder.mkdir()
    (folder / "one").write_text("1")
    for name, target in {"a": ".", "b": ".", "up": "..", "usr": "/usr/share", "none": "x"}.items():
        (folder / name).symlink_to(target)
    (folder / "file").symlink_to("one")
    found = read_crash_files([folder])
    assert [os.path.basename(one.name) for one in found.files] == ["file", "one"]
    why = {os.path.basename(one.name): one.why for one in found.left_out}
    assert all("not followed" in why[name] for name in ("a", "b", "up", "usr"))
    assert "none" in why
    # A link that the user names is followed.
    (tmp_path / "link").symlink_to("crashes")
    assert len(read_crash_files([tmp_path / "link"]).files) == 2


def _tar_of_zeros(path: Path, size: int, kind: bytes = tarfile.REGTYPE) -> None:
    """Write a compressed archive of one member that is much larger than its file."""
    info = tarfile.TarInfo("bomb")
    info.size, info.type = size, kind
    with gzip.open(path, "wb") as file:
        file.write(info.tobuf(tarfile.USTAR_FORMAT))
        for _ in range(size >> 20):
            file.write(bytes(1 << 20))


@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.XHDTYPE, b"L"])
def test_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: bytes) -> None:
    monkeypatch.setattr("marrow.bugs.crash_files._Allowance.__init__.__defaults__", (8 << 20, 100))
    _tar_of_zeros(tmp_path / "bomb.tar.gz", 32 << 20, kind)
    (tmp_path / "one").write_text("1")
    found = read_crash_files([tmp_path / "one", tmp_path / "bomb.tar.gz"])
    assert [one.text for one in found.files] == [b"1"]
    assert "more than" in found.left_out[0].why


def test_reading_ends_with_the_time(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / str(number)).write_text("1")
    with within(Deadline(0.0)):
        found = read_crash_files([tmp_path])
    assert not found.complete
    assert not found.files


def test_rights_are_those_that_all_files_have(tmp_path: Path) -> None:
    for name, mode in {"a": 0o640, "b": 0o604}.items():
        (tmp_path / name).write_text(name)
        (tmp_path / name).chmod(mode)
    found = read_crash_files([tmp_path])
    assert [one.mode for one in found.files] == [0o640, 0o604]
    assert found.mode == 0o600


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "crashes"
    folder.mkdir()
    (tmp_path / "secret").write_text("not a crash")
    (folder / "one").write_text("boom")
    (folder / "inside").symlink_to("one")
    (folder / "outside").symlink_to(tmp_path / "secret")
    (folder / "itself").symlink_to(".")
    found = crash_files.read_crash_files([folder])
    assert [Path(one.name).name for one in found.files] == ["inside", "one"]
    why = {Path(one.name).name: one.why for one in found.left_out}
    assert why["outside"] == "a link out of the folder, which is not followed"
    assert "a link to a directory" in why["itself"]


def test_a_file_of_an_archive_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crash_files, "_MOST_UNPACKED", 1000)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("small", b"boom")
        archive.writestr("large", bytes(5000))
    found = crash_files.read_crash_files([tmp_path / "bomb.zip"])
    assert [one.text for one in found.files] == [b"boom"]
    assert [one.why for one in found.left_out] == ["unpacks to more than 1,000 bytes"]
