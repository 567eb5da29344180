"""`marrow clean` lists what runs left, removes it where that is asked for, and nothing else."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from pathlib import Path

import pytest

from marrow.cli.exits import Exit
from marrow.engine.journal.journal import Journal, digest
from marrow.engine.verdict import Verdict
from tests.cli.running import ALGORITHM, marrow

JOURNAL = "input.reduced.c.marrow"


@pytest.fixture
def used(work: Path) -> Path:
    """Return a directory after two runs; the second kept the result of the first."""
    for _ in range(2):
        assert marrow("reduce", "input.c", "test.sh", "-q", *ALGORITHM).code == 0
    (work / ".input.reduced.c.new~").write_text("half a res")
    return work


def names(work: Path) -> set[str]:
    return {path.name for path in work.iterdir()}


LEFT = {JOURNAL, "input.reduced.c~", ".input.reduced.c.new~"}
KEPT = {"input.c", "test.sh", "input.reduced.c"}


def test_it_lists(used: Path) -> None:
    before = names(used)
    ended = marrow("clean")
    assert (ended.code, names(used)) == (0, before)
    assert f"{JOURNAL}: a journal\n" in ended.out
    assert "input.reduced.c~: an earlier result" in ended.out
    assert "3 files" in ended.out
    assert "--remove removes them" in ended.out


def test_it_removes(used: Path) -> None:
    ended = marrow("clean", "--remove")
    assert (ended.code, names(used)) == (0, KEPT), ended
    assert "3 files" in ended.out
    assert marrow("clean", "--remove").out == "0 files, 0 bytes removed\n"


def test_nothing_else_is_touched(used: Path) -> None:
    (used / "notes.marrow").write_text("my notes about bones")
    (used / "empty.marrow").touch()
    (used / "notes~").write_text("an editor's backup")
    (used / ".notes.tmp").write_text("mine")
    (used / "input.c.orig").write_text("the original")
    with sqlite3.connect(used / "other.marrow") as database:
        database.execute("CREATE TABLE run (name TEXT, value TEXT)")
    database.close()
    (used / "link.marrow").symlink_to(JOURNAL)
    (used / "directory.marrow").mkdir()
    (used / "input.reduced.c~").write_text("somebody has edited this")
    (used / "below").mkdir()
    (used / JOURNAL).rename(used / "below" / JOURNAL)
    before = names(used)
    other = (used / "other.marrow").read_bytes()
    ended = marrow("clean", "--remove")
    assert (ended.code, names(used)) == (0, before), ended
    assert (used / "other.marrow").read_bytes() == other
    assert (used / "below" / JOURNAL).exists()


def test_by_age_and_size(used: Path) -> None:
    assert "0 files" in marrow("clean", "--older-than", "1h", "--remove").out
    assert "1 files" in marrow("clean", "--larger-than", "5K").out
    old = time.time() - 8 * 86400
    os.utime(used / JOURNAL, (old, old))
    ended = marrow("clean", "--older-than", "7d", "--remove")
    assert "8 days" in ended.out
    assert names(used) == KEPT | LEFT - {JOURNAL}
    assert marrow("clean", "--older-than", "soon").code == Exit.USAGE


def test_a_journal_that_is_at_work(used: Path) -> None:
    database = sqlite3.connect(used / JOURNAL, isolation_level=None)
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    database.execute("BEGIN EXCLUSIVE")
    assert "0 files" in marrow("clean", "--remove").out
    database.close()
    assert (used / JOURNAL).exists()


def test_the_journal_of_a_killed_run(used: Path) -> None:
    marrow("clean", "--remove")
    journal = Journal(used / "at-work.marrow", {"input": "a", "test": "b"}, resume=False)
    journal.put(digest(b"text"), Verdict.INTERESTING)
    for end in ("", "-wal"):
        shutil.copyfile(used / f"at-work.marrow{end}", used / f"killed.marrow{end}")
    ended = marrow("clean", "--remove")
    journal.close()
    assert "killed.marrow: a journal that can be resumed" in ended.out, ended
    assert names(used) == KEPT | {"at-work.marrow"}


def test_a_path(used: Path) -> None:
    assert "3 files" in marrow("clean", JOURNAL).out
    assert "0 files" in marrow("clean", "input.c").out
    assert marrow("clean", "nowhere").code == Exit.INPUT
