"""`marrow reduce INPUT -- COMMAND`: as typed, and everything around it."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from marrow.cli.exits import Exit
from tests.cli.running import ALGORITHM, executable, marrow

MINIMUM = "int needle() {\n}"

#: Fails on needles, in another way on comments, in a third way without a function.
TOOL = """\
import sys
text = open(sys.argv[1]).read()
if "needle" in text:
    sys.exit("error: a needle")
if "main" in text:
    sys.exit("error: a main program")
sys.exit("error: no function at all" if "(" not in text else 0)
"""


@pytest.fixture
def tool(work: Path) -> list[str]:
    (work / "tool.py").write_text(TOOL)
    return [sys.executable, "tool.py", "{}"]


def test_the_file_has_its_bare_name_where_the_command_was_typed(work: Path) -> None:
    (work / "include").mkdir()
    (work / "include" / "x.h").write_text("needle")
    script = (
        '[ "$1" = input.c ] && [ -f include/x.h ] && grep -q needle "$1" && echo no >&2 && exit 9'
    )
    ended = marrow("reduce", "input.c", *ALGORITHM, "--", "sh", "-c", script, "sh", "{}")
    assert ended.code == 0, ended.err
    assert (work / "input.reduced.c").read_text().strip() == MINIMUM


def test_at_signs_stand_for_the_file(work: Path, tool: list[str]) -> None:
    ended = marrow("reduce", "input.c", *ALGORITHM, "--", *tool[:2], "@@")
    assert ended.code == 0, ended.err
    assert "tool.py input.reduced.c" in ended.out


def test_outputs_do_not_land_among_the_users_files(work: Path, tool: list[str]) -> None:
    (work / "build").mkdir()
    (work / "a.out").write_text("mine")
    script = f"echo x > a.out; echo x > build/o; echo x > new; {tool[0]} tool.py input.c"
    ended = marrow("reduce", "input.c", *ALGORITHM, "-j4", "--", "sh", "-c", script)
    assert ended.code == 0, ended.err
    assert (work / "a.out").read_text() == "mine"
    assert not (work / "new").exists()


def test_other_failures_are_counted_and_kept(work: Path, tool: list[str]) -> None:
    seen = []
    for number, jobs in enumerate(("-j1", "-j4")):
        words = ("--json", "--also", f"also{number}", "-o", f"out{number}.c", "--", *tool)
        ended = marrow("reduce", "input.c", "--algorithm", "perses", jobs, *words)
        assert ended.code == 0, ended.err
        seen.append(json.loads(ended.out)["also_seen"])
        found = sorted((work / f"also{number}").glob("0*.c"))
        assert found
        assert all("needle" not in path.read_text() for path in found)
    assert seen[0] == seen[1]
    assert any("no function" in label for label in seen[0])
    assert (work / "also0" / "failures.txt").read_text() == (
        work / "also1" / "failures.txt"
    ).read_text()


def test_other_failures_of_a_run_that_is_resumed(work: Path, tool: list[str]) -> None:
    perses = ("reduce", "input.c", "--algorithm", "perses", "--json")
    whole = marrow(*perses, "-o", "whole.c", "--", *tool)
    marrow(*perses, "--max-tests", "3", "--", *tool)
    again = marrow(*perses, "--resume", "--", *tool)
    assert again.code == 0, again.err
    assert json.loads(again.out)["also_seen"] == json.loads(whole.out)["also_seen"]


def test_a_signature_is_saved_and_used_again(work: Path, tool: list[str]) -> None:
    words = ("--signature", "kept.toml", "--", *tool)
    first = marrow("reduce", "input.c", *ALGORITHM, *words)
    assert first.code == 0
    assert "the signature is saved as kept.toml" in first.err
    assert "a needle" in (work / "kept.toml").read_text()
    second = marrow("reduce", "input.c", *ALGORITHM, "-o", "again.c", *words)
    assert second.code == 0
    assert (work / "again.c").read_text() == (work / "input.reduced.c").read_text()
    (work / "kept.toml").write_text("nonsense = [")
    broken = marrow("reduce", "input.c", *ALGORITHM, *words)
    assert broken.code == Exit.INPUT
    assert "kept.toml" in broken.err


def test_what_the_command_prints_on_the_result(work: Path, tool: list[str]) -> None:
    ended = marrow("reduce", "input.c", *ALGORITHM, "--", *tool)
    assert "on the result the command ends with exit code 1 and prints:\n  | error: a needle" in (
        ended.out
    )


def test_an_expression_on_the_wrong_stream(work: Path, tool: list[str]) -> None:
    ended = marrow("reduce", "input.c", "--keep-stdout", "a needle", "--", *tool)
    assert ended.code == Exit.NOT_INTERESTING
    assert "--keep-stderr instead" in ended.err
    ended = marrow("reduce", "input.c", "--keep-stderr", "no such line", "--", *tool)
    assert ended.code == Exit.NOT_INTERESTING
    assert "  | error: a needle" in ended.err


def test_the_test_in_front(work: Path) -> None:
    ended = marrow("reduce", "./test.sh", "input.c", *ALGORITHM)
    assert ended.code == 0, ended.err
    assert "./test.sh is taken for the test" in ended.err
    assert (work / "input.reduced.c").read_text().strip() == MINIMUM
    (work / "test.sh").chmod(0o644)
    for names in (("test.sh", "input.c"), ("input.c", "test.sh")):
        ended = marrow("reduce", *names)
        assert ended.code != 0
        assert "chmod +x input.c" not in ended.err


def test_which_of_two_programs_is_the_test(work: Path) -> None:
    """The last one, whatever may be run: an input that is a program is never run by a guess."""
    ran = work / "ran"
    for name in ("crash.sh", "check.sh"):
        executable(work / name, f"echo {name} needle >> {ran}; exit 0")
    ended = marrow("reduce", "crash.sh", "./check.sh", "--max-tests", "1", *ALGORITHM)
    assert "note: ./check.sh is the test, crash.sh is the input" in ended.err
    assert "crash.sh needle" not in ran.read_text()
    # One that names the other is likely to be its test: nothing is run before that is settled.
    ran.unlink()
    executable(work / "check.sh", f"echo >> {ran}; grep -q needle crash.sh")
    ended = marrow("reduce", "./check.sh", "crash.sh")
    assert ended.code == Exit.USAGE
    assert "which of the two is the test?" in ended.err
    assert "marrow reduce crash.sh ./check.sh" in ended.err
    assert not ran.exists()


def test_an_executable_input_is_not_run_for_a_test_that_is_not_executable(work: Path) -> None:
    ran = work / "ran"
    executable(work / "crash.sh", f"touch {ran}; echo $1")
    (work / "check").write_text('grep -q echo "$1"\n')
    ended = marrow("reduce", "crash.sh", "./check")
    assert ended.code == Exit.TEST
    assert "the test ./check is not executable" in ended.err
    executable(work / "crash.sh", f"touch {ran}")
    ended = marrow("reduce", "crash.sh", "input.c")
    assert ended.code == Exit.TEST
    assert not ran.exists()


def test_a_guard_that_fails_on_the_input(work: Path, tool: list[str]) -> None:
    ended = marrow("reduce", "input.c", "--guard", "grep -q nowhere {}", "--", *tool)
    assert ended.code == Exit.NOT_INTERESTING
    assert "the guard fails: grep -q nowhere {}" in ended.err


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_the_guard_for_c(work: Path) -> None:
    (work / "wrong.c").write_text(
        "int unused(int x) { return x; }\nint f(void) { return 1; }\nint main(void) { f(); }\n"
    )
    script = 'gcc -w -fsyntax-only "$1" && grep -q "f(void) {" "$1" && echo'
    first, second = (("sh", "-c", f"{script} {number}", "sh", "{}") for number in (3, 4))
    commands = ("--differ", "--", *first, "---", *second)
    warned = marrow("reduce", "wrong.c", "--max-tests", "1", *commands)
    assert "--guard c keeps it valid" in warned.err
    words = ("reduce", "wrong.c", "--guard", "c", "--max-tests", "6", "--passes", "none")
    ended = marrow(*words, "-o", "o.c", *commands)
    assert ended.code == 0, ended.err
    assert "guard c: gcc compiles it without" in ended.err
    assert "(c)" not in ended.out
    kept = (work / "o.c").read_text()
    assert "unused" not in kept
    assert "return 1" in kept, "a function without a result has no meaning"


def test_a_pattern_of_the_failure_of_a_command(work: Path) -> None:
    (work / "calc.txt").write_text("1 + ((2))")
    executable(
        work / "calc.sh", "if grep -q '((' calc.txt; then echo 'error: doubled' >&2; exit 3; fi"
    )
    words = ("--grammar", "calculator", "--checks", "5", "--", "./calc.sh", "{}")
    ended = marrow("abstract", "calc.txt", *words)
    assert ended.code == 0, ended.err
    assert "((<expr>))" in ended.out
