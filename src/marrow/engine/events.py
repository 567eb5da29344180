"""Events: what a run tells those who watch it. They come in stream order, whatever the workers."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from marrow.engine.verdict import Verdict
from marrow.reducers.stream import Attempt


class Answer(enum.Enum):
    """Where the answer to an attempt came from."""

    TEST = "test"
    CACHE = "cache"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class PhaseBegan:
    """The algorithm turns to something else; `words` say to what."""

    words: str


@dataclass(frozen=True, slots=True)
class PassBegan:
    """It is the turn of another pass, after so many tests (see `engine.history`)."""

    name: str
    tests: int


@dataclass(frozen=True, slots=True)
class Tried:
    """An attempt was answered. An invalid candidate has no verdict: no test was spent on it."""

    answer: Answer
    verdict: Verdict | None
    # Not compared: two runs that do the same make attempts of their own.
    attempt: Attempt = field(compare=False)


@dataclass(frozen=True, slots=True)
class SampleTested:
    """A sample was answered; nothing is reduced by it (see `engine.search.sample_tester`)."""

    answer: Answer
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Accepted:
    """A candidate was interesting and is the new best, of so many tokens and bytes.

    `tests` counts those up to this one (see `engine.history`).
    """

    tokens: int
    length: int
    before: bytes
    after: bytes
    phase: str
    pass_name: str = ""
    tests: int = 0


@dataclass(frozen=True, slots=True)
class Noted:
    """Something the run says about itself: the language, the failure it keeps, its files."""

    message: str


@dataclass(frozen=True, slots=True)
class Warned:
    """Something the user should know."""

    message: str


Event: TypeAlias = PhaseBegan | PassBegan | Tried | SampleTested | Accepted | Noted | Warned
Listener: TypeAlias = Callable[[Event], None]


def ignore(_: Event) -> None:
    """Listen to nothing."""
