"""`marrow reduce INPUT -- COMMAND`: without a test script."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from marrow.cli.exits import Exit
from tests.cli.running import ALGORITHM, PROGRAM, executable, marrow

#: What is left of the program.
MINIMUM = "int needle() {\n}"

#: A compiler that does not like needles, and says where.
COMPILER = """\
grep -n needle "$1" >/dev/null || exit 0
echo "$1:$(grep -n needle "$1" | head -n1 | cut -d: -f1): error: a needle ($$)" >&2
exit 3
"""


@pytest.fixture
def compiler(work: Path) -> Path:
    return executable(work / "cc.sh", COMPILER)


def test_what_fails_is_worked_out_and_kept(work: Path, compiler: Path) -> None:
    ended = marrow("reduce", "input.c", *ALGORITHM, "--", "./cc.sh", "{}")
    assert ended.code == 0, ended.err
    assert "kept: the command exits with 3, says “a … (<number>)”" in ended.err
    assert (work / "input.reduced.c").read_text().strip() == MINIMUM
    assert "check by hand: ./cc.sh input.reduced.c; echo $?" in ended.out


def test_the_input_by_its_name_is_the_candidate(work: Path, compiler: Path) -> None:
    ended = marrow("reduce", "input.c", *ALGORITHM, "--", "sh", "cc.sh", "./input.c")
    assert ended.code == 0, ended.err
    assert (work / "input.reduced.c").read_text().strip() == MINIMUM


def test_the_candidate_on_standard_input(work: Path) -> None:
    ended = marrow(
        "reduce", "input.c", *ALGORITHM, "--keep-stdout", "[1-9]", "--", "grep", "-c", "needle"
    )
    assert ended.code == 0, ended.err
    assert "as input.c, and on its standard input" in ended.err
    assert (work / "input.reduced.c").read_text().strip() == MINIMUM


def test_a_command_that_names_no_file_is_checked_by_hand_in_a_copy(work: Path) -> None:
    (work / "src").mkdir()
    (work / "input.c").rename(work / "src" / "input.c")
    ended = marrow(
        "reduce", "src/input.c", *ALGORITHM, "--", "sh", "-c", "! grep -c needle src/*.c"
    )
    assert ended.code == 0, ended.err
    assert "it finds the candidate as src/input.c, and on" in ended.err
    [line] = [one for one in ended.out.splitlines() if "check by hand: " in one]
    assert f"cp -R {work}/. . && cp {work}/src/input.reduced.c src/input.c && sh -c" in line


def test_a_command_that_names_the_directory_is_checked_by_hand(work: Path) -> None:
    """The line that is printed does on the result what the command did on the input."""
    (work / "src").mkdir()
    (work / "input.c").rename(work / "src" / "input.c")
    (work / "src" / "other.c").write_text("int other;\n")
    command = ("sh", "-c", "! grep -c needle src/*.c")
    ended = marrow("reduce", "src", *ALGORITHM, "--layout", "compact", "--", *command)
    assert ended.code == 0, ended.err
    [line] = [one for one in ended.out.splitlines() if "check by hand: " in one]
    by_hand = line.partition("check by hand: ")[2]
    with tempfile.TemporaryDirectory() as other:
        place = {**os.environ, "TMPDIR": other}
        said = subprocess.check_output(by_hand, shell=True, text=True, cwd="/", env=place)
    assert said.split("\n")[-2] == "1", said


def test_the_saved_test_gives_the_same_verdicts(work: Path, compiler: Path) -> None:
    arguments = ("reduce", "input.c", *ALGORITHM, "--write-test", "saved.sh", "--guard", "true {}")
    ended = marrow(*arguments, "--", "./cc.sh", "{}")
    assert ended.code == 0
    assert "the test is saved as saved.sh" in ended.err
    assert "(true input.reduced.c) && " in ended.out, "by hand there is the guard too"
    result = (work / "input.reduced.c").read_text()
    again = marrow("reduce", "input.c", "saved.sh", *ALGORITHM, "-o", "again.c")
    assert again.code == 0
    assert (work / "again.c").read_text() == result
    for text, code in ((PROGRAM, 0), (result, 0), ("", 1), ("needl", 1)):
        (work / "x.c").write_text(text)
        assert subprocess.run(["./saved.sh", "x.c"], check=False).returncode == code


def test_options_refine(work: Path, compiler: Path) -> None:
    ended = marrow(
        "reduce", "input.c", *ALGORITHM, "--keep-stdout", "main", "--not", "comment", "-o", "out.c",
        "--", "cat", "{}",
    )  # fmt: skip
    assert ended.code == Exit.NOT_INTERESTING
    ended = marrow(
        "reduce", "input.c", *ALGORITHM, "--keep-stdout", "main", "--keep-stdout", "needle",
        "--not", "nothing", "-o", "out.c", "--", "cat", "{}",
    )  # fmt: skip
    assert ended.code == 0
    result = (work / "out.c").read_text()
    assert "main" in result
    assert "needle" in result


def test_two_commands_that_differ(work: Path) -> None:
    ended = marrow(
        "reduce", "input.c", *ALGORITHM, "--differ", "--guard", "grep -q needle {}",
        "--", "cat", "{}", "---", "sed", "s/comment/remark/;s/needle/noodle/", "{}",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "kept: each command exits with 0, and their standard outputs differ" in ended.err
    assert (work / "input.reduced.c").read_text().strip() == MINIMUM


def test_resume(work: Path, compiler: Path) -> None:
    words = ("--", "./cc.sh", "{}")
    stopped = marrow("reduce", "input.c", *ALGORITHM, "--max-tests", "2", "-j1", *words)
    assert stopped.code == 0
    assert "--resume -- ./cc.sh" in stopped.out
    assert marrow("reduce", "input.c", *ALGORITHM, "--resume", *words).code == 0
    assert (work / "input.reduced.c").read_text().strip() == MINIMUM
    other = marrow("reduce", "input.c", *ALGORITHM, "--resume", "--keep-exit", *words)
    assert other.code == Exit.JOURNAL


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--", "true", "{}"), Exit.NOT_INTERESTING, "the command succeeds on the input"),
        (("--", "no-such-program", "{}"), Exit.TEST, "there is no program no-such-program"),
        (("--", "sh", "-c", "no-such-one"), Exit.NOT_INTERESTING, "the command cannot be run"),
        (("--", "false"), Exit.NOT_INTERESTING, "--keep-stderr"),
        (("--differ", "--", "cat", "{}"), Exit.USAGE, "two commands with --- between them"),
        (("--differ", "--", "cat", "{}", "---"), Exit.USAGE, "two commands"),
        (("--differ", "--", "cat", "{}", "---", "cat"), Exit.NOT_INTERESTING, "agree on the input"),
        (("--differ", "--keep-exit", "--", "a", "---", "b"), Exit.USAGE, "--not and --guard"),
        (("--keep-exit", "test.sh"), Exit.USAGE, "--keep-exit needs the failing command"),
        (("--write-test", "no/such/dir", "--", "./cc.sh", "{}"), Exit.OUTPUT, "--write-test"),
        (("test.sh", "--", "cat", "{}"), Exit.USAGE, "there are two tests"),
        (("--timeout", "0.2s", "--", "sleep", "9"), Exit.NOT_INTERESTING, "did not end within"),
    ],
)
def test_what_is_wrong_is_said(
    work: Path, compiler: Path, arguments: tuple[str, ...], code: Exit, says: str
) -> None:
    ended = marrow("reduce", "input.c", *arguments)
    assert ended.code == code, ended.err
    assert ended.out == ""
    assert says in ended.err
    assert ended.err.count("\n") >= 2, "what happened, and what to do"


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_node(work: Path) -> None:
    (work / "crash.js").write_text(
        "function unused() { return 1; }\nfunction f(o) { return o.a.b; }\nunused();\nf({});\n"
    )
    # Node takes its time to start: a few tests will do.
    ended = marrow("reduce", "crash.js", "-j2", "--max-tests", "6", "--", "node", "{}")
    assert ended.code == 0
    assert "TypeError: Cannot read" in ended.err
    assert "unused" not in (work / "crash.reduced.js").read_text()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_gcc(work: Path) -> None:
    (work / "bad.c").write_text(
        "int a;\nint f(void) { return a; }\nint g(void) { return nope + a; }\n"
    )
    ended = marrow("reduce", "bad.c", "-j2", "--", "gcc", "-c", "-o", "out.o", "bad.c")
    assert ended.code == 0
    assert "nope" in ended.err
    result = (work / "bad.reduced.c").read_text()
    assert "undeclared" in ended.out, "what the command prints on the result"
    assert "int f(" not in result
