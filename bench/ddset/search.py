"""Searches for the patterns of DDSET's failures, by tests that remember.

What a test said of a text, it says again: ours and the procedure as printed meet many
texts that are the same, and a run with changed code meets most of them again. Known verdicts are
answered from a file below `bench/.cache`; nobody who counts executions sees a difference.
"""

from __future__ import annotations

import hashlib
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from bench.cases.case import CACHE
from bench.ddset.failures import TOO_LONG, Failure
from marrow.abstraction.pattern import Mark, Pattern, segments
from marrow.abstraction.pattern_language import PatternLanguage
from marrow.engine.executors.executor import Job
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.journal.journal import digest
from marrow.engine.search.dispatcher import Limits
from marrow.engine.verdict import Outcome, Verdict
from marrow.grammar.language import Language
from marrow.grammars import grammar_path
from marrow.reducers.pipeline.strategy import Strategy
from marrow.run.plan.chosen_view import language_of_view, view_by_language
from marrow.run.plan.input import text_input
from marrow.run.plan.plan import Plan, Sampling
from marrow.session import answered_by_the_caller
from marrow.syntax.views import view_of

#: Seconds by the clock for a test. The tests limit the time of the processor themselves: only one
#: that waits for something takes as long, on a busy machine too.
TIMEOUT: Final = 60.0


@dataclass(eq=False, slots=True)
class _Job:
    """A test that runs, or is answered already."""

    future: Future[Outcome] = field(default_factory=Future)
    running: Job | None = None

    def cancel(self) -> None:
        """Stop the test, if it runs."""
        if self.running is not None:
            self.running.cancel()


class RememberingExecutor:
    """Runs a failure's test on texts that are not known yet.

    The exit code `TOO_LONG` is read as a time-out.
    """

    def __init__(self, failure: Failure, workers: int = 1) -> None:
        self._inner: Final = CommandExecutor(failure.command(), failure.file, workers)
        key = hashlib.sha256(failure.script.encode()).hexdigest()[:16]
        self._path: Final = CACHE / "ddset" / f"{failure.name}-{key}"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.touch()
        rows = (line.partition(" ") for line in self._path.read_text().splitlines())
        self._known: Final = {bytes.fromhex(key): Verdict(said) for key, _, said in rows}

    @property
    def workers(self) -> int:
        """How many tests may run at once."""
        return self._inner.workers

    def allow(self, seconds: float) -> None:
        """Say how long a test may take by the clock."""
        self._inner.allow(seconds)

    def submit(self, candidate: bytes, *, capture: bool = False) -> _Job:
        """Answer from memory, or start the test."""
        job = _Job()
        key = digest(candidate)
        if (verdict := self._known.get(key)) is not None:
            job.future.set_result(Outcome(verdict))
        else:
            job.running = self._inner.submit(candidate, capture=capture)
            job.running.future.add_done_callback(partial(self._take, key, job))
        return job

    def close(self) -> None:
        """Stop everything."""
        self._inner.close()

    def _take(self, key: bytes, job: _Job, ended: Future[Outcome]) -> None:
        if ended.cancelled():
            job.future.cancel()
            return
        outcome = ended.result()
        if outcome.exit_code == TOO_LONG:
            outcome = replace(outcome, verdict=Verdict.TIMEOUT)
        # A time-out by the clock, or an error, may have to do with the machine.
        if outcome.exit_code is not None and outcome.verdict is not Verdict.ERROR:
            self._known[key] = outcome.verdict
            with self._path.open("a") as file:
                file.write(f"{key.hex()} {outcome.verdict.value}\n")
        job.future.set_result(outcome)


def planned(
    text: bytes,
    failure: Failure,
    *,
    strategy: Strategy | None = None,
    checks: int = 1,
    seed: int = 0,
    naive: bool = False,
    limits: Limits | None = None,
) -> Plan:
    """Return the plan of a search for the pattern of a failure."""
    source = text_input(text, failure.file)
    language: PatternLanguage
    if failure.grammar:
        grammar = Language.from_file(grammar_path(failure.grammar)).self_contained
        language, view = grammar, view_by_language(grammar, source)
    else:
        # Pieces come from the input before it was reduced.
        view = view_of(failure.file, text)
        language = language_of_view(failure.text.encode(), view)
    return Plan(
        source=source,
        test=answered_by_the_caller,
        view=view,
        strategy=strategy,
        sampling=Sampling(language, checks, seed, naive, language.parse(failure.text.encode())),
        limits=limits or Limits(),
        identity={},
    )


def remaining(pattern: Pattern) -> int:
    """Return how many characters stay as they are."""
    kept = (Mark.CONCRETE, Mark.LEXICAL, Mark.UNKNOWN)
    return sum(len(one.text.strip()) for one in segments(pattern) if one.mark in kept)
