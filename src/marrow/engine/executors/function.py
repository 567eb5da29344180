"""Tests that are not commands: functions, on threads; coroutines, in a loop; the caller itself."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from marrow.base.clock import running_time
from marrow.base.errors import error_text
from marrow.engine.executors.executor import LONGEST_WAIT
from marrow.engine.verdict import Outcome, Verdict

if TYPE_CHECKING:
    import asyncio

#: A test as a function: of a candidate, true if it is interesting; or a verdict.
TestFunction: TypeAlias = Callable[[bytes], "bool | Verdict"]

#: The same, or a coroutine function. One type for both, so that a lambda can be either.
AsyncTestFunction: TypeAlias = Callable[[bytes], "bool | Verdict | Awaitable[bool | Verdict]"]


def verdict_of_answer(answer: bool | Verdict | Awaitable[bool | Verdict]) -> Verdict:
    """Return the verdict that a function's answer means; other values are true or false."""
    if isinstance(answer, Verdict):
        return answer
    if inspect.isawaitable(answer):
        # It would count as true, whatever its result.
        if inspect.iscoroutine(answer):
            answer.close()
        raise TypeError("the test is a coroutine function; await `marrow.areduce` for that")
    return Verdict.INTERESTING if answer else Verdict.NOT_INTERESTING


@dataclass(frozen=True, slots=True)
class FunctionJob:
    """A call under way."""

    future: Future[Outcome]

    def cancel(self) -> None:
        """Cancel a call that waits, or a coroutine; a running function cannot be stopped."""
        self.future.cancel()


def run_function(test: TestFunction, candidate: bytes) -> Outcome:
    """Call a function on a candidate; return the outcome."""
    start = running_time()
    try:
        verdict = verdict_of_answer(test(candidate))
    # A program under test that exits must not end this one.
    except (Exception, SystemExit) as error:
        return outcome_of_error(error, start)
    return Outcome(verdict, seconds=running_time() - start)


class FutureExecutor:
    """An executor that has a future for each test; a closed one starts nothing more."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._running: Final[set[Future[Outcome]]] = set()
        self._closed = False

    def allow(self, seconds: float) -> None:
        """Do nothing: a function cannot be stopped; `asyncio.timeout` can limit a coroutine."""

    def submit(self, candidate: bytes, *, capture: bool = False) -> FunctionJob:
        """Start the test on a candidate; the output of a function is not kept."""
        with self._lock:
            future = Future[Outcome]() if self._closed else self._call(candidate, capture)
            if self._closed:
                future.cancel()
            self._running.add(future)
        future.add_done_callback(self._running.discard)
        return FunctionJob(future)

    def _call(self, candidate: bytes, capture: bool) -> Future[Outcome]:
        raise NotImplementedError

    def close(self) -> None:
        """Cancel all tests. Any thread may do so."""
        with self._lock:
            self._closed = True
        for future in list(self._running):
            future.cancel()


class CallableExecutor(FutureExecutor):
    """Runs a Python function as the test, on threads."""

    def __init__(self, test: TestFunction, workers: int = 1) -> None:
        super().__init__()
        #: The number of calls that may run at once.
        self.workers: Final = workers
        self._test: Final = test
        self._pool: Final = ThreadPoolExecutor(workers, thread_name_prefix="marrow-test")

    def _call(self, candidate: bytes, _: bool) -> Future[Outcome]:
        return self._pool.submit(run_function, self._test, candidate)

    def close(self) -> None:
        """Drop calls that wait, and wait for those that run. Any thread may do so."""
        super().close()
        self._pool.shutdown(wait=True, cancel_futures=True)


def is_coroutine_function(test: Any) -> bool:
    """Whether a call of a test returns something to await."""
    return inspect.iscoroutinefunction(test) or inspect.iscoroutinefunction(
        getattr(test, "__call__", None)  # noqa: B004 - an object whose call is a coroutine
    )


def outcome_of_error(error: BaseException, start: float) -> Outcome:
    """Return the outcome of a test that raised something, and say what to do about it."""
    message = error_text("test_raised", kind=type(error).__name__, error=error)
    return Outcome(Verdict.ERROR, seconds=running_time() - start, message=message)


class CoroutineExecutor(FutureExecutor):
    """Runs a coroutine function as the test, in an event loop of another thread."""

    def __init__(
        self, test: AsyncTestFunction, loop: asyncio.AbstractEventLoop, workers: int = 1
    ) -> None:
        import asyncio  # it takes a while to load

        super().__init__()
        #: The number of calls that may run at once.
        self.workers: Final = workers
        self._start: Final = asyncio.run_coroutine_threadsafe
        self._test: Final = test
        self._loop: Final = loop
        self._free: Final = asyncio.Semaphore(workers)

    def _call(self, candidate: bytes, _: bool) -> Future[Outcome]:
        return self._start(self._run(candidate), self._loop)

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


class CallerExecutor(FutureExecutor):
    """The caller as the only worker. The reduction waits for its answers in another thread."""

    workers: Final = 1

    def __init__(self) -> None:
        super().__init__()
        self._changed: Final = threading.Condition(self._lock)
        self._handed: tuple[bytes, Future[Outcome]] | None = None
        #: Whether the end came before the answer to a candidate.
        self.taken_back = False

    def submit(self, candidate: bytes, *, capture: bool = False) -> FunctionJob:
        """Hand out a candidate; what the caller's test prints is not kept."""
        job = super().submit(candidate, capture=capture)
        self.taken_back = self.taken_back or job.future.cancelled()
        return job

    def _call(self, candidate: bytes, _: bool) -> Future[Outcome]:
        self._handed = candidate, Future()
        self._changed.notify_all()
        return self._handed[1]

    def candidate(self) -> bytes | None:
        """Wait for the candidate that is out; None at the end."""
        with self._changed:
            while self._handed is None and not self._closed:
                self._changed.wait(LONGEST_WAIT)
            return None if self._handed is None else self._handed[0]

    def answer(self, verdict: Verdict) -> bytes | None:
        """Answer for the candidate that is out, and return it; None if the end came before."""
        with self._changed:
            if self._closed:
                return None
            if self._handed is None:
                raise RuntimeError("no candidate waits for an answer; ask for the next one")
            (candidate, future), self._handed = self._handed, None
        if not future.set_running_or_notify_cancel():  # a limit was reached meanwhile
            return None
        failed = "the caller could not run the test" if verdict is Verdict.ERROR else ""
        future.set_result(Outcome(verdict, message=failed))
        return candidate

    def close(self) -> None:
        """Take back the candidate that is out, and hand out no more. Any thread may do so."""
        with self._changed:
            self._closed = True
            self.taken_back = self.taken_back or self._handed is not None
            self._handed = None
            self._changed.notify_all()
        super().close()
