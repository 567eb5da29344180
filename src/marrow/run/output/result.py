"""The result of a reduction: its text, its counts, how it ended, and what was made of it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from marrow.base.errors import MarrowError
from marrow.engine.executors.quorum import Reliability
from marrow.engine.verdict import Outcome
from marrow.syntax.bundle import read_bundle

if TYPE_CHECKING:
    from marrow.abstraction.pattern import Pattern
    from marrow.run.output.contrast import Contrast


class Ending(enum.Enum):
    """Why a reduction ended."""

    FINISHED = "finished"
    LIMIT = "limit"
    GOAL = "goal"
    INTERRUPTED = "interrupted"
    TEST_FAILED = "test failed"
    EXECUTOR_LOST = "executor lost"

    @property
    def as_planned(self) -> bool:
        """Whether the run came to its end, or to a limit that the user set."""
        return self in (Ending.FINISHED, Ending.LIMIT, Ending.GOAL)


@dataclass(frozen=True, slots=True)
class KeptWord:
    """A word of the input that is in the result, and how often; `in_test`: the test names it."""

    word: str
    times: int
    in_test: bool


@dataclass(slots=True)
class Result:
    """The result of a reduction, with its counts and how it ended."""

    text: bytes
    language: str
    algorithm: str
    guarantee: str
    tokens_before: int
    tokens_after: int
    bytes_before: int
    bytes_after: int
    #: How often the test was run in all: on the input, on candidates, on the result.
    tests: int = 0
    #: How many tests of candidates one worker would have run: the same number on any machine.
    asked: int = 0
    #: How often the test was run on the input and the result; it depends on how long that takes.
    repeats: int = 0
    cached: int = 0
    invalid: int = 0
    #: The time since the run was planned, with all runs of the test.
    seconds: float = 0.0
    verified: bool = False
    #: How often it shows the failure, where that need not be every time, and how often the input.
    reliability: Reliability | None = None
    reliability_before: Reliability | None = None
    #: How the rate of the input changed during the run.
    changed: str = ""
    #: How often the smallest result that was found showed it, where that was not every time; the
    #: result is then a larger one.
    smallest: Reliability | None = None
    stopped: str | None = None
    #: The error that kept tests from running, if that ended the reduction.
    error: MarrowError | None = None
    ending: Ending = Ending.FINISHED
    notes: list[str] = field(default_factory=list)
    #: What was put off as it made the test much slower, in words.
    put_off: str = ""
    #: Other failures of the command that candidates showed, and how many candidates did.
    also_seen: dict[str, int] = field(default_factory=dict)
    #: The result laid out for people, where that was asked for and the test agrees.
    pretty: bytes | None = None
    #: What the test did with that.
    pretty_outcome: Outcome | None = None
    #: Where that was written.
    pretty_path: Path | None = None
    #: The failing command without the words that it does not need on the result.
    command: str | None = None
    #: Files that the command names, of which it needs fewer lines: where these lines are.
    command_files: dict[str, Path] = field(default_factory=dict)
    #: What is left of a difference, as a unified diff.
    patch: str | None = None
    #: The nearest inputs that do not fail, as far as they were tested; see `contrast`.
    contrasts: list[Contrast] = field(default_factory=list)
    #: What the result needs, if that was asked for.
    explanation: Pattern | None = None
    #: The words of the input that are in it, if it was to be anonymous.
    kept_words: list[KeptWord] | None = None

    def count_repeats(self, runs: int) -> None:
        """Count runs on the input or the result."""
        self.tests += runs
        self.repeats += runs

    @property
    def files(self) -> dict[str, bytes]:
        """The files that are left of a set, by name."""
        return {one.name: one.content for one in read_bundle(self.text) if one.regular}
