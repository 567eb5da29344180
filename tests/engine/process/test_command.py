"""Finding tests, their command lines and their fingerprints."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from marrow.engine.process.child import TestProcess as Process
from marrow.engine.process.command import TestCommand as Command
from marrow.engine.process.command import TestCommandError as CommandError
from tests.engine.scripts import script


def test_found_on_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = script(tmp_path, "exit 0")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.chdir("/")
    assert Command.executable("test.sh").arguments == (str(path),)
    monkeypatch.chdir(tmp_path)
    assert Command.executable("test.sh").arguments == (str(path),)
    assert Command.executable("./test.sh").arguments == (str(path),)


def test_what_is_no_test(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="the test nowhere does not exist"):
        Command.executable("nowhere")
    with pytest.raises(CommandError, match="is a directory"):
        Command.executable(str(tmp_path))
    plain = tmp_path / "it's plain"
    plain.write_text("#!/bin/sh\nexit 0\n")
    with pytest.raises(CommandError, match="not executable") as caught:
        Command.executable(str(plain))
    assert f"""chmod +x '{tmp_path}/it'"'"'s plain'""" in str(caught.value)
    with pytest.raises(CommandError, match="empty"):
        Command.shell("  ")


def test_the_fingerprint_is_of_the_content(tmp_path: Path) -> None:
    path = script(tmp_path, "exit 0")
    test = Command.executable(str(path))
    before = test.fingerprint()
    path.touch()
    assert test.fingerprint() == before
    script(tmp_path, "exit 1")
    assert test.fingerprint() != before
    assert Command.shell("a").fingerprint() != Command.shell("b").fingerprint()


@pytest.mark.parametrize("name", ["plain.c", "-dash.c", "it's a file.c"])
@pytest.mark.parametrize("memory", [None, 1 << 32])
def test_by_hand_works_in_a_shell(tmp_path: Path, name: str, memory: int | None) -> None:
    (tmp_path / name).write_bytes(b"content")
    test = Command.executable(str(script(tmp_path, 'cat "$1"; cat')), memory=memory)
    shown = subprocess.run(
        ["/bin/sh", "-c", test.by_hand(name)], cwd=tmp_path, capture_output=True, check=True
    )
    assert shown.stdout == b"contentcontent"


def test_a_program_that_is_still_open_for_writing_is_waited_for(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexit 7\n")
    program.chmod(0o755)
    writing = program.open("a")
    with pytest.raises(OSError, match="busy"):
        subprocess.run([program], check=False)
    threading.Timer(0.1, writing.close).start()
    process = Process(
        [str(program)], str(tmp_path), {}, subprocess.DEVNULL, subprocess.DEVNULL, mark="m"
    )
    assert process.wait() == 7


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o777)
    with pytest.raises(CommandError, match="not a regular file"):
        Command.executable(str(tmp_path / "pipe"))
