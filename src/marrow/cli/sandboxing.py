"""`--sandbox`: the sandbox for the tests of a command, or a message that there is none here."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from marrow.cli.exits import CliError, Exit
from marrow.engine.process.command import TestCommand
from marrow.engine.process.sandbox import Sandbox, SandboxError, check_sandbox

# A path in a command for the shell that leads into a place that a sandbox hides.
_HIDDEN_PATH: Final = re.compile(r"/(?:tmp|run)/[^\s'\"`$;|&<>(){}]+")


def sandbox_if(wanted: bool, commands: Iterable[str | None]) -> Sandbox | None:
    """Return the sandbox, if one is wanted; raise `CliError` where the system offers none.

    Files that the commands name can be read in it.
    """
    if not wanted:
        return None
    try:
        check_sandbox()
    except SandboxError as error:
        raise CliError(Exit.SANDBOX, str(error)) from error
    return Sandbox.around(_needed(commands))


def in_sandbox(command: TestCommand, sandbox: Sandbox | None) -> TestCommand:
    """Return a test as it is run in the sandbox, if there is one."""
    return command if sandbox is None else replace(command, sandbox=sandbox)


def _needed(commands: Iterable[str | None]) -> Iterator[Path]:
    """Yield what tests need that may lie in a place that a sandbox hides."""
    yield Path.cwd()
    for command in filter(None, commands):
        yield from map(Path, _HIDDEN_PATH.findall(command))
    for name in filter(None, os.environ.get("PATH", "").split(os.pathsep)):
        # A program needs what is installed with it: /tmp/venv/lib for /tmp/venv/bin.
        yield Path(name)
        yield Path(name).parent
