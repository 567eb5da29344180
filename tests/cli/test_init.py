"""`marrow init`: the scripts it writes, run on real programs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from marrow.cli.commands.init import (
    SITUATIONS,
    settings_in,
    situation_script,
    with_settings,
)
from marrow.cli.exits import Exit
from tests.cli.running import executable, marrow


def needs(*programs: str) -> pytest.MarkDecorator:
    missing = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}")


def verdict(work: Path, name: str, text: str) -> int:
    """Run ./test.sh on a file as marrow does; return its exit code."""
    directory = work / "fresh"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    (directory / name).write_text(text)
    ended = subprocess.run(
        [work / "test.sh", directory / name],
        cwd=directory,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return ended.returncode


def init(*arguments: str) -> None:
    Path("test.sh").unlink(missing_ok=True)
    ended = marrow("init", *arguments)
    assert ended.code == 0, ended.err
    assert "marrow reduce INPUT ./test.sh" in ended.out


@needs("gcc")
def test_compiler_crash(work: Path) -> None:
    init("compiler-crash", "--set", "message=nope")
    assert verdict(work, "a.c", "int f(void) { return nope; }") == 0
    assert verdict(work, "a.c", "int f(void) { return other; }") == 1
    assert verdict(work, "a.c", "int nope;") == 1
    executable(work / "cc", 'grep -q crash "$1" && kill -SEGV $$')
    init("compiler-crash", "--set", f"compile={work}/cc")
    assert verdict(work, "a.c", "crash") == 0
    assert verdict(work, "a.c", "fine") == 1
    executable(work / "cc", "sleep 9")
    init("compiler-crash", "--set", f"compile={work}/cc", "--set", "limit=0.1")
    assert verdict(work, "a.c", "crash") == 1


WRONG = """\
int printf(const char *, ...);
int main(void) {
  int a = %s;
#ifdef WRONG
  printf("%%d\\n", a + 1);
#else
  printf("%%d\\n", a);
#endif
  return 0;
}
"""


@needs("gcc")
def test_miscompilation(work: Path) -> None:
    init("miscompilation", "--set", "suspect=gcc -w -O2 -DWRONG")
    assert verdict(work, "a.c", WRONG % "1") == 0
    assert verdict(work, "a.c", WRONG.replace("WRONG", "RIGHT") % "1") == 1
    # Undefined behaviour that only running shows, and some that a warning tells of.
    assert verdict(work, "a.c", WRONG % "({ volatile int x = 2147483647; x + 1; })") == 1
    assert verdict(work, "a.c", (WRONG % "1").replace("int a = 1", "int b, a = b")) == 1
    assert verdict(work, "a.c", "int main(void) {") == 1


@needs("node")
def test_interpreter_crash(work: Path) -> None:
    init("interpreter-crash", "--set", "message=^TypeError: .*undefined")
    assert verdict(work, "a.js", "let a; a.b;") == 0
    assert verdict(work, "a.js", "a.b;") == 1
    assert verdict(work, "a.js", "let a; a.b; )") == 1


@needs("sqlite3")
def test_database_error(work: Path) -> None:
    init("database-error", "--set", "message=datatype mismatch", "-o", "test.sh")
    table = "CREATE TABLE t(a INTEGER PRIMARY KEY);"
    assert verdict(work, "a.sql", f"{table} INSERT INTO t VALUES ('x');") == 0
    assert verdict(work, "a.sql", f"{table} INSERT INTO t VALUES (1);") == 1
    assert verdict(work, "a.sql", "INSERT INTO t VALUES ('x');") == 125


def test_solver_disagreement(work: Path) -> None:
    executable(work / "yes", "cat")
    executable(work / "no", "sed s/^sat/unsat/")
    init("solver-disagreement", "--set", f"first={work}/yes <", "--set", f"second={work}/no")
    # A redirection in a setting is a word like any other, not one for the shell.
    assert verdict(work, "a.smt2", "sat") == 1
    for name in ("yes", "no"):
        text = (work / name).read_text()
        (work / name).write_text(text.rstrip("\n") + ' "$1"\n')
    init("solver-disagreement", "--set", f"first={work}/yes", "--set", f"second={work}/no")
    assert verdict(work, "a.smt2", "sat\n") == 0
    assert verdict(work, "a.smt2", "unsat\n") == 1
    assert verdict(work, "a.smt2", "unknown\nsat\n") == 0
    assert verdict(work, "a.smt2", "unknown\n") == 1
    assert verdict(work, "a.smt2", "error\nsat\n") == 125


@needs("z3")
def test_solver_disagreement_with_z3(work: Path) -> None:
    executable(work / "no", 'z3 "$1" | sed s/^sat/unsat/')
    init("solver-disagreement", "--set", f"second={work}/no")
    assert verdict(work, "a.smt2", "(assert true)(check-sat)") == 0
    assert verdict(work, "a.smt2", "(assert false)(check-sat)") == 1
    assert verdict(work, "a.smt2", "(assert nope)(check-sat)") == 125


@pytest.mark.parametrize("name", SITUATIONS)
def test_settings_are_explained_and_changed(name: str, work: Path) -> None:
    found = situation_script(name)
    assert settings_in(found)
    value = "it's $HOME \\ and `more`"
    changed = with_settings(found, dict.fromkeys(settings_in(found), value))
    lines = changed.splitlines()
    for setting in settings_in(found):
        at = next(index for index, line in enumerate(lines) if line.startswith(f"{setting}="))
        above = next(line for line in reversed(lines[:at]) if "='" not in line)
        assert above.startswith("# ")
        # What the shell makes of the setting is the value.
        told = subprocess.run(
            ["/bin/sh", "-c", f'{lines[at]}\nprintf %s "${setting}"'],
            capture_output=True,
            text=True,
            check=True,
        )
        assert told.stdout == value
    assert subprocess.run(["/bin/sh", "-n"], input=changed, text=True, check=False).returncode == 0
    assert with_settings(found, {}) == found


def test_printed(work: Path) -> None:
    ended = marrow("init", "compiler-crash", "-o", "-", "--set", "limit=7")
    assert ended.out.startswith("#!/bin/sh\n")
    assert "limit='7'" in ended.out


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("nothing",), Exit.USAGE, "miscompilation"),
        ((), Exit.USAGE, "name the situation"),
        (("compiler-crash", "--set", "x=1"), Exit.USAGE, "It has: compile, message, limit"),
        (("compiler-crash", "--set", "x"), Exit.USAGE, "--set NAME=VALUE"),
        (("compiler-crash",), Exit.OUTPUT, "test.sh already exists"),
        (("compiler-crash", "-o", "no/such/place"), Exit.OUTPUT, "cannot write"),
    ],
)
def test_what_is_wrong_is_said(
    work: Path, arguments: tuple[str, ...], code: Exit, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", open(os.devnull))  # noqa: SIM115
    ended = marrow("init", *arguments)
    assert ended.code == code
    assert says in ended.err
    assert ended.err.count("\n") >= 2


@needs("bash")
def test_completion(work: Path) -> None:
    for shell in ("bash", "zsh", "fish"):
        ended = marrow("completion", shell)
        assert ended.code == 0, ended.err
        assert "_MARROW_COMPLETE" in ended.out
    script = marrow("completion", "bash").out
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
