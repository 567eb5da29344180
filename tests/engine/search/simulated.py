"""Simulated time: what a reduction would take on as many machines as one likes.

An executor whose tests take a fixed time on a clock of its own. The clock goes on when the
scheduler waits, to the end of the next test; so figures are exact and do not depend on how busy
this machine is. With `own`, the seconds of the processor that marrow itself takes count too, as if
nothing else ran beside it.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final

from marrow.engine.search.dispatcher import SearchCounts
from marrow.engine.verdict import Outcome, Verdict
from marrow.reducers.pipeline.pipeline import Pipeline, Strategy
from marrow.run.output.result import Result
from marrow.run.plan.input import text_input
from marrow.run.plan.plan import Plan
from marrow.run.run import Run
from marrow.syntax.views import View


class _Job:
    """A test under way."""

    def __init__(self) -> None:
        self.future: Future[Outcome] = Future()
        self.future.set_running_or_notify_cancel()
        self.cancelled = False

    def cancel(self) -> None:
        """Free the worker at once."""
        self.cancelled = True


class SimulatedExecutor:
    """Runs tests in simulated time; it is the queue of ended tests, too."""

    def __init__(
        self, test: Callable[[bytes], Verdict], workers: int, seconds: float, *, own: bool
    ) -> None:
        self.workers: Final = workers
        self.now = 0.0
        self.started = 0
        self._test: Final = test
        self._seconds: Final = seconds
        self._own: Final = own
        self._mark = time.thread_time()
        self._running: Final[list[tuple[float, int, _Job, bytes]]] = []
        self._order: Final = itertools.count()
        self._ended: Final[deque[Any]] = deque()

    def allow(self, seconds: float) -> None:
        """Tests take the time they take."""

    def submit(self, candidate: bytes, *, capture: bool = False) -> _Job:
        """Start a test, which ends when its time has come."""
        del capture
        self._tick()
        self.started += 1
        job = _Job()
        entry = (self.now + self._seconds, next(self._order), job, candidate)
        heapq.heappush(self._running, entry)
        return job

    def close(self) -> None:
        """Nothing is left behind."""

    # -- the queue of ended tests ------------------------------------------------------------

    def put(self, ended: object) -> None:
        """Take note of a test that has ended."""
        self._ended.append(ended)

    def empty(self) -> bool:
        """Whether no test has ended by now."""
        self._tick()
        while self._running and self._running[0][0] <= self.now:
            self._end_next()
        return not self._ended

    def get(self, timeout: float | None = None) -> Any:
        """Return a test that has ended; wait for the next one."""
        del timeout
        if self.empty():
            while not self._ended:
                self._end_next()
        return self._ended.popleft()

    def _end_next(self) -> None:
        when, _, job, candidate = heapq.heappop(self._running)
        if job.cancelled:
            return
        self.now = max(self.now, when)
        verdict = self._test(candidate)
        self._mark = time.thread_time()
        job.future.set_result(Outcome(verdict, seconds=self._seconds))

    def _tick(self) -> None:
        """Let the clock go on by what marrow itself has taken."""
        mark = time.thread_time()
        if self._own:
            self.now += mark - self._mark
        self._mark = mark


@dataclass(frozen=True, slots=True)
class Simulated:
    """A reduction in simulated time. `started` counts the tests in vain too."""

    workers: int
    seconds: float
    started: int
    counts: SearchCounts
    result: Result

    @property
    def wasted(self) -> float:
        """The share of the tests whose verdict nobody needed."""
        return 1.0 - self.counts.needed / max(1, self.started)


def simulate(
    text: bytes,
    view: View,
    test: Callable[[bytes], Verdict],
    workers: int,
    seconds: float = 0.2,
    *,
    algorithm: Strategy | None = None,
    own: bool = True,
) -> Simulated:
    """Reduce a text in simulated time with tests that take so many seconds each."""
    executor = SimulatedExecutor(test, workers, seconds, own=own)
    plan = Plan(
        source=text_input(text), test=test, view=view, strategy=algorithm or Pipeline(), identity={}
    )
    with Run(plan, executor=executor, trusted=True) as run:
        # The dispatcher waits at this queue, and nowhere else: here its time goes by.
        run.prepare_reduction().scheduler.ended = executor  # type: ignore[misc, assignment]
        result = run.prepare_reduction().run()
    counts = run.prepare_reduction().scheduler.counts
    return Simulated(workers, executor.now, executor.started, counts, result)
