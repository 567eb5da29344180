"""The target of a triage: runs texts and remembers what it did with them.

A text is run once, whichever reduction asks for it: a reduction's test is whether what the target
did with a text is the failure to keep (`FailureExecutor`).
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import deque
from collections.abc import Callable, Sequence
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
from marrow.engine.process.command import CapturedCommand, JudgedEnd
from marrow.engine.process.placement import OverlayPlacement
from marrow.engine.search.dispatcher import TestFailureError
from marrow.engine.verdict import Outcome, Verdict
from marrow.run.plan.chosen_test import sandbox_for
from marrow.run.plan.plan import Plan
from marrow.run.test.observed_command import typed_command
from marrow.signature.failing_command import CANDIDATE, FailingCommand
from marrow.signature.refusals import UnclearFailureError
from marrow.signature.signature import Signature

# A program that is larger is known by its size and time: reading it takes longer than a run.
_LARGEST_PROGRAM: Final = 64 << 20

# Texts that have nothing to do with a crash file. A target that fails on all of them as it fails on
# every file does not fail because of the files.
_CONTROLS: Final = (b"", b"\n", b"a", b"0 1 2\n")

# Two exceptions that nobody catches look the same without a stack, which the sanitizer shows if it
# is asked to. The user's own options come later, and win.
_SANITIZER: Final = "ASAN_OPTIONS"
_STACKS_OF_ABORTS: Final = "handle_abort=1"

#: Why a triage ended early.
TIME_IS_UP: Final = "the time limit was reached"


@dataclass(frozen=True, slots=True)
class _Recording:
    """The judge that finds everything interesting, and passes on what it has seen."""

    identity: str = "watching"

    def judge(self, ended: tuple[Observation, ...], candidate: bytes) -> JudgedEnd:
        """Say yes, and what was seen."""
        del candidate
        return JudgedEnd(Verdict.INTERESTING, label=packed(ended[0]))


@dataclass(slots=True)
class _ChainedJob:
    future: Future[Outcome]
    cancel: Callable[[], None] = field(default=lambda: None)


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
    """The command under triage, opened."""

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

        A run that does not end in time is repeated alone: a busy machine must not decide. The
        results of texts that the time limit leaves no time for are None.
        """
        results: list[Observation | None] = [None] * len(texts)
        under_way: deque[tuple[int, Job]] = deque()

        def begin(number: int) -> None:
            def answer(seen: Observation) -> Outcome:
                results[number] = seen
                return Outcome(Verdict.INTERESTING, seen.status)

            under_way.append((number, self.submit(texts[number], answer, run)))

        def take() -> None:
            number, job = under_way[0]
            outcome = awaited(job)
            if outcome.verdict is Verdict.ERROR:
                raise TestFailureError(outcome.message)
            under_way.popleft()
            heard(number)

        try:
            for number in range(len(texts)):
                look()
                if len(under_way) >= max(1, self.workers) * 2:
                    take()
                begin(number)
            while under_way:
                take()
            for number, seen in enumerate(results):
                if seen is not None and seen.status is None:
                    results[number] = None
                    begin(number)
                    take()
        except OutOfTimeError:
            for _, job in under_way:
                job.cancel()
        return list(results)

    def observe(self, text: bytes, run: int = 0) -> Observation:
        """Run the target on one text; raise `OutOfTimeError` if the time is up."""
        seen = self.observe_all([text], run)[0]
        if seen is None:
            raise OutOfTimeError(TIME_IS_UP)
        return seen

    def key_of(self, seen: Observation, text: bytes) -> FailureKey | NoFailure:
        """Return which failure a run shows, or why it shows none."""
        return self.criterion.judge(seen, text)

    def submit(self, text: bytes, answer: Callable[[Observation], Outcome], run: int = 0) -> Job:
        """Answer from the journal, or run the target; `run` numbers repeats."""
        future: Future[Outcome] = Future()
        future.set_running_or_notify_cancel()
        name = name_of(text, run)
        known = self.journal.get(name)
        if known is not None:
            future.set_result(answer(known))
            return _ChainedJob(future)
        job = self._executor.submit(text)
        job.future.add_done_callback(partial(self._ended, future, name, answer))
        return _ChainedJob(future, job.cancel)

    def _ended(
        self,
        future: Future[Outcome],
        name: str,
        answer: Callable[[Observation], Outcome],
        done: Future[Outcome],
    ) -> None:
        """Pass on what a run showed; called in a worker's thread."""
        try:
            outcome = done.result()
            if outcome.verdict is Verdict.ERROR:
                future.set_result(outcome)
                return
            with self.journal.lock:
                self.starts += 1
                # A run that is out of time counts if it is so again, alone: see the dispatcher.
                final = not outcome.rests_on_time or name in self._late
                self._late.add(name)
            if final:
                self.journal.put(name, outcome.label)
            future.set_result(replace(answer(unpacked(outcome.label)), seconds=outcome.seconds))
        except BaseException as error:
            future.set_exception(error)


@dataclass(frozen=True, slots=True)
class FailureExecutor:
    """An executor whose test is whether the target fails on a text in one certain way.

    A flaky failure must show in one of some `runs`.
    """

    target: Target
    key: FailureKey
    signature: Signature
    runs: int = 1

    @property
    def workers(self) -> int:
        """As many as the target has."""
        return self.target.workers

    def allow(self, seconds: float) -> None:
        """Keep the one limit that all runs of the target have."""

    def submit(self, candidate: bytes, *, capture: bool = False) -> Job:
        """Run the target on a candidate, unless that was done before."""
        del capture
        if self.runs == 1:
            return self.target.submit(candidate, partial(self._outcome, candidate))
        future: Future[Outcome] = Future()
        for run in range(self.runs):
            outcome = self._outcome(candidate, self.target.observe(candidate, run))
            if outcome.verdict is Verdict.INTERESTING:
                break
        future.set_result(replace(outcome, timed_out=False))
        return _ChainedJob(future)

    def close(self) -> None:
        """Leave the target open for others."""

    def shows(self, text: bytes) -> bool:
        """Whether a text shows the failure; raise `OutOfTimeError` if the time is up."""
        look()
        return awaited(self.submit(text)).verdict is Verdict.INTERESTING

    def _outcome(self, candidate: bytes, seen: Observation) -> Outcome:
        key, late = self.target.key_of(seen, candidate), seen.status is None
        if matches(self.key, self.signature, seen, candidate, key):
            return Outcome(Verdict.INTERESTING, seen.status, timed_out=late)
        return Outcome(Verdict.TIMEOUT if late else Verdict.NOT_INTERESTING, seen.status)


def _criterion(plan: Plan) -> Criterion:
    if isinstance(plan.test, FailingCommand):
        return Criterion(False, plan.test.wanted.forbidden, plan.source.name)
    return Criterion(True, (), plan.source.name)


def _command(plan: Plan) -> tuple[CapturedCommand, Any]:
    """Return the command to run, and where it finds texts."""
    test = plan.test
    sandbox = None if plan.sandbox is None else sandbox_for(plan.sandbox, plan.words)
    if isinstance(test, FailingCommand):
        typed = typed_command(test, plan)
        words, place, plain = typed.commands[0], typed.place, typed.plain
    else:
        words, place = (*getattr(test, "arguments", ()), CANDIDATE), plan.source.placement
        plain = " ".join(words)
    options = f"{_STACKS_OF_ABORTS}:{os.environ.get(_SANITIZER, '')}".strip(":")
    command = CapturedCommand(
        *(words, plan.memory, plain), variables=((_SANITIZER, options),), judge=_Recording()
    )
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
    settings = (plan.words, plan.timeout, plan.memory, plan.source.name, type(plan.test).__name__)
    digest.update(repr((settings, _criterion(plan))).encode("utf-8", "surrogateescape"))
    for word in plan.words:
        path = shutil.which(word) or word
        if len(path) < os.pathconf("/", "PC_PATH_MAX") and os.path.isfile(path):
            about = os.stat(path)
            if about.st_size <= _LARGEST_PROGRAM:
                digest.update(read_bounded(path, _LARGEST_PROGRAM))
            else:
                digest.update(f"{about.st_size} {about.st_mtime_ns}".encode())
    return digest.hexdigest()


def control_failure(target: Target, plan: Plan) -> FailureKey | None:
    """Run the target on texts that should not fail; return the failure that all of them show.

    Raises `UnclearFailureError` if the target ends on none of them.
    """
    found = target.observe_all(_CONTROLS)
    seen = [one for one in found if one is not None]
    if len(seen) < len(found):
        return None  # the time is up
    if all(one.status is None for one in seen):
        raise UnclearFailureError(
            "the target does not end in time, not even on an empty file\n"
            f"It had {plan.timeout:g} s; allow more with ⟦timeout⟧. Does it wait for "
            f"something?{_hint(plan)}"
        )
    keys = [target.key_of(one, text) for one, text in zip(seen, _CONTROLS, strict=True)]
    tops = {key.top if isinstance(key, FailureKey) else None for key in keys}
    return next(iter(tops)) if len(tops) == 1 else None


def check_failures(control: FailureKey | None, keys: Sequence[FailureKey], plan: Plan) -> None:
    """Raise `UnclearFailureError` if all files fail as any text does."""
    if control is None or not keys or any(key.top != control for key in keys):
        return
    raise UnclearFailureError(
        f"the target fails in the same way on everything, an empty file too: {control.words}\n"
        f"Try it by hand on a file that should not fail.{_hint(plan)}"
    )


def _hint(plan: Plan) -> str:
    """Return the usual reason."""
    test = plan.test
    if isinstance(test, FailingCommand) and not any(CANDIDATE in word for word in test.words):
        return (
            "\nThe command has no {}: it gets the file on its standard input only. If it needs a "
            "name, say where: -- ./target {}"
        )
    return ""
