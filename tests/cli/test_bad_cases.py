"""Every way to call `marrow reduce` wrongly: what is said, and the exit code."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from marrow.cli.exits import Exit
from tests.cli.running import ALGORITHM, PROGRAM, Ended, executable, marrow


def refused(*arguments: str | Path) -> Ended:
    """Run what must be refused: nothing on standard output, a reason and advice."""
    ended = marrow("reduce", *arguments)
    assert ended.code != 0
    assert ended.out == ""
    assert ended.err.startswith(("marrow: ", "Usage: "))
    assert ended.err.count("\n") >= 2, "what happened, and what to do"
    return ended


def test_missing_input(work: Path) -> None:
    ended = refused("nowhere.c", "test.sh")
    assert ended.code == Exit.INPUT
    assert "there is no file nowhere.c" in ended.err


def test_a_name_too_long(work: Path) -> None:
    assert refused("x" * 5000, "test.sh").code == Exit.INPUT
    assert refused("input.c", "x" * 5000).code == Exit.TEST
    assert refused("input.c", "test.sh", "-o", "x" * 5000).code == Exit.OUTPUT


def test_an_empty_directory_as_input(work: Path) -> None:
    (work / "empty").mkdir()
    ended = refused("empty", "test.sh")
    assert ended.code == Exit.INPUT
    assert "nothing to reduce in empty" in ended.err


def test_a_socket_as_input_or_output(work: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")  # a short name: the whole path may be too long for one
        ended = refused("socket", "test.sh")
        assert ended.code == Exit.INPUT
        assert "not a regular file" in ended.err
        ended = refused("input.c", "test.sh", "-o", "socket")
        assert ended.code == Exit.OUTPUT
        assert "not a regular file" in ended.err
    assert (work / "socket").is_socket()


def test_an_empty_input(work: Path) -> None:
    (work / "empty.c").touch()
    ended = refused("empty.c", "test.sh")
    assert ended.code == Exit.INPUT
    assert "nothing to reduce" in ended.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_input(work: Path) -> None:
    (work / "input.c").chmod(0)
    assert refused("input.c", "test.sh").code == Exit.INPUT


def test_no_test_or_two(work: Path) -> None:
    assert refused("input.c").code == Exit.USAGE
    assert refused("input.c", "test.sh", "--shell", "true").code == Exit.USAGE


def test_a_command_without_dashes_before_it(work: Path) -> None:
    ended = refused("input.c", "sh", "a test.sh", "{}")
    assert ended.code == Exit.USAGE
    assert "reduce input.c -- sh 'a test.sh' {}\n" in ended.err


def test_a_test_needs_no_braces(work: Path) -> None:
    ended = refused("input.c", "./test.sh", "{}")
    assert ended.code == Exit.USAGE
    assert "a test script needs no {}" in ended.err
    assert "reduce input.c ./test.sh\n" in ended.err
    assert "reduce input.c -- ./test.sh {}\n" in ended.err


def test_the_test_as_an_input(work: Path) -> None:
    ended = refused("input.c", "./test.sh", "test.sh")
    assert ended.code == Exit.USAGE
    assert "test.sh is both an input and the test" in ended.err


@pytest.mark.parametrize("words", [("--shell", "true"), ("--", "cat"), ("--", "./test.sh", "{}")])
def test_a_test_without_an_input(work: Path, words: tuple[str, ...]) -> None:
    ended = refused(*words)
    assert (ended.code, "INPUT" in ended.err, "is missing" in ended.err) == (Exit.USAGE, True, True)
    ended = marrow("triage", *words)
    assert ended.code == Exit.USAGE
    assert "CRASHES, the folder of failing inputs, is missing" in ended.err


def test_a_missing_test(work: Path) -> None:
    ended = refused("input.c", "nowhere.sh")
    assert ended.code == Exit.TEST
    assert "the test nowhere.sh does not exist" in ended.err


def test_a_test_that_is_not_executable(work: Path) -> None:
    (work / "test.sh").chmod(0o644)
    ended = refused("input.c", "test.sh")
    assert ended.code == Exit.TEST
    assert "chmod +x test.sh" in ended.err


def test_a_directory_as_test(work: Path) -> None:
    assert refused("input.c", ".").code == Exit.TEST


def test_an_interpreter_that_is_missing(work: Path) -> None:
    (work / "test.sh").write_text("#!/no/such/python\n")
    ended = refused("input.c", "test.sh")
    assert ended.code == Exit.TEST
    assert "interpreter" in ended.err


def test_a_script_with_line_ends_of_windows(work: Path) -> None:
    (work / "test.sh").write_bytes(b"#!/bin/sh\r\nexit 0\r\n")
    ended = refused("input.c", "test.sh")
    assert ended.code == Exit.TEST
    assert "names /bin/sh, and ends with a carriage return" in ended.err
    assert f"dos2unix {work}/test.sh" in ended.err


def test_not_interesting(work: Path) -> None:
    executable(work / "test.sh", "echo the build is broken; exit 3")
    ended = refused("input.c", "test.sh")
    assert ended.code == Exit.NOT_INTERESTING
    assert "exit code 3 (3 of 3 runs)" in ended.err
    assert "| the build is broken" in ended.err
    assert f"{work}/test.sh input.c" in ended.err
    assert "Try it by hand" in ended.err
    assert not (work / "input.reduced.c").exists()


def test_killed_on_the_input(work: Path) -> None:
    ended = refused("input.c", "--shell", "kill -SEGV $$")
    assert ended.code == Exit.NOT_INTERESTING
    assert "signal 11 (SIGSEGV)" in ended.err


def test_too_slow_on_the_input(work: Path) -> None:
    ended = refused("input.c", "--shell", "sleep 100", "--timeout", "0.2", "-j", "3")
    assert ended.code == Exit.NOT_INTERESTING
    assert "--timeout" in ended.err
    assert "killed after 0." in ended.err


def test_unresolved_on_the_input(work: Path) -> None:
    ended = refused("input.c", "--shell", "exit 125")
    assert ended.code == Exit.NOT_INTERESTING
    assert "exit code 125" in ended.err


def test_flaky(work: Path) -> None:
    executable(work / "test.sh", f"mkdir {work}/lock 2> /dev/null")
    ended = refused("input.c", "test.sh", "-q", "-j1")
    assert ended.code == Exit.FLAKY
    assert "changes over time" in ended.err
    assert "interesting in 1 of 1 runs first, then in 0 of" in ended.err


def test_interesting_on_an_empty_file(work: Path) -> None:
    ended = refused("input.c", "--shell", "true")
    assert ended.code == Exit.EMPTY_INTERESTING
    assert "--allow-empty" in ended.err


def test_flaky_in_the_end(work: Path) -> None:
    executable(
        work / "test.sh",
        f'[ "$(wc -c < "$1")" -gt 3 ] && {{ [ ! -e {work}/end ] || exit 1; }}; '
        f'[ "$(wc -c < "$1")" -gt 60 ] || touch {work}/end; [ -s "$1" ]',
    )
    ended = marrow("reduce", "input.c", "test.sh", "-j1", *ALGORITHM)
    assert ended.code == Exit.FLAKY
    assert "not interesting on the result input.reduced.c when run once more" in ended.err
    assert "verified" not in ended.out


def test_the_test_goes_away(work: Path) -> None:
    executable(work / "test.sh", f'[ "$(wc -c < "$1")" -gt 150 ] || rm -f {work}/test.sh; '
                                 'grep -q needle "$1"')  # fmt: skip
    ended = marrow("reduce", "input.c", work / "test.sh", "-j1", "--allow-empty", *ALGORITHM)
    assert ended.code == Exit.TEST
    assert "does not exist" in ended.err
    assert "stopped: the test cannot be started" in ended.out
    assert "needle" in (work / "input.reduced.c").read_text()
    assert (work / "input.c").read_text() == PROGRAM


@pytest.mark.parametrize(
    ("output", "code", "words"),
    [
        ("nowhere/out.c", Exit.OUTPUT, "there is no directory"),
        (".", Exit.OUTPUT, "is a directory"),
        ("input.c", Exit.USAGE, "--in-place"),
        ("test.sh", Exit.USAGE, "written over the test"),
    ],
)
def test_bad_outputs(work: Path, output: str, code: Exit, words: str) -> None:
    ended = refused("input.c", "test.sh", "-o", output)
    assert ended.code == code
    assert words in ended.err
    assert (work / "input.c").read_text() == PROGRAM


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_the_right_to_write(work: Path) -> None:
    (work / "locked").mkdir(mode=0o500)
    assert refused("input.c", "test.sh", "-o", "locked/out.c").code == Exit.OUTPUT


def test_in_place_and_an_output(work: Path) -> None:
    assert refused("input.c", "test.sh", "--in-place", "-o", "out.c").code == Exit.USAGE


@pytest.mark.parametrize(
    "options",
    [
        ("--language", "klingon"),
        ("--algorithm", "magic"),
        ("--timeout", "soon"),
        ("--memory", "much"),
        ("--jobs", "0"),
        ("--jobs", "many"),
        ("--max-tests", "0"),
        ("--max-time", "-1"),
        ("--hoist", "sideways"),
        ("--no-such-option",),
    ],
)
def test_bad_options(work: Path, options: tuple[str, ...]) -> None:
    assert refused("input.c", "test.sh", *options).code == Exit.USAGE


def test_no_place_for_temporary_files(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(work / "missing"))
    ended = refused("input.c", "test.sh")
    assert ended.code == Exit.TEST
    assert "TMPDIR" in ended.err


def test_binary_junk(work: Path) -> None:
    (work / "junk.bin").write_bytes(bytes(range(256)) * 3 + b"needle" + bytes(range(255, -1, -1)))
    ended = marrow("reduce", "junk.bin", "test.sh", *ALGORITHM)
    assert ended.code == 0
    assert (work / "junk.reduced.bin").read_bytes() == b"needle"
    assert "bytes" in ended.err


def test_nested_deeper_than_any_stack(work: Path) -> None:
    (work / "deep.json").write_text("[" * 10_000 + '"needle"' + "]" * 10_000)
    ended = marrow("reduce", "deep.json", "test.sh", "--max-tests", "1", *ALGORITHM)
    assert ended.code == 0
    assert "needle" in (work / "deep.reduced.json").read_text()


def test_not_enough_memory(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def large(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("marrow.syntax.build_nodes.NodeBuilder.build", large)
    ended = marrow("reduce", "input.c", "test.sh")
    assert ended.code == Exit.MEMORY
    assert "not enough memory" in ended.err
    assert "input.reduced.c" in ended.err
    assert "--language lines" in ended.err


def test_a_bug_in_marrow(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("marrow.run.reduction.Reduction._reduce", broken)
    ended = marrow("reduce", "input.c", "test.sh")
    assert ended.code == Exit.INTERNAL
    assert "marrow itself failed: RecursionError: too deep" in ended.err
    assert "input.reduced.c" in ended.err


def test_without_a_command_the_help_is_shown_once(work: Path) -> None:
    ended = marrow()
    assert ended.code == Exit.USAGE
    assert (ended.out + ended.err).count("Usage:") == 1


def test_a_command_in_quotes_is_one_word(work: Path) -> None:
    ended = marrow("reduce", "input.c", "--", "grep -q needle {}")
    assert ended.code != 0
    assert "Write a command and its arguments as several words: -- grep -q needle" in ended.err


def test_a_command_without_dashes_is_told(work: Path) -> None:
    assert "go after --" in refused("input.c", "grep", "-c", "needle", "{}").err
    assert "go after --" in refused("input.c", "./test.sh", "-z").err


def test_a_command_that_a_signal_ends_is_killed(work: Path) -> None:
    abort = "import os, sys; b'needle' in open(sys.argv[1], 'rb').read() and os.abort()"
    ended = marrow("reduce", "input.c", "-j", "1", "--", sys.executable, "-c", abort, "{}")
    assert ended.code == 0, ended.err
    assert "on the result the command is killed by signal 6 (SIGABRT)" in ended.out
