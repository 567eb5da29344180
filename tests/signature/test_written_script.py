"""The scripts that are written for signatures decide as marrow does, and need no marrow."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from marrow.diagnostics.observation import Observation
from marrow.signature.failing_command import ObservedCommands
from marrow.signature.inference import infer_disagreement, infer_signature
from marrow.signature.signature import Signature
from marrow.signature.written_script import MODULES, signature_script

#: A program of which the first line of the file says what to do: status, output, errors.
PROGRAM = (
    "sh",
    "-c",
    'read -r code out err <"$0"; echo "$out"; echo "$err" >&2; exit "$code"',
    "{}",
)


def verdict(script: str, candidate: str, work: Path) -> tuple[int, str]:
    """Run a script on a candidate, where there is no marrow; return its exit code and its words."""
    (work / "it's a file").write_text(candidate)
    (work / "test.py").write_text(script)
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "test.py", "it's a file"],
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stderr == ""
    return ended.returncode, ended.stdout


def test_a_failure(tmp_path: Path) -> None:
    text = b"int total;\n"
    runs = [Observation(3, b"fine\n", b"error: cannot push total\n")] * 3
    script = signature_script(
        ObservedCommands((PROGRAM,)), infer_signature(runs, text, "input").best
    )
    assert "/marrow" not in script
    assert verdict(script, "3 other error: cannot push count", tmp_path) == (0, "")
    code, said = verdict(script, "4 fine error: cannot push total", tmp_path)
    assert (code, said) == (1, "not interesting: it exits with 4, not with 3\n")
    assert verdict(script, "3 fine error: cannot pull total", tmp_path)[0] == 1


def test_signals_and_time(tmp_path: Path) -> None:
    killed = ObservedCommands((("sh", "-c", 'kill -"$(cat "$0")" $$', "{}"),))
    script = signature_script(killed, Signature(-11))
    assert verdict(script, "SEGV", tmp_path)[0] == 0
    assert verdict(script, "TERM", tmp_path)[1].startswith("not interesting: it is killed")
    sleeps = ObservedCommands((("sh", "-c", 'sleep "$(cat "$0")"', "{}"),))
    script = signature_script(sleeps, Signature(None), timeout=0.3)
    assert verdict(script, "20", tmp_path)[0] == 0
    assert verdict(script, "0", tmp_path)[0] == 1


def test_guards(tmp_path: Path) -> None:
    asked = ObservedCommands((PROGRAM,), ("grep -q fine {}", "! grep -q never {} # or so"))
    script = signature_script(asked, Signature(0))
    assert verdict(script, "0 fine x", tmp_path)[0] == 0
    assert verdict(script, "0 wrong x", tmp_path)[1].startswith("not interesting: guard: grep")
    assert verdict(script, "0 fine never", tmp_path)[0] == 1


def test_two_commands(tmp_path: Path) -> None:
    asked = ObservedCommands((("head", "-n1", "{}"), ("tail", "-n1", "{}")))
    kept = infer_disagreement([Observation(0, b"a\n")], [Observation(0, b"b\n")], b"a\nb\n", "x")
    script = signature_script(asked, kept)
    assert verdict(script, "a\nb\n", tmp_path)[0] == 0
    assert verdict(script, "a\na\n", tmp_path)[1] == "not interesting: the outputs are the same\n"


def test_a_directory(tmp_path: Path) -> None:
    asked = ObservedCommands((("cat", "a.txt", "b.txt"),), directory=True)
    script = signature_script(asked, Signature(ends=False, stdout=("^b",)))
    place = tmp_path / "some where"
    place.mkdir()
    (place / "a.txt").write_text("a\n")
    (place / "b.txt").write_text("b\n")
    (tmp_path / "test.py").write_text(script)
    command = [sys.executable, "-I", str(tmp_path / "test.py"), str(place)]
    assert subprocess.run(command, check=False).returncode == 0
    (place / "b.txt").write_text("c\n")
    assert subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode == 1


def test_all_that_judges_is_written() -> None:
    """A module that a judging module imports comes before it."""
    seen: set[str] = set()
    root = Path(sys.modules["marrow"].__file__ or "").parent
    for module in MODULES:
        text = (root / f"{module.replace('.', os.sep)}.py").read_text(encoding="utf-8")
        for name in re.findall(r"^from marrow\.([\w.]+) import", text, re.MULTILINE):
            assert name in ("signature", "diagnostics") or name in seen, f"{module} imports {name}"
        seen.add(module)


@pytest.mark.parametrize("text", ["a\n", "'''\\", "\x00\xff{{name}}"])
def test_any_text_can_be_kept(text: str, tmp_path: Path) -> None:
    script = signature_script(
        ObservedCommands((("false", text.replace("\x00", "")),)), Signature(1)
    )
    assert verdict(script, "x", tmp_path)[0] == 0
