"""Tests on the workers of a Dask cluster."""

from __future__ import annotations

from marrow.engine.executors.executor import ClusterError, Executor
from marrow.engine.executors.function import TestFunction
from marrow.engine.executors.registry import ExecutorOptions
from marrow.engine.process.command import TestCommand
from marrow.engine.process.placement import Placement


def open_executor(
    test: TestFunction | TestCommand, place: Placement, options: ExecutorOptions
) -> Executor:
    """Bring a test to a cluster; return an executor there. Raises `ClusterError`."""
    try:
        from marrow.engine.executors.dask.cluster import ClusterExecutor
        from marrow.engine.executors.dask.shipment import ShippedCommand
    except ImportError as error:
        raise ClusterError(
            f"a cluster needs dask.distributed, which is not installed ({error})\n"
            "Install it with: pip install 'marrow[cluster]'"
        ) from error
    shipped = (
        ShippedCommand.of(test, place, options.beside) if isinstance(test, TestCommand) else test
    )
    return ClusterExecutor(shipped, options.base, options.address, options.workers)
