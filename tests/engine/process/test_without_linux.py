"""Without what only Linux has: no /proc, no subreaper, no renameat2, no bubblewrap, no affinity."""

from __future__ import annotations

import builtins
import ctypes
import errno
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from marrow.cli.exits import Exit
from tests.cli.running import executable, marrow


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that is not Linux, as far as Python tells."""

    def without_proc(function: Any) -> Any:
        def called(path: Any, *rest: Any, **named: Any) -> Any:
            if str(path).startswith(("/proc", "/sys")):
                raise FileNotFoundError(errno.ENOENT, "No such file or directory", str(path))
            return function(path, *rest, **named)

        return called

    for name in ("open", "listdir", "readlink"):
        monkeypatch.setattr(os, name, without_proc(getattr(os, name)))
    monkeypatch.setattr(builtins, "open", without_proc(open))
    monkeypatch.setattr(Path, "read_text", without_proc(Path.read_text))
    monkeypatch.setattr(
        Path, "exists", lambda path: os.path.exists(path) and (not str(path).startswith("/proc"))
    )
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.delattr(os, "waitid")
    found = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name, *rest: None if name == "bwrap" else found(name, *rest)
    )

    def no_library(*_: object, **__: object) -> None:
        raise OSError("no library of this system's")

    monkeypatch.setattr(ctypes, "CDLL", no_library)
    monkeypatch.setattr(sys, "platform", "darwin")


@pytest.mark.usefixtures("elsewhere")
def test_a_set_of_files_is_reduced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.json").write_text('{"a": [1, 2], "pin": true}')
    (tmp_path / "d" / "b.json").write_text("[1]")
    # It leaves a process behind, in its own group.
    executable(tmp_path / "test.sh", "sleep 60 & grep -q pin a.json")
    ended = marrow("reduce", "d", "test.sh", "--passes", "none")
    assert ended.code == 0, ended.err
    assert [path.name for path in (tmp_path / "d.reduced").iterdir()] == ["a.json"]
    assert "pin" in (tmp_path / "d.reduced" / "a.json").read_text()
    ended = marrow("reduce", "d/a.json", "test.sh", "--sandbox")
    assert ended.code == Exit.SANDBOX
    assert "Traceback" not in ended.err
