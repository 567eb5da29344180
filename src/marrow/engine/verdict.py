"""Verdicts of a test on a candidate."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Verdict(enum.Enum):
    """The answer of a test. Never a bool: a time-out or an invalid input is not a plain no."""

    INTERESTING = "interesting"
    NOT_INTERESTING = "not interesting"
    UNRESOLVED = "unresolved"
    TIMEOUT = "timeout"
    ERROR = "error"


#: The exit code for a candidate that is not a valid input, as in `git bisect`.
UNRESOLVED_EXIT = 125


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict and how it came about.

    `output` is what was printed, `files` what was written beside the candidate; both are kept only
    where they were asked for.

    `timed_out` marks a verdict that a time limit decided, where that is not `TIMEOUT`: an executor
    may call a hang interesting. Of a command that marrow judges itself, `why` says what is missing,
    and `label` which other failure was seen.
    """

    verdict: Verdict
    exit_code: int | None = None
    seconds: float = 0.0
    output: bytes = b""
    message: str = ""
    timed_out: bool = False
    why: str = ""
    label: str = ""
    files: bytes = b""
    #: Of a vote, how many runs were interesting, of how many.
    votes: str = ""

    @property
    def said(self) -> bytes:
        """Everything that the test wrote, as far as it was kept."""
        return self.output + b"\n" + self.files

    @property
    def rests_on_time(self) -> bool:
        """Whether a time limit decided, so that a busy machine may have changed the verdict."""
        return self.timed_out or self.verdict is Verdict.TIMEOUT


def verdict_of_exit(code: int) -> Verdict:
    """Return the verdict that an exit code means."""
    if code == 0:
        return Verdict.INTERESTING
    if code == UNRESOLVED_EXIT:
        return Verdict.UNRESOLVED
    return Verdict.NOT_INTERESTING
