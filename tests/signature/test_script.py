"""The scripts that marrow writes, run by the shell."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from marrow.signature.differ import Disagreement
from marrow.signature.infer import Kept
from marrow.signature.script import Asked, written_test

#: A program of which the first line of the file says what to do: status, output, errors.
PROGRAM = (
    "sh",
    "-c",
    'read -r code out err <"$0"; echo "$out"; echo "$err" >&2; exit "$code"',
    "{}",
)


def verdict(script: str, candidate: str, work: Path) -> tuple[int, str]:
    """Run a script on a candidate; return its exit code and what it says."""
    (work / "it's a file").write_text(candidate)
    (work / "temporary").mkdir(exist_ok=True)
    ended = subprocess.run(
        ["/bin/sh", "-c", script, "test", "it's a file"],
        cwd=work,
        env={**os.environ, "TMPDIR": str(work / "temporary")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert list((work / "temporary").iterdir()) == []
    return ended.returncode, ended.stdout


@pytest.mark.parametrize(
    ("kept", "candidate", "said"),
    [
        (Kept(3, stderr=("b.d",)), "3 fine bad", ""),
        (Kept(3, stderr=("b.d",)), "4 fine bad", "exit status 4 instead of 3"),
        (Kept(3, stderr=("b.d",)), "3 fine good", "no line on standard error matches b.d"),
        (Kept(3, stderr=("b.d",)), "3 bad good", "no line on standard error matches b.d"),
        (Kept(stdout=("^fine$",)), "7 fine x", ""),
        (Kept(stdout=("^fine$",)), "7 finer x", "no line on standard output matches ^fine$"),
        (Kept(0, forbidden=("it's",)), "0 fine x", ""),
        (Kept(0, forbidden=("it's",)), "0 fine it's", "a line matches it's"),
        (Kept(0, forbidden=("it's",)), "0 it's x", "a line matches it's"),
    ],
)
def test_what_is_kept(kept: Kept, candidate: str, said: str, tmp_path: Path) -> None:
    script = written_test(Asked((PROGRAM,)), kept)
    code, out = verdict(script, candidate, tmp_path)
    assert (code, out) == (1, f"not interesting: {said}\n") if said else (0, "")
    assert script.startswith("#!/bin/sh\n# Exits with 0 if the file named by $1 still shows")


def test_signals(tmp_path: Path) -> None:
    killed = Asked((("sh", "-c", 'kill -"$(cat "$0")" $$', "{}"),))
    script = written_test(killed, Kept(139))
    assert verdict(script, "SEGV", tmp_path)[0] == 0
    assert verdict(script, "ABRT", tmp_path) == (
        1,
        "not interesting: exit status 134 instead of 139\n",
    )


def test_guards(tmp_path: Path) -> None:
    asked = Asked((PROGRAM,), ("grep -q fine {}", "! grep -q never {} # or so"))
    script = written_test(asked, Kept(0))
    assert verdict(script, "0 fine x", tmp_path)[0] == 0
    assert verdict(script, "0 wrong x", tmp_path)[1].startswith("not interesting: guard: grep")
    assert verdict(script, "0 fine never", tmp_path)[0] == 1


def test_standard_input(tmp_path: Path) -> None:
    script = written_test(Asked((("grep", "-c", "x"),)), Kept(0, stdout=("^2$",)))
    assert verdict(script, "x\ny\nx\n", tmp_path)[0] == 0
    assert verdict(script, "x\ny\n", tmp_path)[0] == 1


def test_two_commands(tmp_path: Path) -> None:
    asked = Asked((("head", "-n1", "{}"), ("tail", "-n1", "{}")))
    script = written_test(asked, Disagreement((Kept(0), Kept(0)), ("never",)))
    assert verdict(script, "a\nb\n", tmp_path)[0] == 0
    assert verdict(script, "a\na\n", tmp_path)[1] == "not interesting: the outputs are the same\n"
    assert verdict(script, "a\nnever\n", tmp_path)[0] == 1
    kept = Disagreement((Kept(0), Kept(1, stdout=("^0$",))))
    script = written_test(Asked((("true",), ("grep", "-c", "x"))), kept)
    assert verdict(script, "y\n", tmp_path)[0] == 0
    assert verdict(script, "x\n", tmp_path)[0] == 1
    script = written_test(Asked((("true",), ("grep", "-q", "x"))), kept)
    assert verdict(script, "y\n", tmp_path)[1].startswith(
        "not interesting: no line on standard out"
    )


def test_a_directory(tmp_path: Path) -> None:
    asked = Asked((("cat", "a.txt", "{}/b.txt"),), directory=True)
    script = written_test(asked, Kept(0, stdout=("b",)))
    place = tmp_path / "some where"
    place.mkdir()
    (place / "a.txt").write_text("a")
    (place / "b.txt").write_text("b")
    ended = subprocess.run(["/bin/sh", "-c", script, "test", place], check=False)
    assert ended.returncode == 0
