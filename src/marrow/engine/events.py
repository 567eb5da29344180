"""Events: reports of a run to its listener, in stream order for any number of workers."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from marrow.engine.verdict import Verdict
from marrow.reducers.streams.stream import Attempt


class Answer(enum.Enum):
    """The source of the answer to an attempt."""

    TEST = "test"
    CACHE = "cache"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class PhaseBegan:
    """A new phase of an algorithm; `samples` is how many must be interesting to end it."""

    words: str
    samples: int = 0


@dataclass(frozen=True, slots=True)
class PhaseAdvanced:
    """A phase is so far: this share of what there is to do is done."""

    share: float


@dataclass(frozen=True, slots=True)
class PassBegan:
    """It is the turn of another pass, after this number of tests (see `journal_file`)."""

    name: str
    tests: int


@dataclass(frozen=True, slots=True)
class Tried:
    """An attempt was answered. An invalid candidate has no verdict: no test was spent on it."""

    answer: Answer
    verdict: Verdict | None
    # Not compared: two equal runs make attempts of their own.
    attempt: Attempt = field(compare=False)


@dataclass(frozen=True, slots=True)
class OtherFailure:
    """A candidate showed another failure than the one that is kept; `label` names it."""

    label: str
    key: bytes
    candidate: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SampleTested:
    """A sample was answered; nothing is reduced by it (see `engine.search.sample_tester`)."""

    answer: Answer
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Accepted:
    """A candidate was interesting and is the new best.

    `tokens` and `length` are its size. `tests` counts the tests up to it (see
    `engine.journal.journal_file`). `output` is what the test printed, where somebody watches.
    """

    tokens: int
    length: int
    before: bytes
    after: bytes
    phase: str
    pass_name: str = ""
    tests: int = 0
    # Not compared: it is not kept in every run.
    output: bytes = field(default=b"", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Noted:
    """Something the run says about itself: the language, the failure it keeps, its files."""

    message: str


@dataclass(frozen=True, slots=True)
class Warned:
    """Something the user should know."""

    message: str


Event: TypeAlias = (
    PhaseBegan
    | PhaseAdvanced
    | PassBegan
    | Tried
    | OtherFailure
    | SampleTested
    | Accepted
    | Noted
    | Warned
)
Listener: TypeAlias = Callable[[Event], None]


def ignore(_: Event) -> None:
    """Listen to nothing."""
