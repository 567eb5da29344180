"""Tests that are Python functions, run in this process on a pool of threads."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, TypeAlias

from marrow.engine.verdict import Outcome, Verdict

#: A test as a function: of a candidate, true if it is interesting; or a verdict.
TestFunction: TypeAlias = Callable[[bytes], "bool | Verdict"]


@dataclass(frozen=True, slots=True)
class _CallableJob:
    future: Future[Outcome]

    def cancel(self) -> None:
        """A running function cannot be stopped, only one that waits."""
        self.future.cancel()


class CallableExecutor:
    """Runs a Python function as the test."""

    def __init__(self, test: TestFunction, workers: int = 1) -> None:
        self._test: Final = test
        self._workers: Final = workers
        self._pool: Final = ThreadPoolExecutor(workers, thread_name_prefix="marrow-test")

    @property
    def workers(self) -> int:
        """How many calls may run at once."""
        return self._workers

    def submit(self, candidate: bytes, *, capture: bool = False) -> _CallableJob:
        """Call the function on a candidate; what it prints is not kept."""
        del capture
        return _CallableJob(self._pool.submit(self._run, candidate))

    def close(self) -> None:
        """Drop what waits, and wait for what runs."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, candidate: bytes) -> Outcome:
        start = time.monotonic()
        try:
            answer = self._test(candidate)
        except Exception as error:
            message = f"the test raised {type(error).__name__}: {error}"
            return Outcome(Verdict.ERROR, seconds=time.monotonic() - start, message=message)
        if isinstance(answer, Verdict):
            verdict = answer
        else:
            verdict = Verdict.INTERESTING if answer else Verdict.NOT_INTERESTING
        return Outcome(verdict, seconds=time.monotonic() - start)
