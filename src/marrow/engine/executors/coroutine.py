"""Tests that are coroutine functions: run in the event loop of their caller."""

from __future__ import annotations

import asyncio
import inspect
import threading
from concurrent.futures import Future
from typing import Final

from marrow.base.clock import running_time
from marrow.engine.executors.function import (
    AsyncTestFunction,
    FunctionJob,
    cancelled_job,
    outcome_of_error,
    verdict_of_answer,
)
from marrow.engine.verdict import Outcome


class CoroutineExecutor:
    """Runs a coroutine function as the test, in an event loop of another thread."""

    def __init__(
        self, test: AsyncTestFunction, loop: asyncio.AbstractEventLoop, workers: int = 1
    ) -> None:
        self._test: Final = test
        self._loop: Final = loop
        self._workers: Final = workers
        self._free: Final = asyncio.Semaphore(workers)
        self._lock: Final = threading.Lock()
        self._running: Final[set[Future[Outcome]]] = set()
        self._closed = False

    @property
    def workers(self) -> int:
        """The number of calls that may run at once."""
        return self._workers

    def allow(self, seconds: float) -> None:
        """Do nothing; `asyncio.timeout` can limit a coroutine."""

    def submit(self, candidate: bytes, *, capture: bool = False) -> FunctionJob:
        """Start the coroutine on a candidate; its output is not kept."""
        del capture
        with self._lock:
            if self._closed:
                return cancelled_job()
            future = asyncio.run_coroutine_threadsafe(self._run(candidate), self._loop)
            self._running.add(future)
        future.add_done_callback(self._forget)
        return FunctionJob(future)

    def close(self) -> None:
        """Cancel all calls. Any thread may do so."""
        with self._lock:
            self._closed = True
            running = list(self._running)
        for future in running:
            future.cancel()

    def _forget(self, future: Future[Outcome]) -> None:
        with self._lock:
            self._running.discard(future)

    async def _run(self, candidate: bytes) -> Outcome:
        async with self._free:
            start = running_time()
            try:
                answer = self._test(candidate)
                if inspect.isawaitable(answer):
                    answer = await answer
                verdict = verdict_of_answer(answer)
            except Exception as error:
                return outcome_of_error(error, start)
            return Outcome(verdict, seconds=running_time() - start)
