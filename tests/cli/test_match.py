"""`marrow match` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.abstraction.pattern_json import to_json
from marrow.cli.exits import Exit
from tests.abstraction.finding import SCRIPT
from tests.abstraction.marking import by_text
from tests.cli.running import executable, marrow


@pytest.fixture
def script(work: Path) -> Path:
    holes = {("Identifier", b"baz"): 1, ("expression", b"1"): 0}
    pattern = by_text(SCRIPT, b"var {baz: baz => {}} = 1;", holes)
    (work / "bug.json").write_text(to_json(pattern))
    (work / "yes.txt").write_text("var {a: a => {}} = b + 2;\n")
    (work / "no.txt").write_text("var {a: b => {}} = b + 2;\n")
    return work


def test_one_line_a_file(script: Path) -> None:
    ended = marrow("match", "bug.json", "yes.txt")
    assert (ended.code, ended.out) == (0, "yes.txt: matches\n")
    ended = marrow("match", "bug.json", "yes.txt", "no.txt", "input.c")
    assert ended.code == Exit.NO_MATCH
    first, second, third = ended.out.splitlines()
    assert first == "yes.txt: matches"
    assert second == "no.txt: no match: it has the form, but parts that must be the same differ"
    assert third.startswith("input.c: no match: ")


def test_what_stands_where(script: Path) -> None:
    ended = marrow("match", "bug.json", "yes.txt", "-v")
    assert ended.out.splitlines()[1:] == ["  <$Identifier1>: a", "  <expression>: b + 2"]


def test_a_guard(script: Path) -> None:
    ended = marrow("match", "--none", "bug.json", "no.txt", "input.c")
    assert (ended.code, ended.out) == (0, "")
    ended = marrow("match", "--none", "bug.json", "no.txt", "yes.txt")
    assert (ended.code, ended.out) == (Exit.NO_MATCH, "yes.txt: matches\n")


def test_quiet(script: Path) -> None:
    assert marrow("match", "bug.json", "yes.txt", "-q").out == ""
    ended = marrow("match", "bug.json", "no.txt", "-q")
    assert (ended.code, ended.out) == (Exit.NO_MATCH, "")


def test_an_empty_file_is_no_reason_to_stop(script: Path) -> None:
    (script / "empty.txt").write_text("")
    ended = marrow("match", "bug.json", "empty.txt", "yes.txt")
    assert ended.code == Exit.NO_MATCH
    assert ended.out.endswith("yes.txt: matches\n")


def test_a_missing_file_does_not_hide_the_others(script: Path) -> None:
    ended = marrow("match", "bug.json", "nowhere", "yes.txt", "neither", "no.txt")
    assert ended.code == Exit.INPUT
    assert [line.split(":")[0] for line in ended.out.splitlines()] == ["yes.txt", "no.txt"]
    assert "cannot read nowhere: " in ended.err
    assert "cannot read neither: " in ended.err


def test_wrong_use(script: Path) -> None:
    for words in (["bug.json", "nowhere"], ["nowhere", "yes.txt"], ["yes.txt", "yes.txt"]):
        ended = marrow("match", *words)
        assert ended.code == Exit.INPUT
        assert ended.err.startswith("marrow: ")
        assert ended.err.count("\n") >= 2, "what happened, and what to do"
    assert marrow("match", "bug.json").code == Exit.USAGE
    text = (script / "bug.json").read_text().replace("statement+ EOF", "nothing+ EOF")
    (script / "bad.json").write_text(text)
    ended = marrow("match", "bad.json", "yes.txt")
    assert ended.code == Exit.INPUT
    assert "its grammar cannot be used" in ended.err
    text = (script / "bug.json").read_text().replace('"Identifier"', '"Nothing"')
    (script / "bad.json").write_text(text)
    ended = marrow("match", "bad.json", "yes.txt")
    assert ended.code == Exit.INPUT
    assert "Nothing" in ended.err


def test_a_pattern_that_is_not_there(script: Path) -> None:
    ended = marrow("match", "nowhere.json", "yes.txt")
    assert ended.code == Exit.INPUT
    assert "nowhere.json: cannot be read: No such file or directory\n" in ended.err


def test_a_report_is_reduced_first_with_the_command_that_fails(work: Path) -> None:
    script = 'if grep -q "keep + [0-9]" "$1"; then echo "error: kept" >&2; exit 1; fi'
    executable(work / "tool.sh", script)
    pattern = by_text(SCRIPT, b"keep + 1;", {("Number", b"1"): 0})
    (work / "bug.json").write_text(to_json(pattern))
    (work / "fine.txt").write_text("a + 2;\n")
    ended = marrow("match", "bug.json", "fine.txt", "--", "./tool.sh", "{}")
    assert ended.code == Exit.NO_MATCH
    assert ended.out.startswith("fine.txt: no match: nothing to compare: ")
    (work / "large.txt").write_text("a + 2;\nb;\nif (c) { keep + 7; }\n")
    assert marrow("match", "bug.json", "large.txt").code == Exit.NO_MATCH
    ended = marrow("match", "bug.json", "large.txt", "--", "./tool.sh", "{}")
    assert ended.code == 0, ended.out + ended.err
    assert ", once it is reduced to " in ended.out


def test_a_file_is_needed(script: Path) -> None:
    ended = marrow("match", "bug.json")
    assert ended.code == Exit.USAGE
    assert "no FILE" in ended.err
