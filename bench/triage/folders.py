"""Any folder of labelled crash files: figures of a triage beside stack hashes, and weights of facts.

    python -m bench.triage folder --crashes d/ --labels d.json --command './target {}' --output o
    python -m bench.triage learn weights.toml o --crashes d/ --labels d.json --command './target {}'

The labels are a JSON object: for each file the list of its bugs. Files without labels are left out.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import marrow
from bench.triage.measuring import Bugs, line, pairs
from marrow.bugs.bug import TriageResult
from marrow.bugs.case import Case
from marrow.bugs.evidence import call_site_statistics, facts_of_failures, facts_of_results
from marrow.bugs.failure_key import FailureKey

#: Hashes of the innermost frames: how many, and whether of the first one the line counts.
HASHES = {
    "function": (1, False),
    "function and line": (1, True),
    "three functions": (3, False),
    "five functions": (5, False),
}

#: The facts that have more values than that they are the same, or other.
MANY_VALUED = ("place", "result")

# How hard weights are held near nothing, how far each step goes, and how many steps are made.
_RIDGE = 1.0
_STEP = 1.0
_STEPS = 3000


def labels_of(path: Path) -> Bugs:
    """Return the bugs of each file that has some."""
    return {name: frozenset(bugs) for name, bugs in json.loads(path.read_text()).items() if bugs}


def hashed(key: FailureKey, frames: int, *, lines: bool) -> str:
    """Return a stack hash."""
    sites = key.sites[:frames]
    if not sites:
        return f"{key.message} {key.status}"
    return "/".join(f"{one.function}:{one.position}" if lines else one.function for one in sites)


def triaged(
    crashes: Path, command: Sequence[str], output: Path | None, **options: Any
) -> TriageResult:
    """Triage a folder."""
    return marrow.triage(crashes, command=list(command), output=output, **options)


def keys_of(result: TriageResult) -> dict[str, FailureKey]:
    """Return the failure of each file, by all of its names."""
    return {
        Path(name).name: one.key for bug in result.bugs for one in bug.files for name in one.names
    }


def compared(result: TriageResult, bugs: Bugs, *, verbose: bool = False) -> str:
    """Return the figures of a triage and of stack hashes, each on a line."""
    group = {
        Path(name).name: bug.id for bug in result.bugs for one in bug.files for name in one.names
    }
    keys = keys_of(result)
    files = sorted(set(bugs) & set(group))
    ways = {"marrow triage": group}
    for name, (frames, lines) in HASHES.items():
        ways[name] = {file: hashed(keys[file], frames, lines=lines) for file in files}
    known = frozenset().union(*(bugs[file] for file in files))
    effort = result.effort
    rows = [f"{len(files)} files, {len(known)} bugs; {effort.tests} tests, {effort.seconds:.0f} s"]
    rows += [line(name, pairs(files, way, bugs)) for name, way in ways.items()]
    for bug in result.bugs if verbose else ():
        names = [Path(name).name for one in bug.files for name in one.names]
        told = Counter("/".join(sorted(bugs[name])) for name in names if name in bugs)
        rows.append(f"  {bug.id}: {dict(told)}: {len(bug.case.text)} bytes: {bug.title}")
        rows += [f"      {link.rule}: {link.why[:200]}" for link in bug.links]
    return "\n".join(rows)


def examples(cases: Sequence[tuple[Case, frozenset[str]]]) -> Iterator[tuple[dict[str, str], bool]]:
    """Yield the facts of each pair of cases, and whether one fix ends both."""
    around = call_site_statistics(case.key for case, _ in cases)
    for (one, mine), (other, theirs) in combinations(cases, 2):
        facts = facts_of_failures(one.key, other.key, around)
        yield {**facts, **facts_of_results(one, other)}, bool(mine & theirs)


def cases_of(result: TriageResult, bugs: Bugs) -> list[tuple[Case, frozenset[str]]]:
    """Return a case for each two innermost frames, with its bugs; a reduced one if there is one."""
    found: dict[tuple[FailureKey, bool], tuple[Case, frozenset[str]]] = {}
    for bug in result.bugs:
        done = {case.file: case for case in bug.cases}
        for one in bug.files:
            name = next((Path(name).name for name in one.names if Path(name).name in bugs), "")
            if not name:
                continue
            case = done.get(one.file.key)
            plain = Case(
                one.file.key, one.key, bug.case.signature, one.file.text, one.key, reduced=False
            )
            if case is not None:
                found[one.key.near, True] = case, bugs[name]
            found.setdefault((one.key.near, False), (plain, bugs[name]))
    return list(found.values())


def fitted(rows: Sequence[tuple[dict[str, str], bool, float]]) -> dict[str, Any]:
    """Fit a logistic regression to weighed examples, by its gradient; return weights and counts.

    What is the same or other has one weight, which counts for or against: that something is known
    says nothing.
    """
    seen: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    alike: Counter[tuple[tuple[tuple[int, int], ...], bool]] = Counter()
    place: dict[tuple[str, str], int] = {}
    for facts, same, much in rows:
        columns = []
        for name, value in facts.items():
            seen[name, value][same] += 1
            sign = -1 if value == "other" and name not in MANY_VALUED else 1
            fact = (name, "same" if name not in MANY_VALUED else value)
            columns.append((place.setdefault(fact, len(place)), sign))
        alike[tuple(columns), same] += much  # type: ignore[assignment]
    weights, bias, total = [0.0] * len(place), 0.0, sum(alike.values())
    for _ in range(_STEPS):
        slopes, slope = [-_RIDGE * one / total for one in weights], 0.0
        for (signed, same), much in alike.items():
            odds = bias + sum(sign * weights[at] for at, sign in signed)
            gap = much * (same - 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))) / total
            slope += gap
            for at, sign in signed:
                slopes[at] += sign * gap
        bias += _STEP * slope
        weights = [one + _STEP * two for one, two in zip(weights, slopes, strict=True)]
    found = {}
    for (name, value), counts in sorted(seen.items()):
        many = name in MANY_VALUED
        much = weights[place[name, value if many else "same"]]
        found[name, value] = (round(much if many or value == "same" else -much, 2), *counts)
    return {"bias": round(bias, 2), "fact": found}


def rewritten(table: str, found: dict[str, Any]) -> str:
    """Return a table of weights with those that were found in the place of its own."""
    table = re.sub(r"(?m)^bias = .*$", f"bias = {found['bias']}", table)
    for (name, value), (much, apart, together) in found["fact"].items():
        head = re.escape(f'[fact.{name}."{value}"]')
        table = re.sub(
            rf"(?m)^({head}\nwords = .*\n)weight = .*$",
            rf"\g<1>weight = {much}  # {together} pairs of one bug, {apart} of two",
            table,
        )
    return table


def learnt(folders: Sequence[list[tuple[Case, frozenset[str]]]], seed: int = 0) -> dict[str, Any]:
    """Fit weights to folders, each of which counts alike; pairs of no relation are sampled."""
    rng = random.Random(seed)
    rows: list[tuple[dict[str, str], bool, float]] = []
    for cases in folders:
        found = list(examples(cases))
        near = [one for one in found if one[1] or one[0]["place"] not in ("elsewhere", "same file")]
        far = [one for one in found if not one[1] and one[0]["place"] in ("elsewhere", "same file")]
        far = rng.sample(far, min(len(far), 3 * len(near) + 10))
        rows += [(*one, 300 / (len(near) + len(far))) for one in near + far]
    return fitted(rows)
