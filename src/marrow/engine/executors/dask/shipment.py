"""Shipping a test to other machines, once, with its files; candidates follow, packed.

A test is a function or a command. With a command go the content of its script and the files beside
it. On the worker the test is installed, and runs on one candidate after the other as it would here.
"""

from __future__ import annotations

import contextlib
import os
import stat
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from distributed import Worker, WorkerPlugin, get_worker

from marrow.base.errors import error_text
from marrow.engine import delta
from marrow.engine.executors.function import TestFunction, run_function
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process.command import TestCommand, TestCommandError
from marrow.engine.process.placement import Placement, read_entries, read_entry, write_entries
from marrow.engine.process.workspace import Workspace, WorkspaceError
from marrow.engine.verdict import Outcome, Verdict
from marrow.syntax.bundle import BundleEntry

_CHANGES: Final = b"d"
_WHOLE: Final = b"z"

# Below this length a candidate is sent whole: it fits into one packet of a network, and computing
# the delta would take longer than it saves.
_SHORT: Final = 1024


def packed_for(base: bytes, candidate: bytes) -> bytes:
    """Return a candidate, packed for those who have the base."""
    whole = _WHOLE + zlib.compress(candidate, 1)
    if len(whole) <= _SHORT:
        return whole
    changes = _CHANGES + delta.pack(delta.delta(base, candidate))
    return min(whole, changes, key=len)


def unpacked(base: bytes, packed: bytes) -> bytes:
    """Return a packed candidate."""
    kind, content = packed[:1], packed[1:]
    if kind == _WHOLE:
        return zlib.decompress(content)
    return delta.apply(delta.unpack(content), base)


# How often a running test looks whether its outcome is still wanted: so long it may run in vain.
_LOOK_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True)
class ShippedCommand:
    """A command with its files and the placement of its candidates."""

    command: TestCommand
    place: Placement
    files: tuple[BundleEntry, ...] = field(default=(), repr=False)

    @classmethod
    def of(
        cls, command: TestCommand, place: Placement, beside: tuple[Path, ...] = ()
    ) -> ShippedCommand:
        """Read the script of a command and the files beside it; raise `TestCommandError`."""
        files: list[BundleEntry] = []
        if beside and command.script is None:
            raise TestCommandError(error_text("ship_without_script"))
        try:
            if command.script is not None:
                content = command.script.read_bytes()
                files.append(BundleEntry(command.script.name, content, stat.S_IFREG | 0o755))
            for path in beside:
                files += _entries(path)
        except OSError as error:
            raise TestCommandError(error_text("unreadable_to_ship", error=error)) from error
        if len({entry.name for entry in files}) < len(files):
            raise TestCommandError(error_text("same_name_to_ship"))
        return cls(command, place, tuple(files))


def _entries(path: Path) -> list[BundleEntry]:
    """Return a file, or a directory with its content, under its own name."""
    name = Path(os.path.abspath(path)).name
    if path.is_dir():
        return [replace(one, name=f"{name}/{one.name}") for one in read_entries(path)]
    entry = read_entry(Path(os.path.realpath(path)), name)
    return [] if entry is None else [entry]


class _Installed:
    """A test on a worker."""

    def __init__(self, base: bytes, test: TestFunction | ShippedCommand, workers: int) -> None:
        """Raise `WorkspaceError` if it cannot be written."""
        self._base: Final = base
        self._test: Final = test
        self._closing: Final = contextlib.ExitStack()
        if not isinstance(test, ShippedCommand):
            return
        with contextlib.ExitStack() as closing:
            files = closing.enter_context(contextlib.closing(Workspace()))
            try:
                write_entries(files.path, test.files)
            except OSError as error:
                raise WorkspaceError(error_text("worker_without_room", error=error)) from error
            command = test.command
            if command.script is not None:
                command = command.moved(str(files.path / command.script.name))
            self._executor: Final = CommandExecutor(command, test.place, workers)
            closing.callback(self._executor.close)
            self._closing.push(closing.pop_all())

    def run(
        self, packed: bytes, seconds: float, *, capture: bool, wanted: Callable[[], bool]
    ) -> Outcome:
        """Run the test; kill a command when its outcome is no longer wanted."""
        candidate = unpacked(self._base, packed)
        if not isinstance(self._test, ShippedCommand):
            if not wanted():
                return Outcome(Verdict.ERROR, message="the test was stopped")
            return run_function(self._test, candidate)
        self._executor.allow(seconds)
        job = self._executor.submit(candidate, capture=capture)
        while True:
            try:
                return job.future.result(_LOOK_SECONDS)
            except TimeoutError:
                if not wanted():
                    job.cancel()

    def close(self) -> None:
        """End the tests that run, and remove the files."""
        self._closing.close()


# The tests installed in this process, by run and worker: a cluster of threads has many in one.
_INSTALLED: Final[dict[tuple[str, str], _Installed]] = {}


class NotInstalledError(Exception):
    """The worker does not have the test: it has just started, or the run has ended."""


class ShippingPlugin(WorkerPlugin):  # type: ignore[misc]
    """Installs the test of a run on the workers, and removes it; `base` packs candidates."""

    def __init__(self, run: str, base: bytes, test: TestFunction | ShippedCommand) -> None:
        self.name: str = f"marrow-{run}"
        self._run: Final = run
        self._shipped: Final = base, test

    def setup(self, worker: Worker) -> None:
        """Install the test."""
        _INSTALLED[self._run, worker.id] = _Installed(*self._shipped, worker.state.nthreads)

    def teardown(self, worker: Worker) -> None:
        """Remove the test, and clean up."""
        installed = _INSTALLED.pop((self._run, worker.id), None)
        if installed is not None:
            installed.close()


def run_packed(run: str, packed: bytes, seconds: float, capture: bool) -> Outcome:
    """Run the test of a run on a packed candidate: the work of a task."""
    worker = get_worker()
    installed = _INSTALLED.get((run, worker.id))
    if installed is None:
        raise NotInstalledError(f"{worker.address} has no test of run {run}")
    key = worker.get_current_task()

    def wanted() -> bool:
        # A task that was given up while it ran stays known as cancelled until it returns.
        task: Any = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    return installed.run(packed, seconds, capture=capture, wanted=wanted)
