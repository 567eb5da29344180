"""A triage from start to end: run all files, reduce the smallest few, tell bugs apart, join them.

Everything that is decided follows from what the target did with texts, in an order that depends on
the files alone. So the result is the same for any number of workers, and a triage is resumed by
doing it again with its journal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

from marrow.base.clock import running_time
from marrow.base.deadline import Deadline, OutOfTimeError, look
from marrow.bugs.bug import TriageEffort, TriageResult
from marrow.bugs.canonical import contains, projections, shape
from marrow.bugs.case import Case, CaseReducer, signature_of
from marrow.bugs.crash_files import CrashFile, CrashFiles, LeftOut
from marrow.bugs.evidence import Link, explanation, facts_of_results, odds_of, quoted
from marrow.bugs.failure_key import FailureKey, NoFailure
from marrow.bugs.grouping import (
    Bucket,
    BugGroup,
    FailingFile,
    Trials,
    bucketed,
    doubtful,
    joined,
    separated,
)
from marrow.bugs.known_bugs import KnownBug, named
from marrow.bugs.naming import Naming, TriageWishes
from marrow.bugs.repair import Transplants
from marrow.bugs.target import TIME_IS_UP, FailureExecutor, Target, check_failures, control_failure
from marrow.engine.events import Event, Listener, ignore
from marrow.engine.search.dispatcher import Limits
from marrow.run.plan.plan import Plan

# How often a file is run whose first two runs differ.
_FLAKY_RUNS: Final = 10

# Within this distance of the threshold tests decide, about this many pairs at most.
_DOUBT: Final = 1.0
_MOST_TRIALS: Final = 50

# How much more likely than needed it must be that failures have one cause before any is reduced.
_SURE: Final = 1.0


@dataclass(frozen=True, slots=True)
class TriageProgress:
    """How far a triage has come."""

    phase: str = "reading"
    files: int = 0
    ran: int = 0
    failing: int = 0
    buckets: int = 0
    done: int = 0
    bugs: int = 0
    tests: int = 0
    seconds: float = 0.0
    #: How long it will go on, in seconds, as far as that can be said.
    left: float | None = None


@dataclass(slots=True)
class _Sorted:
    """The files of a triage, sorted by what the target does with them."""

    failing: list[FailingFile] = field(default_factory=list)
    passing: list[LeftOut] = field(default_factory=list)
    not_run: list[LeftOut] = field(default_factory=list)


@dataclass(eq=False)
class Triage:
    """One triage."""

    plan: Plan
    values: Mapping[str, Any]
    wishes: TriageWishes
    target: Target
    deadline: Deadline
    listener: Listener = ignore
    tell: Callable[[TriageProgress], None] = lambda _: None

    def __post_init__(self) -> None:
        self._reducer = CaseReducer(self.target, self.plan, self.values, self._heard)
        self._now = TriageProgress()
        self._tests = 0
        self._stopped = ""
        self._notes: list[str] = []
        self._started = running_time()

    def run(self, found: CrashFiles) -> TriageResult:
        """Triage files. Ctrl-C raises `KeyboardInterrupt`: run again to go on."""
        distinct = self._distinct(found.files)
        if not found.complete:
            self._stopped = f"{TIME_IS_UP} before all files were read"
        journal = self.target.journal
        journal.add_batch(file.key for file in distinct)
        self._show(phase="running", files=len(distinct))
        control = control_failure(self.target, self.plan)
        sorted_files = self._sorted(distinct)
        check_failures(control, [one.key for one in sorted_files.failing], self.plan)
        failing = self._ordered(sorted_files.failing)
        buckets = bucketed(failing, self.plan.source.name)
        self._show(phase="reducing", failing=len(failing), buckets=len(buckets))
        groups = self._located_groups([one for one in buckets if one.key.tells])
        for bucket in buckets:
            if not bucket.key.tells:
                groups += self._unlocated_groups(bucket)
        known, fixed = self._known_cases()
        groups += known
        keys = {one.file.key: one.names for one in failing}
        same, apart = self._said(keys)
        groups = separated(groups, apart)
        began = running_time()
        for number, group in enumerate(groups, start=1):
            self._reduce(group)
            left = (running_time() - began) / number * (len(groups) - number)
            if self.deadline.left is not None:
                left = max(0.0, min(left, self.deadline.left))
            self._show(done=number, bugs=len(groups), left=left)
        trials = self._trials(groups)
        groups = joined(groups, same, apart, least=self.wishes.least_odds, trials=trials)
        bugs = Naming(self.wishes, keys).bugs(groups)
        ids = {bug.id for bug in bugs}
        self._show(phase="done", bugs=len(bugs))
        return TriageResult(
            bugs,
            tuple(one for one in fixed if one.id not in ids),
            tuple(sorted_files.passing),
            (*found.left_out, *sorted_files.not_run),
            len(found.files),
            len(distinct),
            TriageEffort(
                len(distinct) + self._tests, self.target.starts, running_time() - self._started
            ),
            self._stopped,
            tuple(self._notes),
        )

    def _heard(self, event: Event) -> None:
        """Hand on an event of a reduction; the figures go on while it runs."""
        self._show()
        self.listener(event)

    # -- progress ------------------------------------------------------------------------------

    def _show(self, **changes: Any) -> None:
        seconds = running_time() - self._started
        self._now = replace(self._now, **changes, tests=self.target.starts, seconds=seconds)
        self.tell(self._now)

    # -- running -------------------------------------------------------------------------------

    def _distinct(self, files: Sequence[CrashFile]) -> dict[CrashFile, tuple[str, ...]]:
        """Return one file of every content, with all names of that."""
        names: dict[str, list[str]] = {}
        for file in files:
            names.setdefault(file.key, []).append(file.name)
        first = {file.key: file for file in reversed(files)}
        return {first[key]: tuple(known) for key, known in names.items()}

    def _sorted(self, distinct: Mapping[CrashFile, tuple[str, ...]]) -> _Sorted:
        """Run every file twice, and often where the runs differ."""
        files, target = list(distinct), self.target
        texts = [file.text for file in files]
        first = target.observe_all(texts, 0, lambda _: self._show(ran=self._now.ran + 1))
        # A file that hangs was run twice already.
        ended = [at for at, seen in enumerate(first) if seen and seen.status is not None]
        again = dict(zip(ended, target.observe_all([texts[at] for at in ended], 1), strict=True))
        result = _Sorted()
        for at, (file, one) in enumerate(zip(files, first, strict=True)):
            if one is None:
                self._stopped = TIME_IS_UP
                why = f"not run: {TIME_IS_UP}"
                result.not_run += [LeftOut(name, why) for name in distinct[file]]
                continue
            seen = [one, again.get(at) or one]
            keys = [target.key_of(each, file.text) for each in seen]
            if _summary(keys[0]) != _summary(keys[1]):
                more = (target.observe_all([file.text], run)[0] for run in range(2, _FLAKY_RUNS))
                seen += [each for each in more if each is not None]
                keys = [target.key_of(each, file.text) for each in seen]
            tops = [key.top for key in keys if isinstance(key, FailureKey)]
            if not tops:
                why = keys[0].value if isinstance(keys[0], NoFailure) else ""
                result.passing += [LeftOut(name, why) for name in distinct[file]]
                continue
            common = max(tops, key=lambda top: (tops.count(top), -tops.index(top)))
            shown, key = next(
                (each, key)
                for each, key in zip(seen, keys, strict=True)
                if isinstance(key, FailureKey) and key.top == common
            )
            count = tops.count(common)
            result.failing.append(FailingFile(file, distinct[file], shown, key, count, len(keys)))
        self._tests += len(files)
        return result

    def _ordered(self, failing: Sequence[FailingFile]) -> list[FailingFile]:
        """Return files in the order in which they are reduced: those of earlier runs first.

        What came later must not change what was decided, nor cost it anew.
        """
        batches = self.target.journal.batches
        batch = {key: number for number, keys in enumerate(batches) for key in keys}
        return sorted(
            failing,
            key=lambda one: (
                batch.get(one.file.key, len(batches)),
                one.flaky,
                len(one.file.text),
                one.file.key,
            ),
        )

    # -- reducing ------------------------------------------------------------------------------

    def _located_groups(self, buckets: Sequence[Bucket]) -> list[BugGroup]:
        """Return groups of files whose failures alone say that they have one cause.

        A failure that says where it is needs no reduction for that: it begins with the stack hash.
        """
        groups = []
        for bucket in buckets:
            case = self._unreduced(bucket.members[0])
            groups.append(BugGroup(list(bucket.members), [case], failures=[case.key]))
        return joined(groups, least=self.wishes.least_odds + _SURE)

    def _reduce(self, group: BugGroup) -> None:
        """Reduce members of a group that say where they fail, one of each place, up to a number."""
        if not group.cases:
            group.cases.append(self._unreduced(group.members[0]))
        if all(case.reduced for case in group.cases):
            return
        members = {one.file.key: one for one in group.members}
        firsts = sorted(group.cases, key=lambda one: len(one.text))[: self.wishes.reduce]
        group.cases[:] = [self._reduced(members[first.file]) for first in firsts]

    def _unlocated_groups(self, bucket: Bucket) -> list[BugGroup]:
        """Split a bucket whose key does not say where the program failed, by small results."""
        groups: list[BugGroup] = []
        for member in bucket.members:
            home = self._home(member, groups)
            if home is not None:
                home.members.append(member)
                continue
            cases = [one for group in groups for one in group.cases]
            slow = bucket.key.status is None  # each test of a hang takes the whole time limit
            if groups and (self._time_is_up or (slow and len(cases) >= self.wishes.reduce)):
                groups[0].members.append(member)
                why = "hangs take long" if slow else TIME_IS_UP
                groups[0].notes.append(f"not all of its files were reduced: {why}")
                continue
            case = self._reduced(member)
            found = next(filter(None, (_alike(group, case) for group in groups)), None)
            if found is None:
                home = BugGroup([], [], failures=[bucket.key])
                groups.append(home)
            else:
                home = next(group for group in groups if found.one in group.files)
                home.links.append(found)
            home.members.append(member)
            home.cases.append(case)
        if len(groups) > 1:
            texts = ", ".join(quoted(group.cases[0].text) for group in groups[:4])
            for group in groups:
                group.notes.append(f"split: files that fail alike reduce to {texts}")
        return groups

    def _home(self, member: FailingFile, groups: Sequence[BugGroup]) -> BugGroup | None:
        """Return the group whose small result is in a file, and fails there alone too."""
        text = member.file.text
        try:
            for group in groups:
                for case in group.cases[:2]:
                    look()
                    if not contains(text, case.text):
                        continue  # which is quick to see
                    executor = FailureExecutor(self.target, member.key, case.signature)
                    for part in projections(text, case.text):
                        if shape(part) == shape(case.text):
                            self._tests += 1
                            if executor.shows(part):
                                return group
        except OutOfTimeError:
            self._stopped = TIME_IS_UP
        return None

    def _reduced(self, member: FailingFile) -> Case:
        if self._time_is_up:
            self._stopped = TIME_IS_UP
            return self._unreduced(member)
        runs = 1 if not member.flaky else _FLAKY_RUNS
        try:
            case = self._reducer.reduce(
                member.file.key, member.file.text, member.key, self._limits, runs
            )
        except OutOfTimeError:
            self._stopped = TIME_IS_UP
            case = self._unreduced(member)
        if not case.finished and self._time_is_up:
            self._stopped = TIME_IS_UP
        self._tests += case.tests
        self._show()
        return case

    @property
    def _limits(self) -> Limits | None:
        left = self.deadline.left
        return None if left is None else Limits(seconds=left)

    @property
    def _time_is_up(self) -> bool:
        left = self.deadline.left
        return left is not None and left <= 0

    def _unreduced(self, member: FailingFile) -> Case:
        """Return the case of a file as it is."""
        signature = signature_of(member.seen, member.file.text, self.plan.source.name)
        return Case(
            *(member.file.key, member.key, signature, member.file.text, member.key),
            finished=False,
            reduced=False,
        )

    def _trials(self, groups: Sequence[BugGroup]) -> Trials:
        """Ask the target whether one change stops two failures, where all else leaves it open."""
        transplants = Transplants(self.target)
        try:
            for pair in islice(doubtful(groups, self.wishes.least_odds, _DOUBT), _MOST_TRIALS):
                transplants.compare(*pair)
                self._show()
        except OutOfTimeError:
            self._stopped = TIME_IS_UP
        self._tests += transplants.tests
        for group in groups:
            group.notes += [note for case in group.cases for note in transplants.notes(case)]
        return transplants.facts

    # -- what is known -------------------------------------------------------------------------

    def _known_cases(self) -> tuple[list[BugGroup], list[KnownBug]]:
        """Run the smallest inputs of known bugs: those that fail are cases, the others fixed."""
        groups: list[BugGroup] = []
        fixed: list[KnownBug] = []
        known = self.wishes.known
        seen = self.target.observe_all([one.text for one in known])
        self._tests += len(known)
        for one, run in zip(known, seen, strict=True):
            if run is None:
                self._stopped = TIME_IS_UP
                continue
            key = self.target.key_of(run, one.text)
            if isinstance(key, NoFailure):
                fixed.append(one)
                continue
            signature = signature_of(run, one.text, self.plan.source.name)
            case = Case(f"known {one.id}", key, signature, one.text, key)
            groups.append(BugGroup([], [case], failures=[key]))
        return groups, fixed

    def _said(
        self, keys: Mapping[str, tuple[str, ...]]
    ) -> tuple[list[tuple[str, str]], list[list[str]]]:
        """Return what a person joins and keeps apart, as keys of files."""
        bugs = {
            one.id: one.file if one.file in keys else f"known {one.id}" for one in self.wishes.known
        }
        same: list[tuple[str, str]] = []
        apart: list[list[str]] = []
        for overrule in self.wishes.overrules:
            found = [(word, named(word, keys, bugs)) for word in overrule.files]
            lost = [word for word, key in found if key is None]
            if lost:
                self._notes.append(
                    f"overrules: no single failing file is called {lost[0]}; the entry is left out"
                )
                continue
            files = [key for _, key in found if key is not None]
            if overrule.kind == "same":
                same += [(files[0], other) for other in files[1:]]
            elif overrule.kind == "different":
                apart.append(files)
        return same, apart


def _summary(key: FailureKey | NoFailure) -> object:
    return key.top if isinstance(key, FailureKey) else key


def _alike(group: BugGroup, case: Case) -> Link | None:
    """Return what says that a result looks like one of a group."""
    for one in group.cases:
        facts = facts_of_results(one, case)
        odds = odds_of(facts)
        if odds > _SURE:
            return Link(one.file, case.file, *explanation(facts, one, odds), odds)
    return None
