"""Cases: crash files that were reduced, each to a small text with the same failure.

A reduction is a `Run` of a plan. It starts with what earlier ones found: the parts of the file that
a small result of another one has are tried first, alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from marrow.base.clock import running_time
from marrow.base.deadline import OutOfTimeError
from marrow.bugs.canonical import projections, shape
from marrow.bugs.failure_key import FailureKey
from marrow.bugs.target import FailureExecutor, Target
from marrow.diagnostics.observation import Observation
from marrow.engine.events import Listener
from marrow.engine.journal.journal import Journal
from marrow.engine.journal.journal_file import Record
from marrow.engine.search.dispatcher import Limits
from marrow.engine.search.sample_tester import SampleTester
from marrow.run.output.pretty_result import PrettyResult
from marrow.run.output.result import Ending, Result
from marrow.run.plan.chosen_view import chosen_file_view
from marrow.run.plan.input import Input
from marrow.run.plan.plan import Plan, chosen_strategy
from marrow.run.run import Run
from marrow.signature.inference import infer_signature
from marrow.signature.refusals import UnclearFailureError
from marrow.signature.signature import Signature
from marrow.syntax.views import FileView

# A candidate that hangs costs the whole time limit: a hang is reduced by this many tests at most.
_HANG_TESTS: Final = 120

#: If each byte of a long string is needed, a reduction tries all of them again and again. What it
#: finds by then tells bugs apart; `marrow reduce` makes a result smaller still.
MOST_TESTS: Final = 300

# How many earlier results a file is compared with.
_HELPERS: Final = 4


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
    #: The small result of another case that this file was brought to at once.
    helped_by: str = ""
    record: Record | None = field(default=None, compare=False, repr=False)


@dataclass(eq=False)
class CaseReducer:
    """Reduces crash files for a target."""

    target: Target
    plan: Plan
    values: Mapping[str, Any]
    listener: Listener

    def __post_init__(self) -> None:
        self._strategy = chosen_strategy(self.values)
        self._tests = 0

    def reduce(
        self,
        file: str,
        text: bytes,
        key: FailureKey,
        helpers: Sequence[Case] = (),
        limits: Limits | None = None,
        runs: int = 1,
    ) -> Case:
        """Reduce a file to a small text with its failure; a flaky one is run up to `runs` times.

        `helpers` may have the same failure.

        Raises `KeyboardInterrupt`, `OutOfTimeError`, and the error of a target that can no longer
        be run.
        """
        self._tests = 0
        seen = self.target.observe(text)
        signature = signature_of(seen, text, self.plan.source.name)
        executor = FailureExecutor(self.target, key, signature, runs)
        start, helper = self._start(text, executor, helpers)
        case = Case(file, key, signature, start, key)
        if helper is not None:
            case = replace(case, helped_by=helper.file)
            if shape(start) == shape(helper.text) and executor.shows(helper.text):
                # It differs in values only, which do not matter: they were made plain there.
                small, record = helper.text, helper.record
                return replace(
                    case, text=small, found=helper.found, tests=self._tests, record=record
                )
        most = _HANG_TESTS if seen.status is None else MOST_TESTS
        return self._reduced(case, executor, replace(limits or Limits(), tests=most))

    def laid_out(self, case: Case) -> bytes | None:
        """Return a result in a readable layout that fails in the same way; None without one."""
        source = Input(case.text, self.plan.source.name)
        plan = replace(self.plan, source=source, view=self._view(case.text))
        executor = FailureExecutor(self.target, case.found, case.signature)
        return PrettyResult(plan, SampleTester(executor, Journal.in_memory())).of(case.text)

    def _view(self, text: bytes) -> FileView:
        return chosen_file_view(Input(text, self.plan.source.name), self.values)

    def _reduced(self, case: Case, executor: FailureExecutor, limits: Limits) -> Case:
        """Return a case whose text is reduced."""
        plan = replace(
            self.plan,
            source=Input(case.text, self.plan.source.name),
            test=executor.shows,
            view=self._view(case.text),
            strategy=self._strategy,
            limits=limits,
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
        return replace(
            case,
            text=result.text,
            found=self._found(result.text, case.found),
            tests=self._tests + result.asked,
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

    def _start(
        self, text: bytes, executor: FailureExecutor, helpers: Sequence[Case]
    ) -> tuple[bytes, Case | None]:
        """Return the small part of a text that another result has too, if it fails alone."""
        for other in helpers[:_HELPERS]:
            for part in projections(text, other.text):
                if len(part) < len(text):
                    self._tests += 1
                    if executor.shows(part):
                        return part, other
        return text, None


def signature_of(seen: Observation, text: bytes, name: str) -> Signature:
    """Return the signature of a failure; of one that says nothing, how the target ends."""
    try:
        return infer_signature([seen], text, name).best
    except UnclearFailureError:
        return Signature(status=seen.status)
