"""Temporary directories: none is left, not even by a run that was killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from marrow.engine.process.workspace import (
    MARKER_FILE,
    Workspace,
    WorkspaceError,
    open_null_device,
    remove,
)
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
    marker = workspace.path / MARKER_FILE
    marker.write_text(json.dumps({**json.loads(marker.read_text()), "pid": 999999999}))
    Workspace(tmp_path).close()
    assert workspace.path.is_dir()
    workspace._top.close()
    Workspace(tmp_path).close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name",
    [
        *("marrow-notes", "marrow-1-2", "other", "marrow-x-1-a"),
        *("marrow-2026-11-15", "marrow-2024-11-notes", "marrow-99999999-1-abc"),
    ],
)
def test_what_is_not_ours_stays(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "thesis.tex").touch()
    Workspace(tmp_path).close()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name / "thesis.tex").exists()


def left_behind(parent: Path, *before: str) -> Path:
    """Have a process leave its directory, started by the words `before`."""
    program = (
        "import os, sys; from pathlib import Path; "
        "from marrow.engine.process.workspace import Workspace; "
        "print(Workspace(Path(sys.argv[1])).path, flush=True); os._exit(0)"
    )
    words = [*before, sys.executable, "-c", program, str(parent)]
    return Path(subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout.strip())


def test_a_dead_run_is_cleared_away(tmp_path: Path) -> None:
    left = left_behind(tmp_path)
    assert left.is_dir()
    Workspace(tmp_path).close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("change", ["no marker", "another name", "a link", "nonsense", "a host"])
def test_only_what_carries_a_good_marker_is_cleared_away(tmp_path: Path, change: str) -> None:
    left = left_behind(tmp_path)
    marker = left / MARKER_FILE
    match change:
        case "no marker":
            marker.unlink()
        case "another name":
            left = left.rename(tmp_path / "marrow-2026-11-15")
        case "a link":
            marker.rename(tmp_path / "elsewhere")
            marker.symlink_to(tmp_path / "elsewhere")
        case "nonsense":
            marker.write_text("[" * 5000)
        case "a host":
            content = json.loads(marker.read_text())
            marker.write_text(json.dumps({**content, "host": "another"}))
    Workspace(tmp_path).close()
    assert left.is_dir()


def test_what_another_machine_has_left_or_uses_stays(tmp_path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a namespace another host name")
    another = ("unshare", "--uts", "sh", "-c", 'hostname another-host; exec "$@"', "sh")
    left = left_behind(tmp_path, *another)
    Workspace(tmp_path).close()
    assert left.is_dir()
    # The other machine itself clears it away.
    left_behind(tmp_path, *another)
    assert not left.exists()


def test_what_is_hidden_in_another_container_stays_while_it_lives(tmp_path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can make such a namespace")
    program = (
        "import sys, time; from pathlib import Path; "
        "from marrow.engine.process.workspace import Workspace; "
        "print(Workspace(Path(sys.argv[1])).path, flush=True); time.sleep(1000)"
    )
    container = subprocess.Popen(
        [
            *("unshare", "--pid", "--fork", "--kill-child", "--mount-proc"),
            *(sys.executable, "-c", program, str(tmp_path)),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert container.stdout is not None
    with container.stdout:
        path = Path(container.stdout.readline().strip())
    Workspace(tmp_path).close()
    assert path.is_dir()
    container.kill()
    container.wait()
    assert soon(lambda: cleared(path))


def cleared(path: Path) -> bool:
    Workspace(path.parent).close()
    return not path.exists()


def test_a_directory_that_was_cleared_halfway_is_known_again(tmp_path: Path) -> None:
    left = left_behind(tmp_path)
    (left / "t0").mkdir()
    (left / "t0" / "file").touch()
    removed: list[str] = []
    unlink = os.unlink

    def noted(path: str, *, dir_fd: int | None = None) -> None:
        removed.append(path)
        unlink(path, dir_fd=dir_fd)

    with mock.patch("os.unlink", noted):
        remove(left)
    assert removed == ["file", MARKER_FILE]


def test_no_place(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="TMPDIR"):
        Workspace(tmp_path / "missing")


@pytest.mark.parametrize("kind", ["missing", "a file", "a directory"])
def test_a_broken_null_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    path = tmp_path / "null"
    if kind == "a file":
        path.touch()
    elif kind == "a directory":
        path.mkdir()
    monkeypatch.setattr(os, "devnull", str(path))
    with pytest.raises(WorkspaceError, match="mknod"):
        open_null_device()
    monkeypatch.undo()
    os.close(open_null_device())


def test_a_replaced_directory_of_the_run_is_not_used(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "t0").mkdir()
    workspace = Workspace(tmp_path)
    workspace.path.rename(tmp_path / "moved")
    workspace.path.symlink_to(mine)
    with pytest.raises(WorkspaceError, match="replaced"):
        workspace.directory()
    workspace.path.unlink()
    directory = workspace.directory()
    assert Path(directory.path).is_dir()
    workspace.discard(directory, "")
    workspace.close()
    assert [one.name for one in tmp_path.iterdir()] == ["mine"]
    assert (mine / "t0").is_dir()


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
