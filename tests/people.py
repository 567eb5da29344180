"""Running programs as root and as an ordinary user, where the tests may become somebody else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOM = Path(__file__).parent.parent

#: The user without rights that every system has.
_NOBODY = 65534


@dataclass(frozen=True)
class Person:
    """Somebody to run programs as."""

    uid: int

    @property
    def python(self) -> str:
        """An interpreter that this person may run, with marrow's dependencies or without."""
        return sys.executable if self.uid == os.getuid() else _python_for_all()

    def environment(self, **variables: str) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{ROOM / 'src'}:{ROOM}",
            "PYTHONDONTWRITEBYTECODE": "1",
            **variables,
        }

    def started(self, words: Sequence[str], **options: Any) -> subprocess.Popen[str]:
        if self.uid != os.getuid():
            options |= {"user": self.uid, "group": self.uid, "extra_groups": []}
        return subprocess.Popen(words, text=True, **options)

    def own(self, path: Path) -> Path:
        """Give a file or directory to this person."""
        if self.uid != os.getuid():
            os.chown(path, self.uid, self.uid)
        return path

    @contextmanager
    def place(self) -> Iterator[Path]:
        """Make a directory of this person's, neither in /tmp nor in a home directory."""
        path = Path(tempfile.mkdtemp(prefix="marrow-tests-", dir="/var/tmp"))
        path.chmod(0o755)
        try:
            yield self.own(path)
        finally:
            shutil.rmtree(path, ignore_errors=True)


YOURSELF = Person(os.getuid())
ORDINARY = YOURSELF if os.getuid() else Person(_NOBODY)

#: For tests that hold for both: you, and somebody without rights where you are root.
PEOPLE = {"root" if os.getuid() == 0 else "yourself": YOURSELF} | (
    {"nobody": ORDINARY} if os.getuid() == 0 else {}
)


@cache
def _python_for_all() -> str:
    """Return an interpreter that nobody may run, which can see this checkout."""
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        try:
            tried = subprocess.run(
                [python, "-c", "import sys, marrow, tests; sys.exit(sys.version_info < (3, 11))"],
                env={"PYTHONPATH": f"{ROOM / 'src'}:{ROOM}", "PYTHONDONTWRITEBYTECODE": "1"},
                cwd="/",
                user=_NOBODY,
                group=_NOBODY,
                extra_groups=[],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
        except OSError:
            continue
        if tried.returncode == 0:
            return python
    pytest.skip("no Python that nobody may run and that sees this checkout")
