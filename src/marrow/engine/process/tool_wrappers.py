"""Tool wrappers: capture what the programs of a test print, where its script keeps it to itself.

Many scripts send the messages of a compiler through a pipe (`g++ x.cc 2>&1 | grep -q ...`) or into
a variable. With wrappers, the PATH of a test begins with a directory of small scripts, one for each
program that the test names. Each starts the real program and keeps a copy of what that prints. Exit
codes, signals and what the test reads are as before. Programs that are called by an absolute path
are not wrapped.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from marrow.base.bounded_file import read_bounded
from marrow.base.open_directory import OpenDirectory
from marrow.engine.process.command import TestCommand

#: The variable that names the directory of the copies.
OUTPUTS_VARIABLE: Final = "MARROW_HEARD"

_TABLE: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_QUIET: Final = frozenset(_TABLE["quiet"])
_WRAPPER: Final[str] = _TABLE["wrapper"]

_WORD: Final = re.compile(r"[\w.+-]+")
_PATH: Final = re.compile(r"(?<![\w.+/-])[\w.+/-]*/[\w.+-]+")

# How many programs are wrapped, how long a script is that is read for their names, and how many
# scripts: one may call another.
_MOST_PROGRAMS: Final = 32
_MOST_BYTES: Final = 1 << 16
_LARGEST_SCRIPT: Final = 1 << 24
_MOST_SCRIPTS: Final = 8

# How much of what tools printed is read.
_MOST_CAPTURED: Final = 1 << 16

# Where the wrappers and the outputs are, below a test's directory for temporary files.
_WRAPPERS: Final = ".marrow-tools/programs"
_OUTPUTS: Final = ".marrow-tools/outputs"


class ToolWrappers:
    """Wraps the programs of a test."""

    def __init__(self, command: TestCommand, environment: Mapping[bytes, bytes]) -> None:
        self._path: Final = os.fsdecode(environment.get(b"PATH", os.defpath.encode()))
        #: The programs that the test names, and where they are.
        self.programs: Final = dict(_programs(command, self._path))

    def install(self, temporary: OpenDirectory, path: str) -> dict[bytes, bytes]:
        """Wrap the tools of a test in its directory `temporary`, at `path`; return variables."""
        said = os.path.join(path, _OUTPUTS)
        with (
            temporary.enter(_WRAPPERS, make=True) as wrappers,
            temporary.enter(_OUTPUTS, make=True),
        ):
            for name, program in self.programs.items():
                text = _WRAPPER.format(said=shlex.quote(said), program=shlex.quote(program))
                wrappers.write(name, os.fsencode(text), 0o700)
        search_path = os.pathsep.join((os.path.join(path, _WRAPPERS), self._path))
        return {b"PATH": os.fsencode(search_path), OUTPUTS_VARIABLE.encode(): os.fsencode(said)}

    def captured(self, temporary: OpenDirectory) -> bytes:
        """Return what the tools of a test printed, the first to end first."""
        texts: list[tuple[int, bytes]] = []
        with contextlib.suppress(OSError), temporary.enter(_OUTPUTS) as outputs:
            for name in outputs.names():
                with contextlib.suppress(OSError):
                    when = outputs.status(name).st_mtime_ns
                    texts.append((when, outputs.read(name, _MOST_CAPTURED)))
        return b"\n".join(text for _, text in sorted(texts))[:_MOST_CAPTURED]


def _programs(command: TestCommand, path: str) -> Iterator[tuple[str, str]]:
    """Yield the programs that a test names, and where they are."""
    words = (word for text in _texts(command) for word in _WORD.findall(text))
    found = 0
    for word in dict.fromkeys(words):
        if word in _QUIET or word.startswith("-") or found == _MOST_PROGRAMS:
            continue
        program = shutil.which(word, path=path)
        if program is not None:
            found += 1
            yield word, program


def _texts(command: TestCommand) -> Iterable[str]:
    """Return the texts of a test: its command line, its script, and the scripts that these name."""
    texts = [" ".join(command.arguments)]
    seen: set[str] = set()
    for text in texts:
        for word in _PATH.findall(text):
            beside = os.path.join(os.path.dirname(str(command.script or "")), word)
            if beside in seen or len(texts) > _MOST_SCRIPTS:
                continue
            seen.add(beside)
            with contextlib.suppress(OSError):
                read = read_bounded(beside, _LARGEST_SCRIPT)[:_MOST_BYTES]
                if read.startswith(b"#!") or (read and beside == str(command.script)):
                    texts.append(read.decode("utf-8", "replace"))
    return texts
