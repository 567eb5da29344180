"""The target of a triage: runs texts, remembers what it did with them, and stands in for a test.

A text is run once, whoever asks for it: verdicts of all reductions come from what was seen.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from marrow.base.bounded_file import read_bounded
from marrow.base.deadline import OutOfTimeError, current, look
from marrow.bugs.failure_key import Criterion, FailureKey, NoFailure, matches
from marrow.bugs.triage_journal import TriageJournal, name_of, packed, unpacked
from marrow.diagnostics.observation import Observation
from marrow.engine.executors.executor import Executor, Job, outcome_of
from marrow.engine.executors.registry import open_executor
from marrow.engine.process.captured_command import CapturedCommand, CommandEnd, JudgedEnd
from marrow.engine.process.overlay import OverlayPlacement
from marrow.engine.search.dispatcher import TestFailureError
from marrow.engine.verdict import Outcome, Verdict
from marrow.run.plan.chosen_test import sandbox_for
from marrow.run.plan.plan import Plan
from marrow.run.test.typed_command import typed_command
from marrow.signature.failing_command import FailingCommand
from marrow.signature.signature import Signature

# A program that is larger is known by its size and time: reading it takes longer than a run.
_LARGEST_PROGRAM: Final = 64 << 20

#: Why a triage ended early.
TIME_IS_UP: Final = "the time limit was reached"


@dataclass(frozen=True, slots=True)
class Watching:
    """The judge that finds everything interesting, and hands on what it has seen."""

    identity: str = "watching"

    def judge(self, ended: tuple[CommandEnd, ...], candidate: bytes) -> JudgedEnd:
        """Say yes, and what was seen."""
        del candidate
        seen = Observation(ended[0].code, ended[0].stdout, ended[0].stderr)
        return JudgedEnd(Verdict.INTERESTING, label=packed(seen))


@dataclass(slots=True)
class _AnsweredJob:
    future: Future[Outcome]
    cancel: Callable[[], None] = field(default=lambda: None)


def _answered(outcome: Outcome) -> Job:
    future: Future[Outcome] = Future()
    future.set_running_or_notify_cancel()
    future.set_result(outcome)
    return _AnsweredJob(future)


def awaited(job: Job) -> Outcome:
    """Wait for the outcome of a job, until the deadline of the thread; then cancel the job."""
    deadline = current()
    if deadline is not None and deadline.left is not None:
        wait([job.future], max(deadline.left, 0.0))
        if not job.future.done():
            job.cancel()
            raise OutOfTimeError(TIME_IS_UP)
    return outcome_of(job)


class Target:
    """The command under triage, opened; a context manager."""

    def __init__(self, plan: Plan, journal: TriageJournal, *, own_process: bool) -> None:
        self.criterion: Criterion = _criterion(plan)
        self.journal: Final = journal
        #: How often the target was started.
        self.starts = 0
        self._late: Final[set[str]] = set()
        command, place = _command(plan)
        self.plain: Final = command.plain
        if isinstance(place, OverlayPlacement):
            place = _learned(command, place, plan)
        where = replace(plan.where, adopt=own_process)
        self._executor: Final[Executor] = open_executor(command, place, where)
        self._executor.allow(plan.timeout or 0.0)

    @property
    def workers(self) -> int:
        """How many runs are worth having at once."""
        return self._executor.workers

    def close(self) -> None:
        """Stop everything."""
        self._executor.close()

    def observe_all(
        self,
        texts: Sequence[bytes],
        run: int = 0,
        heard: Callable[[int], None] = lambda _: None,
    ) -> list[Observation | None]:
        """Run the target on texts, as many at once as there are workers; `run` numbers repeats.

        A run that did not end in time is repeated alone: a busy machine must not decide. The
        results of texts that the time limit leaves no time for are None.
        """
        results: list[Observation | None] = [None] * len(texts)
        under_way: list[tuple[int, Job]] = []

        def take() -> None:
            first, job = under_way[0]
            results[first] = self._taken(job, texts[first], run)
            under_way.pop(0)
            heard(first)

        try:
            for number, text in enumerate(texts):
                known = self.journal.get(name_of(text, run))
                if known is not None:
                    results[number] = known
                    continue
                look()
                if len(under_way) >= max(1, self.workers) * 2:
                    take()
                under_way.append((number, self._executor.submit(text)))
            while under_way:
                take()
            for number, seen in enumerate(results):
                if seen is not None and seen.status is None:
                    results[number] = None
                    results[number] = self._confirmed(texts[number], run)
        except OutOfTimeError:
            for _, job in under_way:
                job.cancel()
        return results

    def observe(self, text: bytes, run: int = 0) -> Observation:
        """Run the target on one text; raise `OutOfTimeError` if there is no time for it."""
        seen = self.observe_all([text], run)[0]
        if seen is None:
            raise OutOfTimeError(TIME_IS_UP)
        return seen

    def _taken(self, job: Job, text: bytes, run: int) -> Observation:
        outcome = awaited(job)
        self.starts += 1
        if outcome.verdict is Verdict.ERROR:
            raise TestFailureError(outcome.message)
        if not outcome.rests_on_time:
            self.journal.put(name_of(text, run), outcome.label)
        return unpacked(outcome.label)

    def _confirmed(self, text: bytes, run: int) -> Observation:
        name = name_of(text, run)
        known = self.journal.get(name)
        if known is None:
            outcome = awaited(self._executor.submit(text))
            self.starts += 1
            if outcome.verdict is Verdict.ERROR:
                raise TestFailureError(outcome.message)
            self.journal.put(name, outcome.label)
            known = unpacked(outcome.label)
        return known

    def key_of(self, seen: Observation, text: bytes) -> FailureKey | NoFailure:
        """Return which failure a run shows, or why it shows none."""
        return self.criterion.judge(seen, text)

    # -- for reductions ------------------------------------------------------------------------

    def asking_for(self, key: FailureKey, signature: Signature, runs: int = 1) -> FailureExecutor:
        """Return an executor whose test is whether a text shows a failure in one of some runs."""
        return FailureExecutor(self, key, signature, runs)

    def submitted(self, text: bytes, answer: Callable[[Observation], Outcome]) -> Job:
        """Answer from the journal, or run the target."""
        name = name_of(text)
        known = self.journal.get(name)
        if known is not None:
            return _answered(answer(known))
        future: Future[Outcome] = Future()
        job = self._executor.submit(text)
        future.set_running_or_notify_cancel()
        job.future.add_done_callback(partial(self._ended, future, name, answer))
        return _AnsweredJob(future, job.cancel)

    def _ended(
        self,
        future: Future[Outcome],
        name: str,
        answer: Callable[[Observation], Outcome],
        done: Future[Outcome],
    ) -> None:
        """Hand on what a run showed; called in a worker's thread."""
        try:
            outcome = done.result()
            if outcome.verdict is Verdict.ERROR:
                future.set_result(outcome)
                return
            with self.journal.lock:
                self.starts += 1
                # A run out of time counts when it is one once more, alone: see the dispatcher.
                final = not outcome.rests_on_time or name in self._late
                self._late.add(name)
            if final:
                self.journal.put(name, outcome.label)
            said = answer(unpacked(outcome.label))
            future.set_result(replace(said, seconds=outcome.seconds))
        except BaseException as error:
            future.set_exception(error)


class FailureExecutor:
    """An executor: a text is interesting if the target fails on it in one certain way."""

    def __init__(
        self, target: Target, key: FailureKey, signature: Signature, runs: int = 1
    ) -> None:
        self._runs: Final = runs
        self._target: Final = target
        self._key: Final = key
        self._signature: Final = signature
        #: The failures that labels of outcomes stand for.
        self.labels: Final[dict[str, FailureKey]] = {}

    @property
    def workers(self) -> int:
        """As many as the target has."""
        return self._target.workers

    @property
    def slow(self) -> bool:
        """Whether each text that shows the failure takes the whole time limit, or many runs."""
        return self._key.status is None or self._runs > 1

    def allow(self, seconds: float) -> None:
        """Keep the one limit that all runs of the target have."""

    def submit(self, candidate: bytes, *, capture: bool = False) -> Job:
        """Run the target on a candidate, unless that was done before."""
        del capture
        if self._runs > 1:
            return _answered(self._voted(candidate))
        return self._target.submitted(candidate, partial(self._answer, candidate))

    def close(self) -> None:
        """Leave the target open for others."""

    def _voted(self, candidate: bytes) -> Outcome:
        """Run a flaky target until it shows the failure, and a number of times at most."""
        for run in range(self._runs):
            outcome = self._answer(candidate, self._target.observe(candidate, run))
            if outcome.verdict is Verdict.INTERESTING:
                break
        return replace(outcome, timed_out=False)

    def _answer(self, candidate: bytes, seen: Observation) -> Outcome:
        key = self._target.key_of(seen, candidate)
        late = seen.status is None
        if matches(self._key, self._signature, seen, candidate, key):
            return Outcome(Verdict.INTERESTING, seen.status, timed_out=late)
        verdict = Verdict.TIMEOUT if late else Verdict.NOT_INTERESTING
        if isinstance(key, NoFailure) or late:
            return Outcome(verdict, seen.status)
        label = repr(key.near)
        self.labels[label] = key
        return Outcome(verdict, seen.status, label=label)


def _criterion(plan: Plan) -> Criterion:
    if isinstance(plan.test, FailingCommand):
        return Criterion(False, plan.test.wanted.forbidden, plan.source.name)
    return Criterion(True, (), plan.source.name)


def _command(plan: Plan) -> tuple[CapturedCommand, Any]:
    """Return the command to run, and where texts stand for it."""
    test = plan.test
    sandbox = None if plan.sandbox is None else sandbox_for(plan.sandbox, plan.words)
    if isinstance(test, FailingCommand):
        typed = typed_command(test, plan)
        words, place, plain = typed.commands[0], typed.place, typed.plain
    else:
        assert not callable(test) or hasattr(test, "arguments")
        arguments: Iterable[str] = getattr(test, "arguments", ())
        words, place = (*arguments, "{}"), plan.source.placement
        plain = " ".join(words)
    command = CapturedCommand(words, plan.memory, plain, judge=Watching())
    return (command if sandbox is None else replace(command, sandbox=sandbox)), place


def _learned(command: CapturedCommand, place: OverlayPlacement, plan: Plan) -> OverlayPlacement:
    """Run the command once on an empty file: what it writes beside itself is not shared then."""
    before = place.around.watched()
    executor = open_executor(command, place, replace(plan.where, workers=1, adopt=True))
    try:
        executor.allow(plan.timeout or 0.0)
        outcome = outcome_of(executor.submit(b""))
    finally:
        executor.close()
    if outcome.verdict is Verdict.ERROR:
        raise TestFailureError(outcome.message)
    return replace(place, around=place.around.written_since(before))


def identity_of(plan: Plan) -> str:
    """Return what tells this target from others, and from other builds of itself."""
    digest = hashlib.blake2b(digest_size=16)
    told = (plan.words, plan.timeout, plan.memory, plan.source.name, type(plan.test).__name__)
    digest.update(repr((told, _criterion(plan))).encode("utf-8", "surrogateescape"))
    for word in plan.words:
        path = shutil.which(word) or word
        if len(path) < os.pathconf("/", "PC_PATH_MAX") and os.path.isfile(path):
            about = os.stat(path)
            if about.st_size <= _LARGEST_PROGRAM:
                digest.update(read_bounded(path, _LARGEST_PROGRAM))
            else:
                digest.update(f"{about.st_size} {about.st_mtime_ns}".encode())
    return digest.hexdigest()
