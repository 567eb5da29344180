"""From groups to bugs: their patterns, names that last, and what is known of them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Final

from marrow.base.deadline import Deadline, OutOfTimeError
from marrow.bugs.bug import Bug, BugStatus
from marrow.bugs.case import Case, CaseReducer
from marrow.bugs.evidence import Link, quoted
from marrow.bugs.grouping import BugGroup, joined
from marrow.bugs.known_bugs import KnownBug
from marrow.bugs.overrules import Overrule, named
from marrow.bugs.patterns import PatternFinder
from marrow.bugs.target import Target
from marrow.run.plan.plan import Plan

if TYPE_CHECKING:
    from marrow.abstraction.pattern import Pattern

_NUMBER: Final = re.compile(r"bug-(\d+)")


def smallest(cases: Sequence[Case]) -> Case:
    """Return the case with the smallest result; one that is known already stays the smallest."""
    return min(cases, key=lambda one: (len(one.text), is_known(one), one.text, one.file))


def is_known(case: Case) -> bool:
    """Whether a case is the smallest input of a bug that an earlier triage found."""
    return case.file.startswith("known ")


class Naming:
    """Gives groups what bugs have."""

    def __init__(
        self,
        plan: Plan,
        values: Mapping[str, Any],
        target: Target,
        reducer: CaseReducer,
        pattern_tests: int,
        known: Sequence[KnownBug],
        overrules: Sequence[Overrule],
        names: Mapping[str, tuple[str, ...]],
    ) -> None:
        self._reducer: Final = reducer
        self._known: Final = known
        self._names: Final = names
        self._ignored: Final = [one for one in overrules if one.kind == "ignore"]
        self._finder: Final = PatternFinder(plan, values, target, pattern_tests)

    @property
    def tests(self) -> int:
        """How many tests patterns took."""
        return self._finder.tests

    def patterns(
        self, groups: list[BugGroup], apart: Sequence[Sequence[str]], deadline: Deadline
    ) -> tuple[list[BugGroup], dict[str, Pattern]]:
        """Find the patterns of groups, and join those whose results match another's.

        Patterns are by the file of the case that they were made of.
        """
        found: dict[str, Pattern] = {}
        for group in groups:
            if not group.members or (deadline.left is not None and deadline.left <= 0):
                continue
            case = smallest(group.cases)
            pattern = self._finder.find(case, deadline)
            if pattern is not None:
                found[case.file] = pattern
        links: list[Link] = []
        for group in groups:
            own = smallest(group.cases)
            for other in groups:
                pattern = found.get(smallest(other.cases).file)
                if other is group or pattern is None:
                    continue
                if self._finder.matches(pattern, own):
                    file = smallest(other.cases).file
                    why = f"{quoted(own.text)} belongs to the pattern of the other"
                    links.append(Link(own.file, file, "pattern", why))
        return (joined(groups, (), apart, links) if links else groups), found

    def bugs(
        self, groups: Sequence[BugGroup], patterns: Mapping[str, Pattern], foreign: Set[str]
    ) -> tuple[Bug, ...]:
        """Return the bugs of groups: known ones under their names, then new ones.

        No new bug gets one of the `foreign` names.
        """
        owners = {file: one for one in reversed(self._known) for file in one.files}
        by_id = {f"known {one.id}": one for one in self._known}
        taken = {one.id for one in self._known} | foreign
        rows: list[tuple[BugGroup, list[KnownBug]]] = []
        used: set[str] = set()
        for group in groups:
            ours = [by_id[case.file] for case in group.cases if case.file in by_id]
            if not ours:
                ours = list(
                    {
                        owners[file].id: owners[file] for file in group.files if file in owners
                    }.values()
                )
            ours = [one for one in ours if one.id not in used]
            used |= {one.id for one in ours}
            rows.append((group, sorted(ours, key=lambda one: one.id)))
        number = max(
            (int(found[1]) for one in taken if (found := _NUMBER.fullmatch(one))), default=0
        )
        result = []
        for group, known in rows:
            if known:
                name = known[0].id
            else:
                number += 1
                name = f"bug-{number:03}"
            result.append(self._bug(name, group, known, patterns))
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
            layout = self._reducer.laid_out(case)
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
        words = [word for one in self._ignored for word in one.files]
        if name in words:
            return True
        return any(named(word, self._names, {}) in group.files for word in words)
