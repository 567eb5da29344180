"""An executor that remembers: verdicts of the journal are answered without a test.

The tasks of a training share one journal, while each of them needs a memory of its own that knows
nothing of the others (or their limits would depend on what ran before). So the journal stands
behind the executor, not in front of the scheduler as it does for a single reduction.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Final

from marrow.engine.executors.executor import Executor, Job
from marrow.engine.journal.journal import Journal, digest
from marrow.engine.verdict import Outcome, Verdict


@dataclass(eq=False, slots=True)
class _Job:
    """A test under way, or the answer of the journal."""

    future: Future[Outcome]
    inner: Job | None = None
    cancelled: bool = False

    def cancel(self) -> None:
        """Stop the test; the verdict on a test that was killed must not be remembered."""
        self.cancelled = True
        if self.inner is not None:
            self.inner.cancel()


class RememberingExecutor:
    """Runs tests on the candidates of one file, each candidate once in the life of the journal."""

    def __init__(self, executor: Executor, journal: Journal, name: str) -> None:
        self._executor: Final = executor
        self._journal: Final = journal
        # A verdict may depend on the name of the file, as that of a Java compiler does.
        self._salt: Final = name.encode("utf-8", "surrogateescape") + b"\0"
        self._lock: Final = threading.Lock()
        #: How many tests were run.
        self.run = 0

    @property
    def workers(self) -> int:
        """How many tests may run at once."""
        return self._executor.workers

    def allow(self, seconds: float) -> None:
        """Pass the limit on."""
        self._executor.allow(seconds)

    def submit(self, candidate: bytes, *, capture: bool = False) -> _Job:
        """Answer from the journal, or start the test; an answer has no output to capture."""
        key = digest(self._salt + candidate)
        known = self._journal.get(key)
        if known is not None:
            future: Future[Outcome] = Future()
            future.set_running_or_notify_cancel()
            future.set_result(Outcome(known))
            return _Job(future)
        inner = self._executor.submit(candidate, capture=capture)
        job = _Job(inner.future, inner)
        job.future.add_done_callback(partial(self._remember, key, job))
        return job

    def close(self) -> None:
        """Close the executor behind."""
        self._executor.close()

    def _remember(self, key: bytes, job: _Job, future: Future[Outcome]) -> None:
        """Put a verdict into the journal; called in a worker's thread."""
        if job.cancelled or future.cancelled():
            return
        outcome = future.result()
        with self._lock:
            self.run += 1
            if outcome.verdict is not Verdict.ERROR:
                self._journal.put(key, outcome.verdict, outcome.exit_code, outcome.seconds)
