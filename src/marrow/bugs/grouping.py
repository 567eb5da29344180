"""From crash files to bugs: files that fail alike are a bucket; evidence and people join these."""

from __future__ import annotations

import contextlib
import heapq
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from marrow.base.deadline import OutOfTimeError, look
from marrow.bugs.case import Case, signature_of
from marrow.bugs.crash_files import CrashFile
from marrow.bugs.evidence import (
    CallSiteStatistics,
    Facts,
    Link,
    bias,
    call_site_statistics,
    explanation,
    facts_of_failures,
    facts_of_results,
    odds_of,
)
from marrow.bugs.failure_key import FailureKey, matches
from marrow.diagnostics.observation import Observation
from marrow.signature.signature import Signature

#: What tests said about pairs of cases, by their files.
Trials: TypeAlias = Mapping[frozenset[str], Facts]

# So many pairs are weighed even when the time is up, which ended the reductions: it takes a second.
_AT_ONCE: Final = 10_000

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
        if near not in by_key:
            alike = (
                other
                for other in buckets
                if other.key.near.sites == near.sites
                and matches(other.key, other.signature, one.seen, one.file.text, one.key)
            )
            bucket = next(alike, None)
            if bucket is None:
                bucket = Bucket(near, signature_of(one.seen, one.file.text, name))
                buckets.append(bucket)
            by_key[near] = bucket
        by_key[near].members.append(one)
    return buckets


@dataclass(slots=True)
class BugGroup:
    """Files that are taken for one bug, with those of them that were reduced, and why."""

    members: list[FailingFile]
    cases: list[Case]
    links: list[Link] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    #: The failures of its files, one of each that looks different.
    failures: list[FailureKey] = field(default_factory=list)

    @property
    def files(self) -> set[str]:
        """The keys of its files, and of its results of known bugs."""
        return {one.file.key for one in self.members} | {case.file for case in self.cases}


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
        part.failures += {one.key.near: one.key for one in part.members}.values()
        part.failures[:] = part.failures or [case.found for case in part.cases] or group.failures
        part.notes += [*group.notes, f"{DIFFERENT}: split by hand"]
    return list(parts.values())


class _Clusters:
    """Groups that grow together: which are one by now, and the mean odds between them.

    The mean over all pairs of parts decides, so that a chain of neighbours that are each a little
    alike does not make one group.
    """

    def __init__(self, groups: Sequence[BugGroup], walls: Sequence[Sequence[int]]) -> None:
        self.members: dict[int, list[int]] = {at: [at] for at in range(len(groups))}
        self._homes = list(range(len(groups)))
        self._walls: Final = walls
        self._sums: dict[tuple[int, int], float] = {}
        self._heap: list[tuple[float, int, int]] = []

    def weigh(self, one: int, other: int, odds: float) -> None:
        """Say how likely two groups have one cause."""
        self._sums[one, other] = odds
        heapq.heappush(self._heap, (-odds, one, other))

    def pairs(self, least: float) -> Iterable[tuple[int, int, float]]:
        """Yield the groups to join, those that are likeliest first, and join them."""
        while self._heap:
            odds, one, other = heapq.heappop(self._heap)
            if -odds < least:
                return
            current = one in self.members and other in self.members
            if current and self._mean(one, other) == -odds and self.join(one, other):
                yield one, other, -odds

    def join(self, one: int, other: int) -> bool:
        """Make the homes of two groups one, unless a wall keeps them apart."""
        one, other = sorted((self._homes[one], self._homes[other]))
        if one == other:
            return False
        for wall in self._walls:
            if {one, other} <= {self._homes[at] for at in wall}:
                return False
        for third in self.members:
            if third not in (one, other):
                ours, theirs = ((min(at, third), max(at, third)) for at in (one, other))
                self._sums[ours] = self._sum(ours) + self._sum(theirs)
        moved = self.members.pop(other)
        self.members[one] += moved
        for at in moved:
            self._homes[at] = one
        for third in self.members:
            if third != one:
                pair = min(one, third), max(one, third)
                heapq.heappush(self._heap, (-self._mean(*pair), *pair))
        return True

    def _sum(self, pair: tuple[int, int]) -> float:
        return self._sums.get(pair, -math.inf)

    def _mean(self, one: int, other: int) -> float:
        return self._sum((one, other)) / (len(self.members[one]) * len(self.members[other]))


def joined(
    groups: Sequence[BugGroup],
    same: Sequence[tuple[str, str]] = (),
    apart: Sequence[Sequence[str]] = (),
    least: float = 0.0,
    trials: Trials | None = None,
) -> list[BugGroup]:
    """Join groups that evidence or a person joins; what a person keeps apart stays apart.

    A person comes first, then what is likeliest, as long as the odds are `least` at least. `trials`
    are what tests said about pairs of cases.
    """
    trials = trials or {}
    homes = {file: at for at, group in enumerate(groups) for file in group.files}
    walls = [[homes[file] for file in files if file in homes] for files in apart]
    clusters = _Clusters(groups, walls)
    around = call_site_statistics(key for group in groups for key in group.failures)
    # What a person says holds even without the time to look for evidence.
    with contextlib.suppress(OutOfTimeError):
        for at, group in enumerate(groups):
            if at * len(groups) > _AT_ONCE:
                look()
            for number, other in enumerate(groups[at + 1 :], at + 1):
                clusters.weigh(at, number, _evidence(group, other, around, trials).odds)
    used: list[tuple[int, Link]] = []
    by_hand = [Link(one, other, SAME, "said by hand") for one, other in same]
    for one in by_hand:
        if one.one in homes and one.other in homes:
            left = homes[one.one]
            if clusters.join(left, homes[one.other]):
                used.append((left, one))
    before = {at: list(parts) for at, parts in clusters.members.items()}
    for left, right, odds in clusters.pairs(least):
        parts = [(groups[at], groups[to]) for at in before[left] for to in before[right]]
        best = max((_evidence(*pair, around, trials) for pair in parts), key=lambda one: one.odds)
        rule, why = explanation(best.facts, best.one, odds)
        used.append((left, Link(best.one.file, best.other.file, rule, why, odds)))
        before[left] += before.pop(right)
    result: list[BugGroup] = []
    for _, parts_of_one in sorted(clusters.members.items()):
        mine = BugGroup([], [])
        for at in sorted(parts_of_one):
            mine.members += groups[at].members
            mine.cases += groups[at].cases
            mine.links += groups[at].links
            mine.failures += groups[at].failures
            mine.notes[:] = _notes(mine.notes, groups[at].notes)
        mine.links += [link for at, link in used if at in parts_of_one]
        result.append(mine)
    return result


def _notes(some: Sequence[str], more: Sequence[str]) -> list[str]:
    """Return the notes of two groups that are one: they are not split from one another."""
    both = [note for note in some if note in more]
    kept = [note for note in some if note not in both or not note.startswith("split")]
    return [*kept, *(note for note in more if note not in both)]


def doubtful(groups: Sequence[BugGroup], least: float, doubt: float) -> Iterator[tuple[Case, Case]]:
    """Yield the cases of groups of which it is hard to say whether they have one cause."""
    around = call_site_statistics(key for group in groups for key in group.failures)
    for at, group in enumerate(groups):
        for other in groups[at + 1 :]:
            found = _evidence(group, other, around, {})
            if abs(found.odds - least) < doubt:
                yield found.one, found.other


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What says that two groups have one cause, and the cases that say so best."""

    odds: float
    facts: Facts
    one: Case
    other: Case


def _evidence(
    group: BugGroup, other: BugGroup, around: CallSiteStatistics, trials: Trials
) -> _Evidence:
    """Weigh what two groups have in common: their failures on the whole, and their best results."""
    places: list[Facts] = [
        facts_of_failures(here, there, around)
        for here in group.failures
        for there in other.failures
    ]
    results = [
        (
            {**facts_of_results(one, two), **trials.get(frozenset((one.file, two.file)), {})},
            one,
            two,
        )
        for one in group.cases
        for two in other.cases
    ]
    facts, one, two = max(results, key=lambda found: odds_of(found[0]))
    odds = bias() + math.fsum(map(odds_of, places)) / len(places) + odds_of(facts)
    place = max(places, key=odds_of)
    return _Evidence(odds, {**place, **facts}, one, two)
