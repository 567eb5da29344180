"""What a shell completes: commands, options and their values."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete

from marrow.cli.command_table import COMMANDS
from marrow.cli.command_table import marrow as commands
from tests.cli.running import marrow


def completed(
    line: str, monkeypatch: pytest.MonkeyPatch, command: click.Command = commands
) -> list[str]:
    """Return what bash gets for a command line whose last word is incomplete."""
    monkeypatch.setenv("COMP_WORDS", f"marrow {line}")
    monkeypatch.setenv("COMP_CWORD", str(len(line.split(" "))))
    return BashComplete(command, {}, "marrow", "_MARROW_COMPLETE").complete().splitlines()


class TestValues:
    @pytest.mark.parametrize(
        ("word", "found"),
        [
            ("na", ["names"]),
            ("names,le", ["names,less"]),
        ],
    )
    def test_lists_of_passes(
        self, word: str, found: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lines = completed(f"reduce a.c --passes {word}", monkeypatch)
        assert lines == [f"plain,{one}" for one in found]


class TestCommands:
    def test_names(self, monkeypatch: pytest.MonkeyPatch) -> None:
        found = completed("", monkeypatch, commands)
        assert found == [f"plain,{name}" for name in COMMANDS]

    def test_options(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert completed("tree --gr", monkeypatch, commands) == ["plain,--grammar"]

    @pytest.mark.parametrize(
        ("line", "found"),
        [
            ("reduce crash", ["file,crash"]),
            ("reduce crash.c ./te", ["file,./te"]),
            ("reduce crash.c --language jav", ["plain,java", "plain,javascript"]),
            ("reduce crash.c --algorithm per", ["plain,perses*"]),
            ("reduce crash.c --passes names,le", ["plain,names,less"]),
            ("reduce crash.c --grammar jso", ["file,jso", "plain,json"]),
            ("reduce crash.c --effort q", ["plain,quick"]),
            ("reduce crash.c --output x", ["file,x"]),
            ("abstract crash.lua ./te", ["file,./te"]),
        ],
    )
    def test_of_runs(self, line: str, found: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        assert completed(line, monkeypatch, commands) == found

    def test_values(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert completed("tree -l pyth", monkeypatch, commands) == ["plain,python"]
        assert completed("help alg", monkeypatch, commands) == ["plain,algorithms"]
        assert "plain,smtlib" in completed("grammar smt", monkeypatch, commands)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_each_shell_gets_a_script() -> None:
    for shell in ("bash", "zsh", "fish"):
        ended = marrow("completion", shell)
        assert ended.code == 0, ended.err
        assert "_MARROW_COMPLETE" in ended.out
    script = marrow("completion", "bash").out
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0


def test_fish_takes_values_with_commas() -> None:
    script = marrow("completion", "fish").out
    assert 'string split -m 1 ","' in script
    assert 'string split ","' not in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_real_bash_completes(work: Path) -> None:
    """Run the function that bash calls when a person presses the tabulator."""
    (work / "marrow").write_text(f"#!{sys.executable}\nfrom marrow.cli.main import run\nrun()\n")
    (work / "marrow").chmod(0o755)
    script = """
    PATH=$PWD:$PATH
    eval "$(marrow completion bash)"
    compopt() { :; }  # there is no line to edit
    COMP_WORDS=(marrow tree --language jav) COMP_CWORD=3
    _marrow_completion marrow
    printf '%s\\n' "${COMPREPLY[@]}"
    """
    ended = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["java", "javascript"]
