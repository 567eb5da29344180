"""`marrow abstract` on the command line."""

from __future__ import annotations

import json
import re
import shlex
import signal
import time
from pathlib import Path

import pytest

from marrow.abstraction.pattern import compact
from marrow.abstraction.pattern_json import read_pattern
from marrow.cli.exits import Exit
from tests.cli.running import Ended, end, executable, marrow, start

#: Few samples, so that the tests do not take long: each is a process.
FEW = ("--checks", "10", "--grammar", "calculator")


@pytest.fixture
def calc(work: Path) -> Path:
    (work / "calc.txt").write_text("1 + ((2 * 3 / 4))")
    executable(work / "double.sh", """grep -q '((.*))' "$1" """)
    return work


def test_the_pattern_is_shown_and_written(calc: Path) -> None:
    ended = marrow("abstract", "calc.txt", "double.sh", *FEW)
    assert ended.code == 0, ended.err
    first, where, verified, *_ = ended.out.splitlines()
    assert first == "((<expr>))"
    assert where.startswith("calc.pattern.json: 1 abstract, 0 context-sensitive groups")
    assert "10 of 10 valid samples failed" in verified
    assert re.search(r"^  <expr>  such as '", ended.out, re.MULTILINE)
    # A line a phase where there is no terminal.
    assert re.search(
        r"tests  reducing\n.*\n.*tests  varying everything at once", ended.err, re.DOTALL
    )
    pattern = read_pattern(calc / "calc.pattern.json")
    assert compact(pattern) == first
    assert (calc / "calc.txt").read_text() == "1 + ((2 * 3 / 4))"


def test_a_test_that_never_says_invalid(work: Path) -> None:
    (work / "in.json").write_text("[1]")
    executable(
        work / "only.sh", 'test "$(cat in.json)" = "[1]" || { echo "1:2: syntax error"; exit 1; }'
    )
    ended = marrow("abstract", "in.json", "only.sh", "--no-reduce", "--checks", "5")
    assert ended.code == 0, ended.err
    assert "never said that a sample is not a valid input" in ended.out
    assert "calls them syntax errors" in ended.out
    assert len(re.findall(r"^    '", ended.out, re.MULTILINE)) == 2
    again = marrow("abstract", "in.json", "only.sh", "--no-reduce", "--checks", "5", "--json")
    assert len(json.loads(again.out)["never_invalid"]) == 2


def test_json_quiet_and_no_reduction(calc: Path) -> None:
    ended = marrow("abstract", "calc.txt", "double.sh", *FEW, "--no-reduce", "--json", "-q")
    summary = json.loads(ended.out)
    assert summary["pattern"] == "<expr> <op> ((<expr>))"
    assert summary["reduction_tests"] == 0
    assert summary["joint"]["failing"] == 10
    assert ended.err == ""


def test_any_number_of_workers(calc: Path) -> None:
    marrow("abstract", "calc.txt", "double.sh", *FEW, "-j", "1", "-o", "one.json")
    marrow("abstract", "calc.txt", "double.sh", *FEW, "-j", "4", "-o", "four.json")
    one, four = (json.loads((calc / name).read_text()) for name in ("one.json", "four.json"))
    del one["counts"], four["counts"]
    assert one == four


def test_reasons(calc: Path) -> None:
    ended = marrow("abstract", "calc.txt", "double.sh", *FEW, "-v", "-j", "1")
    assert "  expr '((4))': concrete; 0 failed, 0 unresolved; passes: " in ended.out


def test_a_budget_and_going_on(calc: Path) -> None:
    stopped = marrow("abstract", "calc.txt", "double.sh", *FEW, "--budget", "15", "-j", "1")
    assert stopped.code == 0
    assert "not verified: the search was stopped" in stopped.out
    assert "stopped: the limit of 15 tests is reached (runs on the input" in stopped.out
    assert "--resume" in stopped.out
    words = ("abstract", "calc.txt", "double.sh", *FEW, "--json", "-j", "1")
    rest = json.loads(marrow(*words, "--resume").out)
    whole = json.loads(marrow(*words, "-o", "whole.json").out)
    again = json.loads(marrow(*words, "-o", "whole.json", "--resume").out)
    assert rest["pattern"] == whole["pattern"] == again["pattern"]
    assert rest["tests"] == whole["tests"] == again["tests"], "the same number, however it was run"
    assert rest["repeats"] == again["repeats"] == 0, "the first runs are not repeated"
    assert again["cached"] >= again["tests"] > rest["cached"] - whole["cached"] > 0


def test_ctrl_c_leaves_the_pattern_so_far(calc: Path) -> None:
    runs = calc / "runs"
    script = f"""echo >> {shlex.quote(str(runs))}; sleep 0.05; grep -q '((.*))' "$1" """
    executable(calc / "slow.sh", script)
    process = start("abstract", "calc.txt", "./slow.sh", "--grammar", "calculator", cwd=calc)
    # Five first runs, a few to reduce, 130 or so to abstract.
    while process.poll() is None and not (runs.exists() and runs.stat().st_size > 25):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    ended = end(process)
    assert ended.code == Exit.INTERRUPTED
    assert "interrupted" in ended.out
    assert read_pattern(calc / "calc.pattern.json").stopped == "interrupted"


def test_unresolved_if(calc: Path) -> None:
    """There is no minus: without the check, every sample with one passes."""
    (calc / "calc.txt").write_text("1*2")
    command = "grep -q '[*]' \"$1\" && ! grep -q '-' \"$1\""
    words = ("abstract", "calc.txt", "--shell", command, *FEW, "--json", "-q")
    without = json.loads(marrow(*words).out)
    with_it = json.loads(marrow(*words, "--unresolved-if", "grep -q - {}").out)
    assert "<expr>*<expr>" not in without["pattern"]
    assert with_it["pattern"] == "<expr>*<expr>"


def test_the_test_tells_what_is_not_valid(calc: Path) -> None:
    (calc / "calc.txt").write_text("1*2")
    command = 'if grep -q / "$1"; then exit 125; fi; grep -q \'[*]\' "$1"'
    ended = marrow("abstract", "calc.txt", "--shell", command, *FEW, "-q")
    assert ended.out == "<expr>*<expr>\n"


def test_the_grammar_that_ships_is_used(calc: Path) -> None:
    (calc / "data.json").write_text('{"a": [1, {"b": null}]}')
    ended = marrow("abstract", "data.json", "--shell", 'grep -q null "$1"', "--checks", "5", "-q")
    assert ended.code == 0, ended.err
    assert "null" in ended.out


def refused(*arguments: str | Path) -> Ended:
    ended = marrow("abstract", *arguments)
    assert ended.code != 0
    assert ended.out == ""
    assert ended.err.startswith(("marrow: ", "Usage: "))
    assert ended.err.count("\n") >= 2, "what happened, and what to do"
    return ended


def test_wrong_use(calc: Path) -> None:
    assert refused("calc.txt", *FEW).code == Exit.USAGE
    assert refused("calc.txt", "double.sh", "--shell", "true", *FEW).code == Exit.USAGE
    assert refused("calc.txt", "double.sh", *FEW, "-l", "c").code == Exit.USAGE
    assert refused("calc.txt", "double.sh", "--start", "expr").code == Exit.USAGE
    assert refused("calc.txt", "double.sh", *FEW, "--unresolved-if", " ").code == Exit.USAGE
    assert refused("calc.txt", "double.sh", *FEW, "--", "calc", "{}").code == Exit.USAGE
    assert refused("calc.txt", "double.sh", "--corpus", ".", *FEW).code == Exit.USAGE
    ended = refused("calc.txt", "double.sh", "--naive")
    assert ended.code == Exit.USAGE
    assert "Give one with --grammar" in ended.err


def test_the_command_that_fails(calc: Path) -> None:
    """An input that fails in another way is taken for one that is not valid."""
    (calc / "calc.txt").write_text("1*2")
    script = "if grep -q - $1; then echo bad minus >&2; exit 3; fi; grep -q '[*]' $1 || exit 0; "
    executable(calc / "calc.sh", script + "echo a star >&2; exit 1")
    ended = marrow("abstract", "calc.txt", *FEW, "--json", "--", "./calc.sh", "{}")
    assert json.loads(ended.out)["pattern"] == "<expr>*<expr>"
    assert "not valid: an input on which the command fails in another way" in ended.err


def test_a_language_without_a_grammar(calc: Path) -> None:
    (calc / "bug.rb").write_text("x = [1, 2]\nputs x.size\ny = 3\nputs y + 1\n")
    (calc / "more").mkdir()
    (calc / "more" / "a.rb").write_text("z = {a: 1}\nputs z.keys\n")
    executable(calc / "puts.sh", "grep -q '^puts' \"$1\"")
    words = ("bug.rb", "./puts.sh", "--checks", "5", "-q", "-j", "1")
    found = json.loads(marrow("abstract", *words, "--corpus", "more", "--json").out)
    assert found["pattern"].startswith("puts")
    assert marrow("match", "bug.pattern.json", "bug.rb").out
    assert marrow("produce", "bug.pattern.json", "-n", "3").code == 0


def test_what_is_not_known_is_said(calc: Path) -> None:
    """Names that are declared must be the same, but nothing valid shows it."""
    (calc / "calc.txt").write_text("7*2")
    script = "grep -q '^7[*]' $1 || exit 125"
    executable(calc / "seven.sh", script)
    ended = marrow("abstract", "calc.txt", "./seven.sh", *FEW, "--no-reduce")
    assert ended.out.startswith("7*<"), ended.out
    assert re.search(r"\d+ not known", ended.err + ended.out)
    assert "not known whether needed: '7" in ended.err + ended.out


def test_bad_input(calc: Path) -> None:
    assert refused("nowhere.txt", "double.sh", *FEW).code == Exit.INPUT
    ended = refused("calc.txt", "double.sh", "--grammar", "nowhere.g4")
    assert ended.code == Exit.INPUT
    (calc / "calc.txt").write_text("1 + ((2)")
    ended = refused("calc.txt", "double.sh", *FEW)
    assert ended.code == Exit.INPUT
    assert "it does not match the grammar" in ended.err


def test_bad_tests(calc: Path) -> None:
    assert refused("calc.txt", "nowhere.sh", *FEW).code == Exit.TEST
    assert refused("calc.txt", "--shell", "false", *FEW).code == Exit.NOT_INTERESTING
    assert refused("calc.txt", "double.sh", *FEW, "-o", "nowhere/x").code == Exit.OUTPUT
    assert refused("calc.txt", "double.sh", *FEW, "--resume").code == Exit.JOURNAL
