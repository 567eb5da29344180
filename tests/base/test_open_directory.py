"""Working below an open directory: whatever is planted there, nothing outside changes."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.base.open_directory import OpenDirectory, mounts_below, remove_directory


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    place = tmp_path / "outside"
    (place / "sub").mkdir(parents=True)
    (place / "file").write_text("keep")
    (place / "sub" / "file").write_text("keep")
    return place


@pytest.fixture
def top(tmp_path: Path) -> Iterator[OpenDirectory]:
    (tmp_path / "top").mkdir()
    with OpenDirectory.at(tmp_path / "top") as opened:
        yield opened


def content(place: Path) -> dict[str, str]:
    return {
        str(one.relative_to(place)): one.read_text() for one in place.rglob("*") if one.is_file()
    }


def test_writing_and_reading(top: OpenDirectory, tmp_path: Path) -> None:
    with top.enter("a/b", make=True) as below:
        below.write("file", b"text", 0o600)
        assert below.read("file", 3) == b"tex"
        with pytest.raises(FileExistsError):
            below.write("file", b"other")
        os.close(below.overwrite("file", b"other"))
    path = tmp_path / "top/a/b/file"
    assert path.read_bytes() == b"other"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("path", ["link", "link/sub", "../outside", "a/../../outside"])
def test_nothing_leads_out(top: OpenDirectory, outside: Path, path: str) -> None:
    top.link("link", str(outside))
    top.make("a")
    with pytest.raises(OSError, match=r"."):
        top.enter(path)
    with pytest.raises(OSError, match=r"."):
        top.enter(path, make=True)


def test_a_replaced_path_is_not_followed(top: OpenDirectory, tmp_path: Path, outside: Path) -> None:
    (tmp_path / "top").rename(tmp_path / "elsewhere")
    (tmp_path / "top").symlink_to(outside)
    top.write("file", b"new")
    top.make("sub")
    top.clear()
    assert content(outside) == {"file": "keep", "sub/file": "keep"}
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert remove_directory(tmp_path / "top", opened=top)
    assert content(outside) == {"file": "keep", "sub/file": "keep"}


@pytest.mark.parametrize("kind", ["link", "pipe", "directory", "hard link", "device"])
def test_planted_files(top: OpenDirectory, tmp_path: Path, outside: Path, kind: str) -> None:
    planted = tmp_path / "top" / "file"
    match kind:
        case "link":
            planted.symlink_to(outside / "file")
        case "pipe":
            os.mkfifo(planted)
        case "directory":
            planted.mkdir()
        case "hard link":
            os.link(outside / "file", planted)
        case "device":
            planted.symlink_to("/dev/zero")
    if kind != "hard link":
        with pytest.raises(OSError, match=r"."):
            top.read("file", 10)
        with pytest.raises(OSError, match=r"."):
            top.overwrite("file", b"new")
    else:
        os.close(top.overwrite("file", b"new"))
        assert planted.read_text() == "new"
    top.remove("file")
    assert not top.exists("file")
    assert content(outside) == {"file": "keep", "sub/file": "keep"}


def test_rights_of_links_are_not_changed(top: OpenDirectory, outside: Path) -> None:
    before = (outside / "file").stat().st_mode
    top.link("link", str(outside / "file"))
    with pytest.raises(OSError, match="link"):
        top.chmod("link", 0o777)
    assert (outside / "file").stat().st_mode == before


ENTRIES = st.recursive(
    st.sampled_from(["file", "link", "broken", "pipe", "locked file"]),
    lambda inner: st.dictionaries(st.sampled_from(["a", "-b", "c\nd", ".e"]), inner, max_size=3),
    max_leaves=12,
)


def plant(place: Path, what: object, outside: Path) -> None:
    if isinstance(what, dict):
        place.mkdir()
        for name, inner in what.items():
            plant(place / name, inner, outside)
        place.chmod(0 if len(what) % 2 else 0o500)
    elif what == "link":
        place.symlink_to(outside)
    elif what == "broken":
        place.symlink_to("/nowhere")
    elif what == "pipe":
        os.mkfifo(place)
    else:
        place.touch(0 if what == "locked file" else 0o644)


@settings(max_examples=30, deadline=None)
@given(ENTRIES)
def test_any_tree_is_removed(tmp_path_factory: pytest.TempPathFactory, what: object) -> None:
    place = tmp_path_factory.mktemp("any")
    (place / "outside").mkdir()
    (place / "outside" / "file").write_text("keep")
    (place / "top").mkdir()
    plant(place / "top" / "x", what, place / "outside")
    with OpenDirectory.at(place / "top") as top:
        top.remove("x")
        assert top.names() == []
    assert content(place / "outside") == {"file": "keep"}
    shutil.rmtree(place)


def test_deep_directories(tmp_path: Path, top: OpenDirectory) -> None:
    held = os.open(tmp_path / "top", os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("deep", dir_fd=held)
        below = os.open("deep", os.O_RDONLY, dir_fd=held)
        os.close(held)
        held = below
    os.close(held)
    top.clear()
    assert top.names() == []


@pytest.mark.parametrize("nested", ["", "a", "a/b"])
def test_mounts_are_not_entered(
    tmp_path: Path, top: OpenDirectory, outside: Path, nested: str
) -> None:
    if os.geteuid():
        pytest.skip("only root mounts")
    place = tmp_path / "top" / "x" / nested / "mount"
    place.mkdir(parents=True)
    done = subprocess.run(["mount", "--bind", outside, place], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        with pytest.raises(OSError, match=r"."):
            top.remove("x")
        found = mounts_below(tmp_path)
        assert [Path(one).name for one in found] == ["mount"]
        assert content(outside) == {"file": "keep", "sub/file": "keep"}
    finally:
        with contextlib.suppress(IndexError):
            subprocess.run(["umount", mounts_below(tmp_path)[0]], check=True)
    top.clear()
    assert top.names() == []


def test_removing_a_directory_by_its_path(tmp_path: Path, outside: Path) -> None:
    (tmp_path / "mine" / "x").mkdir(parents=True)
    (tmp_path / "mine" / "x").chmod(0)
    (tmp_path / "mine").chmod(0)
    assert remove_directory(tmp_path / "mine")
    assert remove_directory(tmp_path / "missing")
    (tmp_path / "link").symlink_to(outside)
    assert remove_directory(tmp_path / "link")
    assert content(outside) == {"file": "keep", "sub/file": "keep"}
