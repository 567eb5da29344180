"""`--sandbox` for all commands that run tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.running import ALGORITHM, executable, marrow
from tests.sandboxes import fake_bwrap, needs_sandbox

#: Interesting only where the test can write into no file but its own.
INSIDE = 'echo x > mine && ! echo x 2>/dev/null >> "${0%/*}/input.c"'


@needs_sandbox
def test_reduce_runs_a_script_in_it(work: Path) -> None:
    before = (work / "input.c").read_text()
    executable(work / "test.sh", f'{INSIDE} && grep -q needle "$1"')
    ended = marrow("reduce", "input.c", "./test.sh", "--sandbox", *ALGORITHM)
    assert ended.code == 0, ended.err
    assert (work / "input.c").read_text() == before
    resumed = marrow("reduce", "input.c", "./test.sh", "--resume", *ALGORITHM)
    assert (resumed.code, "the test is not the one" in resumed.err) == (9, True)


@needs_sandbox
def test_reduce_says_that_there_is_one_where_the_test_does_not_do(work: Path) -> None:
    executable(work / "test.sh", 'touch "${0%/*}/log" && grep -q needle "$1"')
    ended = marrow("reduce", "input.c", "./test.sh", "--sandbox")
    assert ended.code == 5
    assert "It runs in a sandbox" in ended.err


@needs_sandbox
def test_reduce_runs_a_command_and_its_guard_in_it(work: Path) -> None:
    executable(work / "program", 'grep needle "$1" >&2 && exit 3')
    here = work.resolve()
    guard = f"! touch {here}/guarded 2>/dev/null && [ -e {here}/program ]"
    words = ("--sandbox", "--guard", guard, *ALGORITHM, "--", "./program", "{}")
    ended = marrow("reduce", "input.c", *words)
    assert ended.code == 0, ended.err
    assert not (work / "guarded").exists()


@needs_sandbox
def test_abstract_and_produce_run_tests_in_it(work: Path) -> None:
    (work / "calc.txt").write_text("1 + ((2))")
    executable(work / "test.sh", f"{INSIDE} && grep -q '((.*))' \"$1\"")
    words = ("abstract", "calc.txt", "./test.sh", "--grammar", "calculator", "-q")
    ended = marrow(*words, "--checks", "5", "--no-reduce", "--sandbox", "--unresolved-if", "false")
    assert (ended.code, ended.out) == (0, "<expr> <op> ((<expr>))\n"), ended.err
    verify = ("produce", "calc.pattern.json", "-n", "3", "--verify", "./test.sh")
    assert "3 failing" in marrow(*verify, "--sandbox").out
    assert "0 failing" in marrow(*verify).out
    assert marrow("produce", "calc.pattern.json", "--sandbox").code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("reduce", "input.c", "./test.sh"),
        ("reduce", "input.c", "--", "false", "{}"),
        ("abstract", "input.c", "./test.sh"),
    ],
)
def test_without_one_nothing_is_run(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    fake = fake_bwrap(tmp_path / "bin", "echo 'bwrap: No permissions' >&2; exit 1")
    monkeypatch.setenv("PATH", f"{fake}:{os.environ['PATH']}")
    executable(work / "test.sh", 'touch "${0%/*}/ran"')
    ended = marrow(*words[:2], "--sandbox", *words[2:])
    assert ended.code == 12
    assert "a sandbox cannot be made here: bwrap: No permissions" in ended.err
    assert not (work / "ran").exists()


@needs_sandbox
def test_it_goes_with_a_cluster(work: Path) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    executable(work / "test.sh", 'echo x > mine && ! echo x > "$0" && grep -q needle "$1"')
    options = ("--sandbox", "--executor", "dask", "-j", "2", *ALGORITHM)
    ended = marrow("reduce", "input.c", "./test.sh", *options)
    assert ended.code == 0, ended.err


@needs_sandbox
def test_the_home_and_the_environment_are_let_in_by_name(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = work / "home"
    (home / ".tools").mkdir(parents=True)
    (home / ".tools" / "word").write_text("needle")
    (home / "secret").write_text("x")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("WORD", "needle")
    monkeypatch.setenv("OTHER", "x")
    monkeypatch.chdir(home)  # which shows nothing of it
    (home / "input.c").write_text((work / "input.c").read_text())
    body = (
        '[ ! -e ~/secret ] && [ -s ~/.tools/word ] && [ "$WORD" ] && [ -z "$OTHER" ] && '
        'grep -q "$WORD" "$1" && grep -q "$(cat ~/.tools/word)" "$1"'
    )
    executable(home / "test.sh", body)
    words = ("reduce", "input.c", "./test.sh", "--sandbox", *ALGORITHM)
    assert marrow(*words, "--env", "WORD").code == 5
    assert marrow(*words, "--sandbox-home", ".tools").code == 5
    ended = marrow(*words, "--env", "WORD", "--sandbox-home", ".tools")
    assert ended.code == 0, ended.err
    # Verdicts of another sandbox are not taken over.
    assert marrow(*words, "--env", "WORD", "--resume").code == 9


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--env", "WORD"), "--env is for tests in a sandbox"),
        (("--sandbox-home", "."), "--sandbox-home is for tests in a sandbox"),
        (("--sandbox", "--env", "A=1"), "not the name of an environment variable"),
        (("--sandbox", "--sandbox-home", "/etc"), "is not in your home directory"),
    ],
)
def test_options_that_make_no_sense(work: Path, options: tuple[str, ...], said: str) -> None:
    ended = marrow("reduce", "input.c", "./test.sh", *options)
    assert (ended.code, said in ended.err) == (2, True), ended.err


def test_a_configuration_file_opens_no_sandbox(work: Path) -> None:
    (work / "marrow.toml").write_text('env = ["SECRET"]\n')
    ended = marrow("reduce", "input.c", "./test.sh", "--sandbox")
    assert (ended.code, "env cannot be set by a file beside the input" in ended.err) == (2, True)
