"""One reduction from start to end: check the test, run the pipeline, verify the result.

Knows nothing of the terminal: the command line and the library both stand on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from marrow.engine.command import CommandExecutor
from marrow.engine.events import Listener
from marrow.engine.executor import Executor
from marrow.engine.journal import Journal
from marrow.engine.scheduler import Limits, Scheduler, StopReductionError
from marrow.engine.verdict import Outcome, Verdict
from marrow.reduce.algorithms import Algorithm, fixpoint, in_turn
from marrow.reduce.attempt import Reducer, finish
from marrow.reduce.layout import layout
from marrow.syntax.choose import View
from marrow.syntax.front import FrontEnd
from marrow.syntax.text import TextFrontEnd

# How often the test is run on the input before anything is changed.
FIRST_RUNS: Final = 3

# A candidate may take this many times as long as the slowest run on the input, but at least some
# seconds: smaller inputs are seldom slower, and a busy machine must not change a verdict.
_TIMEOUT_FACTOR: Final = 10.0
_LEAST_TIMEOUT: Final = 5.0


class UnfitTestError(Exception):
    """The test does not do for this input: not interesting, flaky, or interesting when empty."""

    def __init__(self, problem: str, outcomes: list[Outcome]) -> None:
        super().__init__(problem)
        self.problem: Final = problem
        self.outcomes: Final = outcomes


class NotInterestingError(UnfitTestError):
    """The test does not say yes to the input itself."""


class FlakyTestError(UnfitTestError):
    """The test says now yes, now no, to the same input."""


class EmptyInterestingError(UnfitTestError):
    """The test says yes to an empty file too."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What the first runs showed."""

    slowest: float
    timeout: float


def check_test(
    executor: Executor, text: bytes, *, timeout: float | None = None, allow_empty: bool = False
) -> Checked:
    """Run the test on the input several times, and on an empty one; set the time-out."""
    if timeout is not None and isinstance(executor, CommandExecutor):
        executor.timeout = timeout
    jobs = [executor.submit(text, capture=True) for _ in range(FIRST_RUNS)]
    outcomes = [job.future.result() for job in jobs]
    broken = next((one for one in outcomes if one.verdict is Verdict.ERROR), None)
    if broken is not None:
        raise StopReductionError(broken.message)
    yes = sum(one.verdict is Verdict.INTERESTING for one in outcomes)
    if yes == 0:
        raise NotInterestingError("the test is not interesting on the input itself", outcomes)
    if yes < len(outcomes):
        raise FlakyTestError(
            f"the test is flaky: interesting in {yes} of {len(outcomes)} runs on the same input",
            outcomes,
        )
    slowest = max(one.seconds for one in outcomes)
    limit = timeout or max(_LEAST_TIMEOUT, _TIMEOUT_FACTOR * slowest)
    if isinstance(executor, CommandExecutor):
        executor.timeout = limit
    if not allow_empty:
        empty = executor.submit(b"", capture=True).future.result()
        if empty.verdict is Verdict.INTERESTING:
            raise EmptyInterestingError("the test is interesting on an empty file too", [empty])
    return Checked(slowest, limit)


@dataclass(slots=True)
class Result:
    """What came out of a reduction."""

    text: bytes
    language: str
    algorithm: str
    guarantee: str
    tokens_before: int
    tokens_after: int
    bytes_before: int
    bytes_after: int
    tests: int = 0
    cached: int = 0
    invalid: int = 0
    seconds: float = 0.0
    verified: bool = False
    stopped: str | None = None
    notes: list[str] = field(default_factory=list)


class Reduction:
    """A reduction of one input."""

    def __init__(
        self,
        text: bytes,
        view: View,
        algorithm: Algorithm,
        executor: Executor,
        journal: Journal,
        listener: Listener,
        limits: Limits | None = None,
    ) -> None:
        self._text: Final = text
        self._view: Final = view
        self._algorithm: Final = algorithm
        self._executor: Final = executor
        self._scheduler: Final = Scheduler(executor, journal, listener, limits)
        self._journal: Final = journal
        self.best: bytes = text
        self.tokens_before: Final = view.counter.parse(text).token_count

    @property
    def scheduler(self) -> Scheduler:
        """The scheduler, for its counts."""
        return self._scheduler

    def run(self, keep: Callable[[bytes], None]) -> Result:
        """Reduce the input. `keep` is called with every new best before anything else happens.

        Ends early, with the best so far, on a limit or Ctrl-C; the result says so.
        """
        start = time.monotonic()
        stopped: str | None = None
        try:
            for front in self._fronts():
                tree = front.parse(self.best)
                stream = self._reducer(front)(tree, finish)
                for better in self._scheduler.run(tree, stream, front.validity()):
                    self.best = better.text
                    keep(self.best)
        except StopReductionError as reason:
            stopped = str(reason)
        except KeyboardInterrupt:
            stopped = "interrupted"
        counts = self._scheduler.counts
        if stopped is None:
            self._journal.note("finished", "yes")
        return Result(
            text=self.best,
            language=self._view.language,
            algorithm=self._algorithm.name,
            guarantee="none: stopped early" if stopped else self._algorithm.guarantee,
            tokens_before=self.tokens_before,
            tokens_after=self._view.counter.parse(self.best).token_count,
            bytes_before=len(self._text),
            bytes_after=len(self.best),
            tests=counts.tests,
            cached=counts.cached,
            invalid=counts.invalid,
            seconds=time.monotonic() - start,
            stopped=stopped,
            notes=[self._view.note] if self._view.note else [],
        )

    def verify(self, result: Result) -> bool:
        """Run the test once more on the result, whatever the journal says."""
        outcome = self._executor.submit(result.text).future.result()
        result.verified = outcome.verdict is Verdict.INTERESTING
        return result.verified

    def _fronts(self) -> tuple[FrontEnd, ...]:
        if self._algorithm.view:
            return (TextFrontEnd(self._algorithm.view),)
        return self._view.fronts

    def _reducer(self, front: FrontEnd) -> Reducer:
        reducer = self._algorithm.reducer
        if self._algorithm.fixpoint:
            reducer = fixpoint(reducer, front.parse)
        return in_turn(reducer, layout)
