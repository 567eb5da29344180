"""Running tests on the workers of a Dask cluster.

The test goes to every worker once (`shipment`, `worker`), candidates travel packed. Each job is a
coroutine in an event loop of its own thread. It submits the task, again elsewhere if the first
worker takes too long, and again if workers were lost; the first answer counts. A job that is
cancelled ends its test on the worker. When the scheduler is lost, jobs wait until one answers at
the same address: the test is shipped anew, and they submit their tasks again.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
import uuid
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

from distributed import Client, KilledWorker
from distributed import Future as Task
from distributed.comm import CommClosedError

from marrow.base.clock import running_time
from marrow.base.errors import error_text
from marrow.engine.executors.dask.connection import Connection, connect
from marrow.engine.executors.dask.shipment import (
    NotInstalledError,
    ShippedCommand,
    ShippingPlugin,
    packed_for,
    run_packed,
)
from marrow.engine.executors.executor import Executor, ExecutorLostError, RecentMean, result_of
from marrow.engine.executors.function import FutureExecutor, TestFunction
from marrow.engine.executors.local import UNKNOWN_TIMEOUT
from marrow.engine.executors.registry import ExecutorOptions
from marrow.engine.process.command import TestCommand
from marrow.engine.process.placement import Placement
from marrow.engine.verdict import Outcome

T = TypeVar("T")

# A test is started again elsewhere when it takes this many times as long as the mean, and this many
# seconds at least: a worker that is slow or hangs must not stall the run. Each further start comes
# after twice the time: workers that leave may take several starts with them.
_LATE: Final = 4.0
_LEAST_LATE: Final = 1.0

# Dask gives up a task that took some workers down with it (3, by default). It is submitted again so
# often before the test itself is to blame.
_MOST_LOSSES: Final = 3

# How often the cluster is asked for its workers, and how long it may be without any. A worker that
# was killed is restarted within seconds where somebody looks after it.
_LOOK_SECONDS: Final = 1.0
_PATIENCE: Final = 60.0

# How long each step of closing may take. Whoever does not answer by then is lost; a scheduler that
# was lost before gets less.
_LAST_SECONDS: Final = 10.0
_GONE_SECONDS: Final = 1.0


def open_executor(
    test: TestFunction | TestCommand, place: Placement, options: ExecutorOptions
) -> Executor:
    """Bring a test to a cluster; return an executor there. Raises `ClusterError`."""
    if isinstance(test, TestCommand):
        shipped = ShippedCommand.of(test, place, options.beside)
        return ClusterExecutor(shipped, options.base, options.address, options.workers)
    return ClusterExecutor(test, options.base, options.address, options.workers)


class ClusterExecutor(FutureExecutor):
    """Runs a test on the workers of a Dask cluster.

    `scheduler` is its address; without one, a cluster of `workers` threads in this process serves
    for trying out. With an address, `workers` limits how many tests run at once, if it is given.
    `patience` is how long the cluster may be without any worker, or without its scheduler.
    Raises `ClusterError` if the cluster cannot be used.
    """

    def __init__(
        self,
        test: TestFunction | ShippedCommand,
        base: bytes,
        scheduler: str | None = None,
        workers: int | None = None,
        *,
        patience: float = _PATIENCE,
    ) -> None:
        super().__init__()
        self._base: Final = base
        self._run: Final = uuid.uuid4().hex[:12]
        self._most: Final = workers
        self._patience: Final = patience
        self._scheduler: Final = scheduler
        self._plugin: Final = ShippingPlugin(self._run, base, test)
        self._timeout = UNKNOWN_TIMEOUT
        self._threads: dict[str, int] = {}
        self._taken: Final = RecentMean()
        self._numbers: Final = itertools.count()
        # Packed in a thread of its own: neither the scheduler nor the loop waits for it.
        self._packers: Final = ThreadPoolExecutor(1, thread_name_prefix="marrow-packing")
        self._loop: Final = asyncio.new_event_loop()
        # Has an error once the cluster is lost for good.
        self._lost: Final[asyncio.Future[Outcome]] = self._loop.create_future()
        self._thread: Final = threading.Thread(
            target=self._loop.run_forever, name="marrow-cluster", daemon=True
        )
        self._thread.start()
        self._connection: Connection | None = None
        # Set while there is a scheduler that has the test.
        self._joined: Final = asyncio.Event()
        self._watch: asyncio.Future[None] | None = None
        self._background: Final[set[asyncio.Future[None]]] = set()
        try:
            self._await(self._join())
        except BaseException:
            self.close()
            raise

    @property
    def workers(self) -> int:
        """How many tests the cluster can run at once now; at least one, which may have to wait."""
        count = sum(self._threads.values())
        return max(1, count if self._most is None else min(count, self._most))

    def allow(self, seconds: float) -> None:
        """Say how long a test may take from now on."""
        self._timeout = seconds

    def _call(self, candidate: bytes, capture: bool) -> Future[Outcome]:
        return asyncio.run_coroutine_threadsafe(self._attend(candidate, capture), self._loop)

    def close(self) -> None:
        """Stop all tests, remove the test from the workers, and leave the cluster."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        super().close()
        with contextlib.suppress(Exception):
            self._await(self._leave())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._packers.shutdown()

    def _await(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait in this thread for work in the loop; Ctrl-C can break in."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return result_of(future)
        except BaseException:
            future.cancel()
            raise

    # -- in the loop ---------------------------------------------------------------------------

    async def _join(self) -> None:
        """Connect to the scheduler, perhaps again, and ship the test to its workers."""
        before, name = self._connection, self._plugin.name
        if before is not None and self._scheduler is None:
            raise ConnectionError("a cluster in this process does not come back")
        connection = await connect(self._scheduler, self._most)
        try:
            self._threads = await connection.ship(self._plugin)
        except BaseException:
            await connection.close(name if before is None else None, _GONE_SECONDS)
            raise
        self._connection = connection
        self._joined.set()
        if before is None:
            self._watch = asyncio.ensure_future(self._look_after())
        else:
            # The plugin stays: the client may have found the new scheduler by itself.
            self._in_background(before.close(None, _GONE_SECONDS))

    async def _leave(self) -> None:
        # Jobs that were cancelled end first, and cancel their tasks.
        await asyncio.sleep(0)
        if self._connection is not None:
            if self._watch is not None:
                self._watch.cancel()
            there = self._joined.is_set() and not self._lost.done()
            seconds = _LAST_SECONDS if there else _GONE_SECONDS
            await self._connection.close(self._plugin.name, seconds)
        for rest in asyncio.all_tasks() - {asyncio.current_task()}:
            rest.cancel()

    @property
    def _client(self) -> Client:
        assert self._connection is not None
        return self._connection.client

    async def _look_after(self) -> None:
        """Keep count of the workers; give up when there have been none for too long."""
        last = running_time()
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            answers = True
            try:
                if self._client.status != "running":
                    self._joined.clear()
                if not self._joined.is_set():
                    left = last + self._patience - running_time()
                    await asyncio.wait_for(self._join(), max(_LOOK_SECONDS, left))
                self._threads = await asyncio.wait_for(self._client.nthreads(), _LAST_SECONDS)
            except Exception:
                self._threads, answers = {}, False
            if self._threads:
                last = running_time()
            elif running_time() - last > self._patience:
                self._lose(answers)
                return

    def _lose(self, answers: bool) -> None:
        """Fail all tests."""
        lost = "all workers of the cluster are lost" if answers else "the scheduler is lost"
        said = error_text("cluster_lost", lost=lost, seconds=self._patience)
        self._lost.set_exception(ExecutorLostError(said))
        self._lost.exception()  # asyncio need not report it, should there be no test now
        self._joined.set()

    async def _attend(self, candidate: bytes, capture: bool) -> Outcome:
        """Run a test, here and there until one run ends."""
        packed = await self._loop.run_in_executor(self._packers, packed_for, self._base, candidate)
        losses = 0
        running: dict[asyncio.Future[Outcome], Task] = {}
        start = self._loop.time()
        try:
            await self._try(running, packed, capture)
            while True:
                done, _ = await asyncio.wait(
                    (*running, self._lost),
                    timeout=self._left(start, running),
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if not done:
                    elsewhere = await self._others(running)
                    await self._try(running, packed, capture, elsewhere)
                for one in done:
                    running.pop(one, None)
                    try:
                        outcome = one.result()
                    except (asyncio.CancelledError, CancelledError, CommClosedError):
                        # Nobody here cancels a task that is waited for: the scheduler is lost, at
                        # the latest while the result was on its way.
                        self._joined.clear()
                        if not running:
                            await self._try(running, packed, capture)
                    except (KilledWorker, NotInstalledError) as error:
                        losses += 1
                        if losses > _MOST_LOSSES:
                            raise _blamed(error) from error
                        if not running:
                            await asyncio.sleep(_LOOK_SECONDS * (losses - 1))
                            await self._try(running, packed, capture)
                    else:
                        self._taken.saw(self._loop.time() - start)
                        return outcome
        finally:
            # Not the waiting itself: Dask fetches results for several at once, and a wait that is
            # cancelled would take the others with it. It ends when its task is cancelled.
            for one, task in running.items():
                one.add_done_callback(_forget)
                self._in_background(_cancel(task))

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        future = asyncio.ensure_future(work)
        self._background.add(future)
        future.add_done_callback(self._background.discard)

    def _left(self, start: float, running: dict[asyncio.Future[Outcome], Task]) -> float | None:
        """Return how long to wait before a test is started elsewhere too; None: without end."""
        if not self._taken.value or len(self._threads) < 2:
            return None
        late = max(_LEAST_LATE, _LATE * self._taken.value) * (1 << len(running) - 1)
        return max(0.0, start + late - self._loop.time())

    async def _others(self, running: dict[asyncio.Future[Outcome], Task]) -> list[str] | None:
        """Return the workers that do not have a task; None if unknown."""
        keys = {task.key for task in running.values()}
        with contextlib.suppress(Exception):
            have = await asyncio.wait_for(self._client.processing(), _LAST_SECONDS)
            others = [one for one, tasks in have.items() if keys.isdisjoint(map(str, tasks))]
            return others or None
        return None

    async def _try(
        self,
        running: dict[asyncio.Future[Outcome], Task],
        packed: bytes,
        capture: bool,
        workers: list[str] | None = None,
    ) -> None:
        """Submit the task as soon as there is a scheduler."""
        while True:
            if not self._lost.done():
                await self._joined.wait()
            if self._lost.done():
                self._lost.result()
            client = self._client
            try:
                task = client.submit(
                    run_packed,
                    self._run,
                    packed,
                    self._timeout,
                    capture,
                    # Of its own, so that none is taken for another.
                    key=f"marrow-{self._run}-{next(self._numbers)}",
                    pure=False,
                    workers=workers,
                    allow_other_workers=workers is not None,
                    # A test that is late is needed more than speculation.
                    priority=0 if workers is None else 1,
                )
            except Exception:
                if client.status == "running":
                    raise
                self._joined.clear()
            else:
                running[asyncio.ensure_future(_result(task))] = task
                return


async def _result(task: Task) -> Outcome:
    outcome: Outcome = await task
    return outcome


async def _cancel(task: Task) -> None:
    with contextlib.suppress(Exception):
        await task.cancel()


def _forget(one: asyncio.Future[Outcome]) -> None:
    """Retrieve the exception of an abandoned wait, so that asyncio does not report it."""
    if not one.cancelled():
        one.exception()


def _blamed(error: BaseException) -> ExecutorLostError:
    if isinstance(error, KilledWorker):
        return ExecutorLostError(error_text("test_kills_workers"))
    kind = type(error).__name__
    return ExecutorLostError(error_text("cluster_fails", kind=kind, error=error))
