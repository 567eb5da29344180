"""`marrow produce` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from marrow.abstraction.pattern_json import to_json
from marrow.cli.exits import Exit
from tests.abstraction.finding import CALCULATOR
from tests.abstraction.marking import by_text, shipped
from tests.cli.running import executable, marrow


@pytest.fixture
def calc(work: Path) -> Path:
    pattern = by_text(CALCULATOR, b"((c))", {("char", b"c"): 0})
    (work / "calc.json").write_text(to_json(pattern))
    # a is not valid, b passes, the others fail.
    executable(work / "test.sh", 'grep -q a "$1" && exit 125; ! grep -q b "$1"')
    return work


def test_inputs_are_printed(calc: Path) -> None:
    ended = marrow("produce", "calc.json")
    assert ended.out.split() == ["((a))", "((b))", "((d))", "((e))", "((f))"]
    assert ended.err == "5 inputs; there are no more\n"
    assert marrow("produce", "calc.json", "-n", "3").err == ""


def test_inputs_go_to_a_directory(calc: Path) -> None:
    ended = marrow("produce", "calc.json", "-n", "5", "-o", "made/here")
    assert ended.out == "made/here: 5 inputs\n"
    names = sorted(path.name for path in (calc / "made/here").iterdir())
    assert names == ["1.txt", "2.txt", "3.txt", "4.txt", "5.txt"]
    assert (calc / "made/here/3.txt").read_text() == "((d))"
    again = marrow("produce", "calc.json", "-n", "5", "-o", "made/here")
    assert again.code == Exit.OUTPUT
    assert "is not empty" in again.err


def test_names_are_those_of_the_language(calc: Path) -> None:
    pattern = by_text(shipped("json"), b'["x"]', {("STRING", b'"x"'): 0})
    (calc / "list.json").write_text(to_json(pattern))
    marrow("produce", "list.json", "-n", "10", "-o", "made")
    assert (calc / "made/01.json").exists()
    marrow("produce", "list.json", "-n", "10", "-o", "others", "--suffix", ".jsonl")
    assert (calc / "others/10.jsonl").exists()


def test_verify(calc: Path) -> None:
    ended = marrow("produce", "calc.json", "-n", "5", "--verify", "./test.sh", "-v")
    *each, last = ended.out.splitlines()
    assert each == ["1: not valid", "2: passes", "3: fails", "4: fails", "5: fails"]
    assert last == "5 inputs: 4 valid (80%), 3 failing (75% of the valid ones)"
    found = json.loads(
        marrow("produce", "calc.json", "-n", "5", "--verify", "./test.sh", "--json").out
    )
    assert (found["valid"], found["failing"], len(found["inputs"])) == (4, 3, 5)
    shell = ("--shell", '! grep -q b "$1"', "--unresolved-if", "grep -q [ab] {}")
    ended = marrow("produce", "calc.json", "-n", "5", *shell)
    # The failure is seen first, so a counts as failing; b is not valid.
    assert ended.out == "5 inputs: 4 valid (80%), 4 failing (100% of the valid ones)\n"


def test_time_outs_are_said(calc: Path) -> None:
    words = ("--shell", 'grep -q d "$1" && sleep 20; true', "--timeout", "1s", "-j", "1")
    ended = marrow("produce", "calc.json", "-n", "3", *words)
    assert ended.out.endswith("1 timed out\n")


def test_wrong_use(calc: Path) -> None:
    def refused(*words: str) -> int:
        ended = marrow("produce", *words)
        assert ended.err.startswith("marrow: ")
        assert ended.err.count("\n") >= 2, "what happened, and what to do"
        return ended.code

    assert refused("nowhere.json") == Exit.INPUT
    assert refused("input.c") == Exit.INPUT
    assert refused("calc.json", "--unresolved-if", "true") == Exit.USAGE
    assert refused("calc.json", "--verify", "test.sh", "--shell", "true") == Exit.USAGE
    assert refused("calc.json", "--suffix", "/x") == Exit.USAGE
    assert refused("calc.json", "--verify", "nowhere.sh") == Exit.TEST
    assert refused("calc.json", "-o", "input.c") == Exit.OUTPUT
