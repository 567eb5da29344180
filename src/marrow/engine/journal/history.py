"""The history of a run: accepted steps, turns of passes, skips.

It is kept in the journal. A resumed run goes the same way again, so it finds its own history there
and adds to it; where it takes another way, the rest is forgotten. Tests are counted as one worker
without a journal would run them. So the figures are the same for any number of workers, and however
often the run was resumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from marrow.engine.delta import Delta, apply


@dataclass(frozen=True, slots=True)
class AcceptedStep:
    """An accepted step: the tests up to it, its pass, what was left, and the change.

    `after` is the digest of the text that it led to.
    """

    tests: int
    tokens: int
    length: int
    pass_name: str
    phase: str
    after: bytes
    delta: Delta = field(repr=False)


def text_after(text: bytes, steps: Iterable[AcceptedStep]) -> bytes:
    """Return what accepted steps make of a text."""
    for step in steps:
        text = apply(step.delta, text)
    return text


@dataclass(frozen=True, slots=True)
class Turn:
    """From this number of tests on, it was the turn of this pass."""

    tests: int
    pass_name: str


@dataclass(slots=True)
class History:
    """The events of a run in order. `skips` are the attempts at which a pass was skipped."""

    steps: list[AcceptedStep] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    skips: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Record:
    """Everything but the verdicts that a journal knows: facts by name, texts, the history."""

    facts: Mapping[str, str]
    texts: Mapping[str, bytes]
    history: History
