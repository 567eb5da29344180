"""A directory with an input and a test, as the current directory; nothing may be left in /tmp."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import LOOKS_FOR_NEEDLE, PROGRAM, executable


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the user is: `input.c` and `test.sh`."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "input.c").write_text(PROGRAM)
    executable(work / "test.sh", f'{LOOKS_FOR_NEEDLE} "$1"')
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.chdir(work)
    yield work
    assert list(temporary.iterdir()) == []
