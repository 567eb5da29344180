"""What the programs of a test say is heard, and the test does not notice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.journal.journal import read_record
from marrow.engine.process.command import TestCommand
from marrow.engine.process.sandbox import Sandbox
from marrow.engine.verdict import Outcome, Verdict
from marrow.syntax.outline_front_end import LARGE
from tests.sandboxes import needs_sandbox

#: A compiler of sorts: it says something on both outputs, and ends as its input wants.
COMPILER = """#!/bin/sh
echo "one on the output"
echo "$1:2:1: error: no member named 'two'" >&2
echo "three on the output"
case $(cat "$1") in *crash*) kill -SEGV $$;; *fail*) exit 3;; esac
"""


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a compiler called frob on the path."""
    programs = tmp_path / "tests"
    programs.mkdir()
    written(programs / "frob", COMPILER)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return programs


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def outcome(script: Path, candidate: bytes, *, overheard: bool) -> Outcome:
    """Run a test on a candidate called x.c."""
    executor = CommandExecutor(TestCommand.executable(str(script)), "x.c")
    try:
        assert executor.capture_tools(overheard) is overheard
        return outcome_of(executor.submit(candidate, capture=True))
    finally:
        executor.close()


@pytest.mark.parametrize(
    "body",
    [
        "frob x.c 2>&1 | grep -q two",
        'said=$(frob x.c 2>&1)\necho "$said" > /dev/null; case $said in *two*) ;; *) exit 1;; esac',
        "frob x.c 2> /dev/null > /dev/null",
        "CC=frob\n$CC x.c > /dev/null 2>&1",
    ],
)
def test_what_a_script_keeps_to_itself_is_heard(compiler: Path, tmp_path: Path, body: str) -> None:
    assert compiler.is_dir()
    script = written(tmp_path / "test.sh", f"#!/bin/bash\n{body}\n")
    plain = outcome(script, b"text", overheard=False)
    heard = outcome(script, b"text", overheard=True)
    assert plain.verdict is heard.verdict is Verdict.INTERESTING
    assert b"two" not in plain.said
    assert b"x.c:2:1: error: no member named 'two'" in heard.said


@pytest.mark.parametrize(
    ("candidate", "body"),
    [
        (b"fail", "frob x.c > /dev/null 2>&1; [ $? = 3 ]"),
        (b"crash", "frob x.c > /dev/null 2>&1; [ $? = 139 ]"),
        (b"text", '[ "$(frob x.c 2>&1 | sed -n 2p)" = "x.c:2:1: error: no member named \'two\'" ]'),
        (b"text", "frob x.c > out 2> err; [ $(wc -l < out) = 2 ] && [ $(wc -l < err) = 1 ]"),
        (b"crash", "! frob x.c 2>&1 | grep -qi fault"),
    ],
)
def test_the_test_does_not_notice(
    compiler: Path, tmp_path: Path, candidate: bytes, body: str
) -> None:
    assert compiler.is_dir()
    script = written(tmp_path / "test.sh", f"#!/bin/bash\n{body}\n")
    assert outcome(script, candidate, overheard=False).verdict is Verdict.INTERESTING
    assert outcome(script, candidate, overheard=True).verdict is Verdict.INTERESTING


def test_a_script_that_calls_another_is_heard(compiler: Path, tmp_path: Path) -> None:
    assert compiler.is_dir()
    inner = written(tmp_path / "inner.sh", "#!/bin/sh\nfrob x.c 2>&1 | grep -q two\n")
    script = written(tmp_path / "test.py", f"#!/bin/sh\nexec {inner}\n")
    assert b"no member named" in outcome(script, b"text", overheard=True).said


def test_nothing_to_overhear(tmp_path: Path) -> None:
    script = written(tmp_path / "test.sh", "#!/bin/sh\ngrep -q a x.c | cat\n")
    executor = CommandExecutor(TestCommand.executable(str(script)), "x.c")
    assert not executor.capture_tools(wanted=True)
    executor.close()


@needs_sandbox
def test_in_a_sandbox(compiler: Path, tmp_path: Path) -> None:
    script = written(tmp_path / "test.sh", "#!/bin/sh\nfrob x.c 2>&1 | grep -q two\n")
    command = TestCommand.executable(str(script))
    sandbox = Sandbox.around([str(script), str(compiler / "frob")])
    boxed = TestCommand(command.arguments, sandbox=sandbox)
    executor = CommandExecutor(boxed, "x.c")
    try:
        assert executor.capture_tools(wanted=True)
        said = outcome_of(executor.submit(b"text", capture=True))
    finally:
        executor.close()
    assert said.verdict is Verdict.INTERESTING
    assert b"no member named" in said.said


@pytest.mark.parametrize(
    ("body", "overheard"),
    [
        ("frob big.c 2>&1 | grep -q two", True),
        ("frob big.c 2>&1 | grep -q two && command -v frob | grep -q tests", False),
        ("frob big.c 2>&1 | grep two", False),
    ],
    ids=["a pipe", "one that notices", "one that speaks"],
)
def test_a_run_overhears_a_test_that_says_nothing(
    compiler: Path, tmp_path: Path, body: str, overheard: bool
) -> None:
    """And no other; the journal has what was heard."""
    compiler.joinpath("frob").write_text(COMPILER.replace("*fail*", "*never*"))
    text = b"int one;\nint two_is_here;\n" + b"".join(b"int v%d;\n" % n for n in range(9))
    (tmp_path / "big.c").write_bytes(text + b'const char *s = "%s";\n' % (b"x" * LARGE))
    written(tmp_path / "test.sh", f"#!/bin/bash\n{body}\n")
    command = [sys.executable, "-m", "marrow", "reduce", "big.c", "./test.sh", "--max-tests", "1"]
    subprocess.run([*command, "-o", "out.c", "-q", "--allow-empty"], cwd=tmp_path, check=False)
    facts = read_record(tmp_path / "out.c.marrow").facts
    assert ("the test is overheard" in facts) is overheard
    assert ("two_is_here" in facts["what the test says"]) is (overheard or "grep two" in body)
