"""One reduction from start to end: check the test, run the pipeline, verify the result.

Knows nothing of the terminal: the command line and the library both stand on it.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Final

from marrow.engine.control import Control
from marrow.engine.events import Listener, Warned
from marrow.engine.executor import Executor, outcome_of
from marrow.engine.journal import Journal, digest
from marrow.engine.local import CommandExecutor
from marrow.engine.output import Keeper
from marrow.engine.recorder import Recorder
from marrow.engine.scheduler import Limits, Scheduler, StopReductionError, TestFailureError
from marrow.engine.verdict import Outcome, Verdict
from marrow.reduce.algorithms import DEFAULT_ALGORITHM, Algorithm, algorithm_of, in_turn
from marrow.reduce.attempt import Reducer, finish
from marrow.reduce.layout import layout
from marrow.reduce.pipeline import Pipeline
from marrow.rewrites import rewrites_of
from marrow.syntax.choose import View, fronts_again
from marrow.syntax.compact import compact
from marrow.syntax.files import FilesView
from marrow.syntax.front import FrontEnd
from marrow.syntax.part import Part
from marrow.syntax.text import TextFrontEnd
from marrow.tree import Tree

# How often the test is run on the input before anything is changed.
FIRST_RUNS: Final = 3

# A candidate may take this many times as long as the slowest run on the input, but at least some
# seconds: smaller inputs are seldom slower, and a busy machine must not change a verdict.
_TIMEOUT_FACTOR: Final = 10.0
_LEAST_TIMEOUT: Final = 5.0


class UnfitTestError(Exception):
    """The test does not do for this input: not interesting, flaky, or interesting when empty."""

    #: What to do, for the traceback of a program; the command line knows more and says more.
    advice: ClassVar[str] = ""

    def __init__(self, problem: str, outcomes: list[Outcome]) -> None:
        super().__init__(problem)
        if self.advice:
            self.add_note(self.advice)
        self.problem: Final = problem
        self.outcomes: Final = outcomes


class NotInterestingError(UnfitTestError):
    """The test does not say yes to the input itself."""

    advice = (
        "The test must say yes to the source as it is. A function gets it as bytes; an executable "
        "finds it in an empty directory, and exits with 0."
    )


class FlakyTestError(UnfitTestError):
    """The test says now yes, now no, to the same input."""

    advice = (
        "It must give the same answer every time: fix its seeds, and let no limit of time decide; "
        "or let it try several times itself. With more than one worker it must be thread-safe."
    )


class EmptyInterestingError(UnfitTestError):
    """The test says yes to an empty file too."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What the first runs showed: how long they took, what a candidate may take, how many.

    `empty` is the verdict on an empty input, where it was asked for.
    """

    slowest: float
    timeout: float
    runs: int = 0
    empty: Verdict | None = None


def check_test(
    executor: Executor,
    text: bytes,
    *,
    timeout: float | None = None,
    allow_empty: bool = False,
    runs: int = FIRST_RUNS,
) -> Checked:
    """Run the test on the input several times, and on an empty one; set the time-out."""
    _set_timeout(executor, timeout)
    jobs = [executor.submit(text, capture=True) for _ in range(runs)]
    outcomes = [outcome_of(job) for job in jobs]
    _raise_failure(outcomes)
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
    _set_timeout(executor, limit)
    if allow_empty:
        return Checked(slowest, limit, runs)
    empty = outcome_of(executor.submit(b"", capture=True))
    _raise_failure([empty])
    if empty.verdict is Verdict.INTERESTING:
        raise EmptyInterestingError("the test is interesting on an empty file too", [empty])
    return Checked(slowest, limit, runs + 1, empty.verdict)


def checked_before(executor: Executor, journal: Journal, timeout: float | None) -> Checked | None:
    """Return what the first runs of a run that is resumed showed; set the time-out."""
    slowest, limit = journal.fact("slowest"), journal.fact("timeout")
    if slowest is None or limit is None:
        return None
    checked = Checked(float(slowest), timeout or float(limit))
    _set_timeout(executor, checked.timeout)
    return checked


def record_check(checked: Checked, text: bytes, journal: Journal) -> None:
    """Put what the first runs showed into the journal, so that nothing is asked again."""
    journal.note("slowest", repr(checked.slowest))
    journal.note("timeout", repr(checked.timeout))
    journal.put(digest(text), Verdict.INTERESTING, 0, checked.slowest)
    if checked.empty is not None:
        journal.put(digest(b""), checked.empty)


def _set_timeout(executor: Executor, seconds: float | None) -> None:
    if seconds is not None and isinstance(executor, CommandExecutor):
        executor.timeout = seconds


def _raise_failure(outcomes: list[Outcome]) -> None:
    broken = next((one for one in outcomes if one.verdict is Verdict.ERROR), None)
    if broken is not None:
        raise TestFailureError(broken.message)


class Ending(enum.Enum):
    """Why a reduction ended."""

    FINISHED = "finished"
    LIMIT = "limit"
    INTERRUPTED = "interrupted"
    TEST_FAILED = "test failed"


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
    ending: Ending = Ending.FINISHED
    notes: list[str] = field(default_factory=list)


class Reduction:
    """A reduction of one input."""

    def __init__(
        self,
        text: bytes,
        view: View | FilesView,
        algorithm: Algorithm | Pipeline,
        executor: Executor,
        journal: Journal,
        listener: Listener,
        limits: Limits | None = None,
        control: Control | None = None,
    ) -> None:
        listener = Recorder(text, journal, listener)
        self._text: Final = text
        self._view: Final = view
        self._algorithm: Final = algorithm
        self._executor: Final = executor
        self._scheduler: Final = Scheduler(executor, journal, listener, limits, control)
        self._journal: Final = journal
        self._listen: Final = listener
        self._started: Final = time.monotonic()
        self._known: bytes | None = None
        self._parsed: tuple[FrontEnd, Tree] | None = None
        self.best: bytes = text
        self.tokens_before: Final = view.tokens(text, self._parse)

    @property
    def scheduler(self) -> Scheduler:
        """The scheduler, for its counts."""
        return self._scheduler

    def run(self, keep: Callable[[bytes], None], known: bytes | None = None) -> Result:
        """Reduce the input. `keep` is called with every new best, in a thread of its own.

        `known` is the best result of an earlier run that is resumed: interesting, and not given up
        for a larger one while the run finds its way back to it.
        A new best that comes while another is kept may be left out for the next one. Ends early,
        with the best so far, on a limit, Ctrl-C or a test that cannot be run; the result says so.
        """
        self._known = known if known != self._text else None
        stopped: str | None = None
        ending = Ending.FINISHED
        keeper = Keeper(keep, self._warn)
        try:
            for part in self._view.parts(lambda: self.best):
                self._reduce(part, keeper.keep)
        except TestFailureError as reason:
            stopped, ending = str(reason), Ending.TEST_FAILED
        except StopReductionError as reason:
            stopped, ending = str(reason), Ending.LIMIT
        except KeyboardInterrupt:
            stopped, ending = "interrupted", Ending.INTERRUPTED
        finally:
            keeper.close()
        guarantee = "none: stopped early" if stopped else self._algorithm.guarantee
        if self._scheduler.counts.skipped and not stopped:
            guarantee = "none: passes were skipped"
        if stopped is None:
            self._journal.note("finished", "yes")
        if self._known is not None:
            # Stopped before the run had found its way back to what is known; or other settings
            # than those of the earlier run did not lead there.
            self.best = self._known
            guarantee = "none: the result is that of the earlier run"
        counts = self._scheduler.counts
        return Result(
            text=self.best,
            language=self._view.language,
            algorithm=self._algorithm.name,
            guarantee=guarantee,
            tokens_before=self.tokens_before,
            tokens_after=self._view.tokens(self.best, self._parse),
            bytes_before=self._view.length(self._text),
            bytes_after=self._view.length(self.best),
            tests=counts.tests,
            cached=counts.cached,
            invalid=counts.invalid,
            seconds=time.monotonic() - self._started,
            stopped=stopped,
            ending=ending,
            notes=[self._view.note] if self._view.note else [],
        )

    def verify(self, result: Result) -> Outcome:
        """Run the test once more on the result, whatever the journal says."""
        outcome = outcome_of(self._executor.submit(result.text, capture=True))
        result.verified = outcome.verdict is Verdict.INTERESTING
        result.tests += 1
        return outcome

    def _parse(self, front: FrontEnd, text: bytes) -> Tree:
        """Parse a text, unless it is what was seen last: that would double the time before the
        first test."""
        if self._parsed is None or self._parsed[0] is not front or self._parsed[1].text != text:
            self._parsed = front, front.parse(text)
        return self._parsed[1]

    def _reduce(self, part: Part, keep: Callable[[bytes], None]) -> None:
        """Reduce with one front end after the other; the pipeline, until that changes nothing.

        A front end learns from what it sees, and has seen the whole input. Each round has new ones,
        so that the last round is what reducing the result again would be: nothing changes. It
        tries little that is not in the journal.
        """
        fronts = self._fronts(part)
        text = part.text
        while True:
            before = text
            for front in fronts:
                text = self._reduce_by(front, part, text, keep)
            if not (isinstance(self._algorithm, Pipeline) and self._algorithm.to_fixpoint):
                return
            if text == before:
                return
            fronts = fronts_again(fronts, text)

    def _reduce_by(
        self, front: FrontEnd, part: Part, text: bytes, keep: Callable[[bytes], None]
    ) -> bytes:
        """Reduce the text of a part as one front end sees it; return what is left of it."""
        tree = self._parse(front, text)
        name, reducer = self._reducer(part, front)
        stream = reducer(tree, finish)
        for better in self._scheduler.run(tree, stream, front.validity(), part, name):
            self._parsed = front, better
            text = better.text
            self.best = part.whole(text)
            if self._known is not None and self._leads_to_known():
                continue
            self._known = None
            keep(self.best)
        return text

    def _warn(self, message: str) -> None:
        self._listen(Warned(f"{message}; the run goes on, and tries again at its end"))

    def _leads_to_known(self) -> bool:
        """Whether the best is still on the way to the known result of the run that is resumed."""
        known = self._known
        return known is not None and len(self.best) > len(known)

    def _fronts(self, part: Part) -> tuple[FrontEnd, ...]:
        if self._algorithm.view and not part.fixed:
            return (TextFrontEnd(self._algorithm.view),)
        return part.fronts

    def _reducer(self, part: Part, front: FrontEnd) -> tuple[str, Reducer]:
        """Return what reduces a part as a front end sees it, and its name."""
        algorithm = self._algorithm
        if isinstance(algorithm, Pipeline):
            if not (part.fixed or isinstance(front, TextFrontEnd)):
                pipeline = algorithm.with_rewrites(rewrites_of(front.name))
                return pipeline.name, pipeline.reducer(front, front.parse, partial(compact, front))
            algorithm = algorithm.without_syntax
        elif part.fixed and algorithm.view:
            # An algorithm on lines sees lists only, not the directories of a set of files.
            algorithm = algorithm_of(DEFAULT_ALGORITHM)
        named = algorithm.of_language(front.name)
        return named.name, in_turn(named.reducer(front, front.parse), layout)
