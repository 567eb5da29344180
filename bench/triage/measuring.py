"""Figures: pairs put together rightly and wrongly, bugs found, reported twice and merged."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

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


def measure(truth: dict[str, Any], found: dict[str, Any], *, verbose: bool = False) -> str:
    """Compare a triage with the truth, and both with stack hashes."""
    bugs = {name: frozenset(one["bugs"]) for name, one in truth["files"].items()}
    stack = {name: str(one["stack"]) for name, one in truth["files"].items()}
    group = {
        Path(name).name: str(one["id"])
        for one in found["bugs"]
        for file in one["files"]
        for name in file["names"]
    }
    files = sorted(set(bugs) & set(group))
    lines = [
        f"{truth['program']}: {len(bugs)} files, {len(frozenset().union(*bugs.values()))} bugs; "
        f"{len(files)} in the triage"
    ]
    ways = {"marrow triage": group, "top-3 stack": stack}
    for name, way in ways.items():
        lines.append(line(name, pairs(files, way, bugs)))
    same = sum(one["same_canonical_result"][0] for one in found["bugs"])
    of = sum(one["same_canonical_result"][1] for one in found["bugs"])
    lines.append(f"  {same} of {of} reduced files end in their bug's commonest canonical text")
    if verbose:
        for one in found["bugs"]:
            names = [Path(name).name for file in one["files"] for name in file["names"]]
            counts = Counter("/".join(sorted(bugs[name])) for name in names if name in bugs)
            lines.append(
                f"  {one['id']}: {dict(counts)}: {one['title']}: {one['canonical'][:70]!r}"
            )
            lines += [f"      {link['rule']}: {link['why'][:150]}" for link in one["evidence"]]
    return "\n".join(lines)


def line(name: str, figures: dict[str, float]) -> str:
    """Return figures as a line."""
    return (
        f"  {name:17} {figures['groups']:4} groups, precision {figures['precision']:6.2f}%, recall "
        f"{figures['recall']:6.2f}%, {figures['found']} bugs found, {figures['duplicates']} reported"
        f" twice, {figures['merged']} groups of several bugs"
    )
