"""Cases: crash files that were reduced, each to a small text with the same failure.

A reduction begins with what earlier ones found: the parts of the file that the small result of
another one has are tried first, alone. At its end the values that do not matter are made alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final, overload

from marrow.base.deadline import OutOfTimeError, look
from marrow.bugs.bracketed_text import BracketedText
from marrow.bugs.canonical import exchanges, projections, shape
from marrow.bugs.failure_key import FailureKey
from marrow.bugs.target import FailureExecutor, Target, awaited
from marrow.bugs.tidying import with_plain_values, without_neighbours
from marrow.diagnostics.observation import Observation
from marrow.engine.events import Listener
from marrow.engine.journal.history import Record
from marrow.engine.journal.journal import Journal
from marrow.engine.search.limits import Limits
from marrow.engine.verdict import Verdict
from marrow.languages.recognition import is_binary
from marrow.run.output.reporting import note_beginning, note_end
from marrow.run.output.result import Ending, Result
from marrow.run.plan.chosen_view import chosen_file_view
from marrow.run.plan.input import Input
from marrow.run.plan.plan import Plan, chosen_strategy
from marrow.run.reduction import Reduction
from marrow.signature.inference import infer_signature
from marrow.signature.refusals import UnclearFailureError
from marrow.signature.signature import Signature
from marrow.syntax.views import FileView

# A candidate that hangs costs the whole time limit: a hang is reduced by this many tests at most.
_HANG_TESTS: Final = 120

#: Where each byte of a long string is needed, a reduction tries all of them again and again. What
#: is found by then tells bugs apart; `marrow reduce` makes a result smaller still.
MOST_TESTS: Final = 300

# How many earlier results a file is compared with.
_HELPERS: Final = 4

# How many results of other failures a word is exchanged in, and how often: a reduction takes more.
_MODELS: Final = 2
_EXCHANGES: Final = 12


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
    #: The small result of another case that this file was brought to at once.
    helped_by: str = ""
    #: What its reduction began with, if that went as far as is needed to decide, and no further.
    start: bytes | None = field(default=None, compare=False, repr=False)
    record: Record | None = field(default=None, compare=False, repr=False)


@dataclass(slots=True)
class CountedTests:
    """Asks whether texts show a failure, and counts."""

    executor: FailureExecutor
    tests: int = 0

    def shows(self, text: bytes) -> bool:
        """Whether a text shows it."""
        self.tests += 1
        return shows(self.executor, text)


class CaseReducer:
    """Reduces crash files for a target."""

    def __init__(
        self,
        target: Target,
        plan: Plan,
        values: Mapping[str, Any],
        listener: Listener,
        most_tests: int | None = MOST_TESTS,
    ) -> None:
        """A reduction ends after `most_tests`; without a number it goes on to the end."""
        self._most_tests: Final = most_tests
        self._target: Final = target
        self._plan: Final = plan
        self._values: Final = values
        self._listen: Final = listener
        self._strategy: Final = chosen_strategy(values)

    def signature_of(self, seen: Observation, text: bytes) -> Signature:
        """Return the signature of a failure."""
        return signature_of(seen, text, self._plan.source.name)

    def reduce(
        self,
        file: str,
        text: bytes,
        key: FailureKey,
        helpers: Sequence[Case] = (),
        limits: Limits | None = None,
        runs: int = 1,
        models: Sequence[Case] = (),
    ) -> Case:
        """Reduce a file to a small text with its failure; a flaky one is run up to `runs` times.

        `helpers` have the same failure, it may be; `models` fail in the same function otherwise.

        Raises `KeyboardInterrupt`, and the error of a target that can no longer be run.
        """
        seen = self._target.observe(text)
        signature = self.signature_of(seen, text)
        executor = self._target.asking_for(key, signature, runs)
        asked = CountedTests(executor)
        start, helper = self._helped(text, asked, [*helpers, *models])
        if helper is None:
            start, helper = self._exchanged(text, asked, models)
        if (
            helper is not None
            and shape(start) == shape(helper.text)
            and shows(executor, helper.text)
        ):
            # It differs in values alone, which do not matter: they were made plain there.
            return replace(
                helper,
                file=file,
                key=key,
                signature=signature,
                tests=asked.tests,
                helped_by=helper.file,
            )
        view = self._view(start)
        coarse = not view.counter.has_syntax and not is_binary(start)
        if coarse:
            view = FileView((BracketedText(),), BracketedText())
        most = _HANG_TESTS if seen.status is None else self._most_tests
        limits = replace(limits or Limits(), tests=most)
        result, tests, record = self._run(start, view, executor, limits)
        small = self._tidied(result.text, asked)
        found = self._found(small, key)
        return Case(
            file,
            key,
            signature,
            small,
            found,
            tests + asked.tests,
            result.ending is Ending.FINISHED,
            "" if helper is None else helper.file,
            start if coarse and not executor.slow else None,
            record,
        )

    def finish(self, case: Case, limits: Limits | None = None) -> Case:
        """Return a case reduced to the end: what decided about a bug may be smaller still.

        It goes the same way again, which takes no runs, and on from there, so that the record is
        that of the whole reduction.
        """
        if case.start is None:
            return case
        executor = self._target.asking_for(case.found, case.signature)
        view = self._view(case.start)
        view = replace(view, fronts=(BracketedText(), *view.fronts))
        limits = replace(limits or Limits(), tests=self._most_tests)
        result, tests, record = self._run(case.start, view, executor, limits)
        asked = CountedTests(executor)
        small = self._tidied(result.text, asked)
        found = self._found(small, None)
        if found is None or len(small) > len(case.text):
            return replace(case, tests=tests + asked.tests, start=None)
        return replace(
            case,
            text=small,
            found=found,
            tests=tests + asked.tests,
            finished=result.ending is Ending.FINISHED,
            start=None,
            record=record,
        )

    def _tidied(self, text: bytes, asked: CountedTests) -> bytes:
        """Return a result tidied, as far as the time suffices."""
        try:
            if not asked.executor.slow:
                text = without_neighbours(text, asked.shows)
            return with_plain_values(text, asked.shows)
        except OutOfTimeError:
            return text

    @overload
    def _found(self, text: bytes, otherwise: FailureKey) -> FailureKey: ...
    @overload
    def _found(self, text: bytes, otherwise: None) -> FailureKey | None: ...
    def _found(self, text: bytes, otherwise: FailureKey | None) -> FailureKey | None:
        """Return the key of a result, or another one: a flaky failure may not show again."""
        try:
            found = self._target.key_of(self._target.observe(text), text)
        except OutOfTimeError:
            return otherwise
        return found if isinstance(found, FailureKey) else otherwise

    def _view(self, text: bytes) -> FileView:
        return chosen_file_view(Input(text, self._plan.source.name), self._values)

    def _run(
        self, text: bytes, view: FileView, executor: FailureExecutor, limits: Limits
    ) -> tuple[Result, int, Record]:
        """Reduce a text; return the result, the tests that it took, and the record for a report."""
        journal = Journal.in_memory()
        reduction = Reduction(
            text=text,
            view=view,
            strategy=self._strategy,
            executor=executor,
            journal=journal,
            listener=self._listen,
            limits=limits,
        )
        source = Input(text, self._plan.source.name)
        plan = replace(self._plan, source=source, view=view, strategy=self._strategy)
        note_beginning(journal, plan, None, what="triage", tokens=reduction.tokens_before)
        result = reduction.run()
        if result.ending is Ending.INTERRUPTED:
            raise KeyboardInterrupt
        if result.error is not None:
            raise result.error
        note_end(journal, result)
        return result, result.asked, journal.record

    def _helped(
        self, text: bytes, asked: CountedTests, helpers: Sequence[Case]
    ) -> tuple[bytes, Case | None]:
        """Return the part of a text that another result has too, if it fails alone."""
        for other in helpers[:_HELPERS]:
            for part in projections(text, other.text):
                if len(part) < len(text) and asked.shows(part):
                    return part, other
        return text, None

    def _exchanged(
        self, text: bytes, asked: CountedTests, models: Sequence[Case]
    ) -> tuple[bytes, Case | None]:
        """Return another result in which a word of this text stands for one, if it fails alike."""
        for model in models[:_MODELS]:
            for changed in islice(exchanges(model.text, text), _EXCHANGES):
                if len(changed) < len(text) and asked.shows(changed):
                    return changed, model
        return text, None


def shows(executor: FailureExecutor, text: bytes) -> bool:
    """Whether a text shows the failure that an executor asks for."""
    look()
    return awaited(executor.submit(text)).verdict is Verdict.INTERESTING


def signature_of(seen: Observation, text: bytes, name: str) -> Signature:
    """Return the signature of a failure; of one that says nothing, how the target ends."""
    try:
        return infer_signature([seen], text, name).best
    except UnclearFailureError:
        return Signature(status=seen.status)
