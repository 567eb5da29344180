"""Speculation: the attempts that may have to be tried, how likely each is, what it costs.

A *scenario* is a stream of attempts under an assumption: that certain attempts before it are
interesting. It continues as long as its own attempts fail; each of them leads to the scenario that
follows if it succeeds. The *actual* scenario has no assumptions: its attempts are really made.

The others are only looked into, and what is found there depends on their assumption alone. When
that comes true, the scenario becomes the actual one, as if nobody had looked.

The chance of an attempt is measured as attempts are settled: over all of them, for each phase of an
algorithm, and by the share of tokens that would go.
Success comes in waves, so older attempts count less. docs/lab/scaling.md has the figures for
the constants.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from marrow.engine.journal.journal import digest
from marrow.reducers.streams.stream import Attempt, Attempts, Stream
from marrow.syntax.front_end import Validity
from marrow.syntax.portion import Portion
from marrow.tree import Tree
from marrow.tree.order import ORDERS, Order

# How likely an attempt is to succeed before any was seen: between the shares that were measured on
# the benchmark cases (0.09 to 0.38), near those of the long ones, which have most of the tests.
_FIRST_GUESS: Final = 0.1

# The weight of the guess from the wider view, in attempts, and by which factor an attempt counts
# less after the next one of its kind. Of 1, 2, 4 and 0.9, 0.95, 0.98 none predicts clearly better.
_WEIGHT: Final = 4.0
_FADING: Final = 0.9

# The same where the guess is that for the phase: of 0.5, 1 and 2, 1 predicts best.
_FINER_WEIGHT: Final = 1.0

#: A test that is needed less than once in a hundred times is not worth a worker, nor its power,
#: even if there is nothing else to do.
LEAST_CHANCE: Final = 0.01


class _Share:
    """The share of attempts that succeeded; the latest count most."""

    def __init__(self) -> None:
        self._good = 0.0
        self._all = 0.0

    def saw(self, success: bool) -> None:
        self._good = _FADING * self._good + success
        self._all = _FADING * self._all + 1.0

    def given(self, guess: float, weight: float) -> float:
        """Return the share, blended with a guess of this weight."""
        return (self._good + weight * guess) / (self._all + weight)


class Traits(NamedTuple):
    """Facts about an attempt before it is tried.

    `share` is the part of the tokens that it would remove: n for 1/2^(n-1) of them, or less.
    """

    phase: str
    share: int

    @classmethod
    def of(cls, attempt: Attempt, base: Tree) -> Traits:
        """Return the traits of an attempt on a tree."""
        removed = max(1, base.token_count - attempt.tree.token_count)
        return cls(attempt.phase, (base.token_count // removed).bit_length())


class SuccessEstimates:
    """How likely attempts are to succeed."""

    def __init__(self) -> None:
        self._overall: Final = _Share()
        self._phases: Final[dict[str, _Share]] = {}
        self._sizes: Final[dict[int, _Share]] = {}

    def saw(self, traits: Traits, success: bool) -> None:
        """Learn from the verdict on an attempt, in stream order."""
        self._overall.saw(success)
        self._phases.setdefault(traits.phase, _Share()).saw(success)
        self._sizes.setdefault(traits.share, _Share()).saw(success)

    def of(self, traits: Traits) -> float:
        """Return how likely an attempt is to succeed.

        The mean (of odds, geometric) of two guesses: for the phase, and by the share of the tokens.
        """
        guess = self._overall.given(_FIRST_GUESS, _WEIGHT)
        phase = self._phases.get(traits.phase)
        if phase is not None:
            guess = phase.given(guess, _WEIGHT)
        size = self._sizes.get(traits.share)
        finer = guess if size is None else size.given(guess, _FINER_WEIGHT)
        odds = math.sqrt(guess / (1.0 - guess) * finer / (1.0 - finer))
        return odds / (1.0 + odds)


#: How likely an attempt is to succeed.
Chance: TypeAlias = Callable[["QueuedAttempt"], float]


@dataclass(slots=True, eq=False)
class QueuedAttempt:
    """An attempt that was taken from the stream of its scenario.

    `after` follows if it succeeds. `refused` ones do not parse; where one is `skipped`, the rest of
    its pass is left out.
    """

    attempt: Attempt
    key: bytes
    after: Scenario
    traits: Traits
    refused: bool = False
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class SearchContext:
    """The knowledge that all scenarios of a reduction share: the frame of candidates, known texts.

    `been` has the texts that were the best once, `asked` those that were asked about; `smaller` is
    the order of the run.
    """

    portion: Portion
    been: Collection[bytes]
    asked: Collection[bytes]
    smaller: Order = ORDERS["tokens"]


@dataclass(slots=True, eq=False)
class Scenario:
    """A stream of attempts on a base; `then` gives the stream when it is first needed.

    `best` is the smallest tree so far: the base itself, unless that is on a detour. `outer` is the
    scenario that this one follows from: its assumptions hold here too.
    """

    ground: SearchContext
    base: Tree
    best: Tree
    then: Callable[[], Stream | None]
    outer: Scenario | None = None
    key: bytes = b""
    #: Attempts that were taken from the stream and are not settled, in order.
    queue: deque[QueuedAttempt] = field(default_factory=deque)
    ended: bool = False
    _validity: Validity | None = None
    _has_validity: bool = False
    _source: Iterator[QueuedAttempt] | None = None
    _next: QueuedAttempt | None = None

    @classmethod
    def actual(
        cls,
        ground: SearchContext,
        base: Tree,
        stream: Stream | None,
        validity: Validity | None,
        best: Tree | None = None,
    ) -> Scenario:
        """Return a scenario without assumptions; `validity` knows the base."""
        scenario = cls(ground, base, best or base, lambda: stream)
        scenario._validity, scenario._has_validity = validity, True
        return scenario

    def other(self, stream: Stream | None) -> Scenario:
        """Return the actual scenario that replaces this one, on the same base."""
        return Scenario.actual(self.ground, self.base, stream, self.validity, self.best)

    def peek(self) -> QueuedAttempt | None:
        """Return the next attempt of the stream, None at its end; it stays the next one."""
        if self._next is None and not self.ended:
            if self._source is None:
                self._source = self._walk()
            self._next = next(self._source, None)
            self.ended = self._next is None
        return self._next

    def take(self) -> QueuedAttempt | None:
        """Take the next attempt from the stream."""
        queued, self._next = self.peek(), None
        if queued is not None:
            self.queue.append(queued)
        return queued

    @property
    def waits(self) -> bool:
        """Whether what follows depends on what the last attempt's test will have written."""
        return bool(self.queue) and self.queue[-1].attempt.hearing is not None

    def end_after(self, count: int) -> None:
        """Forget all but the first attempts of the queue: the last of them is interesting."""
        while len(self.queue) > count:
            self.queue.pop().after.close()
        self.ended = True
        self._source = self._next = None

    def close(self) -> None:
        """Drop everything that was found in this scenario and in those that follow from it.

        A scenario and its stream hold each other, and candidates are as long as the input: they
        must not wait for the garbage collector, which counts objects and not their bytes.
        """
        pending = [self]
        while pending:
            scenario = pending.pop()
            pending.extend(queued.after for queued in scenario.queue)
            scenario.queue.clear()
            scenario.ended = True
            scenario._source = scenario._next = scenario.outer = scenario._validity = None

    @property
    def validity(self) -> Validity | None:
        """The check of syntax for candidates of this scenario, in which the base is accepted."""
        if not self._has_validity:
            self._has_validity = True
            before = None if self.outer is None else self.outer.validity
            if before is not None:
                self._validity = before.copy()
                self._validity.rebase(self.base)
        return self._validity

    def come_true(self) -> Scenario:
        """Make this the actual scenario: its assumptions have come true."""
        _ = self.validity
        self.outer = None
        return self

    def _walk(self) -> Iterator[QueuedAttempt]:
        """Walk the attempts of this stream and of those that follow it; drop those not smaller."""
        for attempt in Attempts(self.then()):
            candidate = attempt.tree
            smaller = self.ground.smaller
            if not attempt.detour and not smaller(candidate, candidate.origin or self.best):
                continue
            whole = self.ground.portion.whole(candidate.text)
            key = digest(whole)
            if self._was(key) or not self.ground.portion.allows(whole):
                continue
            best = self.best if attempt.detour else candidate
            after = Scenario(self.ground, candidate, best, attempt.then, self, key)
            traits = Traits.of(attempt, self.base)
            yield QueuedAttempt(attempt, key, after, traits, refused=self._refuses(attempt, key))

    def _was(self, key: bytes) -> bool:
        """Whether a text was the best before, or is so by assumption."""
        if key in self.ground.been:
            return True
        scenario: Scenario | None = self
        while scenario is not None:
            if scenario.key == key:
                return True
            scenario = scenario.outer
        return False

    def _refuses(self, attempt: Attempt, key: bytes) -> bool:
        if attempt.unparsed or key in self.ground.asked:
            return False
        return self.validity is not None and not self.validity.valid(attempt.tree)


#: Something to do next: start the test of a queued attempt, or take one more from a scenario.
NextStep: TypeAlias = QueuedAttempt | Scenario


@dataclass(slots=True)
class Survey:
    """The next steps, and how likely each is needed."""

    steps: list[tuple[float, NextStep]] = field(default_factory=list)
    #: The chance to be needed of each candidate that waits for its verdict.
    waiting: dict[bytes, float] = field(default_factory=dict)
    #: The number of attempts in all queues.
    queued: int = 0


def survey(actual: Scenario, running: Collection[bytes], chance: Chance) -> Survey:
    """Look at the actual scenario and all that follow from it; cut off what cannot come true.

    `chance` is 0 or 1 where the verdict is known.
    """
    found = Survey()
    pending = [(1.0, actual)]
    while pending:
        likely, scenario = pending.pop()
        for count, queued in enumerate(scenario.queue, 1):
            found.queued += 1
            success = chance(queued)
            if 0.0 < success < 1.0:
                found.waiting[queued.key] = max(likely, found.waiting.get(queued.key, 0.0))
                if queued.key not in running:
                    found.steps.append((likely, queued))
            if success > 0.0:
                pending.append((likely * success, queued.after))
            elif queued.after.queue:
                queued.after.end_after(0)
            likely *= 1.0 - success
            if success == 1.0:
                scenario.end_after(count)
                break
        if not scenario.ended and not scenario.waits:
            found.steps.append((likely, scenario))
    return found
