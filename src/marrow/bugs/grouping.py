"""From crash files to bugs: files that fail alike are a bucket; evidence and people join these."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from marrow.base.deadline import OutOfTimeError, look
from marrow.bugs.case import Case, signature_of
from marrow.bugs.crash_files import CrashFile
from marrow.bugs.evidence import RULES, CallSiteStatistics, Link, call_site_statistics, link, quoted
from marrow.bugs.failure_key import FailureKey, matches
from marrow.diagnostics.observation import Observation
from marrow.signature.signature import Signature

#: The names of rules that are a person's.
SAME, DIFFERENT = "overruled: same", "overruled: different"


@dataclass(frozen=True, slots=True)
class FailingFile:
    """A crash file that fails, what was seen of it, and how reliably it does.

    `names` are all names of its content.
    """

    file: CrashFile
    names: tuple[str, ...]
    seen: Observation = field(repr=False)
    key: FailureKey
    shown: int = 1
    runs: int = 1

    @property
    def flaky(self) -> bool:
        """Whether it does not fail every time."""
        return self.shown < self.runs


@dataclass(slots=True)
class Bucket:
    """Files with one key; its cases are those of them that were reduced."""

    key: FailureKey
    signature: Signature
    members: list[FailingFile] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)


def bucketed(files: Iterable[FailingFile], name: str) -> list[Bucket]:
    """Sort files into buckets, in their order; the first of a bucket gives it its signature."""
    by_key: Final[dict[FailureKey, Bucket]] = {}
    buckets: list[Bucket] = []
    for one in files:
        near = one.key.near
        bucket = by_key.get(near)
        if bucket is None:
            alike = (
                other
                for other in buckets
                if other.key.near.sites == near.sites
                and matches(other.key, other.signature, one.seen, one.file.text, one.key)
            )
            bucket = next(alike, None)
            if bucket is None:
                signature = signature_of(one.seen, one.file.text, name)
                bucket = Bucket(near, signature)
                buckets.append(bucket)
            by_key[near] = bucket
        bucket.members.append(one)
    return buckets


@dataclass(slots=True)
class BugGroup:
    """Files that are taken for one bug, with those of them that were reduced, and why."""

    members: list[FailingFile]
    cases: list[Case]
    links: list[Link] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    #: Its parts, if it fails at one place, but reduces to results that look different.
    looks: list[BugGroup] = field(default_factory=list)

    @property
    def files(self) -> set[str]:
        """The keys of its files, and of its results of known bugs."""
        return {one.file.key for one in self.members} | {case.file for case in self.cases}


def parted(groups: Sequence[BugGroup]) -> list[BugGroup]:
    """Split groups of which some results do without what nearly all callers of their place need."""
    around = call_site_statistics(case for group in groups for case in group.cases)
    result: list[BugGroup] = []
    for group in groups:
        odd = [one for one in group.looks if all(map(around.odd, one.cases))]
        if not odd or len(odd) == len(group.looks):
            result.append(group)
            continue
        place = odd[0].cases[0].found
        needs = ", ".join(quoted(word) for word in sorted(around.needs[place.top]))
        rest = [one for one in group.looks if one not in odd]
        for looks in (rest, odd):
            part = BugGroup([], [])
            for one in looks:
                part.members += one.members
                part.cases += one.cases
            part.notes.append(
                f"split: most callers of {place.sites[0]} need {needs}, and "
                f"{quoted(odd[0].cases[0].text)} does without"
            )
            result.append(part)
    return result


def separated(groups: Iterable[BugGroup], apart: Sequence[Sequence[str]]) -> list[BugGroup]:
    """Split groups in which a person says that files are different bugs.

    A file goes with the one of them whose failure its own is like, else with the first.
    """
    result = list(groups)
    for files in apart:
        for group in list(result):
            here = [file for file in files if file in group.files]
            if len(here) > 1:
                at = result.index(group)
                result[at : at + 1] = _split(group, here)
    return result


def _split(group: BugGroup, files: Sequence[str]) -> list[BugGroup]:
    keys = {one.file.key: one.key for one in group.members}
    parts = {file: BugGroup([], []) for file in files}

    def home(file: str, key: object) -> BugGroup:
        if file in parts:
            return parts[file]
        alike = (one for one in files if keys.get(one) == key)
        return parts[next(alike, files[0])]

    for member in group.members:
        home(member.file.key, member.key).members.append(member)
    for case in group.cases:
        home(case.file, keys.get(case.file)).cases.append(case)
    for part in parts.values():
        part.notes += [*group.notes, f"{DIFFERENT}: split by hand"]
    return list(parts.values())


def joined(
    groups: Sequence[BugGroup],
    same: Sequence[tuple[str, str]] = (),
    apart: Sequence[Sequence[str]] = (),
    more: Sequence[Link] = (),
    rules: Collection[str] | None = None,
) -> list[BugGroup]:
    """Join groups that evidence or a person joins; what a person keeps apart stays apart.

    Links are taken in the order of their rules, the strongest first; `more` come last. Only
    evidence of some `rules` counts, if they are named.
    """
    links = [Link(one, other, SAME, "said by hand") for one, other in same]
    found: list[Link] = []
    around = call_site_statistics(case for group in groups for case in group.cases)
    # What a person says holds even without the time to look for evidence.
    with contextlib.suppress(OutOfTimeError):
        for at, group in enumerate(groups):
            for other in groups[at + 1 :]:
                best = _best(group, other, around)
                if best is not None and (rules is None or best.rule in rules):
                    found.append(best)
    order = list(RULES)
    links += sorted(found, key=lambda one: order.index(one.rule))
    links += more
    homes = {file: at for at, group in enumerate(groups) for file in group.files}
    leaders = list(range(len(groups)))

    def leader(at: int) -> int:
        while leaders[at] != at:
            at = leaders[at]
        return at

    walls = [[homes[file] for file in files if file in homes] for files in apart]
    used: list[tuple[int, Link]] = []
    for one in links:
        if one.one not in homes or one.other not in homes:
            continue
        left, right = sorted((leader(homes[one.one]), leader(homes[one.other])))
        if left == right:
            continue
        if any(_walled({leader(at) for at in wall}, left, right) for wall in walls):
            continue
        leaders[right] = left
        used.append((homes[one.one], one))
    result: dict[int, BugGroup] = {}
    for at, group in enumerate(groups):
        home = result.setdefault(leader(at), BugGroup([], []))
        home.members += group.members
        home.cases += group.cases
        home.links += group.links
        home.notes[:] = _notes(home.notes, group.notes)
    for at, one in used:
        result[leader(at)].links.append(one)
    return list(result.values())


def _notes(some: Sequence[str], more: Sequence[str]) -> list[str]:
    """Return the notes of two groups that are one: they are not split from one another."""
    both = [note for note in some if note in more]
    kept = [note for note in some if note not in both or not note.startswith("split")]
    return [*kept, *(note for note in more if note not in both)]


def _walled(wall: set[int], left: int, right: int) -> bool:
    return left in wall and right in wall


def _best(group: BugGroup, other: BugGroup, around: CallSiteStatistics) -> Link | None:
    """Return the strongest link between two groups."""
    order = list(RULES)
    look()
    found = [link(one, two, around) for one in group.cases for two in other.cases]
    links = [one for one in found if one is not None]
    return min(links, key=lambda one: order.index(one.rule), default=None)
