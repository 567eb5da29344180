"""A benchmark case: a failing input, how it is made, and the test that sees the failure.

The repository holds the recipe, not the input: a program from csmith and a seed, a file of a
Debian package, of the Python library or of a package at an exact version. `prepare` makes the input
and the test below `bench/.cache/`, where they stay until the recipe changes.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

#: Where inputs, tests and the tools of tests are made.
CACHE: Final = Path(__file__).resolve().parent.parent / ".cache"
#: Resolved, so that the tests are the same texts in all checkouts that share a cache by a link.
TOOLS: Final = CACHE.resolve() / "tools"

# The Python of tests is 3.11. The one that runs here starts faster than one found by its name,
# which may be a script of a version manager.
_PYTHON: Final = sys.executable if sys.version_info[:2] == (3, 11) else "python3.11"


class Source(Protocol):
    """How an input is made: the same bytes every time."""

    def make(self) -> bytes:
        """Return the input; raise `CannotMakeError` if this machine lacks something."""


class Tool(Protocol):
    """A program that a test runs and that is set up below `TOOLS`, not on the machine."""

    def install(self) -> None:
        """Set the tool up unless it is there; raise `CannotMakeError` if that fails."""


class CannotMakeError(Exception):
    """An input or a tool cannot be made here; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Case:
    """A failing input and its test.

    `script` is the body of a bash script that runs in a directory with the input under the name
    `file`, and exits with 0 if the failure shows; `$TOOLS` is the directory of tools, `$PYTHON` a
    Python 3.11. `needs` are the programs (names on the PATH, or paths) that it takes. `tokens` and
    `size` (bytes) are those of the input when the case was found, so that another version of a
    package does not go unseen. What is `held_out` is not looked at while marrow is changed.
    """

    name: str
    file: str
    language: str
    about: str
    source: Source
    script: str
    tokens: int
    size: int
    needs: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()
    held_out: bool = False

    def missing(self) -> tuple[str, ...]:
        """Return what the machine lacks for this case."""
        return tuple(
            one for one in self.needs if shutil.which(one) is None and not Path(one).exists()
        )


@dataclass(frozen=True, slots=True)
class Prepared:
    """A case whose input and test are on disk."""

    case: Case
    input: Path
    test: Path

    @property
    def changed(self) -> bool:
        """Whether the input is not the one with which the case was found."""
        return self.input.stat().st_size != self.case.size


def prepare(case: Case, cache: Path = CACHE) -> Prepared:
    """Make a case's input and test; raise `CannotMakeError` if this machine lacks something."""
    missing = case.missing()
    if missing:
        raise CannotMakeError(f"{case.name} needs {', '.join(missing)}")
    for tool in case.tools:
        tool.install()
    directory = cache / "cases" / case.name
    directory.mkdir(parents=True, exist_ok=True)
    made = Prepared(case, directory / case.file, directory / "test.sh")
    recipe = directory / "recipe"
    if not made.input.exists() or not recipe.exists() or recipe.read_text() != repr(case.source):
        made.input.write_bytes(case.source.make())
        recipe.write_text(repr(case.source))
    _write_test(made.test, f"#!/bin/bash\nTOOLS={TOOLS}\nPYTHON={_PYTHON}\n{case.script.strip()}\n")
    return made


def _write_test(test: Path, text: str) -> None:
    """Write a test unless it is there: another run may be reading it, a piece at a time."""
    if test.exists() and test.read_text() == text:
        return
    fresh = test.with_name(f"{test.name}.{os.getpid()}")
    fresh.write_text(text)
    fresh.chmod(0o755)
    fresh.replace(test)
