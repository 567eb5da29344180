"""The scheduler: takes a stream of attempts, answers with the first interesting one in its order.

It looks ahead with as many workers as there are (see `lookahead`): what is most likely to be needed
is tried first, whether attempts before it would have to fail or to succeed for that. The first
success in stream order is committed, not the first in time. So the result is the same for any
number of workers; more workers only find it sooner. What was tried ahead in vain is cancelled, but
verdicts that came in are kept.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import Final

from marrow.engine.events import (
    Accepted,
    Answer,
    Listener,
    PassBegan,
    PhaseBegan,
    Tried,
    Warned,
)
from marrow.engine.executors.executor import LONGEST_WAIT, Executor, Job
from marrow.engine.journal.journal import Journal
from marrow.engine.search.chances import Before, Odds, Worth
from marrow.engine.search.control import Control
from marrow.engine.search.speculation import Branch, Entry, Ground, Step, Survey, survey
from marrow.engine.verdict import Outcome, Verdict
from marrow.errors import MarrowError
from marrow.reducers.stream import Stream
from marrow.syntax.front_end import Validity
from marrow.syntax.portion import Portion
from marrow.tree import Tree

# How many attempts may be looked ahead, for each worker. Those that are known or invalid cost no
# worker; the limit only bounds memory.
_AHEAD_PER_WORKER: Final = 64

# How many bytes the texts of attempts looked ahead may have together, where that is more than two
# for each worker: with an input of 10 MB, 25 attempts.
_MOST_BYTES_AHEAD: Final = 1 << 28

# A test gives way to one that is so many times as likely to be needed. What it has done so far is
# lost, so that it is not done for little.
_GIVES_WAY: Final = 4.0


class StopReductionError(MarrowError):
    """The run must end before its time; the message says why. The best so far stays."""


class TestFailureError(StopReductionError):
    """The test itself could not be run."""

    __test__ = False  # no test case, whatever pytest makes of the name


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop. Tests count in stream order, so that any number of workers stops alike."""

    tests: int | None = None
    seconds: float | None = None


@dataclass(slots=True)
class Counts:
    """What a run has done. `tests` counts every test that was started, those in vain too.

    `needed` counts tests in stream order; `asked` also those that an earlier run had made, so it is
    what a run without a journal needs.
    """

    tests: int = 0
    needed: int = 0
    asked: int = 0
    cached: int = 0
    invalid: int = 0
    accepted: int = 0
    skipped: int = 0

    @property
    def attempts(self) -> int:
        """The attempts in stream order: a place in the run that a run that is resumed has too."""
        return self.needed + self.cached + self.invalid + self.skipped


class Scheduler:
    """Runs streams of attempts."""

    def __init__(
        self,
        executor: Executor,
        journal: Journal,
        listener: Listener,
        limits: Limits | None = None,
        control: Control | None = None,
    ) -> None:
        limits = limits or Limits()
        self._control: Final = control or Control()
        self.counts: Final = Counts()
        self._executor: Final = executor
        self._journal: Final = journal
        self._listen: Final = listener
        self._most_tests: Final = limits.tests
        self._deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
        self._odds: Final = Odds()
        self._worth: Final = Worth()
        self._been: Final[set[bytes]] = set()
        # Candidates that were asked about before: in this run, in stream order, or in the journal.
        self._asked: Final = set(journal.keys())
        self._asked_now: Final[set[bytes]] = set()
        self._running: Final[dict[bytes, Job]] = {}
        # What has ended comes in here from the workers' threads.
        self._ended: Final[SimpleQueue[tuple[bytes, Future[Outcome]]]] = SimpleQueue()
        self._phase = ""
        self._pass_name = ""
        self._algorithm = ""
        self._part = Portion(b"", ())
        self._warned = False

    def run(
        self,
        tree: Tree,
        stream: Stream | None,
        validity: Validity | None,
        part: Portion | None = None,
        algorithm: str = "",
    ) -> Iterator[Tree]:
        """Run a stream to its end; yield every new best tree, each smaller than the one before.

        `part` says how the tree stands in the whole input, where it is not all of it; `algorithm`
        is the name of the only pass, where the attempts do not name theirs.
        """
        self._algorithm = algorithm
        self._part = part or Portion(tree.text, ())
        if validity is not None:
            validity.rebase(tree)
        ground = Ground(self._part, self._been, self._asked)
        trunk = Branch.trunk(ground, tree, stream, validity)
        try:
            while (entry := self._first_interesting(trunk)) is not None:
                if entry.skipped:
                    self.counts.skipped += 1
                    skip = entry.attempt.skip
                    other = trunk.other(None if skip is None else skip())
                    trunk.close()
                    trunk = other
                    continue
                # Before the tree forgets what it was made from, which makes parsing it quick.
                grown = entry.after.grown()
                self._accept(trunk.base, entry)
                trunk.close()
                yield entry.attempt.tree
                trunk = grown
        finally:
            self._cancel(list(self._running))

    def _accept(self, before: Tree, entry: Entry) -> None:
        """Take note of the new best, and tell the listener."""
        best = entry.attempt.tree
        best.forget_origin()
        self.counts.accepted += 1
        self._been.add(entry.key)
        whole = self._part.whole
        after = whole(best.text)
        tokens, length = self._part.tokens(best), self._part.length(after)
        phase, asked = entry.attempt.phase, self.counts.asked
        self._listen(
            Accepted(tokens, length, whole(before.text), after, phase, self._pass_name, asked)
        )

    def _first_interesting(self, trunk: Branch) -> Entry | None:
        """Return the first attempt of the trunk that is interesting, or skipped, or None."""
        entries = trunk.entries
        while True:
            while entries and (self._skips(entries[0]) or self._settled(entries[0])):
                entry = entries.popleft()
                if entry.skipped or self._settle(entry) is Verdict.INTERESTING:
                    return entry
                entry.after.close()
            self._rest()
            self._look_ahead(trunk)
            if not entries:
                if trunk.ended:
                    return None
            elif not self._settled(entries[0]):
                self._wait()

    def _look_ahead(self, trunk: Branch) -> None:
        """Start what is most likely to be needed, as long as there are workers for it."""
        found = survey(trunk, self._running, self._chance)
        self._cancel([key for key in self._running if key not in found.waiting])
        order = itertools.count()
        steps = [(-likely, next(order), step, before) for likely, step, before in found.steps]
        heapq.heapify(steps)
        most = self._most_ahead(len(trunk.base.text))
        while steps:
            likely, _, step, before = steps[0]
            likely = -likely
            if likely == 1.0 and isinstance(step, Branch) and step is not trunk:
                return  # behind an attempt that is known to succeed: that is taken first
            needed = not trunk.entries or step is trunk.entries[0]
            # What is needed is never too much: with fewer workers than before `most` is less, too.
            if not needed and (found.entries >= most or likely < self._worth.least_chance):
                return
            if not self._room_for(likely, found):
                # Made while the workers are busy, so that it is there when one is free.
                self._make(step)
                return
            heapq.heappop(steps)
            for chance, then, between in self._do(step, likely, before, trunk, found):
                heapq.heappush(steps, (-chance, next(order), then, between))
            if trunk.entries and not self._ended.empty():
                return  # what has come in may change what is needed

    def _most_ahead(self, length: int) -> int:
        """Return how many attempts on a text of this length may be looked ahead."""
        workers = self._executor.workers
        most = max(2 * workers, _MOST_BYTES_AHEAD // max(1, length))
        return min(_AHEAD_PER_WORKER * workers, most)

    def _room_for(self, likely: float, found: Survey) -> bool:
        """Whether there is a worker for a step; what is much less likely needed gives way."""
        if len(self._running) < self._executor.workers:
            return True
        last = min(self._running, key=lambda key: found.waiting.get(key, 0.0), default=None)
        if last is None or _GIVES_WAY * found.waiting.get(last, 0.0) > likely:
            return False
        self._cancel([last])
        return True

    def _make(self, step: Step) -> Entry | None:
        """Make the candidate that a step is about, or return the one that is made."""
        if isinstance(step, Entry):
            return step
        start = time.thread_time()  # a busy machine makes tests take longer, too
        entry = step.peek()
        self._worth.made(time.thread_time() - start)
        return entry

    def _do(
        self, step: Step, likely: float, before: Before | None, trunk: Branch, found: Survey
    ) -> list[tuple[float, Step, Before | None]]:
        """Take a step; return those that follow, how likely each is needed, and what it follows."""
        entry = self._make(step)
        if entry is None:
            return []
        if step is trunk and not trunk.entries:
            self._check_limit(entry)  # nobody would use the verdict
        if isinstance(step, Entry):
            self._start(entry)
            return []
        step.take()
        found.entries += 1
        success = self._chance(entry, before)
        follow: list[tuple[float, Step, Before | None]] = []
        if 0.0 < success < 1.0:
            found.waiting[entry.key] = max(likely, found.waiting.get(entry.key, 0.0))
            self._start(entry)
        if success > 0.0:
            follow.append((likely * success, entry.after, entry.says(True)))
        if success < 1.0:
            failed = before if entry.refused else entry.says(False)
            follow.append((likely * (1.0 - success), step, failed))
        return follow

    def _chance(self, entry: Entry, before: Before | None) -> float:
        """Return how likely an attempt succeeds: 0 or 1 where that is known."""
        if self._invalid(entry):
            return 0.0
        verdict = self._journal.get(entry.key)
        if verdict is None:
            return self._odds.of(entry.traits, before)
        return 1.0 if verdict is Verdict.INTERESTING else 0.0

    def _skips(self, entry: Entry) -> bool:
        """Whether the rest of a pass is left out from the first attempt of the window on.

        What was skipped in the run that is resumed is skipped again, at the same place.
        """
        place = self.counts.attempts
        if place in self._journal.history.skips:
            entry.skipped = True
        elif self._control.take_skip(self._name_of(entry)):
            self._journal.put_skip(place)
            entry.skipped = True
        return entry.skipped

    def _name_of(self, entry: Entry) -> str:
        return entry.attempt.pass_name or self._algorithm

    def _rest(self) -> None:
        """Wait as long as the run is paused, which is not counted as its time."""
        while self._control.paused and not (self._control.stopped or self._control.skipping):
            time.sleep(LONGEST_WAIT)
            if self._deadline is not None:
                self._deadline += LONGEST_WAIT
        if self._control.stopped:
            raise StopReductionError("as you asked")

    def _invalid(self, entry: Entry) -> bool:
        """Whether an attempt is not worth a test: no parser takes it, and nothing is known."""
        return entry.refused and entry.key not in self._asked

    def _settled(self, entry: Entry) -> bool:
        """Whether the answer to an attempt is there."""
        return self._invalid(entry) or self._journal.get(entry.key) is not None

    def _start(self, entry: Entry) -> None:
        """Start the test of an entry, unless it is on its way."""
        if entry.key not in self._running:
            job = self._executor.submit(self._part.whole(entry.attempt.tree.text))
            self._running[entry.key] = job
            # Without the job, which would hold itself and its candidate then.
            job.future.add_done_callback(partial(self._report, entry.key))

    def _report(self, key: bytes, future: Future[Outcome]) -> None:
        """Hand over what has ended; called in a worker's thread."""
        self._ended.put((key, future))

    def _wait(self) -> None:
        """Wait until a test ends, or for a moment: tests that take long make looking ahead pay."""
        left = LONGEST_WAIT
        if self._deadline is not None:
            left = min(left, self._deadline - time.monotonic())
            if left < 0:
                raise StopReductionError("the time limit is reached")
        try:
            self._take(*self._ended.get(timeout=left))
        except Empty:
            self._worth.tested(left)
        while not self._ended.empty():
            self._take(*self._ended.get())

    def _take(self, key: bytes, future: Future[Outcome]) -> None:
        """Take the outcome of a test into the journal."""
        job = self._running.get(key)
        if job is None or job.future is not future:
            return  # given up before it ended
        del self._running[key]
        if future.cancelled():
            raise StopReductionError("the tests were cancelled")
        outcome = future.result()
        self.counts.tests += 1
        if outcome.verdict is Verdict.ERROR:
            raise TestFailureError(outcome.message)
        self._worth.tested(outcome.seconds)
        self._journal.put(key, outcome.verdict, outcome.exit_code, outcome.seconds)
        if self._journal.failure and not self._warned:
            self._warned = True
            self._listen(Warned(f"{self._journal.failure}; the run goes on but cannot be resumed"))

    def _settle(self, entry: Entry) -> Verdict | None:
        """Count the first attempt of the window, tell the listener, and return its verdict."""
        verdict = None if self._invalid(entry) else self._journal.get(entry.key)
        name, phase = self._name_of(entry), entry.attempt.phase
        if name != self._pass_name:
            self._pass_name = name
            self._listen(PassBegan(name, self.counts.asked))
        if phase != self._phase:
            self._phase = phase
            self._listen(PhaseBegan(phase))
        answer = self._count(entry)
        if answer is Answer.TEST:
            self._odds.saw(entry.traits, verdict is Verdict.INTERESTING)
        self._listen(Tried(answer, verdict, entry.attempt))
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise StopReductionError("the time limit is reached")
        return verdict

    def _count(self, entry: Entry) -> Answer:
        """Count an attempt in stream order: that a test ran ahead of its turn must not show."""
        if self._invalid(entry):
            self.counts.invalid += 1
            return Answer.INVALID
        known = entry.key in self._asked
        if not known:
            self._check_limit(entry)
        if entry.key not in self._asked_now:
            self._asked_now.add(entry.key)
            self.counts.asked += 1
        if known:
            self.counts.cached += 1
            return Answer.CACHE
        self._asked.add(entry.key)
        self.counts.needed += 1
        return Answer.TEST

    def _check_limit(self, entry: Entry) -> None:
        """Raise if the limit does not allow for the test that an attempt needs."""
        if entry.refused or entry.key in self._asked:
            return
        if self._most_tests is not None and self.counts.needed >= self._most_tests:
            raise StopReductionError(f"the limit of {self._most_tests:,} tests is reached")

    def _cancel(self, keys: list[bytes]) -> None:
        """Cancel tests that are no longer needed, but keep the verdicts that have come in."""
        for key in keys:
            job = self._running.pop(key)
            if not job.future.done():
                self.counts.tests += job.future.running()
                job.cancel()
            elif not job.future.cancelled() and job.future.exception() is None:
                outcome = job.future.result()
                self.counts.tests += 1
                if outcome.verdict is not Verdict.ERROR:
                    self._journal.put(key, outcome.verdict, outcome.exit_code, outcome.seconds)
