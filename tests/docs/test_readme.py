"""The README is short, and its first example ends as it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.test_examples import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 150


def test_the_first_example(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    shutil.copytree(ROOT / "examples" / "yaml", tmp_path / "yaml")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (programs / "python3").chmod(0o755)
    command = re.search(r"(?m)^\$ marrow (reduce deploy\.yaml .*)$", README)
    shown = re.search(r"(?m)^(deploy\.reduced\.yaml: .*)$", README)
    assert command is not None
    assert shown is not None
    done = subprocess.run(
        [sys.executable, "-m", "marrow", *command[1].split()],
        cwd=tmp_path / "yaml",
        env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    printed = done.stdout + done.stderr
    assert shown[1] in printed
    assert (tmp_path / "yaml" / "deploy.reduced.yaml").read_text() in README
