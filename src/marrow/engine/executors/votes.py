"""Votes: several runs of a test that wavers, on another executor, until a rule decides."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from marrow.engine.executors.executor import Executor, Job
from marrow.engine.executors.quorum import VoteRule
from marrow.engine.verdict import Outcome, Verdict

# The outcome of a run that was stopped: it says nothing about the candidate.
_STOPPED: Final = Outcome(Verdict.ERROR, message="the test was stopped")


@dataclass(eq=False, slots=True)
class _Vote:
    """The runs on one candidate; at most `most` of them at once."""

    rule: VoteRule
    candidate: bytes
    capture: bool
    most: int
    give_up: Callable[[_Vote], None]
    future: Future[Outcome] = field(default_factory=Future)
    running: list[Job] = field(default_factory=list)
    starting: int = 0
    interesting: int = 0
    others: Counter[Verdict] = field(default_factory=Counter)
    seconds: float = 0.0
    last: Outcome | None = None
    broken: Outcome | None = None
    #: Verdicts that a time limit decided.
    late: set[Verdict] = field(default_factory=set)

    def cancel(self) -> None:
        """Stop the runs of the vote."""
        self.give_up(self)

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
        return self.rule.missing(self.interesting, self.others.total())

    def outcome(self) -> Outcome:
        """Return the result of the vote; a refusal has the commonest of the other verdicts."""
        if self.broken is not None:
            return self.broken
        assert self.last is not None
        accepted = self.rule.accepts(self.interesting, self.others.total())
        refusal = [*self.others.most_common(1), (Verdict.NOT_INTERESTING, 0)][0][0]
        return Outcome(
            Verdict.INTERESTING if accepted else refusal,
            self.last.exit_code,
            self.seconds,
            self.last.output,
            timed_out=any((one is Verdict.INTERESTING) is accepted for one in self.late),
            files=self.last.files,
            votes=f"{self.interesting}/{self.interesting + self.others.total()}",
        )


class VoteExecutor:
    """Runs votes on another executor, which its owner closes.

    The first candidate in order has the first claim to workers: its runs are needed, those of later
    ones perhaps not. A vote that is repeated because a time limit decided it runs one at a time.
    """

    def __init__(self, single: Executor, rule: VoteRule) -> None:
        self._single: Final = single
        self._rule: Final = rule
        self._lock: Final = threading.Lock()
        self._jobs: Final[list[_Vote]] = []
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

    def submit(self, candidate: bytes, *, capture: bool = False) -> _Vote:
        """Start a vote on a candidate."""
        most = 1 if hash(candidate) in self._late else self._rule.runs
        job = _Vote(self._rule, candidate, capture, most, self._give_up)
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

    def _claim(self) -> _Vote | None:
        """Return the first vote that needs another run now; without one, stop pumping."""
        with self._lock:
            busy = sum(len(job.running) + job.starting for job in self._jobs)
            if busy < self._single.workers:
                for job in self._jobs:
                    if len(job.running) + job.starting < min(job.most, job.missing):
                        job.starting += 1
                        return job
            self._pumping = False
            return None

    def _ended(self, job: _Vote, run: Job, _: object) -> None:
        """Count a run that has ended; called in a worker's thread."""
        with self._lock:
            if job not in self._jobs:
                return
            job.running.remove(run)
            error = None if run.future.cancelled() else run.future.exception()
            if error is None:
                job.take(_STOPPED if run.future.cancelled() else run.future.result())
            decided = error is not None or job.missing == 0
            left = self._leave(job) if decided else []
        for other in left:
            other.cancel()
        if error is not None:
            job.future.set_exception(error)
        elif decided:
            outcome = job.outcome()
            if outcome.rests_on_time:
                self._late.add(hash(job.candidate))
            job.future.set_result(outcome)
        self._pump()

    def _give_up(self, job: _Vote) -> None:
        with self._lock:
            left = self._leave(job)
        for run in left:
            run.cancel()
        self._pump()

    def _leave(self, job: _Vote) -> list[Job]:
        """Take a vote off the list; return its runs."""
        if job in self._jobs:
            self._jobs.remove(job)
        left, job.running = job.running, []
        return left


class Runs:
    """The executor for candidates, by single runs or by votes, and the number of runs it made."""

    def __init__(self, single: Executor, rule: VoteRule | None) -> None:
        self._votes: Final = None if rule is None else VoteExecutor(single, rule)
        self.executor: Final[Executor] = self._votes or single

    def count(self, tests: int) -> int:
        """Return the number of runs that this number of tests of candidates took."""
        return tests if self._votes is None else self._votes.runs
