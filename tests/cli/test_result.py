"""The result in the user's hands: printed, laid out, written as a bug report."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from marrow.cli.commands.reduce import MOST_LINES
from marrow.cli.exits import Exit
from tests.cli.running import executable, marrow

PROGRAM = """\
int unused(int a) {
  return a;
}

int needle(int first, int second) {
  if (first > 1) {
    return first + second;
  }
  return 0;
}
"""
#: Enough for small tests.
PASSES = ("--passes", "compact")
KEPT = "grep -q needle $1 && grep -q 'first *> *1' $1 && grep -q 'return first' $1"


def test_it_is_printed_and_a_pleasant_form_is_beside_it(work: Path) -> None:
    (work / "input.c").write_text(PROGRAM.replace("\n", "\r\n"), newline="")
    executable(work / "test.sh", f"{KEPT} && grep -q if $1 && echo 'seen here'")
    words = (*PASSES, "--bug-report", "bug.md")
    ended = marrow("reduce", "input.c", "test.sh", *words)
    assert ended.code == 0, ended.err
    raw = (work / "input.reduced.c").read_bytes()
    pretty = (work / "input.reduced.pretty.c").read_bytes()
    assert b"if(first>1)" in raw
    assert b"\r\n  if(first>1)" in pretty
    assert raw != pretty
    assert raw.count(b"\n") == raw.count(b"\r\n")
    assert pretty.count(b"\n") == pretty.count(b"\r\n")
    assert "on the result the test ends with exit code 0 and prints:\n  | seen here" in ended.out
    head, *lines = ended.out.splitlines()
    assert head == "the result, laid out for reading (input.reduced.pretty.c):"
    expected = pretty.decode().split("\r\n")[:-1]
    assert [line[4:] for line in lines[: len(expected)]] == expected
    assert len(lines) - len(expected) <= 15  # the summary
    report = (work / "bug.md").read_text()
    assert "if(first>1)" in report
    assert "seen here" in report
    assert f"{work}/test.sh input.c" in report
    assert "The test, `test.sh`:" in report
    assert "&& echo 'seen here'" in report
    # Reports are written over, other files are not.
    other = marrow("reduce", "input.c", "test.sh", "--bug-report", "test.sh")
    assert other.code == Exit.USAGE
    (work / "mine.md").write_text("# Mine\n")
    other = marrow("reduce", "input.c", "test.sh", "--bug-report", "mine.md")
    assert other.code == Exit.OUTPUT
    assert "mine.md exists and is not a bug report that marrow wrote" in other.err


def test_other_layouts(work: Path) -> None:
    (work / "input.c").write_text(PROGRAM)
    executable(work / "test.sh", f"{KEPT}")
    (work / "input.reduced.pretty.c").write_text("mine")
    ended = marrow("reduce", "input.c", "test.sh", "--layout", "keep", "-q", *PASSES)
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert "first > 1" in (work / "input.reduced.c").read_text()
    assert (work / "input.reduced.pretty.c").read_text() == "mine"
    (work / "input.reduced.pretty.c").unlink()
    ended = marrow("reduce", "input.c", "test.sh", "--layout", "compact", "--json", *PASSES)
    assert json.loads(ended.out)["pretty"] is None
    assert "first>1" in (work / "input.reduced.c").read_text()
    assert not (work / "input.reduced.pretty.c").exists()
    ended = marrow("reduce", "input.c", "test.sh", "--layout", "pretty", "--keep-layout")
    assert ended.code == Exit.USAGE
    assert "--keep-layout is another name for --layout keep" in ended.err


def test_a_formatter_of_ones_own(work: Path) -> None:
    (work / "input.c").write_text(PROGRAM)
    executable(work / "test.sh", f"{KEPT} && grep -q 'return first' $1")
    # It takes so long that marrow looks for what tests have left meanwhile.
    script = "import sys,time; time.sleep(1.1); print('/* laid out */', sys.stdin.read())"
    words = ("reduce", "input.c", "test.sh", "--max-tests", "5", "--formatter")
    ended = marrow(*words, f'{sys.executable} -c "{script}"')
    assert (work / "input.reduced.pretty.c").exists(), (ended.out, ended.err)
    assert (work / "input.reduced.pretty.c").read_text().startswith("/* laid out */ ")
    assert "/* laid out */" in ended.out
    # What was there is kept; the test does not agree with this one, and the last one fails.
    ended = marrow(*words, f"{sys.executable} -c 'print(1)'")
    assert ended.code == 0
    assert (work / "input.reduced.pretty.c~").read_text().startswith("/* laid out */ ")
    ended = marrow(*words, f"{sys.executable} -c 1/0")
    assert ended.code == 0
    assert "note: the formatter did not lay out the result: ZeroDivisionError" in ended.err


@pytest.mark.parametrize(
    ("formatter", "said"),
    [
        ("no-such-program {}", "there is no program no-such-program"),
        ("a 'b", "quotation"),
        (" ", "is empty"),
    ],
)
def test_a_formatter_that_cannot_run_is_an_error_at_once(
    work: Path, formatter: str, said: str
) -> None:
    (work / "input.c").write_text(PROGRAM)
    executable(work / "test.sh", f"touch {work / 'ran'}; {KEPT}")
    ended = marrow("reduce", "input.c", "test.sh", "--formatter", formatter)
    assert (ended.code, said in ended.err) == (Exit.USAGE, True), ended.err
    assert not (work / "ran").exists()


def test_sets_of_files_and_bytes_are_shown(work: Path) -> None:
    (work / "d").mkdir()
    (work / "d" / "a.bin").write_bytes(b"\0\1needle\xff")
    (work / "d" / "b.txt").write_text("".join(f"line {number}\n" for number in range(60)))
    same = " && ".join(f"cmp -s {name} {work}/d/{name}" for name in ("a.bin", "b.txt"))
    executable(work / "test.sh", same)
    ended = marrow("reduce", "d", "test.sh", "--max-tests", "1")
    assert "  a.bin\n    00000000: 0001 6e65 6564 6c65 ff" in ended.out
    assert "  b.txt\n    line 0\n" in ended.out
    shown = [line for line in ended.out.splitlines() if line.startswith("    line")]
    assert len(shown) == MOST_LINES - 2
    assert f"... and {60 - len(shown)} more lines" in ended.out
    assert not os.path.exists("d.reduced.pretty")
