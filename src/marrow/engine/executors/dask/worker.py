"""The worker's side of a cluster.

A plugin installs the test on every worker, also on those that join later or are restarted; each
candidate is a task then. A task that is cancelled ends its test.
"""

from __future__ import annotations

from typing import Any, Final

from distributed import Worker, WorkerPlugin, get_worker

from marrow.engine.executors.dask.shipment import InstalledTest, Shipment
from marrow.engine.verdict import Outcome

# The tests installed in this process, by run and worker: a cluster of threads has many in one.
_INSTALLED: Final[dict[tuple[str, str], InstalledTest]] = {}


class NotInstalledError(Exception):
    """The worker does not have the test: it has just started, or the run has ended."""


class ShippingPlugin(WorkerPlugin):  # type: ignore[misc]
    """Installs a test on the workers, and removes it in the end."""

    def __init__(self, shipment: Shipment) -> None:
        self.name: str = f"marrow-{shipment.run}"
        self._shipment: Final = shipment

    def setup(self, worker: Worker) -> None:
        """Install the test."""
        installed = self._shipment.install(worker.state.nthreads)
        _INSTALLED[self._shipment.run, worker.id] = installed

    def teardown(self, worker: Worker) -> None:
        """Remove the test, and leave nothing behind."""
        installed = _INSTALLED.pop((self._shipment.run, worker.id), None)
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
