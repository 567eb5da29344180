"""Running a command on the input to see what it does: how it ends, and both of its outputs."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Final

from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process.command import TestCommand
from marrow.engine.process.placement import Placement
from marrow.engine.process.sandbox import Sandbox
from marrow.engine.process.workspace import Workspace
from marrow.engine.search.dispatcher import TestFailureError
from marrow.engine.verdict import Verdict
from marrow.signature.observation import Observation, Words
from marrow.signature.script import Asked, observing_script

# How much of an output is looked at, at each end: errors stand first or last.
_READ: Final = 1 << 19


def observe(
    asked: Asked,
    words: Words,
    text: bytes,
    place: Placement,
    *,
    runs: int,
    timeout: float | None = None,
    memory: int | None = None,
    sandbox: Sandbox | None = None,
) -> list[Observation]:
    """Run a command on the input several times, one after the other.

    Raises `TestFailureError` if it cannot be run, `WorkspaceError` without space for that.
    """
    workspace = Workspace()
    try:
        seen = workspace.directory().path
        script = observing_script(asked, words, seen)
        command = TestCommand.shell(script, memory=memory)
        if sandbox is not None:
            inside = replace(sandbox, writable=(*sandbox.writable, seen))
            command = replace(command, sandbox=inside)
        executor = CommandExecutor(command, place, adopt=True)
        try:
            if timeout is not None:
                executor.allow(timeout)
            for _ in range(runs):
                outcome = outcome_of(executor.submit(text, capture=True))
                if outcome.verdict is Verdict.ERROR:
                    raise TestFailureError(outcome.message)
                if outcome.verdict is Verdict.TIMEOUT:
                    break  # one more would only take as long
        finally:
            executor.close()
        return [_observation(path) for path in sorted(Path(seen).iterdir())]
    finally:
        workspace.close()


def _observation(path: Path) -> Observation:
    """Read what one run left; without a status it did not end by itself."""
    status: int | None = None
    with contextlib.suppress(OSError, ValueError):
        status = int((path / "status").read_text())
    return Observation(status, _read(path / "stdout"), _read(path / "stderr"))


def _read(path: Path) -> bytes:
    with contextlib.suppress(OSError), path.open("rb") as file:
        start = file.read(_READ)
        length = file.seek(0, 2)
        file.seek(max(_READ, length - _READ))
        return start + file.read()
    return b""
