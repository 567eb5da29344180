"""The scheduler: takes a stream of attempts, answers with the first interesting one in its order.

It speculates with all its workers (see `speculation`): the attempt that is most likely to be needed
is tried first, whether those before it would have to fail or to succeed for that. The first success
in stream order is committed, not the first in time. So the result is the same for any number of
workers; more of them only find it sooner. Speculation in vain is cancelled, but verdicts that came
in are kept.
"""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final

from marrow.base.deadline import Deadline
from marrow.engine.events import (
    Accepted,
    Answer,
    Listener,
    OtherFailure,
    PassBegan,
    PhaseBegan,
    Tried,
    ignore,
)
from marrow.engine.executors.executor import LONGEST_WAIT, Executor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.control import Control, ProposedEdit
from marrow.engine.search.dispatcher import Dispatcher, Limits, StopReductionError
from marrow.engine.search.speculation import (
    LEAST_CHANCE,
    NextStep,
    QueuedAttempt,
    Scenario,
    SearchContext,
    SuccessEstimates,
    Survey,
    survey,
)
from marrow.engine.verdict import Verdict
from marrow.reducers.streams.stream import Stream
from marrow.syntax.front_end import Validity
from marrow.syntax.portion import Portion
from marrow.tree import Tree
from marrow.tree.order import ORDERS, Order

# How many attempts may be queued for each worker. Those that are known or invalid cost no worker;
# the limit only bounds memory.
_AHEAD_PER_WORKER: Final = 64

# How many bytes the texts of queued attempts may have together, if that is more than two attempts
# for each worker: with an input of 10 MB, 25 attempts.
_MOST_BYTES_AHEAD: Final = 1 << 28

# A test gives way to one that is this many times as likely to be needed. Its work so far is lost,
# so a small advantage is not enough.
_GIVES_WAY: Final = 4.0

# How likely an attempt is to succeed whose test timed out once. It seldom does, but it may: so more
# than 0, and too little to be worth a test of what would follow.
_CHANCE_AFTER_TIMEOUT: Final = 0.001


def _hears(queued: QueuedAttempt) -> bool:
    hearing = queued.attempt.hearing
    return hearing is not None and hearing.wants_output


class Scheduler(Dispatcher):
    """Runs streams of attempts."""

    def __init__(
        self,
        executor: Executor,
        journal: Journal,
        listener: Listener = ignore,
        limits: Limits | None = None,
        control: Control | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        super().__init__(executor, journal, listener, limits, deadline)
        #: The tokens of the best so far.
        self.tokens = 0
        self._control: Final = control or Control()
        self._odds: Final = SuccessEstimates()
        #: The texts that were the best once.
        self.been: Final[set[bytes]] = set()
        # The attempts at which an edit was judged: a place is passed once, also after a restart.
        self._edited: Final[set[int]] = set()
        self._phase = ""
        self._pass_name = ""
        self._algorithm = ""
        self._portion = Portion(b"", ())
        #: Judges an edit that a person proposes at an attempt; raises to continue from it.
        self.judge_edit: Callable[[ProposedEdit, int], None] = lambda edit, _: edit.reply(
            "This run takes no edits."
        )

    def run(
        self,
        tree: Tree,
        stream: Stream | None,
        validity: Validity | None,
        portion: Portion | None = None,
        algorithm: str = "",
        smaller: Order = ORDERS["tokens"],
    ) -> Iterator[Tree]:
        """Run a stream to its end; yield every new best tree, each smaller than the one before.

        `portion` says which part of the whole input the tree is, where it is not all of it;
        `algorithm` is the name of the only pass, where the attempts do not name theirs; `smaller`
        is the order.
        """
        self._algorithm = algorithm
        self._portion = portion or Portion(tree.text, ())
        if validity is not None:
            validity.rebase(tree)
        ground = SearchContext(self._portion, self.been, self.asked, smaller)
        actual = Scenario.actual(ground, tree, stream, validity)
        try:
            while (queued := self._first_interesting(actual)) is not None:
                if queued.skipped:
                    self.counts.skipped += 1
                    skip = queued.attempt.skip
                    other = actual.other(None if skip is None else skip())
                    actual.close()
                    actual = other
                    continue
                following, best = queued.after.come_true(), actual.best
                if not queued.attempt.detour:
                    self._accept(best, queued)
                actual.close()
                if not queued.attempt.detour:
                    yield queued.attempt.tree
                actual = following
        finally:
            self.cancel(list(self.running))

    def _accept(self, before: Tree, queued: QueuedAttempt) -> None:
        """Record the new best, and tell the listener."""
        best, whole = queued.attempt.tree, self._portion.whole
        self.counts.accepted += 1
        if self.pace is not None:
            self.pace.succeeded(self.took.pop(queued.key, 0.0))
        self.been.add(queued.key)
        after = whole(best.text)
        self.tokens = self._portion.tokens(best)
        sizes, asked = (self.tokens, self._portion.length(after)), self.counts.asked
        output = self.outputs.get(queued.key, b"")
        self.outputs.clear()
        texts, words = (whole(before.text), after), (self._words(queued), self._pass_name)
        self.listen(Accepted(*sizes, *texts, *words, asked, output))

    def _first_interesting(self, actual: Scenario) -> QueuedAttempt | None:
        """Return the first attempt that is interesting or skipped; None if there is none."""
        queue = actual.queue
        while True:
            while queue and (self._skips(queue[0]) or self._settled(queue[0])):
                queued = queue.popleft()
                if queued.skipped or self._settle(queued) is Verdict.INTERESTING:
                    return queued
                queued.after.close()
            self._rest()
            if not self._waits_to_run_alone(queue):
                self._look_ahead(actual)
            if not queue:
                if actual.ended:
                    return None
            elif not self._settled(queue[0]):
                if self._waits_to_run_alone(queue):
                    self._start(queue[0], alone=True)
                self.wait()

    def _waits_to_run_alone(self, queue: deque[QueuedAttempt]) -> bool:
        """Whether the first attempt timed out: nothing else is started until it has run alone."""
        return bool(queue) and queue[0].key in self.timed_out

    def _look_ahead(self, actual: Scenario) -> None:
        """Start the tests that are most likely to be needed, while there are workers for them."""
        # Not the ones that timed out: each is run again when its turn comes.
        busy = self.running.keys() | self.timed_out
        found = survey(actual, busy, self._chance)
        self.cancel([key for key in self.running if key not in found.waiting])
        order = itertools.count()
        steps = [(-likely, next(order), step) for likely, step in found.steps]
        heapq.heapify(steps)
        workers, length = self.executor.workers, max(1, len(actual.base.text))
        most = max(2 * workers, _MOST_BYTES_AHEAD // length)
        most = min(_AHEAD_PER_WORKER * workers, most)
        while steps:
            likely, _, step = steps[0]
            likely = -likely
            if likely == 1.0 and isinstance(step, Scenario) and step is not actual:
                return  # it follows an attempt that is known to succeed: take that first
            needed = not actual.queue or step is actual.queue[0]
            # Always start what is needed, even if the budget shrank because workers left.
            if not needed and (found.queued >= most or likely < LEAST_CHANCE):
                return
            if not self._room_for(likely, found):
                # Made while the workers are busy, to be there when one is free.
                self._make(step)
                return
            heapq.heappop(steps)
            for chance, then in self._do(step, likely, actual, found):
                heapq.heappush(steps, (-chance, next(order), then))
            if actual.queue and not self.ended.empty():
                return  # a verdict that came in may change what is needed
            if self._waits_to_run_alone(actual.queue):
                return

    def _room_for(self, likely: float, found: Survey) -> bool:
        """Whether there is a worker for a step; a test that is far less likely needed gives way."""
        running = self.running
        if len(running) < self.executor.workers:
            return True
        last = min(running, key=lambda key: found.waiting.get(key, 0.0), default=None)
        if last is None or _GIVES_WAY * found.waiting.get(last, 0.0) > likely:
            return False
        self.cancel([last])
        return True

    def _make(self, step: NextStep) -> QueuedAttempt | None:
        """Make the candidate of a step, unless it is made already."""
        return step if isinstance(step, QueuedAttempt) else step.peek()

    def _do(
        self, step: NextStep, likely: float, actual: Scenario, found: Survey
    ) -> list[tuple[float, NextStep]]:
        """Take a step; return those that follow, with their chances."""
        queued = self._make(step)
        if queued is None:
            return []
        if step is actual and not actual.queue and not queued.refused:
            self.check_limit(queued.key)  # nobody would use the verdict
        if isinstance(step, QueuedAttempt):
            self._start(queued)
            return []
        step.take()
        found.queued += 1
        success = self._chance(queued)
        follow: list[tuple[float, NextStep]] = []
        if 0.0 < success < 1.0:
            found.waiting[queued.key] = max(likely, found.waiting.get(queued.key, 0.0))
            self._start(queued)
        if success > 0.0:
            follow.append((likely * success, queued.after))
        if success < 1.0 and not step.waits:
            follow.append((likely * (1.0 - success), step))
        return follow

    def _chance(self, queued: QueuedAttempt) -> float:
        """Return how likely an attempt is to succeed: 0 or 1 where that is known."""
        if self._invalid(queued):
            return 0.0
        verdict = self._verdict(queued)
        if verdict is None:
            if queued.key in self.timed_out:
                return _CHANCE_AFTER_TIMEOUT
            return self._odds.of(queued.traits)
        return 1.0 if verdict is Verdict.INTERESTING else 0.0

    def _skips(self, queued: QueuedAttempt) -> bool:
        """Whether the rest of a pass is skipped, from the first attempt of the queue on.

        A run that is resumed skips the same passes again, at the same places, and so with edits.
        """
        place = self.counts.attempts
        # An edit that was made at this place in the run that is resumed, or is proposed now.
        known = self.journal.edit(place)
        if known is not None and place not in self._edited:
            self._edited.add(place)
            self.judge_edit(ProposedEdit(known[0], back=known[1]), place)
        if (edit := self._control.take_edit()) is not None:
            self._edited.add(place)
            self.judge_edit(edit, place)
        if place in self.journal.history.skips:
            queued.skipped = True
        elif self._control.take_skip(name := self._name_of(queued)) or (
            name in self._control.switched_off and queued.attempt.skip is not None
        ):
            self.journal.put_skip(place)
            queued.skipped = True
        return queued.skipped

    def _words(self, queued: QueuedAttempt) -> str:
        """Return what an attempt does, in words, with the file that it is about."""
        name, phase = self._portion.name, queued.attempt.phase
        return f"{name}: {phase}" if name else phase

    def _name_of(self, queued: QueuedAttempt) -> str:
        return queued.attempt.pass_name or self._algorithm

    def _rest(self) -> None:
        """Wait while the run is paused, which does not count as its time."""
        control = self._control
        while control.paused and not control.has_wish:
            self.rest(LONGEST_WAIT)
        if control.interrupted:
            raise KeyboardInterrupt
        if control.stopped:
            raise StopReductionError("as you asked")

    def _invalid(self, queued: QueuedAttempt) -> bool:
        """Whether an attempt is not worth a test: it does not parse, and has no verdict yet."""
        return queued.refused and queued.key not in self.asked

    def _settled(self, queued: QueuedAttempt) -> bool:
        """Whether an attempt is answered."""
        return self._invalid(queued) or self._verdict(queued) is not None

    def _verdict(self, queued: QueuedAttempt) -> Verdict | None:
        """Return the verdict on an attempt, if all is known that the stream wants to know."""
        verdict = self.journal.get(queued.key)
        failed = verdict is not None and verdict is not Verdict.INTERESTING
        unheard = failed and _hears(queued) and self.journal.said(queued.key) is None
        return None if unheard else verdict

    def _start(self, queued: QueuedAttempt, *, alone: bool = False) -> None:
        """Start the test of an attempt, unless it is under way; one that timed out runs `alone`."""
        if alone or queued.key not in self.timed_out:
            start = self.confirm if alone else self.start
            start(queued.key, self._whole(queued), self._words(queued), heard=_hears(queued))

    def _whole(self, queued: QueuedAttempt) -> bytes:
        """Return the whole input with the candidate in its place."""
        return self._portion.whole(queued.attempt.tree.text)

    def _settle(self, queued: QueuedAttempt) -> Verdict | None:
        """Count the first attempt of the queue, tell the listener, and return its verdict."""
        verdict = None if self._invalid(queued) else self.journal.get(queued.key)
        name, phase = self._name_of(queued), self._words(queued)
        if name != self._pass_name:
            self._pass_name = name
            self.listen(PassBegan(name, self.counts.asked))
        if phase != self._phase:
            self._phase = phase
            self.listen(PhaseBegan(phase))
        if queued.attempt.hearing is not None and verdict is not None:
            queued.attempt.hearing.output = self.journal.said(queued.key) or b""
            queued.attempt.hearing.timed_out = verdict is Verdict.TIMEOUT
        # In stream order: that a test ran ahead of its turn must not show.
        if self._invalid(queued):
            self.counts.invalid += 1
            answer = Answer.INVALID
        else:
            answer = self.count(queued.key)
        if answer is Answer.TEST:
            self._odds.saw(queued.traits, verdict is Verdict.INTERESTING)
        self.listen(Tried(answer, verdict, queued.attempt))
        if (label := self.journal.label(queued.key)) and verdict is not Verdict.INTERESTING:
            self.listen(OtherFailure(label, queued.key, self._whole(queued)))
        self.check_time()
        return verdict
