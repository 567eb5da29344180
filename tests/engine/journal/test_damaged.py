"""Damaged journals: whatever is wrong with one, a message and exit code 9, or a run that works."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from bench.attack.records import damaged

from marrow.cli.exits import Exit
from tests.cli.conftest import work as work
from tests.cli.running import ALGORITHM, marrow

JOURNAL = "input.reduced.c.marrow"
RESULT = "input.reduced.c"

#: Seeds whose damage was once taken for a bug of marrow: values of another type, steps that cannot
#: be, numbers that ask for all memory, names that are not UTF-8 (462), a text without an end; and
#: a few of every kind of damage.
SEEDS = (395, 462, 590, 591, 601, 629, 695, *range(12))


@pytest.fixture
def good(work: Path) -> bytes:
    """Return the journal of a run that was stopped."""
    assert marrow("reduce", "input.c", "test.sh", "-j1", "--max-tests", "12", *ALGORITHM).code == 0
    return (work / JOURNAL).read_bytes()


def test_any_damage_ends_in_a_message_or_a_run_that_works(work: Path, good: bytes) -> None:
    best = (work / RESULT).read_bytes()
    whole = marrow("reduce", "input.c", "test.sh", "-j1", *ALGORITHM)
    assert whole.code == 0
    expected = (work / RESULT).read_bytes()
    for seed in SEEDS:
        how, broken = damaged(good, seed, work / "scratch")
        for words in (
            ("reduce", "input.c", "test.sh", "-j1", "--resume", *ALGORITHM),
            ("report", JOURNAL, "-o", "report.html"),
            ("reduce", "input.c", "test.sh", "-j1", *ALGORITHM),
        ):
            (work / RESULT).write_bytes(best)
            (work / JOURNAL).write_bytes(broken)
            (work / "report.html").unlink(missing_ok=True)
            ended = marrow(*words)
            assert ended.code in (Exit.DONE, Exit.JOURNAL), (seed, how, words, ended)
            if ended.code == Exit.JOURNAL:
                assert "journal" in ended.err, (seed, how, words, ended)
                assert "--resume" in words or words[0] == "report"
            elif words[0] == "reduce":
                assert (work / RESULT).read_bytes() == expected, (seed, how, words)


def test_times_that_cannot_be(work: Path, good: bytes) -> None:

    for words in ("nan", "-5", "1e999", "soon"):
        (work / JOURNAL).write_bytes(good)
        with sqlite3.connect(work / JOURNAL) as database:
            database.execute("UPDATE run SET value = ? WHERE name = 'timeout'", (words,))
        database.close()
        ended = marrow("reduce", "input.c", "test.sh", "--resume", *ALGORITHM)
        assert (ended.code, words in ended.err) == (Exit.JOURNAL, True), ended
