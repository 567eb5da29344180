"""Where the tests of a command run: here, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from marrow.cli.exits import CliError, Exit
from marrow.cli.request import Request
from marrow.cli.source import Source
from marrow.engine.executors import registry
from marrow.engine.executors.executor import ClusterError, Executor
from marrow.engine.executors.registry import ExecutorOptions
from marrow.engine.process.command import TestCommand, TestCommandError
from marrow.engine.process.workspace import WorkspaceError

Command = TypeVar("Command", bound=Callable[..., Any])


def cluster_options(command: Command) -> Command:
    """Add the options that say where tests run."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS: Final = (
    click.option(
        "--executor",
        type=click.Choice([kind.name for kind in registry.KINDS.values() if kind.named]),
        help="Where tests run: on this machine (default), or on the workers of a Dask cluster; the "
        "result is the same. Without --scheduler, dask is -j threads here, to try it out.",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="The address of the Dask scheduler (tcp://host:8786); all its workers take part, "
        "unless -j says how many tests at once. See docs/cluster.md.",
    ),
    click.option(
        "--ship",
        metavar="PATH",
        multiple=True,
        type=click.Path(path_type=Path),
        help="A file or directory that the test finds beside itself on the workers; the test's "
        "own script goes there anyway.",
    ),
)


def open_executor(request: Request, command: TestCommand, source: Source) -> Executor:
    """Return what runs the tests; raise `CliError` where there is nothing to run them on."""
    try:
        options = ExecutorOptions(
            request.executor,
            request.scheduler,
            request.workers if request.scheduler is None else request.jobs,
            source.text,
            request.ship,
            adopt=True,
        )
        return registry.open_executor(command, source.placement, options)
    except (WorkspaceError, TestCommandError) as error:
        raise CliError(Exit.TEST, str(error)) from error
    except ClusterError as error:
        raise CliError(Exit.CLUSTER, str(error)) from error
