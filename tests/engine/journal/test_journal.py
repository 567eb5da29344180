"""The journal: what is on disk, who may use it, and what happens when it is damaged."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.engine.journal.journal import (
    Journal,
    JournalError,
    JournalState,
    digest,
    input_of,
    state_at,
)
from marrow.engine.journal.journal_file import SCHEMA, discard
from marrow.engine.verdict import Verdict

IDENTITY = {"input": "1", "test": "2"}

verdicts = st.dictionaries(
    st.binary(max_size=8), st.sampled_from([v for v in Verdict if v is not Verdict.ERROR])
)


@settings(max_examples=20)
@given(verdicts)
def test_what_is_put_is_there_again(
    tmp_path_factory: pytest.TempPathFactory, known: dict[bytes, Verdict]
) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal"
    journal = Journal(path, IDENTITY, resume=False)
    for candidate, verdict in known.items():
        journal.put(digest(candidate), verdict, 1, 0.5)
    journal.close()
    again = Journal(path, IDENTITY, resume=True)
    assert {key: again.get(key) for key in list(again.keys())} == {
        digest(candidate): verdict for candidate, verdict in known.items()
    }
    again.close()


def write(path: Path, *, finished: bool = False) -> None:
    journal = Journal(path, IDENTITY, resume=False)
    journal.put(digest(b"a"), Verdict.INTERESTING)
    if finished:
        journal.note("finished", "yes")
    journal.close()


def test_states(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    assert state_at(path) is JournalState.NOTHING
    write(path)
    assert state_at(path) is JournalState.UNFINISHED
    assert input_of(path) == "1"
    write(path, finished=True)
    assert state_at(path) is JournalState.FINISHED
    journal = Journal(path, IDENTITY, resume=True)
    assert state_at(path) is JournalState.IN_USE
    journal.close()
    discard(path)
    assert list(tmp_path.iterdir()) == []
    path.write_text("not a journal at all, but a text that is long enough to look at" * 20)
    assert state_at(path) is JournalState.UNKNOWN
    assert input_of(path) is None


def test_one_file_when_closed(tmp_path: Path) -> None:
    write(tmp_path / "journal")
    assert [path.name for path in tmp_path.iterdir()] == ["journal"]


def test_only_one_run_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path, IDENTITY, resume=False)
    with pytest.raises(JournalError, match="another marrow is at work"):
        Journal(path, IDENTITY, resume=True)
    journal.close()
    Journal(path, IDENTITY, resume=True).close()


@pytest.mark.parametrize("name", ["input", "test"])
def test_of_another_run(tmp_path: Path, name: str) -> None:
    write(tmp_path / "journal")
    with pytest.raises(JournalError, match=f"the {name} is not the one") as caught:
        Journal(tmp_path / "journal", {**IDENTITY, name: "other"}, resume=True)
    assert "without --resume" in caught.value.on_command_line


def test_of_another_version(tmp_path: Path) -> None:
    write(tmp_path / "journal")
    with contextlib.closing(sqlite3.connect(tmp_path / "journal")) as database:
        database.execute("UPDATE run SET value = '999' WHERE name = 'version'")
        database.commit()
    with pytest.raises(JournalError, match="another version"):
        Journal(tmp_path / "journal", IDENTITY, resume=True)


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="nothing to resume"):
        Journal(tmp_path / "journal", IDENTITY, resume=True)


@settings(max_examples=40)
@given(st.integers(0, 40_000), st.binary(min_size=1, max_size=2000))
def test_damaged_files_are_refused_or_still_right(
    tmp_path_factory: pytest.TempPathFactory, position: int, junk: bytes
) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal"
    journal = Journal(path, IDENTITY, resume=False)
    for number in range(60):
        journal.put(digest(b"%d" % number), Verdict.NOT_INTERESTING)
    journal.close()
    content = bytearray(path.read_bytes())
    at = position % len(content)
    content[at : at + len(junk)] = junk
    path.write_bytes(content)
    try:
        Journal(path, IDENTITY, resume=True).close()
    except JournalError as error:
        said = str(error)
        assert said.count("\n") == 1, "what happened, and what to do"


@pytest.mark.parametrize("length", [1, 100, 4096, 5000])
def test_cut_off(tmp_path: Path, length: int) -> None:
    path = tmp_path / "journal"
    write(path)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(JournalError):
        Journal(path, IDENTITY, resume=True)


def test_verdicts_survive_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    program = f"""
import os, signal
from pathlib import Path
from marrow.engine.journal.journal import Journal, digest
from marrow.engine.verdict import Verdict
journal = Journal(Path({str(path)!r}), {IDENTITY!r}, resume=False)
for number in range(500):
    journal.put(digest(b"%d" % number), Verdict.TIMEOUT)
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    assert state_at(path) is JournalState.UNFINISHED
    journal = Journal(path, IDENTITY, resume=True)
    assert journal.size == 500
    journal.close()


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot be written") as caught:
        Journal(tmp_path / "missing" / "journal", IDENTITY, resume=False)
    assert "-o" in caught.value.on_command_line


def test_a_journal_that_another_run_has_just_begun_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    first = Journal(path, {"input": "1"}, resume=False)
    first.put(digest(b"x"), Verdict.INTERESTING)
    with pytest.raises(JournalError, match="another marrow is at work"):
        Journal(path, {"input": "1"}, resume=False)
    first.put(digest(b"y"), Verdict.INTERESTING)
    first.close()
    again = Journal(path, {"input": "1"}, resume=True)
    assert again.size == 2
    again.close()
    anew = Journal(path, {"input": "2"}, resume=False)
    assert anew.size == 0
    anew.close()
    again = Journal(path, {"input": "2"}, resume=True)
    assert again.size == 0
    again.close()


STUBS = [
    "",
    "CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    SCHEMA,
    f"{SCHEMA}; INSERT INTO run VALUES ('input', '1')",
]


@pytest.mark.parametrize("stub", STUBS)
def test_a_stub_without_facts_is_an_empty_journal(tmp_path: Path, stub: str) -> None:
    path = tmp_path / "journal"
    path.touch()
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(stub)
    assert state_at(path) is JournalState.NOTHING
    journal = Journal(path, IDENTITY, resume=True)
    assert journal.size == 0
    journal.put(digest(b"a"), Verdict.INTERESTING)
    journal.close()
    again = Journal(path, IDENTITY, resume=True)
    assert again.size == 1
    again.close()


def test_a_kill_at_any_moment_of_the_beginning_can_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    program = f"""
import os, signal, sys
from pathlib import Path
from marrow.engine.journal.journal import Journal
left = int(sys.argv[1])
def trace(frame, event, argument):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return trace
sys.settrace(trace)
Journal(Path({str(path)!r}), {IDENTITY!r}, resume=False)
sys.settrace(None)
print(left)
"""

    def begin(moment: int) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-c", program, str(moment)]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    whole = 10**6 - int(begin(10**6).stdout)
    for moment in range(20, whole, max(1, whole // 12)):
        discard(path)
        assert begin(moment).returncode == -9
        if path.exists():
            journal = Journal(path, IDENTITY, resume=True)
            assert journal.size == 0
            journal.close()


def test_a_database_of_another_program_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "accounts.db"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript("CREATE TABLE account (id); CREATE TABLE run (name, value)")
    before = path.read_bytes()
    assert state_at(path) is JournalState.UNKNOWN
    with pytest.raises(JournalError, match="a database of another program"):
        Journal(path, IDENTITY, resume=True)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["accounts.db"]


def test_a_journal_in_memory_compresses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """To compress a text of 50 MB takes two seconds, which a run without a file need not take."""
    monkeypatch.setattr("marrow.engine.journal.journal.zlib.compress", None)
    journal = Journal.in_memory()
    journal.put_text("result", b"text")
    assert journal.record.texts["result"] == b"text"
