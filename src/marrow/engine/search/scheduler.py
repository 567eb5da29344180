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
from collections import deque
from collections.abc import Iterator
from typing import Final

from marrow.engine.events import (
    Accepted,
    Answer,
    Listener,
    PassBegan,
    PhaseBegan,
    Tried,
    ignore,
)
from marrow.engine.executors.executor import LONGEST_WAIT, Executor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.chances import Before, Odds, Worth
from marrow.engine.search.control import Control
from marrow.engine.search.dispatcher import Dispatcher, Limits, StopReductionError
from marrow.engine.search.speculation import Branch, Entry, Ground, Step, Survey, survey
from marrow.engine.verdict import Verdict
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

# How likely an attempt is to succeed whose test timed out once. It seldom does, but it may: so more
# than 0, and too little to be worth a test of what would follow.
_CHANCE_AFTER_TIMEOUT: Final = 0.001


class Scheduler:
    """Runs streams of attempts."""

    def __init__(
        self,
        executor: Executor,
        journal: Journal,
        listener: Listener = ignore,
        limits: Limits | None = None,
        control: Control | None = None,
    ) -> None:
        self.dispatcher: Final = Dispatcher(executor, journal, listener, limits)
        self.counts: Final = self.dispatcher.counts
        self._control: Final = control or Control()
        self._journal: Final = journal
        self._listen: Final = listener
        self._odds: Final = Odds()
        self._worth: Final = Worth()
        self._been: Final[set[bytes]] = set()
        self._phase = ""
        self._pass_name = ""
        self._algorithm = ""
        self._part = Portion(b"", ())

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
        ground = Ground(self._part, self._been, self.dispatcher.asked)
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
            self.dispatcher.cancel(list(self.dispatcher.running))

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
            if not self._waits_to_run_alone(entries):
                self._look_ahead(trunk)
            if not entries:
                if trunk.ended:
                    return None
            elif not self._settled(entries[0]):
                if self._waits_to_run_alone(entries):
                    self.dispatcher.confirm(entries[0].key, self._whole(entries[0]))
                for seconds in self.dispatcher.wait():
                    self._worth.tested(seconds)

    def _waits_to_run_alone(self, entries: deque[Entry]) -> bool:
        """Whether the first attempt timed out: nothing else is started until it has run alone."""
        return bool(entries) and entries[0].key in self.dispatcher.timed_out

    def _look_ahead(self, trunk: Branch) -> None:
        """Start what is most likely to be needed, as long as there are workers for it."""
        dispatcher = self.dispatcher
        # Not the ones that timed out: each is run again when its turn comes.
        busy = dispatcher.running.keys() | dispatcher.timed_out
        found = survey(trunk, busy, self._chance)
        dispatcher.cancel([key for key in dispatcher.running if key not in found.waiting])
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
            if trunk.entries and not dispatcher.ended.empty():
                return  # what has come in may change what is needed
            if self._waits_to_run_alone(trunk.entries):
                return

    def _most_ahead(self, length: int) -> int:
        """Return how many attempts on a text of this length may be looked ahead."""
        workers = self.dispatcher.executor.workers
        most = max(2 * workers, _MOST_BYTES_AHEAD // max(1, length))
        return min(_AHEAD_PER_WORKER * workers, most)

    def _room_for(self, likely: float, found: Survey) -> bool:
        """Whether there is a worker for a step; what is much less likely needed gives way."""
        running = self.dispatcher.running
        if len(running) < self.dispatcher.executor.workers:
            return True
        last = min(running, key=lambda key: found.waiting.get(key, 0.0), default=None)
        if last is None or _GIVES_WAY * found.waiting.get(last, 0.0) > likely:
            return False
        self.dispatcher.cancel([last])
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
        if step is trunk and not trunk.entries and not entry.refused:
            self.dispatcher.check_limit(entry.key)  # nobody would use the verdict
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
            if entry.key in self.dispatcher.timed_out:
                return _CHANCE_AFTER_TIMEOUT
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
            self.dispatcher.rest(LONGEST_WAIT)
        if self._control.stopped:
            raise StopReductionError("as you asked")

    def _invalid(self, entry: Entry) -> bool:
        """Whether an attempt is not worth a test: no parser takes it, and nothing is known."""
        return entry.refused and entry.key not in self.dispatcher.asked

    def _settled(self, entry: Entry) -> bool:
        """Whether the answer to an attempt is there."""
        return self._invalid(entry) or self._journal.get(entry.key) is not None

    def _start(self, entry: Entry) -> None:
        """Start the test of an entry, unless it is under way or waits to be run alone."""
        if entry.key not in self.dispatcher.timed_out:
            self.dispatcher.start(entry.key, self._whole(entry))

    def _whole(self, entry: Entry) -> bytes:
        """Return the whole input with the candidate in its place."""
        return self._part.whole(entry.attempt.tree.text)

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
        self.dispatcher.check_time()
        return verdict

    def _count(self, entry: Entry) -> Answer:
        """Count an attempt in stream order: that a test ran ahead of its turn must not show."""
        if self._invalid(entry):
            self.counts.invalid += 1
            return Answer.INVALID
        return self.dispatcher.count(entry.key)
