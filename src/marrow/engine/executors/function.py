"""Tests that are Python functions: run in this process, on threads."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from marrow.base.clock import running_time
from marrow.engine.verdict import Outcome, Verdict

#: A test as a function: of a candidate, true if it is interesting; or a verdict.
TestFunction: TypeAlias = Callable[[bytes], "bool | Verdict"]

#: The same, or a coroutine function. One type for both, so that a lambda can be either.
AsyncTestFunction: TypeAlias = Callable[[bytes], "bool | Verdict | Awaitable[bool | Verdict]"]


def verdict_of_answer(answer: bool | Verdict | Awaitable[bool | Verdict]) -> Verdict:
    """Return the verdict that a function's answer stands for; other values are true or false."""
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


class CallableExecutor:
    """Runs a Python function as the test."""

    def __init__(self, test: TestFunction, workers: int = 1) -> None:
        self._test: Final = test
        self._workers: Final = workers
        self._pool: Final = ThreadPoolExecutor(workers, thread_name_prefix="marrow-test")
        self._lock: Final = threading.Lock()
        self._closed = False

    @property
    def workers(self) -> int:
        """The number of calls that may run at once."""
        return self._workers

    def allow(self, seconds: float) -> None:
        """Do nothing: a function cannot be stopped."""

    def submit(self, candidate: bytes, *, capture: bool = False) -> FunctionJob:
        """Call the function on a candidate; its output is not kept."""
        del capture
        with self._lock:
            if self._closed:
                return cancelled_job()
            return FunctionJob(self._pool.submit(run_function, self._test, candidate))

    def close(self) -> None:
        """Drop calls that wait, and wait for those that run. Any thread may do so."""
        with self._lock:
            self._closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)


def is_coroutine_function(test: Any) -> bool:
    """Whether a call of a test returns something to await."""
    return inspect.iscoroutinefunction(test) or inspect.iscoroutinefunction(
        getattr(test, "__call__", None)  # noqa: B004 - an object whose call is a coroutine
    )


def outcome_of_error(error: BaseException, start: float) -> Outcome:
    """Return the outcome of a test that raised something, and say what to do about it."""
    message = (
        f"the test raised {type(error).__name__}: {error}\n"
        "A test says what a candidate is: it returns true, false or a verdict. Catch what it "
        "expects, and return\nVerdict.UNRESOLVED for a candidate that is not a valid input."
    )
    return Outcome(Verdict.ERROR, seconds=running_time() - start, message=message)


def cancelled_job() -> FunctionJob:
    """Return the job of an executor that is closed."""
    future: Future[Outcome] = Future()
    future.cancel()
    return FunctionJob(future)
