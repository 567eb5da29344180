"""Tests that make files immutable (`chattr +i`): the run goes on, and says what is left."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from marrow.cli.exits import Exit
from tests.cli.running import ALGORITHM, PROGRAM, executable, marrow


def supported(place: Path) -> bool:
    """Tell whether files can be made immutable: by root, with chattr, on some file systems."""
    if os.geteuid() or shutil.which("chattr") is None:
        return False
    (place / "try").touch()
    done = subprocess.run(["chattr", "+i", place / "try"], capture_output=True, check=False)
    subprocess.run(["chattr", "-i", place / "try"], capture_output=True, check=False)
    return done.returncode == 0


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
@pytest.mark.parametrize("what", ['"$1"', '"$TMPDIR"/x'])
def test_an_immutable_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: str, what: str
) -> None:
    if not supported(tmp_path):
        pytest.skip("needs root, chattr and a file system with immutable files")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "input.c").write_text(PROGRAM)
    body = f'[ -e {what} ] || touch {what}; chattr +i {what}; grep -q needle "$1"'
    executable(tmp_path / "test.sh", body)
    try:
        ended = marrow("reduce", "input.c", "test.sh", jobs, *ALGORITHM)
        assert ended.code == Exit.DONE, ended.err
        (left,) = temporary.iterdir()
        assert f"{left} could not be removed" in ended.err
        assert "chattr -R -i" in ended.err
        assert (tmp_path / "input.reduced.c").read_text() == "int needle() {\n}\n"
    finally:
        subprocess.run(["chattr", "-R", "-i", temporary], check=False)
