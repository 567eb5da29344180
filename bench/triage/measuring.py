"""Figures: pairs put together rightly and wrongly, bugs found, reported twice and merged."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

Bugs = dict[str, frozenset[str]]


def pairs(files: list[str], group: dict[str, str], bugs: Bugs) -> dict[str, float]:
    """Return precision and recall over all pairs of files, and what is wrong with groups.

    A pair that is put together is right if a bug is in the sets of both: one fix ends both. A pair
    must be together if both have the same set: a file that either of two fixes ends can stand with
    the files of one of them alone. The bug of a group is the one that most of its files have.
    """
    together = right = same = met = 0
    for one, other in combinations(files, 2):
        put = group[one] == group[other]
        together += put
        right += put and bool(bugs[one] & bugs[other])
        same += bugs[one] == bugs[other]
        met += put and bugs[one] == bugs[other]
    members: dict[str, list[str]] = defaultdict(list)
    for file in files:
        members[group[file]].append(file)
    owners = Counter(owner(ours, bugs) for ours in members.values())
    return {
        "groups": len(members),
        "precision": 100 * right / max(1, together),
        "recall": 100 * met / max(1, same),
        "found": len(owners),
        "duplicates": sum(count - 1 for count in owners.values()),
        "merged": sum(
            any(owner(ours, bugs) not in bugs[file] for file in ours) for ours in members.values()
        ),
    }


def owner(files: list[str], bugs: Bugs) -> str:
    """Return the bug that most of the files of a group have."""
    counts = Counter(bug for file in files for bug in sorted(bugs[file]))
    return max(sorted(counts), key=lambda bug: counts[bug])


def line(name: str, figures: dict[str, float]) -> str:
    """Return figures as a line."""
    return (
        f"  {name:17} {figures['groups']:4} groups, precision {figures['precision']:6.2f}%, recall "
        f"{figures['recall']:6.2f}%, {figures['found']} bugs found, {figures['duplicates']} reported"
        f" twice, {figures['merged']} groups of several bugs"
    )
