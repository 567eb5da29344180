"""From groups to bugs: names that last, and what is known of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from marrow.bugs.bug import Bug, BugStatus
from marrow.bugs.case import Case
from marrow.bugs.grouping import BugGroup
from marrow.bugs.known_bugs import KnownBug, ManualDecision, named

if TYPE_CHECKING:
    pass

_NUMBER: Final = re.compile(r"bug-(\d+)")


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
    overrules: tuple[ManualDecision, ...] = ()
    known: tuple[KnownBug, ...] = ()
    #: Names of bugs that directories of the user have: no bug is called so.
    foreign_names: frozenset[str] = frozenset()
    #: How likely it must be that failures are one bug: the logarithm of the odds.
    least_odds: float = 0.0


@dataclass(frozen=True, slots=True)
class Naming:
    """Gives groups what bugs have."""

    wishes: TriageWishes
    names: Mapping[str, tuple[str, ...]]

    def bugs(self, groups: Sequence[BugGroup]) -> tuple[Bug, ...]:
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
            result.append(self._bug(name, group, known))
        titles = Counter(bug.title for bug in result)
        result = [
            replace(bug, caller=bug.case.found.caller) if titles[bug.title] > 1 else bug
            for bug in result
        ]
        order = {BugStatus.NEW: 0, BugStatus.KNOWN: 1, BugStatus.IGNORED: 2}
        return tuple(sorted(result, key=lambda bug: (order[bug.status], bug.id)))

    def _bug(self, name: str, group: BugGroup, known: Sequence[KnownBug]) -> Bug:
        case = smallest(group.cases)
        status = BugStatus.KNOWN if any(not one.fixed for one in known) else BugStatus.NEW
        notes = [*group.notes, *(["it did not fail in an earlier run"] if known else [])]
        if self._is_ignored(name, group) or any(one.ignored for one in known):
            status = BugStatus.IGNORED
        files = {one.file.key: one for one in group.members}
        return Bug(
            name,
            status,
            case,
            tuple(group.cases),
            tuple(files.values()),
            tuple(group.links),
            tuple(dict.fromkeys(notes if status is BugStatus.NEW else group.notes)),
            tuple(one.id for one in known[1:]),
        )

    def _is_ignored(self, name: str, group: BugGroup) -> bool:
        ignored = (one for one in self.wishes.overrules if one.kind == "ignore")
        words = [word for one in ignored for word in one.files]
        return name in words or any(named(word, self.names, {}) in group.files for word in words)
