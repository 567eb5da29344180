"""From groups to bugs: their patterns, names that last, and what is known of them."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from marrow.base.deadline import Deadline, OutOfTimeError
from marrow.base.errors import MarrowError
from marrow.bugs.bug import Bug, BugStatus
from marrow.bugs.case import Case, CaseReducer
from marrow.bugs.grouping import BugGroup
from marrow.bugs.known_bugs import KnownBug, ManualDecision, named
from marrow.bugs.target import FailureExecutor, Target
from marrow.engine.journal.journal import Journal
from marrow.engine.search.dispatcher import Limits
from marrow.run.plan.chosen_view import chosen_language, shipped_grammar
from marrow.run.plan.input import Input
from marrow.run.plan.plan import Plan

if TYPE_CHECKING:
    from marrow.abstraction.pattern import Pattern
    from marrow.grammar.language import Language

_NUMBER: Final = re.compile(r"bug-(\d+)")

# All of this many valid samples of a pattern must fail. Fewer than `marrow abstract` asks for:
# people look at a pattern that is a little too wide.
_CHECKS: Final = 20

# A result that is larger has a pattern that nobody reads.
_LARGEST: Final = 2_000


def smallest(cases: Sequence[Case]) -> Case:
    """Return the case with the smallest result; one that is known already stays the smallest."""
    return min(cases, key=lambda one: (len(one.text), is_known(one), one.text, one.file))


def is_known(case: Case) -> bool:
    """Whether a case is the smallest input of a bug that an earlier triage found."""
    return case.file.startswith("known ")


@dataclass(frozen=True, slots=True)
class TriageWishes:
    """What the user wants besides the plan."""

    reduce: int
    pattern_tests: int
    overrules: tuple[ManualDecision, ...] = ()
    known: tuple[KnownBug, ...] = ()
    #: Names of bugs that directories of the user have: no bug is called so.
    foreign_names: frozenset[str] = frozenset()
    #: How likely it must be that failures are one bug: the logarithm of the odds.
    least_odds: float = 0.0


@dataclass
class PatternFinder:
    """Finds the pattern of a small result."""

    plan: Plan
    values: Mapping[str, Any]
    target: Target
    most: int
    tests: int = 0

    @cached_property
    def _language(self) -> Language | None:
        values, name = self.values, self.plan.source.name
        given = values["grammar"] is not None
        if not given and shipped_grammar(name, b"", values["language"]) is None:
            return None
        return chosen_language(Input(b"", name), values)

    def find(self, case: Case, deadline: Deadline) -> Pattern | None:
        """Return the pattern of a case, as far as the tests suffice; None without a grammar."""
        # If it recurs or hangs, each sample would take long, and what recurs says it all.
        slow = case.found.overflow or case.found.status is None
        if slow or not self.most or not case.finished or len(case.text) > _LARGEST:
            return None
        language = self._language
        if language is None:
            return None
        from marrow.abstraction.ddset import DDSet, DDSetOptions
        from marrow.engine.search.sample_tester import SampleTester

        executor = FailureExecutor(self.target, case.found, case.signature)
        tester = SampleTester(
            executor,
            Journal.in_memory(),
            limits=Limits(tests=self.most, seconds=deadline.left),
        )
        try:
            pattern = DDSet(case.text, language, tester, DDSetOptions(_CHECKS, 0, False)).run()
        except (MarrowError, RecursionError):
            return None  # the result does not match the grammar
        self.tests += tester.counts.asked
        return pattern

    def patterns(self, groups: Sequence[BugGroup], deadline: Deadline) -> dict[str, Pattern]:
        """Return the patterns of groups, by the file of the case that each was made of."""
        found: dict[str, Pattern] = {}
        for group in groups:
            if group.members and (deadline.left is None or deadline.left > 0):
                case = smallest(group.cases)
                if (pattern := self.find(case, deadline)) is not None:
                    found[case.file] = pattern
        return found


@dataclass(frozen=True, slots=True)
class Naming:
    """Gives groups what bugs have."""

    reducer: CaseReducer
    wishes: TriageWishes
    names: Mapping[str, tuple[str, ...]]

    def bugs(self, groups: Sequence[BugGroup], patterns: Mapping[str, Pattern]) -> tuple[Bug, ...]:
        """Return the bugs of groups: known ones under their names, then new ones."""
        earlier = self.wishes.known
        owners = {file: one for one in reversed(earlier) for file in one.files}
        by_id = {f"known {one.id}": one for one in earlier}
        taken = {one.id for one in earlier} | self.wishes.foreign_names
        rows: list[tuple[BugGroup, list[KnownBug]]] = []
        used: set[str] = set()
        for group in groups:
            ours = {case.file: by_id[case.file] for case in group.cases if case.file in by_id}
            if not ours:
                ours = {owners[file].id: owners[file] for file in group.files if file in owners}
            known = [one for one in ours.values() if one.id not in used]
            used |= {one.id for one in known}
            rows.append((group, sorted(known, key=lambda one: one.id)))
        number = max(
            (int(found[1]) for one in taken if (found := _NUMBER.fullmatch(one))), default=0
        )
        result = []
        for group, known in rows:
            number += not known
            name = known[0].id if known else f"bug-{number:03}"
            result.append(self._bug(name, group, known, patterns))
        titles = Counter(bug.title for bug in result)
        result = [
            replace(bug, caller=bug.case.found.caller) if titles[bug.title] > 1 else bug
            for bug in result
        ]
        order = {BugStatus.NEW: 0, BugStatus.KNOWN: 1, BugStatus.IGNORED: 2}
        return tuple(sorted(result, key=lambda bug: (order[bug.status], bug.id)))

    def _bug(
        self,
        name: str,
        group: BugGroup,
        known: Sequence[KnownBug],
        patterns: Mapping[str, Pattern],
    ) -> Bug:
        case = smallest(group.cases)
        status = BugStatus.KNOWN if any(not one.fixed for one in known) else BugStatus.NEW
        notes = [*group.notes, *(["it did not fail in an earlier run"] if known else [])]
        if self._is_ignored(name, group) or any(one.ignored for one in known):
            status = BugStatus.IGNORED
        layout = None
        with contextlib.suppress(OutOfTimeError):
            layout = self.reducer.laid_out(case)
        files = {one.file.key: one for one in group.members}
        pattern = next((patterns[one.file] for one in group.cases if one.file in patterns), None)
        return Bug(
            name,
            status,
            case,
            tuple(group.cases),
            tuple(files.values()),
            tuple(group.links),
            tuple(dict.fromkeys(notes if status is BugStatus.NEW else group.notes)),
            tuple(one.id for one in known[1:]),
            pattern,
            layout,
        )

    def _is_ignored(self, name: str, group: BugGroup) -> bool:
        ignored = (one for one in self.wishes.overrules if one.kind == "ignore")
        words = [word for one in ignored for word in one.files]
        return name in words or any(named(word, self.names, {}) in group.files for word in words)
