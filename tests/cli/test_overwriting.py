"""Nothing of the user's is written over, unless --force says so."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from marrow.cli.exits import Exit
from tests.cli.running import ALGORITHM, PROGRAM, executable, marrow

REDUCE = ("reduce", "input.c", "test.sh", *ALGORITHM)


@pytest.fixture
def precious(work: Path) -> Path:
    """A file that marrow did not write."""
    path = work / "precious"
    path.write_text("precious\n")
    return path


def failing(work: Path) -> tuple[str, ...]:
    executable(work / "program", 'grep needle "$1" >&2 && exit 3')
    return ("--", "./program", "{}")


def test_a_report_goes_over_a_report_alone(work: Path, precious: Path) -> None:
    ended = marrow(*REDUCE, "--report", "precious")
    assert ended.code == Exit.OUTPUT
    assert "precious exists and is not a report that marrow wrote" in ended.err
    assert "--force" in ended.err
    assert precious.read_text() == "precious\n"
    assert not (work / "input.reduced.c").exists(), "refused before anything is run"
    for _ in range(2):
        assert marrow(*REDUCE, "--report", "new.html").code == 0
    assert marrow(*REDUCE, "--report", "precious", "--force").code == 0
    assert precious.read_text().startswith("<!doctype html>")


def test_marrow_report_goes_over_a_report_alone(work: Path, precious: Path) -> None:
    assert marrow(*REDUCE).code == 0
    journal = "input.reduced.c.marrow"
    for name in ("precious", "input.c", "test.sh", "input.reduced.c", journal):
        before = (work / name).read_bytes()
        assert marrow("report", journal, "-o", name).code == Exit.OUTPUT
        assert (work / name).read_bytes() == before
    (work / "input.reduced.c.html").write_text("a page of mine")
    assert marrow("report", journal).code == Exit.OUTPUT
    assert marrow("report", journal, "--force").code == 0
    assert marrow("report", journal).code == 0


def test_a_saved_test_goes_over_a_saved_test_alone(work: Path, precious: Path) -> None:
    behind = failing(work)
    options = ("reduce", "input.c", *ALGORITHM, "--write-test")
    ended = marrow(*options, "precious", *behind)
    assert (ended.code, precious.read_text()) == (Exit.OUTPUT, "precious\n")
    assert "not a test that marrow wrote" in ended.err
    for _ in range(2):
        assert marrow(*options, "new.sh", *behind).code == 0
    assert marrow(*options, "precious", "--force", *behind).code == 0
    assert precious.read_text().startswith("#!/usr/bin/env python3")


@pytest.mark.parametrize("option", ["--report", "--journal", "-o"])
@pytest.mark.parametrize("victim", ["input.c", "test.sh", "./input.c", "link.c", "hard.c"])
def test_neither_the_input_nor_the_test_even_with_force(
    work: Path, option: str, victim: str
) -> None:
    (work / "link.c").symlink_to("input.c")
    os.link(work / "input.c", work / "hard.c")
    test = (work / "test.sh").read_text()
    for force in ((), ("--force",)):
        ended = marrow(*REDUCE, option, victim, *force)
        assert ended.code == Exit.USAGE, ended.err
        assert "would be written over the" in ended.err
    assert (work / "input.c").read_text() == PROGRAM
    assert (work / "test.sh").read_text() == test
    assert not list(work.glob("*~"))


@pytest.mark.parametrize(
    "options",
    [
        ("-o", "out", "--report", "out"),
        ("-o", "out", "--journal", "./out"),
        ("--report", "out", "--journal", "out"),
    ],
)
def test_two_outputs_are_two_files(work: Path, options: tuple[str, ...]) -> None:
    ended = marrow(*REDUCE, *options)
    assert (ended.code, "Choose another place for one" in ended.err) == (Exit.USAGE, True)
    assert not (work / "out").exists()


def test_a_journal_does_not_lie_in_the_directory_that_is_replaced(work: Path) -> None:
    (work / "project").mkdir()
    (work / "project" / "input.c").write_text(PROGRAM)
    executable(work / "test.sh", "grep -q needle input.c")
    ended = marrow("reduce", "project", "test.sh", "-o", "out", "--journal", "out/journal")
    assert (ended.code, "which every new best replaces" in ended.err) == (Exit.USAGE, True)


def test_devices_and_pipes_stay_what_they_are(work: Path) -> None:
    os.mkfifo(work / "pipe")
    for option in ("--report", "-o"):
        ended = marrow(*REDUCE, option, "pipe", "--force")
        assert (ended.code, "not a regular file" in ended.err) == (Exit.OUTPUT, True)
        assert stat.S_ISFIFO((work / "pipe").lstat().st_mode)


def test_produced_files(work: Path, precious: Path) -> None:
    (work / "calc.txt").write_text("1 + ((2))")
    executable(work / "test.sh", "grep -q '((.*))' \"$1\"")
    words = ("abstract", "calc.txt", "./test.sh", "--grammar", "calculator", "-q")
    assert marrow(*words, "--checks", "5", "--no-reduce").code == 0
    (work / "inputs").mkdir()
    (work / "inputs" / "mine").touch()
    assert marrow("produce", "calc.pattern.json", "-o", "inputs").code == Exit.OUTPUT
    assert marrow("produce", "calc.pattern.json", "-o", "inputs", "--force").code == 0
    assert (work / "inputs" / "mine").exists()


def test_a_model_and_its_log(work: Path, precious: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    train = ("train", "-l", "c", "--corpus", "input.c", "--check", "true {}", "-q")
    few = ("--max-tests", "30", "--tokens", "1")
    for options in (("-o", "precious"), ("-o", "model.json", "--log", "precious")):
        assert marrow(*train, *few, *options).code == Exit.OUTPUT
        assert precious.read_text() == "precious\n"
    for _ in range(2):
        assert marrow(*train, *few, "-o", "model.json", "--log", "removals.csv").code == 0
    assert marrow(*train, *few, "-o", "precious", "--force").code == 0
