"""The kinds of executors, one row each, and the one function that opens them.

A new executor is a module with a function `open_executor(test, place, options)`, and a row in
`KINDS`. The module is imported when its kind is asked for: only a run on a cluster loads Dask.
"""

from __future__ import annotations

from concurrent.futures import Executor as Pool
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from marrow.base.errors import error_text
from marrow.engine.executors.executor import ClusterError, Executor
from marrow.engine.executors.function import AsyncTestFunction, TestFunction, is_coroutine_function
from marrow.engine.process.command import TestCommand
from marrow.engine.process.placement import Placement

if TYPE_CHECKING:
    import asyncio

#: A test that an executor can be opened for.
ExecutableTest: TypeAlias = TestFunction | AsyncTestFunction | TestCommand


@dataclass(frozen=True, slots=True)
class ExecutorKind:
    """A row: the name of a kind, the module that opens it, and its line in the help.

    A `remote` kind runs tests on other machines: it ships files, and takes all workers that there
    are unless a number is given.
    """

    name: str
    module: str
    summary: str
    remote: bool = False


LOCAL: Final = ExecutorKind("local", "marrow.engine.executors.local", "on this machine")
POOL: Final = ExecutorKind("pool", LOCAL.module, "in a pool of concurrent.futures")
_CLUSTER: Final = "marrow.engine.executors.dask.cluster"
DASK: Final = ExecutorKind("dask", _CLUSTER, "on the workers of a Dask cluster", remote=True)

KINDS: Final = {kind.name: kind for kind in (LOCAL, POOL, DASK)}


@dataclass(frozen=True, slots=True)
class ExecutorOptions:
    """The place where tests run, and what that takes.

    `executor` is the name of a kind, a pool, or the address of a Dask scheduler, which `scheduler`
    names too. `workers` is the number of tests at once; `base` the input, to which candidates that
    travel refer; `beside` are files to ship; `adopt` is for programs that own their process (see
    `CommandExecutor`); a coroutine function runs in the `loop`.
    """

    executor: str | Pool | None = None
    scheduler: str | None = None
    workers: int | None = None
    base: bytes = field(default=b"", repr=False)
    beside: tuple[Path, ...] = ()
    adopt: bool = False
    loop: asyncio.AbstractEventLoop | None = None

    @property
    def kind(self) -> ExecutorKind:
        """The kind that these options ask for."""
        match self.executor:
            case None:
                return LOCAL if self.scheduler is None else DASK
            case str():
                return KINDS.get(self.executor, DASK)
        return POOL

    @property
    def address(self) -> str | None:
        """The address of the scheduler."""
        if isinstance(self.executor, str) and self.executor not in KINDS:
            return self.executor
        return self.scheduler


def open_executor(
    test: ExecutableTest, place: Placement, options: ExecutorOptions | None = None
) -> Executor:
    """Return an executor of a test; raise `WorkspaceError`, `ClusterError`, `TestCommandError`."""
    options = options or ExecutorOptions()
    if options.kind is not LOCAL and is_coroutine_function(test):
        raise TypeError("a coroutine function runs in the loop that awaits it: give no executor")
    try:
        module = import_module(options.kind.module)
    except ImportError as error:
        raise ClusterError(error_text("dask_missing", error=error)) from error
    opened: Executor = module.open_executor(test, place, options)
    return opened
