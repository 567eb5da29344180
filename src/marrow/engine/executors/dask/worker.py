"""The far end of a cluster: what Dask's workers do for a run of marrow.

A plugin brings the test to every worker, also to those that join later or are started again; then
each candidate is a task. A task that nobody wants any more ends its test.
"""

from __future__ import annotations

from typing import Any, Final

from distributed import Worker, WorkerPlugin, get_worker

from marrow.engine.executors.dask.shipment import Shipment, Site
from marrow.engine.verdict import Outcome

# The sites of this process, by run and worker: in a cluster of threads a process has many workers.
_SITES: Final[dict[tuple[str, str], Site]] = {}


class SiteMissingError(Exception):
    """The worker has not got the test: it has just been started, or the run has ended."""


class Courier(WorkerPlugin):  # type: ignore[misc]
    """Brings a test to the workers, and takes it away in the end."""

    def __init__(self, shipment: Shipment) -> None:
        self.name: str = f"marrow-{shipment.run}"
        self._shipment: Final = shipment

    def setup(self, worker: Worker) -> None:
        """Set up the site."""
        site = self._shipment.open(worker.state.nthreads)
        _SITES[self._shipment.run, worker.id] = site

    def teardown(self, worker: Worker) -> None:
        """Leave nothing behind."""
        site = _SITES.pop((self._shipment.run, worker.id), None)
        if site is not None:
            site.close()


def run_parcel(run: str, parcel: bytes, seconds: float, capture: bool) -> Outcome:
    """Run the test of a run on the candidate in a parcel; this is what the tasks do."""
    worker = get_worker()
    site = _SITES.get((run, worker.id))
    if site is None:
        raise SiteMissingError(f"{worker.address} has no test of run {run}")
    key = worker.get_current_task()

    def wanted() -> bool:
        # A task that was given up while it ran stays known as cancelled until it returns.
        task: Any = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    return site.run(parcel, seconds, capture=capture, wanted=wanted)
