"""One reduction from start to end: run the pipeline, verify the result.

Knows nothing of the terminal: the command line and the library both stand on it.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from marrow.engine.events import Listener, Warned
from marrow.engine.executors.executor import Executor, ExecutorLostError, outcome_of
from marrow.engine.executors.quorum import Quorum, Runs
from marrow.engine.executors.reliability import Reliability
from marrow.engine.journal.journal import Journal
from marrow.engine.journal.recorder import Recorder
from marrow.engine.search.control import Control
from marrow.engine.search.scheduler import Limits, Scheduler, StopReductionError, TestFailureError
from marrow.engine.verdict import Outcome, Verdict
from marrow.reducers.algorithms import DEFAULT_ALGORITHM, Algorithm, algorithm_of, in_turn
from marrow.reducers.coarse import afar
from marrow.reducers.drop_layout import layout
from marrow.reducers.perses import perses
from marrow.reducers.pipeline import Pipeline
from marrow.reducers.stream import Done, Reducer, Stream, finish
from marrow.rewrites import rewrites_of
from marrow.run.first_runs import judged, seen_in
from marrow.run.output import Keeper
from marrow.syntax.coarse_view import BYTES_PER_TOKEN, FarFrontEnd
from marrow.syntax.compact_text import compact
from marrow.syntax.file_set import FilesView
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.portion import Part
from marrow.syntax.text import TextFrontEnd
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.syntax.views import View, fronts_again
from marrow.tree import Tree


class Ending(enum.Enum):
    """Why a reduction ended."""

    FINISHED = "finished"
    LIMIT = "limit"
    INTERRUPTED = "interrupted"
    TEST_FAILED = "test failed"
    EXECUTOR_LOST = "executor lost"


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
    reliability: Reliability | None = None
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
        quorum: Quorum | None = None,
    ) -> None:
        listener = Recorder(text, journal, listener)
        self._text: Final = text
        self._view: Final = view
        self._algorithm: Final = algorithm
        self._single: Final = executor
        self._quorum: Final = quorum
        self._runs: Final = Runs(executor, quorum)
        self._scheduler: Final = Scheduler(self._runs.executor, journal, listener, limits, control)
        self._journal: Final = journal
        self._listen: Final = listener
        self._started: Final = time.monotonic()
        self._known: bytes | None = None
        self._parsed: Final[dict[FrontEnd, Tree]] = {}
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
        except ExecutorLostError as reason:
            stopped, ending = str(reason), Ending.EXECUTOR_LOST
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
            tests=self._runs.count(counts.tests),
            cached=counts.cached,
            invalid=counts.invalid,
            seconds=time.monotonic() - self._started,
            stopped=stopped,
            ending=ending,
            notes=[self._view.note] if self._view.note else [],
        )

    def verify(self, result: Result) -> Outcome:
        """Run the test once more on the result, whatever the journal says.

        With a quorum, so often that it can be said how reliable the result is.
        """
        quorum = self._quorum
        if quorum is None:
            outcome = outcome_of(self._single.submit(result.text, capture=True))
            result.verified = outcome.verdict is Verdict.INTERESTING
            result.tests += 1
            return outcome
        outcomes = judged(self._single, result.text, quorum)
        result.reliability = seen_in(outcomes)
        result.verified = quorum.holds(result.reliability)
        result.tests += len(outcomes)
        # What to show: a run that could not be made, else one that says why, if not verified.
        said = {one.verdict: one for one in outcomes}
        yes = said.pop(Verdict.INTERESTING, outcomes[0])
        return said.get(Verdict.ERROR) or (yes if result.verified else next(iter(said.values())))

    def _parse(self, front: FrontEnd, text: bytes) -> Tree:
        """Parse a text, unless it is what the front end saw last.

        That would double the time before the first test; and a front end learns from the first text
        alone, so that it would not see the input again as it did.
        """
        tree = self._parsed.get(front)
        if tree is None or tree.text != text:
            tree = self._parsed[front] = front.parse(text)
        return tree

    def _reduce(self, part: Part, keep: Callable[[bytes], None]) -> None:
        """Reduce with one front end after the other; the pipeline, until that changes nothing.

        A front end learns from what it sees, and has seen the whole input. Each round has new ones,
        so that the last round is what reducing the result again would be: nothing changes. It
        tries little that is not in the journal.
        """
        fronts = self._fronts(part)
        text = part.text
        settled: set[bytes] = set()  # texts that a whole round could do nothing about
        while True:
            before = text
            for front in fronts:
                last = front is fronts[-1]
                done = partial(self._again, part, fronts, settled, before) if last else finish
                text = self._reduce_by(front, part, text, keep, done)
                if isinstance(front, FarFrontEnd):
                    self._warn_if_large(front, text)
            if not (isinstance(self._algorithm, Pipeline) and self._algorithm.to_fixpoint):
                return
            if text == before or text in settled:
                return
            fronts = fronts_again(fronts, text)
            self._parsed.clear()

    def _again(
        self,
        part: Part,
        fronts: tuple[FrontEnd, ...],
        settled: set[bytes],
        before: bytes,
        after: Tree,
    ) -> Stream | None:
        """Return what follows a round, if that is the same stream, and can be looked ahead into.

        That is another round where one judge serves for both: there never was a syntax error, else
        other front ends would follow the parser.
        """
        text = after.text
        if text == before:
            # In a branch that does not come true this may be wrong; but then there is a smaller
            # text, and nobody asks about this one.
            settled.add(text)
            return None
        algorithm, front = self._algorithm, fronts[-1]
        if not isinstance(algorithm, Pipeline) or not algorithm.to_fixpoint:
            return None
        if algorithm.effort.thorough or part.fixed or not isinstance(front, TreeSitterFrontEnd):
            return None  # with the greatest effort what does not parse may be accepted
        if any(one.parse(text).token_count for one in fronts[:-1]):
            return None  # it is still seen from afar first
        fresh = front.fresh()
        _, reducer = self._reducer(part, fresh)
        done = partial(self._again, part, (*fronts[:-1], fresh), settled, text)
        return reducer(fresh.parse(text), done)

    def _reduce_by(
        self,
        front: FrontEnd,
        part: Part,
        text: bytes,
        keep: Callable[[bytes], None],
        done: Done,
    ) -> bytes:
        """Reduce the text of a part as one front end sees it; return what is left of it."""
        tree = self._parse(front, text)
        name, reducer = self._reducer(part, front)
        stream = reducer(tree, done)
        for better in self._scheduler.run(tree, stream, front.validity(), part, name):
            self._parsed[front] = better
            text = better.text
            self.best = part.whole(text)
            if self._known is not None and self._leads_to_known():
                continue
            self._known = None
            keep(self.best)
        return text

    def _warn(self, message: str) -> None:
        self._listen(Warned(f"{message}; the run goes on, and tries again at its end"))

    def _warn_if_large(self, front: FarFrontEnd, text: bytes) -> None:
        """Say what memory a text needs that is still large when nothing goes from afar."""
        self._parsed.pop(front, None)  # which is of pieces that were large before, and long
        count = front.parse(text).token_count
        if count:
            need = count * BYTES_PER_TOKEN / 1e9
            self._listen(
                Warned(
                    f"there are still {count:,} tokens; the tree of all of them, which is made "
                    f"now, takes about {need:.1f} GB of memory"
                )
            )

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
        if isinstance(front, FarFrontEnd):
            minimize = algorithm.settings.minimize
            return front.name, afar(perses(front, minimize=minimize), front.view, front.pieces)
        if isinstance(algorithm, Pipeline):
            if not (part.fixed or isinstance(front, TextFrontEnd)):
                pipeline = algorithm.of_language(front.name, rewrites_of(front.name))
                return pipeline.name, pipeline.reducer(front, front.parse, partial(compact, front))
            algorithm = algorithm.without_syntax
        elif part.fixed and algorithm.view:
            # An algorithm on lines sees lists only, not the directories of a set of files.
            algorithm = algorithm_of(DEFAULT_ALGORITHM)
        named = algorithm.of_language(front.name)
        return named.name, in_turn(named.reducer(front, front.parse), layout)
