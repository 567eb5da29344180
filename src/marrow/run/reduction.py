"""One reduction from start to end: the strategy on every portion, until nothing goes any more.

Knows nothing of the terminal: the command line and the library both use it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from marrow.base.clock import running_time
from marrow.base.deadline import Deadline, OutOfTimeError, within
from marrow.base.errors import MarrowError
from marrow.engine.events import Accepted, Listener, Warned, ignore
from marrow.engine.executors.executor import Executor, ExecutorLostError, outcome_of
from marrow.engine.executors.quorum import VoteRule
from marrow.engine.executors.votes import Runs
from marrow.engine.journal.journal import Journal, Recorder, digest
from marrow.engine.search.control import BY_HAND, Control, ProposedEdit
from marrow.engine.search.dispatcher import (
    Limits,
    PaceOfTests,
    StopReductionError,
    TestFailureError,
)
from marrow.engine.search.scheduler import Scheduler
from marrow.engine.verdict import Verdict
from marrow.reducers.pipeline.large_inputs import EVERYTHING, ReductionStage, Schedule
from marrow.reducers.streams.stream import Done, Stream, finish
from marrow.run.output.output_file import ResultWriter
from marrow.run.output.result import Ending, Result
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.portion import Portion
from marrow.syntax.views import FileView, View, fronts_again, fronts_of_use
from marrow.tree import Tree
from marrow.tree.order import Order, measured
from marrow.tree.outline import in_one_piece

if TYPE_CHECKING:
    from marrow.reducers.pipeline.algorithm_table import NamedReducer
    from marrow.reducers.pipeline.pipeline import Strategy

# The memory that a token of a whole tree takes while the tree is built, measured with 0.5 MB of C:
# 1.05 kB, and 0.14 kB in the parser.
_BYTES_PER_TOKEN: Final = 1_200

# How long the tokens of a result are counted, in seconds, after a limit or Ctrl-C: what is parsed
# by then is counted exactly, and a limit holds within two seconds.
_GRACE: Final = 1.0


class _GoalReachedError(StopReductionError):
    """The result is good enough (`--stop-at`)."""


class _EditTakenError(Exception):
    """A person's edit is the new best."""


@dataclass(kw_only=True, eq=False)
class Reduction:
    """A reduction of one input.

    `pace` is how long the test took on the input and how long it may take at most, if tests that
    are much slower than on the best so far are to be put off.
    """

    text: bytes
    view: View
    strategy: Strategy
    executor: Executor
    journal: Journal = field(default_factory=Journal.in_memory)
    listener: Listener = ignore
    limits: Limits = field(default_factory=Limits)
    control: Control | None = None
    rule: VoteRule | None = None
    pace: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        self._listen = Recorder(self.text, self.journal, self.listener)
        self._runs = Runs(self.executor, self.rule)
        self._deadline = Deadline(self.limits.seconds)
        #: For its counts.
        self.scheduler = Scheduler(
            *(self._runs.executor, self.journal, self._listen, self.limits, self.control),
            self._deadline,
        )
        self._pace = self.pace and PaceOfTests(self.executor, self.journal, *self.pace)
        self.scheduler.pace = self._pace
        self._started = running_time()
        self._known: bytes | None = None
        self._put_off = ""
        #: Whether the last step took another text of the same size: passes did not look at that.
        self._closed = False
        self._parsed: dict[FrontEnd, Tree] = {}
        self._keep: Callable[[bytes], None] = lambda _: None
        self.best: bytes = self.text
        #: The smallest result that somebody went back from.
        self.left: bytes | None = None
        self.bytes_before = self.view.length(self.text)
        # 0 where the time did not suffice to parse the input even once.
        self._tokens = self.tokens_before = self._count(self.text, self._deadline, 0)

    def run(
        self, keep: Callable[[bytes], None] = lambda _: None, known: bytes | None = None
    ) -> Result:
        """Reduce the input. `keep` is called with every new best, in a thread of its own.

        A new best that comes while `keep` is running may be skipped for the next one. `known` is
        the best result of an earlier run that is resumed; it stays the best until the run finds a
        smaller one. Ends early, with the best so far, on a limit, Ctrl-C or a test that cannot be
        run; the result says so.
        """
        self._known = known if known != self.text else None
        stopped: str | None = None
        error: MarrowError | None = None
        ending = Ending.FINISHED
        more = "; the run continues, and tries again at its end"
        keeper = ResultWriter(keep, lambda failure: self._listen(Warned(failure + more)))
        self._keep = keeper.keep
        try:
            with within(self._deadline):
                self._deadline.look()
                self._reduce_all()
                self._try_what_was_put_off()
        except TestFailureError as reason:
            stopped, ending, error = str(reason), Ending.TEST_FAILED, reason
        except ExecutorLostError as reason:
            stopped, ending, error = str(reason), Ending.EXECUTOR_LOST, reason
        except _GoalReachedError as reason:
            stopped, ending = str(reason), Ending.GOAL
        except (StopReductionError, OutOfTimeError) as reason:
            stopped, ending = str(reason), Ending.LIMIT
        except KeyboardInterrupt:
            stopped, ending = "interrupted", Ending.INTERRUPTED
        finally:
            keeper.close()
        return self._result(ending, stopped, error)

    def _result(self, ending: Ending, stopped: str | None, error: MarrowError | None) -> Result:
        """Return the best so far with what is known about it; `stopped` says why it ended early."""
        guarantee = "none: stopped early" if stopped else self.strategy.guarantee
        if self._closed and not stopped:
            guarantee = guarantee.partition(";")[0]
        if self.scheduler.counts.skipped and not stopped:
            guarantee = "none: passes were skipped"
        if stopped is None:
            self.journal.note("finished", "yes")
        if self._known is not None:
            # The run stopped before it came back to the known result, or it had other settings than
            # the earlier run and did not lead there.
            self.best = self._known
            guarantee = "none: the result is that of the earlier run"
        counts = self.scheduler.counts
        # What could not be counted in the whole time of the run cannot be in a second.
        grace = Deadline(None if stopped is None else _GRACE if self.tokens_before else 0.0)
        return Result(
            text=self.best,
            language=self.view.language,
            algorithm=self.strategy.name,
            guarantee=guarantee,
            tokens_before=self.tokens_before,
            tokens_after=self._count(self.best, grace, self._tokens),
            bytes_before=self.bytes_before,
            bytes_after=self.view.length(self.best),
            tests=self._runs.count(counts.tests),
            asked=counts.asked,
            cached=counts.cached,
            invalid=counts.invalid,
            seconds=running_time() - self._started,
            stopped=stopped,
            error=error,
            ending=ending,
            notes=[note for note in (self.view.note, self._put_off) if note],
            put_off=self._put_off,
        )

    def _count(self, text: bytes, deadline: Deadline, otherwise: int) -> int:
        """Return the tokens of a text, or another number if there is no time for that."""
        try:
            with within(deadline):
                return self.view.tokens(text, self._parse)
        except OutOfTimeError:
            return otherwise

    def _parse(self, front: FrontEnd, text: bytes) -> Tree:
        """Parse a text, unless the front end parsed it last.

        Parsing twice would double the time before the first test. And a front end learns from the
        first text alone: it would not build the same tree of the input again. What was made as a
        text was never parsed.
        """
        tree = self._parsed.get(front)
        if tree is None or tree.text != text or in_one_piece(tree):
            tree = self._parsed[front] = front.parse(text)
        return tree

    def _reduce_all(self) -> None:
        """Reduce every portion; from the beginning again after a person's edit was taken."""
        strategy = self.strategy
        self.scheduler.judge_edit = self._judge_edit
        while True:
            try:
                schedule = Schedule(
                    strategy.coarse_first,
                    strategy.by_relations,
                    strategy.one_file is not False,
                    strategy.pairs,
                )
                for stage, portion in self.view.portions(lambda: self.best, schedule):
                    self._reduce(stage, portion)
                return
            except _EditTakenError:
                self._parsed.clear()

    def _try_what_was_put_off(self) -> None:
        """Reduce once more, and let tests be slow now that nothing else goes."""
        count = self._pace.lift() if self._pace is not None else 0
        if count:
            before = self.best
            self._put_off = (
                f"{count:,} smaller candidates made the test much slower than it was; they were "
                "put off to the end, when nothing else went any more"
            )
            self._parsed.clear()
            self._reduce_all()
            taken = "then one was taken" if self.best != before else "then none was needed"
            self._put_off += f": {taken}"

    def _judge_edit(self, edit: ProposedEdit, attempt: int) -> None:
        """Continue from a person's text: smaller and interesting, or an earlier best."""
        if not edit.back and (refusal := self._refusal(edit.text)):
            edit.reply(refusal)
            return
        before, self.best = self.best, edit.text
        self._tokens = self._count(edit.text, self._deadline, self._tokens)
        self.journal.put_edit(attempt, edit.text, back=edit.back)
        if edit.back:
            if self.left is None or len(before) < len(self.left):
                self.left = before
            self.scheduler.been.clear()  # it is allowed to come there again
        words = "going back" if edit.back else "your edit"
        size = self._tokens, self.view.length(edit.text)
        asked = self.scheduler.counts.asked
        self._listen(Accepted(*size, before, edit.text, words, BY_HAND, asked))
        self._keep_best()
        taken = "" if edit.back else f"Taken: {size[0]:,} tokens, {size[1]:,} bytes. "
        where = f"{size[0]:,} tokens" if edit.back else "it"
        edit.reply(f"{taken}The run continues from {where}.")
        raise _EditTakenError

    def _refusal(self, text: bytes) -> str:
        """Say why a person's edit is not taken; empty if it is."""
        if not isinstance(self.view, FileView):
            return "Edits are for an input that is one file."
        tokens, now = self._count(text, self._deadline, 0), self._tokens
        objective = self.strategy.settings.objective
        mine = measured(objective, tokens, len(text), text)
        if mine >= measured(objective, now, len(self.best), self.best):
            return (
                f"It is not smaller: {tokens:,} tokens and {len(text):,} bytes; the best so far "
                f"has {now:,} and {len(self.best):,}."
            )
        key = digest(text)
        verdict = self.journal.get(key)
        if verdict is None:
            outcome = outcome_of(self._runs.executor.submit(text))
            verdict = outcome.verdict
            self.journal.put(key, verdict, outcome.exit_code, outcome.seconds)
        if verdict is not Verdict.INTERESTING:
            return f"It was tested and is {verdict.value}: the best so far stays."
        return ""

    def _reduce(self, stage: ReductionStage, portion: Portion) -> None:
        """Reduce with one front end after the other; a pipeline repeats that to a fixpoint.

        A front end has learned from the whole input, so each round has fresh ones. The last round
        is thus the same as reducing the result again, which changes nothing. Most of its verdicts
        are in the journal.
        """
        fronts = portion.seen_by(self.strategy.granularity)
        text = portion.text
        if not stage.repeats:
            for front in fronts:
                named = stage.make(front, self.strategy)
                text = self._reduce_by(front, portion, text, finish, named, stage.order)
            return
        while True:
            text, fronts = self._to_fixpoint(stage, portion, text, fronts)
            closing = self.strategy.closing_for(fronts[-1])
            if closing is None:
                break
            closed = self._reduce_by(fronts[-1], portion, text, finish, closing)
            self._closed = closed != text
            # Another text of the same size may do without something.
            if len(closed) >= len(text) or not self.strategy.to_fixpoint:
                break
            text, fronts = closed, fronts_again(fronts, closed)
            self._parsed.clear()

    def _to_fixpoint(
        self, stage: ReductionStage, portion: Portion, text: bytes, fronts: tuple[FrontEnd, ...]
    ) -> tuple[bytes, tuple[FrontEnd, ...]]:
        """Reduce until a whole round changes nothing; return the text and its front ends."""
        settled: set[bytes] = set()  # texts that a whole round left unchanged
        while True:
            before = text
            for front in fronts:
                if front not in (fronts := fronts_of_use(fronts, text)):
                    break
                last = front is fronts[-1]
                done = partial(self._again, portion, fronts, settled, before) if last else finish
                named = stage.make(front, self.strategy)
                text = self._reduce_by(front, portion, text, done, named)
                if front.pieces:
                    self._warn_if_large(front, text)
            if not self.strategy.to_fixpoint or text == before or text in settled:
                return text, fronts
            fronts = fronts_again(fronts, text)
            self._parsed.clear()

    def _again(
        self,
        portion: Portion,
        fronts: tuple[FrontEnd, ...],
        settled: set[bytes],
        before: bytes,
        after: Tree,
    ) -> Stream | None:
        """Return the next round as a stream that speculation can enter, if that is possible.

        Both rounds must check candidates alike. So there was never a syntax error, as other front
        ends would follow the parser then.
        """
        text = after.text
        if text == before:
            # Speculation may settle a text wrongly; but then a smaller text is accepted, and this
            # one never comes up again.
            settled.add(text)
            return None
        strategy, front = self.strategy, fronts[-1]
        if not (strategy.to_fixpoint and front.restarts) or strategy.thorough:
            return None  # a thorough strategy may accept what does not parse
        if any(one.parse(text).token_count for one in fronts[:-1]):
            return None  # it is still large
        fresh = front.fresh()
        _, reducer = EVERYTHING.make(fresh, strategy)
        done = partial(self._again, portion, (*fronts[:-1], fresh), settled, text)
        return reducer(fresh.parse(text), done)

    def _reduce_by(
        self,
        front: FrontEnd,
        portion: Portion,
        text: bytes,
        done: Done,
        named: NamedReducer,
        order: Order | None = None,
    ) -> bytes:
        """Reduce the text of a portion with one front end; return the reduced text."""
        goal = self.limits.goal
        tree = self._parse(front, text)
        name, reducer = named
        stream = reducer(tree, done)
        order = order or self.strategy.settings.order
        for better in self.scheduler.run(tree, stream, front.validity(), portion, name, order):
            self._parsed[front] = better
            text = better.text
            self._tokens = self.scheduler.tokens  # counting may take a parse
            self.best = portion.whole(text)
            if self._keep_best() and goal is not None:
                sizes = self._tokens, portion.length(self.best), self.tokens_before
                if goal.reached(*sizes):
                    raise _GoalReachedError(f"the result is small enough ({goal.words})")
        return text

    def _keep_best(self) -> bool:
        """Keep the best, unless it still leads to the smaller result of the resumed run."""
        if self._known is not None and len(self.best) > len(self._known):
            return False
        self._known = None
        self._keep(self.best)
        return True

    def _warn_if_large(self, front: FrontEnd, text: bytes) -> None:
        """Warn about the memory that a text needs if it is still large."""
        self._parsed.pop(front, None)  # its pieces are those of a larger text
        if count := front.parse(text).token_count:
            need = f"{count * _BYTES_PER_TOKEN / 1e9:.1f} GB of memory"
            words = f"{count:,} tokens are left; the tree of all of them takes about {need}"
            self._listen(Warned(words))
