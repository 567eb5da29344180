"""The connection to a Dask cluster: joining it, checking its workers, leaving it in order."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any, Final

import dask
from distributed import Client, LocalCluster, WorkerPlugin

from marrow.base.errors import error_text
from marrow.engine.executors.executor import ClusterError
from marrow.engine.process.workspace import Workspace

# How long a scheduler may take to answer, and how long to wait for a first worker: perhaps the
# workers have only just been started.
_ANSWER_SECONDS: Final = 10.0
_WORKER_SECONDS: Final = 30.0

# How long it may take to leave a scheduler that did not answer.
_GONE_SECONDS: Final = 1.0

# Any free port, for this machine alone.
_LOOPBACK: Final = "127.0.0.1:0"

# A worker evaluates this before it gets anything. A text, since it may not have marrow at all.
_ASKED: Final = (
    "(__import__('importlib.metadata', fromlist=['version']).version('marrow'), "
    "'.'.join(map(str, __import__('sys').version_info[:2])))"
)


@dataclass(frozen=True, slots=True)
class Connection:
    """A client, and its cluster if marrow made that."""

    client: Client
    cluster: LocalCluster | None
    #: Where marrow's own cluster keeps its files.
    scratch: Workspace | None

    async def ship(self, plugin: WorkerPlugin) -> dict[str, int]:
        """Send a plugin to all workers, also later ones; return how many tests each may run."""
        try:
            await self.client.register_plugin(plugin)
            threads: dict[str, int] = await self.client.nthreads()
            return threads
        except Exception as error:
            raise ClusterError(
                f"the test could not be shipped to the workers: {type(error).__name__}: {error}\n"
                "They need a place for temporary files that may hold programs; TMPDIR names it."
            ) from error

    async def close(self, plugin: str | None, seconds: float) -> None:
        """Take the plugin back and leave; whoever does not answer in time is ignored."""
        steps = [self.client.close]
        if plugin is not None:
            steps.insert(0, partial(self.client.unregister_worker_plugin, plugin))
        if self.cluster is not None:
            steps.append(self.cluster.close)
        for step in steps:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(_awaited(step()), seconds)
        if self.scratch is not None:
            self.scratch.close()


async def _awaited(work: Any) -> None:
    if work is not None:
        await work


async def connect(scheduler: str | None, workers: int | None) -> Connection:
    """Join a cluster, or make one of threads in this process; raise `ClusterError`."""
    # Dask logs every lost worker; marrow reports what matters.
    for name in ("distributed", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    cluster: LocalCluster | None = None
    scratch: Workspace | None = None
    if scheduler is None:
        scratch = Workspace()
        # Its parts talk within this process. Each serves pages too, whatever it is asked for:
        # none of them, and to this machine alone, at a port that is free.
        quiet = {
            "temporary-directory": str(scratch.path),
            "distributed.scheduler.http.routes": [],
            "distributed.worker.http.routes": [],
        }
        with dask.config.set(quiet):
            cluster = await LocalCluster(
                n_workers=workers or 1,
                threads_per_worker=1,
                processes=False,
                dashboard_address=_LOOPBACK,
                worker_dashboard_address=_LOOPBACK,
                scheduler_kwargs={"dashboard": False},
                asynchronous=True,
                silence_logs=logging.CRITICAL,
            )
    client = await _client(cluster or scheduler or "", scheduler)
    connection = Connection(client, cluster, scratch)
    try:
        await _check(client)
    except BaseException as error:
        await connection.close(None, _ANSWER_SECONDS)
        if isinstance(error, OSError):
            raise ClusterError(
                f"the scheduler was lost as it was joined: {str(error) or type(error).__name__}\n"
                "See that it runs, and look at its log."
            ) from error
        raise
    return connection


async def _client(target: LocalCluster | str, scheduler: str | None) -> Client:
    client: Client | None = None
    try:
        client = Client(target, asynchronous=True, timeout=_ANSWER_SECONDS, set_as_default=False)
        # Dask's own limit is for each step; somebody who listens and says nothing takes ever more.
        return await asyncio.wait_for(client, 2 * _ANSWER_SECONDS)
    except BaseException as error:
        if client is not None:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(_awaited(client.close()), _GONE_SECONDS)
        # What is not a scheduler is misunderstood in many ways: a length without end is a
        # MemoryError. RuntimeError: Dask's configuration asks for TLS, and the address does not.
        if not isinstance(error, Exception):
            raise
        why = str(error) or type(error).__name__
        raise ClusterError(error_text("no_scheduler", scheduler=scheduler, why=why)) from error


async def _check(client: Client) -> None:
    """Check that there are workers, with the same versions as here."""
    try:
        await client.wait_for_workers(1, timeout=_WORKER_SECONDS)
    except TimeoutError as error:
        raise ClusterError(
            f"the cluster has no workers, also after {_WORKER_SECONDS:.0f} seconds\n"
            "Start some: `dask worker ADDRESS` on each machine."
        ) from error
    ours = version("marrow"), f"{sys.version_info.major}.{sys.version_info.minor}"
    problem = differences(ours, await client.run(eval, _ASKED, on_error="return"))
    if problem:
        raise ClusterError(
            error_text("worker_mismatch", problem=problem, python=ours[1], version=ours[0])
        )


def differences(ours: tuple[str, str], theirs: Mapping[str, object]) -> str:
    """Name a worker whose versions differ from ours; empty where none does."""
    for address, has in theirs.items():
        if isinstance(has, Exception):
            return f"{address} has no marrow ({type(has).__name__}: {has})"
        if has != ours and isinstance(has, tuple):
            return f"{address} has marrow {has[0]} with Python {has[1]}"
    return ""
