"""A directory with an input and a test, as the current directory; nothing may be left in /tmp."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.run import first_runs, formatters
from tests.cli.running import LOOKS_FOR_NEEDLE, PROGRAM, executable


@pytest.fixture(autouse=True)
def three_first_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many first runs are cheap depends on the machine: tests count them, and have three."""
    monkeypatch.setattr(first_runs, "MOST_FIRST_RUNS", first_runs.FIRST_RUNS)


@pytest.fixture(autouse=True)
def no_formatters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which formatters are installed depends on the machine: tests have none."""
    monkeypatch.setattr(formatters, "FORMATTERS", {})


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
