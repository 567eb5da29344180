"""Files that marrow owns in a directory of the user: nothing of the user's is ever lost."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.bugs.bug_directory import MANIFEST, NewFile, OwnedFiles


def contents(top: Path) -> dict[str, bytes]:
    return {
        str(one.relative_to(top)): one.read_bytes()
        for one in top.rglob("*")
        if one.is_file() and one.name != MANIFEST
    }


def write(top: Path, files: dict[str, str], mode: int = 0o666) -> list[str]:
    owned = OwnedFiles(top)
    owned.replace_all({name: NewFile(one.encode(), mode) for name, one in files.items()}, "last")
    return owned.notes


def test_own_files_are_replaced_and_removed(tmp_path: Path) -> None:
    assert not write(tmp_path, {"bug-1/files/a": "1", "bug-2/b": "2", "last": "3"})
    assert not write(tmp_path, {"bug-1/files/a": "4", "last": "5"})
    assert contents(tmp_path) == {"bug-1/files/a": b"4", "last": b"5"}
    assert not (tmp_path / "bug-2").exists()


def test_files_of_the_user_stay(tmp_path: Path) -> None:
    write(tmp_path, {"bug-1/a": "1", "bug-1/b": "2", "bug-2/c": "3", "bug-2/d": "4"})
    (tmp_path / "bug-1" / "a").write_text("edited")
    (tmp_path / "bug-1" / "notes").write_text("mine")
    (tmp_path / "bug-2" / "c").write_text("edited too")
    (tmp_path / "bug-7").mkdir()
    (tmp_path / "bug-7" / "patch").write_text("mine")
    said = write(tmp_path, {"bug-1/a": "5", "bug-1/b": "6"})
    assert contents(tmp_path) == {
        "bug-1/a": b"5",
        "bug-1/a~": b"edited",
        "bug-1/b": b"6",
        "bug-1/notes": b"mine",
        "bug-2/c": b"edited too",
        "bug-7/patch": b"mine",
    }
    assert len(said) == 2
    assert "bug-1/a~" in said[0]
    assert "is kept" in said[1]
    # What is the user's stays the user's.
    assert not write(tmp_path, {"bug-1/a": "5", "bug-1/b": "6"})
    assert not write(tmp_path, {})
    assert set(contents(tmp_path)) == {"bug-1/a~", "bug-1/notes", "bug-2/c", "bug-7/patch"}


def test_a_killed_run_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a": "1", "b": "2", "last": "3"})

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(OwnedFiles, "_remove", killed)
        with pytest.raises(KeyboardInterrupt):
            write(tmp_path, {"a": "4", "c": "5", "last": "6"})
    assert contents(tmp_path) == {"a": b"4", "b": b"2", "c": b"5", "last": b"3"}
    assert not write(tmp_path, {"d": "7", "last": "8"})
    assert contents(tmp_path) == {"d": b"7", "last": b"8"}


@pytest.mark.parametrize("place", ["bug-1", "bug-1/files", "bug-1/files/a", "last", MANIFEST])
def test_links_are_not_followed(tmp_path: Path, place: str) -> None:
    top, mine = tmp_path / "top", tmp_path / "mine"
    mine.mkdir()
    (mine / "a").write_text("mine")
    (top / place).parent.mkdir(parents=True)
    (top / place).symlink_to(mine if place.startswith("bug-1") and "a" not in place else mine / "a")
    write(top, {"bug-1/files/a": "1", "last": "2"})
    assert contents(mine) == {"a": b"mine"}
    assert (top / "bug-1" / "files" / "a").read_text() == "1"


def test_rights(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write(tmp_path, {"bug-1/a": "1"})
        write(tmp_path, {"bug-1/a": "1", "bug-2/b": "2"}, 0o640)
    finally:
        os.umask(before)
    rights = {one.name: stat.S_IMODE(one.stat().st_mode) for one in tmp_path.rglob("*")}
    assert (rights["a"], rights["b"], rights[MANIFEST]) == (0o640, 0o640, 0o640)
    assert rights["bug-2"] == 0o750


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "{}",
        '{"form": 1, "files": []}',
        '{"form": 1, "files": {"../x": ["0"]}}',
        "[" * 5000,
    ],
)
def test_a_broken_manifest_owns_nothing(tmp_path: Path, text: str) -> None:
    top = tmp_path / "top"
    top.mkdir()
    (tmp_path / "x").write_text("mine")
    (top / MANIFEST).write_text(text)
    (top / "a").write_text("mine")
    write(top, {"a": "1"})
    assert contents(top) == {"a": b"1", "a~": b"mine"}
    assert (tmp_path / "x").read_text() == "mine"


NAMES = st.sampled_from(["a", "a~", "d/a", "d/b", "d/e/a", "last"])


@given(
    st.lists(st.tuples(st.booleans(), st.dictionaries(NAMES, st.sampled_from("xyz"))), max_size=6)
)
def test_nothing_of_the_user_is_lost(steps: list[tuple[bool, dict[str, str]]]) -> None:
    """Whatever is written and edited in turn: each text that a user wrote is still there."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        mine: set[bytes] = set()
        for number, (by_user, files) in enumerate(steps):
            if not by_user:
                write(top, files)
                assert {name: (top / name).read_text() for name in files} == files
                continue
            for name in files:
                path = top / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if path.exists() and path.read_bytes() in mine:
                    continue
                path.write_text(f"{number} {name}")
                mine.add(path.read_bytes())
        assert mine <= set(contents(top).values())
