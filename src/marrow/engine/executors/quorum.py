"""Flaky tests: a candidate is interesting if enough of several runs of the test are (`--flaky`).

A vote ends when K of at most N runs were interesting, or when K cannot be reached any more. Runs
that are needed however the others end may run at once. So free workers take part in a vote, but no
run is made in vain, and the number of workers has no influence on the decision.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from math import comb
from typing import Final

from marrow.engine.executors.executor import Executor, Job
from marrow.engine.verdict import Outcome, Verdict

#: How sure a bound is, as in the checks of patterns.
CONFIDENCE: Final = 0.95

# So many halvings make an interval smaller than a percentage can show.
_HALVINGS: Final = 30


def at_least(needed: int, runs: int, share: float) -> float:
    """Return the chance of `needed` or more interesting runs of `runs`, if a `share` of all is."""
    return sum(
        comb(runs, count) * share**count * (1.0 - share) ** (runs - count)
        for count in range(needed, runs + 1)
    )


@dataclass(frozen=True, slots=True)
class Reliability:
    """The number of interesting runs among some on the same input."""

    interesting: int
    runs: int

    @property
    def share(self) -> float:
        """The share of these runs."""
        return self.interesting / self.runs

    @property
    def lowest(self) -> float:
        """The share of all runs is at least this, with 95% confidence.

        The one-sided bound of Clopper and Pearson (Biometrika 26, 1934): it holds for any number of
        runs, where the usual approximations do not.
        """
        low, high = 0.0, self.share
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if at_least(self.interesting, self.runs, middle) > 1.0 - CONFIDENCE:
                high = middle
            else:
                low = middle
        return low

    def words(self) -> str:
        """Return it in words."""
        return (
            f"interesting in {self.interesting} of {self.runs} runs; in {self.lowest:.0%} of all "
            f"or more, with {CONFIDENCE:.0%} confidence"
        )


#: More runs of one candidate than this are probably a typo.
MOST_RUNS: Final = 1000

# The least number of runs that judge the result at the end. If all 20 are interesting, 86% of all
# are, with 95% confidence; fewer runs would say little.
_LAST_RUNS: Final = 20

# The factor of runs if a vote seems to fail. A result that shows the failure in half of its runs is
# refused for 2/5 by 20 runs in 6% of cases, by 60 in 0.1%.
_DOUBT: Final = 3


# The outcome of a run that was stopped: it says nothing about the candidate.
_STOPPED: Final = Outcome(Verdict.ERROR, message="the test was stopped")


@dataclass(frozen=True, slots=True)
class Quorum:
    """A candidate is interesting if `needed` of at most `runs` runs are."""

    needed: int
    runs: int

    def __post_init__(self) -> None:
        if not 1 <= self.needed <= self.runs <= MOST_RUNS:
            raise ValueError(
                f"{self.needed}/{self.runs}: K of N runs must be interesting, with K from 1 to N "
                f"and N up to {MOST_RUNS}"
            )

    @classmethod
    def parse(cls, text: str) -> Quorum:
        """Read `K/N`; raise `ValueError` where it is not that."""
        match = re.fullmatch(r"\s*(\d{1,6})\s*/\s*(\d{1,6})\s*", text)
        if match is None:
            raise ValueError(f"{text!r}: write K/N, such as 2/5 for two of five runs")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.needed}/{self.runs}"

    @property
    def stages(self) -> tuple[int, int]:
        """The number of runs that judge the result at the end: at first, and in doubt."""
        first = max(_LAST_RUNS, self.runs)
        return first, _DOUBT * first

    def chance(self, share: float) -> float:
        """Return the chance that a vote accepts a candidate with this share of interesting runs."""
        return at_least(self.needed, self.runs, share)

    def holds(self, seen: Reliability) -> bool:
        """Whether a vote would probably accept a text with this reliability."""
        return self.chance(seen.share) >= 0.5

    @property
    def stricter(self) -> Quorum:
        """The same share of twice as many runs, which leaves less to chance."""
        factor = 2 if 2 * self.runs <= MOST_RUNS else 1
        return Quorum(factor * self.needed, factor * self.runs)


def enough_for(seen: Reliability) -> Quorum:
    """Return a quorum that a text with this reliability reaches in nearly all votes.

    Two runs, since one may be interesting by accident; as many as it takes for two in 95% of votes.
    """
    for runs in range(3, MOST_RUNS):
        quorum = Quorum(2, runs)
        if quorum.chance(seen.share) >= CONFIDENCE:
            return quorum
    return Quorum(1, MOST_RUNS)


@dataclass(slots=True)
class _Vote:
    """The runs on one candidate so far."""

    quorum: Quorum
    others: Counter[Verdict] = field(default_factory=Counter)
    interesting: int = 0
    seconds: float = 0.0
    last: Outcome | None = None
    broken: Outcome | None = None
    #: Verdicts that a time limit decided.
    late: set[Verdict] = field(default_factory=set)

    def take(self, outcome: Outcome) -> None:
        """Count one run."""
        self.seconds += outcome.seconds
        if outcome.rests_on_time:
            self.late.add(outcome.verdict)
        if outcome.verdict is Verdict.ERROR:
            self.broken = outcome
        elif outcome.verdict is Verdict.INTERESTING:
            self.interesting += 1
        else:
            self.others[outcome.verdict] += 1
        if self.last is None or outcome.verdict is not Verdict.INTERESTING:
            self.last = outcome

    @property
    def missing(self) -> int:
        """The number of runs still needed, however they end; 0 when the vote is decided."""
        if self.broken is not None:
            return 0
        yes = self.quorum.needed - self.interesting
        no = self.quorum.runs - self.quorum.needed + 1 - self.others.total()
        return max(0, min(yes, no))

    def outcome(self) -> Outcome:
        """Return the result of the vote; a refusal has the commonest of the other verdicts."""
        if self.broken is not None:
            return self.broken
        assert self.last is not None
        accepted = self.interesting >= self.quorum.needed
        verdict = Verdict.INTERESTING if accepted else self.others.most_common(1)[0][0]
        late = any((one is Verdict.INTERESTING) is accepted for one in self.late)
        return Outcome(
            verdict,
            self.last.exit_code,
            self.seconds,
            self.last.output,
            timed_out=late,
            files=self.last.files,
        )


@dataclass(eq=False, slots=True)
class _VoteJob:
    """A vote under way."""

    future: Future[Outcome]
    candidate: bytes
    capture: bool
    vote: _Vote
    give_up: Callable[[_VoteJob], None]
    #: How many of its runs may run at once.
    most: int
    running: list[Job] = field(default_factory=list)
    starting: int = 0

    def cancel(self) -> None:
        """Stop the runs of the vote."""
        self.give_up(self)


class QuorumExecutor:
    """Runs votes on another executor, which its owner closes.

    The first candidate in order has the first claim to workers: its runs are needed, those of later
    ones perhaps not. A vote that is repeated because a time limit decided it runs one at a time.
    """

    def __init__(self, single: Executor, quorum: Quorum) -> None:
        self._single: Final = single
        self._quorum: Final = quorum
        self._lock: Final = threading.Lock()
        self._jobs: Final[list[_VoteJob]] = []
        self._pumping = False
        self._late: Final[set[int]] = set()
        #: The number of runs that were started.
        self.runs = 0

    @property
    def workers(self) -> int:
        """The number of votes that may be under way at once."""
        return self._single.workers

    def allow(self, seconds: float) -> None:
        """Pass the limit on; it is for each run."""
        self._single.allow(seconds)

    def submit(self, candidate: bytes, *, capture: bool = False) -> _VoteJob:
        """Start a vote on a candidate."""
        most = 1 if hash(candidate) in self._late else self._quorum.runs
        job = _VoteJob(Future(), candidate, capture, _Vote(self._quorum), self._give_up, most)
        job.future.set_running_or_notify_cancel()
        with self._lock:
            self._jobs.append(job)
        self._pump()
        return job

    def close(self) -> None:
        """Stop all votes."""
        with self._lock:
            jobs = list(self._jobs)
        for job in jobs:
            job.cancel()

    def _pump(self) -> None:
        """Start runs while workers are free. One thread does it at a time, in a loop.

        A run may end while it is submitted, and its end asks for the next one: not by recursion.
        """
        with self._lock:
            if self._pumping:
                return
            self._pumping = True
        while (job := self._claim()) is not None:
            run = self._single.submit(job.candidate, capture=job.capture)
            self.runs += 1
            with self._lock:
                job.starting -= 1
                wanted = job in self._jobs
                if wanted:
                    job.running.append(run)
            if wanted:
                run.future.add_done_callback(partial(self._ended, job, run))
            else:
                run.cancel()

    def _claim(self) -> _VoteJob | None:
        """Return the first vote that needs another run now; without one, stop pumping."""
        with self._lock:
            busy = sum(len(job.running) + job.starting for job in self._jobs)
            if busy < self._single.workers:
                for job in self._jobs:
                    if len(job.running) + job.starting < min(job.most, job.vote.missing):
                        job.starting += 1
                        return job
            self._pumping = False
            return None

    def _ended(self, job: _VoteJob, run: Job, _: object) -> None:
        """Count a run that has ended; called in a worker's thread."""
        with self._lock:
            if job not in self._jobs:
                return
            job.running.remove(run)
            error = None if run.future.cancelled() else run.future.exception()
            if error is None:
                job.vote.take(_STOPPED if run.future.cancelled() else run.future.result())
            decided = error is not None or job.vote.missing == 0
            left = self._leave(job) if decided else []
        for other in left:
            other.cancel()
        if error is not None:
            job.future.set_exception(error)
        elif decided:
            outcome = job.vote.outcome()
            if outcome.rests_on_time:
                self._late.add(hash(job.candidate))
            job.future.set_result(outcome)
        self._pump()

    def _give_up(self, job: _VoteJob) -> None:
        with self._lock:
            left = self._leave(job)
        for run in left:
            run.cancel()
        self._pump()

    def _leave(self, job: _VoteJob) -> list[Job]:
        """Take a vote off the list; return its runs."""
        if job in self._jobs:
            self._jobs.remove(job)
        left, job.running = job.running, []
        return left


class Runs:
    """The executor for candidates, by single runs or by votes, and the number of runs it made."""

    def __init__(self, single: Executor, quorum: Quorum | None) -> None:
        self._votes: Final = None if quorum is None else QuorumExecutor(single, quorum)
        self.executor: Final[Executor] = self._votes or single

    def count(self, tests: int) -> int:
        """Return the number of runs that this number of tests of candidates took."""
        return tests if self._votes is None else self._votes.runs
