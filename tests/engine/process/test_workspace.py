"""Temporary directories: none is left, not even by a run that was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from marrow.engine.process.workspace import Workspace, WorkspaceError, remove
from tests.engine.scripts import alive, pid_in, soon

KILLED_RUN = """
import sys, time
from marrow.engine.process.command import TestCommand
from marrow.engine.executors.local import CommandExecutor
executor = CommandExecutor(TestCommand.shell(sys.argv[1]), "input", 2, adopt=True)
executor.submit(b"x"), executor.submit(b"y")
time.sleep(1000)
"""


def test_a_killed_run_is_cleaned_up_by_the_next(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    pids = [tmp_path / name for name in ("plain", "detached")]
    shell = (
        f"setsid sh -c 'echo $$ > {pids[1]}; exec sleep 1000' & echo $$ > {pids[0]}; "
        "chmod 500 .; sleep 1000"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", KILLED_RUN, shell], env={**os.environ, "TMPDIR": str(temporary)}
    )
    numbers = [pid_in(path) for path in pids]
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert len(list(temporary.iterdir())) == 1
    assert all(alive(number) for number in numbers)
    workspace = Workspace(temporary)
    assert soon(lambda: not any(alive(number) for number in numbers))
    assert list(temporary.iterdir()) == [workspace.path]
    workspace.close()
    assert list(temporary.iterdir()) == []


def test_a_living_run_is_left_alone(tmp_path: Path) -> None:
    first = Workspace(tmp_path)
    directory = first.directory()
    second = Workspace(tmp_path)
    assert Path(directory.path).is_dir()
    second.close()
    first.close()
    assert list(tmp_path.iterdir()) == []


def test_a_living_run_of_which_only_the_lock_can_be_seen(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    # As if its process were in another container: no such id here.
    hidden = workspace.path.rename(tmp_path / "marrow-999999999-1-abc")
    Workspace(tmp_path).close()
    assert hidden.is_dir()
    workspace.close()
    Workspace(tmp_path).close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["marrow-notes", "marrow-1-2", "other", "marrow-x-1-a"])
def test_what_is_not_ours_stays(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    Workspace(tmp_path).close()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_no_place(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="TMPDIR"):
        Workspace(tmp_path / "missing")


def test_removing_what_is_not_there(tmp_path: Path) -> None:
    assert remove(tmp_path / "missing")


def test_links_are_removed_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").touch()
    place = tmp_path / "place"
    (place / "deep").mkdir(parents=True)
    (place / "deep" / "link").symlink_to(outside)
    (place / "link").symlink_to(outside)
    assert remove(place)
    assert (outside / "file").exists()
