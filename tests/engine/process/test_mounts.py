"""Tests that leave something mounted: it is unmounted, or named."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from marrow.base.open_directory import mounts_below
from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process import workspace
from marrow.engine.process.command import TestCommand as Command
from marrow.engine.verdict import Verdict


@pytest.fixture(autouse=True)
def may_mount(tmp_path: Path) -> None:
    place = tmp_path / "try"
    place.mkdir()
    if os.geteuid():
        pytest.skip("only root mounts")
    words = ["mount", "-t", "tmpfs", "x", str(place)]
    if subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not allowed here")
    subprocess.run(["umount", str(place)], check=True)


def run(mine: Path, where: str) -> CommandExecutor:
    body = f'mkdir -p "{where}" && mount --bind {mine} "{where}"'
    executor = CommandExecutor(Command.shell(body), "input", adopt=True)
    assert outcome_of(executor.submit(b"x")).verdict is Verdict.INTERESTING
    executor.close()
    return executor


@pytest.mark.parametrize("where", ["$PWD/m", "$PWD/a/b/m", "$TMPDIR/m", "$PWD"])
def test_it_is_unmounted(tmp_path: Path, where: str) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "keys").write_text("secret\n")
    executor = run(mine, where)
    assert (mine / "keys").read_text() == "secret\n"
    assert not executor.left_behind
    assert not executor._runner._workspace.path.exists()


def test_what_cannot_be_unmounted_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "keys").write_text("secret\n")
    monkeypatch.setattr(workspace, "_unmounted", lambda _: False)
    executor = run(mine, "$PWD/m")
    assert "a test has left a mount at" in executor.left_behind
    assert "umount" in executor.left_behind
    assert (mine / "keys").read_text() == "secret\n"
    monkeypatch.undo()
    path = executor._runner._workspace.path
    for mount in mounts_below(path):
        assert workspace._unmounted(mount)
    assert workspace.remove(path)
