"""The program `clang_delta` of C-Reduce and C-Vise: where it is, and how it is asked."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from marrow.base.errors import UsageError
from marrow.engine.process.watchdog import helpers_spared

#: The name of the program; it is seldom on the path.
PROGRAM: Final = "clang_delta"

#: Where the packages of C-Vise and C-Reduce put it: Debian's and those that follow the defaults.
DIRECTORIES: Final = (
    "/usr/lib/cvise",
    "/usr/lib/creduce",
    "/usr/libexec/cvise",
    "/usr/libexec/creduce",
    "/usr/libexec",
    "/usr/local/libexec/cvise",
    "/usr/local/libexec/creduce",
    "/usr/local/libexec",
    "/opt/homebrew/libexec",
)

# How long it may take, in seconds. On a small text it takes a tenth of one.
_SECONDS: Final = 30.0

# Names are marrow's own matter, and `expression-detector` wants to be told a value.
_LEFT_OUT: Final = ("rename-", "expression-detector")

_COUNT: Final = re.compile(rb"instances: (\d+)")

#: What files are called, by language.
_SUFFIXES: Final = {"c": ".c", "cpp": ".cc"}


def found_program() -> ClangDelta:
    """Return the program; raise `UsageError` if it is not installed."""
    places = os.environ.get("PATH", "").split(os.pathsep)
    found = shutil.which(PROGRAM, path=os.pathsep.join((*places, *DIRECTORIES)))
    if found is None:
        raise UsageError(
            f"the pass clang-delta needs the program {PROGRAM}, which is not installed\n"
            "It comes with C-Vise and C-Reduce (Debian: apt-get install cvise). Install one of "
            "them, put the program on the path, or leave the pass out."
        )
    return ClangDelta(found)


@dataclass(frozen=True)
class ClangDelta:
    """The program at a path."""

    path: str

    @cached_property
    def transformations(self) -> tuple[str, ...]:
        """The names of the transformations, as the program lists them."""
        names = (self._said(["--transformations"]) or b"").decode("utf-8", "replace").split()
        return tuple(name for name in names if not name.startswith(_LEFT_OUT))

    def instances(self, transformation: str, text: bytes, language: str) -> int:
        """Return in how many places of a text a transformation can be made."""
        said = self._asked(text, language, f"--query-instances={transformation}")
        found = None if said is None else _COUNT.search(said)
        return 0 if found is None else int(found[1])

    def transformed(
        self, transformation: str, instance: int, text: bytes, language: str
    ) -> bytes | None:
        """Return a text with a transformation made in one of the places, from 1 on; or None."""
        wish = f"--transformation={transformation}", f"--counter={instance}"
        return self._asked(text, language, *wish)

    def _asked(self, text: bytes, language: str, *words: str) -> bytes | None:
        with tempfile.TemporaryDirectory(prefix="marrow-clang-delta-") as place:
            path = Path(place, f"input{_SUFFIXES[language]}")
            path.write_bytes(text)
            # Without a standard it knows nothing behind C++98.
            standard = ["--std=c++20"] if language == "cpp" else []
            return self._said([*standard, *words, str(path)])

    def _said(self, words: list[str]) -> bytes | None:
        """Return what the program prints; None if it fails, as it does on odd texts."""
        try:
            with helpers_spared():
                done = subprocess.run(
                    [self.path, *words],
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=_SECONDS,
                    check=False,
                )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout if done.returncode == 0 else None
