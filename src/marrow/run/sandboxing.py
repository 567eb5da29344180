"""`--sandbox`: the sandbox for the test of a plan."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from marrow.engine.process.sandbox import Sandbox, check_sandbox

# A path in a command for the shell that leads into a place that a sandbox hides.
_HIDDEN_PATH: Final = re.compile(r"/(?:tmp|run)/[^\s'\"`$;|&<>(){}]+")


def sandbox_for(words: Iterable[str]) -> Sandbox:
    """Return a sandbox in which the files that a test names can be read.

    Raises `SandboxError` where the system offers none.
    """
    check_sandbox()
    return Sandbox.around(_needed(words))


def _needed(words: Iterable[str]) -> Iterator[Path]:
    """Yield what tests need that may lie in a place that a sandbox hides."""
    yield Path.cwd()
    for word in words:
        yield from map(Path, _HIDDEN_PATH.findall(word))
    for name in filter(None, os.environ.get("PATH", "").split(os.pathsep)):
        # A program needs what is installed with it: /tmp/venv/lib for /tmp/venv/bin.
        yield Path(name)
        yield Path(name).parent
