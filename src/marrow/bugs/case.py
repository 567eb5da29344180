"""Cases: crash files that were reduced, each to a small text with the same failure.

A reduction is a `Run` of a plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from marrow.base.clock import running_time
from marrow.base.deadline import OutOfTimeError
from marrow.bugs.failure_key import FailureKey
from marrow.bugs.target import FailureExecutor, Target
from marrow.diagnostics.observation import Observation
from marrow.engine.events import Listener
from marrow.engine.journal.journal_file import Record
from marrow.engine.search.dispatcher import Limits
from marrow.run.output.result import Ending, Result
from marrow.run.plan.chosen_view import chosen_file_view
from marrow.run.plan.input import Input
from marrow.run.plan.plan import Plan, chosen_strategy
from marrow.run.run import Run
from marrow.signature.inference import infer_signature
from marrow.signature.refusals import UnclearFailureError
from marrow.signature.signature import Signature

# A candidate that hangs costs the whole time limit: a hang is reduced by this many tests at most.
_HANG_TESTS: Final = 120

#: If each byte of a long string is needed, a reduction tries all of them again and again. What it
#: finds by then tells bugs apart; `marrow reduce` makes a result smaller still.
MOST_TESTS: Final = 300


@dataclass(frozen=True, slots=True)
class Case:
    """A crash file with its small result, and what is known about both.

    `file` and `key` are those of the crash file; `found` is the key of the result, whose stack is
    free of all that has nothing to do with the failure.
    """

    file: str
    key: FailureKey
    signature: Signature
    text: bytes
    found: FailureKey
    tests: int = 0
    finished: bool = True
    #: Whether its text was made small; else it is the crash file.
    reduced: bool = True
    record: Record | None = field(default=None, compare=False, repr=False)


@dataclass(eq=False)
class CaseReducer:
    """Reduces crash files for a target."""

    target: Target
    plan: Plan
    values: Mapping[str, Any]
    listener: Listener

    def reduce(
        self,
        file: str,
        text: bytes,
        key: FailureKey,
        limits: Limits | None = None,
        runs: int = 1,
    ) -> Case:
        """Reduce a file to a small text with its failure; a flaky one is run up to `runs` times.

        Raises `KeyboardInterrupt`, `OutOfTimeError`, and the error of a target that can no longer
        be run.
        """
        seen = self.target.observe(text)
        signature = signature_of(seen, text, self.plan.source.name)
        executor = FailureExecutor(self.target, key, signature, runs)
        source = Input(text, self.plan.source.name)
        most = _HANG_TESTS if seen.status is None else MOST_TESTS
        plan = replace(
            self.plan,
            source=source,
            test=executor.shows,
            view=chosen_file_view(source, self.values),
            strategy=chosen_strategy(self.values),
            limits=replace(limits or Limits(), tests=most),
            sandbox=None,  # the target is in it
            output=None,
            started=running_time(),
        )
        with Run(plan, self.listener, executor=executor, trusted=True) as run:
            result: Result = run.reduce("triage")
            record = run.journal.record
        if result.ending is Ending.INTERRUPTED:
            raise KeyboardInterrupt
        if result.error is not None:
            raise result.error
        return Case(
            *(file, key, signature, result.text, self._found(result.text, key)),
            tests=result.asked,
            finished=result.ending is Ending.FINISHED,
            record=record,
        )

    def _found(self, text: bytes, otherwise: FailureKey) -> FailureKey:
        """Return the key of a result, or another one: a flaky failure may not show again."""
        try:
            found = self.target.key_of(self.target.observe(text), text)
        except OutOfTimeError:
            return otherwise
        return found if isinstance(found, FailureKey) else otherwise


def signature_of(seen: Observation, text: bytes, name: str) -> Signature:
    """Return the signature of a failure; of one that says nothing, how the target ends."""
    try:
        return infer_signature([seen], text, name).best
    except UnclearFailureError:
        return Signature(status=seen.status)
