"""Every test of the engine has a temporary directory of its own, which must be empty in the end."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where runs put their directories. Nothing may be left there, and no thread."""
    path = tmp_path / "temporary"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    yield path
    assert list(path.iterdir()) == []
    assert [one.name for one in threading.enumerate() if one.name.startswith("marrow-")] == []
