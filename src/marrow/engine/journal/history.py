"""The history of a run: the steps that were accepted, whose turn it was when, what was skipped.

It is kept in the journal. A run that is resumed takes the same way again, so it finds its own
history there and adds to it; where it goes another way, what follows is forgotten. Tests are
counted as one worker without a journal would run them, so that the figures are the same for any
number of workers and however often the run was resumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from marrow.engine.delta import Delta


@dataclass(frozen=True, slots=True)
class AcceptedStep:
    """An accepted step: after how many tests, of which pass, what was left, and the change.

    `after` is the digest of the text that it led to.
    """

    tests: int
    tokens: int
    length: int
    pass_name: str
    phase: str
    after: bytes
    delta: Delta = field(repr=False)


@dataclass(frozen=True, slots=True)
class Turn:
    """From so many tests on, it was the turn of this pass."""

    tests: int
    pass_name: str


@dataclass(slots=True)
class History:
    """What happened, in order. `skips` are the numbers of attempts at which a pass was skipped."""

    steps: list[AcceptedStep] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    skips: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Record:
    """All that a journal knows of a run but the verdicts: facts by name, texts, the history."""

    facts: Mapping[str, str]
    texts: Mapping[str, bytes]
    history: History
