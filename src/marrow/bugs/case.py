"""Cases: crash files that were reduced, each to a small text with the same failure.

A reduction begins with what earlier ones found: the parts of the file that the small result of
another one has are tried first, alone. At its end the values that do not matter are made alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

from marrow.bugs.canonical import (
    BYTE,
    NAME,
    NUMBER,
    SPACE,
    STRING,
    TextPiece,
    balanced,
    contains,
    exchanges,
    lexemes,
    projections,
    shape,
)
from marrow.bugs.failure_key import FailureKey
from marrow.bugs.target import FailureExecutor, Target
from marrow.engine.events import Event, Listener, OtherFailure
from marrow.engine.executors.executor import outcome_of
from marrow.engine.journal.history import Record
from marrow.engine.journal.journal import Journal
from marrow.engine.search.limits import Limits
from marrow.engine.verdict import Verdict
from marrow.run.chosen_strategy import chosen_strategy
from marrow.run.chosen_view import chosen_file_view
from marrow.run.input import Input
from marrow.run.plan import Plan
from marrow.run.reduction import Ending, Reduction
from marrow.run.reporting import note_beginning, note_end
from marrow.signature.inference import infer_signature
from marrow.signature.observation import Observation
from marrow.signature.refusals import UnclearFailureError
from marrow.signature.signature import Signature

# Values of larger results are left as they are: each costs a test or two.
_MOST_VALUES: Final = 80

# A candidate that hangs costs the whole time limit: a hang is reduced by this many tests at most.
_HANG_TESTS: Final = 120

# Where each byte of a long string is needed, a reduction tries all of them again and again. What is
# found by then tells bugs apart; `marrow reduce` makes a result smaller still.
_MOST_TESTS: Final = 300

# Without a grammar, what belongs together is taken away piece by piece or not at all. So at the end
# neighbours go together, this many at most, in results of so many lexemes, by so many tests.
_WINDOW: Final = 8
_WINDOWED: Final = 60
_WINDOW_TESTS: Final = 120

# How many earlier results a file is compared with.
_HELPERS: Final = 4

# How many results of other failures a word is exchanged in, and how often: a reduction takes more.
_MODELS: Final = 2
_EXCHANGES: Final = 30


@dataclass(frozen=True, slots=True)
class Slip:
    """A part of a result on which the target fails in another way."""

    text: bytes
    key: FailureKey


@dataclass(frozen=True, slots=True)
class Case:
    """A crash file with its small result, and what is known about both.

    `file` and `key` are those of the crash file; `found` is the key of the result, whose stack is
    free of all that has nothing to do with the failure. `slips` are other failures of parts of it.
    """

    file: str
    key: FailureKey
    signature: Signature
    text: bytes
    found: FailureKey
    slips: tuple[Slip, ...] = ()
    tests: int = 0
    finished: bool = True
    #: The small result of another case that this file was brought to at once.
    helped_by: str = ""
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
        most_tests: int | None = _MOST_TESTS,
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
        name = self._plan.source.name
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
        slips: dict[str, bytes] = {}

        def hear(event: Event) -> None:
            if isinstance(event, OtherFailure):
                best = slips.setdefault(event.label, event.candidate)
                if len(event.candidate) < len(best):
                    slips[event.label] = event.candidate
            self._listen(event)

        most = _HANG_TESTS if seen.status is None else self._most_tests
        limits = replace(limits or Limits(), tests=most)
        source = Input(start, name)
        view = chosen_file_view(source, self._values)
        journal = Journal.in_memory()
        reduction = Reduction(
            text=start,
            view=view,
            strategy=self._strategy,
            executor=executor,
            journal=journal,
            listener=hear,
            limits=limits,
        )
        plan = replace(self._plan, source=source, view=view, strategy=self._strategy)
        note_beginning(journal, plan, None, what="triage", tokens=reduction.tokens_before)
        result = reduction.run()
        if result.ending is Ending.INTERRUPTED:
            raise KeyboardInterrupt
        if result.error is not None:
            raise result.error
        tests = reduction.scheduler.counts.asked
        note_end(journal, result, tests)
        small = result.text
        if not executor.slow:
            small = without_neighbours(small, asked.shows)
        small = self._plain_values(small, asked)
        found = self._target.key_of(self._target.observe(small), small)
        if not isinstance(found, FailureKey):
            found = key  # a flaky one, seen in another run
        parts = [(part, executor.labels[label]) for label, part in slips.items()]
        return Case(
            file,
            key,
            signature,
            small,
            found,
            tuple(Slip(part, other) for part, other in parts if contains(small, part)),
            tests + asked.tests,
            result.ending is Ending.FINISHED,
            "" if helper is None else helper.file,
            journal.record,
        )

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

    def _plain_values(self, text: bytes, asked: CountedTests) -> bytes:
        """Return a result in which numbers, strings and bytes are the plainest that fail alike."""
        pieces = list(lexemes(text))
        if sum(one.kind not in (NAME, SPACE) for one in pieces) > _MOST_VALUES:
            return text
        for at, piece in enumerate(pieces):
            for plain in _plainer(piece):
                changed = b"".join([*(one.text for one in pieces[:at]), plain])
                changed += b"".join(one.text for one in pieces[at + 1 :])
                if asked.shows(changed):
                    pieces[at] = TextPiece(piece.kind, plain)
                    break
        return b"".join(one.text for one in pieces)


def without_neighbours(text: bytes, shows: Callable[[bytes], bool]) -> bytes:
    """Return a result without neighbouring lexemes that it does not need."""
    pieces = lexemes(text)
    tests = 0
    if len(pieces) > _WINDOWED:
        return text
    for size in range(_WINDOW, 1, -1):
        at = 0
        while at + size <= len(pieces) and tests < _WINDOW_TESTS:
            fewer = pieces[:at] + pieces[at + size :]
            if fewer and balanced(pieces[at : at + size]):
                tests += 1
                if shows(b"".join(one.text for one in fewer)):
                    pieces = fewer
                    continue
            at += 1
    return b"".join(one.text for one in pieces)


def _plainer(piece: TextPiece) -> Iterator[bytes]:
    """Yield texts that are plainer than a lexeme, the plainest first."""
    plain: tuple[bytes, ...] = ()
    if piece.kind == NUMBER:
        plain = (b"0", b"1", b"9")
    elif piece.kind == STRING:
        quote = piece.text[:1]
        plain = (quote * 2, quote + b"a" + quote)
    elif piece.kind == BYTE:
        plain = (b"\0", b"0", b"\xff")
    for one in plain:
        if one == piece.text:
            return
        if len(one) <= len(piece.text):
            yield one


def shows(executor: FailureExecutor, text: bytes) -> bool:
    """Whether a text shows the failure that an executor asks for."""
    return outcome_of(executor.submit(text)).verdict is Verdict.INTERESTING


def signature_of(seen: Observation, text: bytes, name: str) -> Signature:
    """Return the signature of a failure; of one that says nothing, how the target ends."""
    try:
        return infer_signature([seen], text, name).best
    except UnclearFailureError:
        return Signature(status=seen.status)
