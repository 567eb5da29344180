"""The results of a triage, as plain values: bugs, and what else was found."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Final

from marrow.bugs.case import Case
from marrow.bugs.crash_files import LeftOut
from marrow.bugs.evidence import Link, sureness
from marrow.bugs.grouping import FailingFile
from marrow.bugs.known_bugs import KnownBug

# A larger input is not shown step by step: a page holds it several times.
_LARGEST_REPORT: Final = 1 << 20


class BugStatus(enum.Enum):
    """What is known of a bug from earlier runs."""

    NEW = "new"
    KNOWN = "known"
    FIXED = "fixed"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Bug:
    """Failures with one cause, as far as the evidence tells.

    `case` is the one with the smallest result. `also` are the names that it had before, if several
    known bugs turned out to be one.
    """

    id: str
    status: BugStatus
    case: Case
    cases: tuple[Case, ...]
    files: tuple[FailingFile, ...]
    links: tuple[Link, ...] = ()
    notes: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    #: The caller of the function that fails, if another bug fails at the same place.
    caller: str = ""

    @property
    def has_report(self) -> bool:
        """Whether there is a page that shows how its smallest input was reduced."""
        record = self.case.record
        return record is not None and len(record.texts.get("input", b"")) <= _LARGEST_REPORT

    @property
    def title(self) -> str:
        """The bug in a few words."""
        return self.case.found.words + (f", called by {self.caller}" if self.caller else "")

    @property
    def certainty(self) -> str:
        """How sure it is that its files have one cause, in a few words."""
        if not self.links:
            return "all of it fails at one place" if self.case.found.tells else "results are alike"
        least = min(self.links, key=lambda link: link.odds)
        return f"{len(self.links) + 1} places joined, each {sureness(least.odds)} sure or more"


@dataclass(frozen=True, slots=True)
class TriageEffort:
    """What a triage took. `tests` are those that one worker needs, `starts` all of this run."""

    tests: int = 0
    starts: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TriageResult:
    """What a triage found."""

    bugs: tuple[Bug, ...]
    #: Known bugs whose smallest input no longer fails.
    fixed: tuple[KnownBug, ...] = ()
    passing: tuple[LeftOut, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    files: int = 0
    distinct: int = 0
    effort: TriageEffort = field(default_factory=TriageEffort, compare=False)
    #: Why it ended before its time; empty if it did not.
    stopped: str = ""
    notes: tuple[str, ...] = ()

    def with_status(self, status: BugStatus) -> tuple[Bug, ...]:
        """Return the bugs of a status."""
        return tuple(bug for bug in self.bugs if bug.status is status)
