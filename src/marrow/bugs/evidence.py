"""Evidence: how likely it is that two failures have one cause, as a sum of weighed facts.

Each fact about two cases (`facts_of`) has a value, and each value a weight in `evidence.toml`: the
logarithm of the odds that it adds. The weights were fitted to pairs of failures of programs whose
bugs are known (`python -m bench.triage learn`, figures in docs/lab/triage.md). Two failures at one
line begin with what a stack hash says of them; a fact that is not known weighs nothing.
"""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeAlias

from marrow.bugs.canonical import (
    LONGEST_RESULT,
    canonical,
    contains,
    is_bytes,
    one_apart,
    shape,
    solid,
    weight,
)
from marrow.bugs.case import Case
from marrow.bugs.failure_key import FailureKey
from marrow.report.plain import printable

# A function that fails when functions of this many files call it is a helper that is not at fault,
# and there may be helpers of helpers.
_CROWD: Final = 3
_DEEP: Final = 3

# How much alike results are that share this part of their lexemes.
_ALIKE: Final = 0.7

# How far up the stack a common caller is looked for, and how far up callers are compared.
_NEAR: Final = 4
_ABOVE: Final = 4

# A part of a result is evidence if it has at least this many lexemes that must be as they are, and
# is this share of the result: a single bracket is a part of everything.
_LEAST_WEIGHT: Final = 2
_LEAST_SHARE: Final = 0.5

# How much of a text is quoted in a sentence.
_QUOTED: Final = 60


@dataclass(frozen=True, slots=True)
class Link:
    """Two files that have one cause, by the fact that says most, with all of its evidence in words.

    `odds` is the logarithm of the odds that they have; a person is sure.
    """

    one: str
    other: str
    rule: str
    why: str
    odds: float = math.inf


@dataclass(frozen=True, slots=True)
class CallSiteStatistics:
    """Which functions are helpers: by default, none is known to be."""

    helpers: frozenset[str] = frozenset()

    def at_fault(self, key: FailureKey) -> FailureKey:
        """Return a failure without the helpers on top of its stack: it is at their caller."""
        skipped = 0
        while skipped < len(key.sites) - 1 and key.sites[skipped].function in self.helpers:
            skipped += 1
        return key if key.overflow or not skipped else replace(key, sites=key.sites[skipped:])


def call_site_statistics(keys: Iterable[FailureKey]) -> CallSiteStatistics:
    """Return what failures say about call sites."""
    known = list(keys)
    around = CallSiteStatistics()
    for _ in range(_DEEP):
        files: dict[str, set[str]] = {}
        for key in map(around.at_fault, known):
            if not key.overflow and len(key.sites) > 1:
                files.setdefault(key.sites[0].function, set()).add(key.sites[1].file)
        crowded = {function for function, where in files.items() if len(where) >= _CROWD}
        if not crowded:
            break
        around = CallSiteStatistics(around.helpers | crowded)
    return around


Facts: TypeAlias = Mapping[str, str]


def facts_of_failures(here: FailureKey, there: FailureKey, around: CallSiteStatistics) -> Facts:
    """Return what two failures have in common and what not: a value for each known fact."""
    here, there = around.at_fault(here), around.at_fault(there)
    facts = {"place": _place(here, there)}
    if here.tells and there.tells:
        mine, theirs = ([one.function for one in key.sites[1:_ABOVE]] for key in (here, there))
        facts["callers"] = _agreement(mine, theirs)
    if here.memory and there.memory:
        facts["access"] = _agreement(here.access, there.access)
        facts["side"] = _agreement(here.side, there.side)
        facts["allocated"] = _agreement(here.allocated, there.allocated)
        facts["freed"] = _agreement(here.freed, there.freed)
    return {name: value for name, value in facts.items() if value}


def facts_of_results(one: Case, other: Case) -> Facts:
    """Return the same of two small results; those that were not reduced say nothing."""
    if not one.reduced or not other.reduced:
        return {}
    found = {name: fact(one, other) for name, fact in RESULT_FACTS.items()}
    return {name: value for name, value in found.items() if value}


def _agreement(one: object, other: object) -> str:
    if not one or not other:
        return ""
    return "same" if one == other else "other"


def _place(here: FailureKey, there: FailureKey) -> str:
    if not here.tells or not there.tells:
        return "unknown"
    if here.overflow or there.overflow:
        mine, theirs = ({site.function for site in key.sites} for key in (here, there))
        alike = here.overflow and there.overflow and (mine <= theirs or theirs <= mine)
        return "same recursion" if alike else "elsewhere"
    same_file = here.sites[0].file == there.sites[0].file
    if here.function == there.function and here.sites[0] == there.sites[0]:
        return f"same line, {_callers(here, there)}"
    if here.function == there.function and same_file:
        lines = here.sites[0].position.isdigit() and there.sites[0].position.isdigit()
        return f"same function, {'other lines' if lines else 'somewhere'}"
    near, far = (
        [(site.function, site.file) for site in key.sites[:_NEAR]] for key in (here, there)
    )
    if near[0] in far or far[0] in near:
        return "one calls the other"
    if here.caller and here.caller == there.caller:
        return "same caller"
    return "same file" if same_file and here.sites[0].file else "elsewhere"


def _callers(here: FailureKey, there: FailureKey) -> str:
    """Return whether one function called both, or functions of a file, or of two files.

    What other files call is a helper, as a rule: each of them should have called it otherwise.
    """
    files = {site.file for key in (here, there) for site in key.sites[1:2]}
    if here.caller == there.caller and len(files) < 2:
        return "same caller"
    return "callers of two files" if len(files - {here.sites[0].file}) > 1 else "other caller"


def _result(one: Case, other: Case) -> str:
    """Return how much alike two results are."""
    if max(len(one.text), len(other.text)) > LONGEST_RESULT:
        return ""
    if canonical(one.text) == canonical(other.text):
        return "same"
    if is_bytes(one.text) and one.found.tells:
        return ""  # the frame of a format is in all of its files, and its numbers are the bugs
    if shape(one.text) == shape(other.text) and weight(one.text):
        return "same but for values"
    if one_apart(one.text, other.text) and not is_bytes(one.text):
        return "same but for a word"
    if part_of_other(one, other):
        return "part of the other"
    here, there = (Counter(shape(case.text).split(b" ")) for case in (one, other))
    common = 2 * (here & there).total() / max(1, here.total() + there.total())
    return "alike" if common >= _ALIKE else "other"


#: What two results have in common: a function for each fact, which returns a value or nothing.
RESULT_FACTS: Final[dict[str, Callable[[Case, Case], str]]] = {"result": _result}


@cache
def weights() -> Mapping[str, Any]:
    """Return the weight of each value of each fact, and the words for it."""
    return tomllib.loads(files("marrow.bugs").joinpath("evidence.toml").read_text("utf-8"))


def odds_of(facts: Facts) -> float:
    """Return what facts add to the logarithm of the odds that two failures have one cause."""
    table = weights()["fact"]
    return float(sum(table[name][value]["weight"] for name, value in facts.items()))


def bias() -> float:
    """Return the odds of two failures of which nothing is known, against the threshold."""
    return float(weights()["bias"] - weights()["threshold"])


def sureness(odds: float) -> str:
    """Return odds, seen from the threshold, as a share in hundred."""
    odds += weights()["threshold"]
    return f"{100 / (1 + math.exp(-max(-20.0, min(20.0, odds)))):.0f}%"


def explanation(facts: Facts, case: Case, odds: float) -> tuple[str, str]:
    """Return the fact that says most for it, and all of them in words."""
    table = weights()["fact"]
    told = sorted(
        ((table[name][value], name) for name, value in facts.items()),
        key=lambda one: -one[0]["weight"],
    )
    place = str(case.found.sites[0]) if case.found.sites else quoted(case.text)
    speaks = ", ".join(fact["words"] for fact, _ in told if fact["weight"] > 0)
    against = ", ".join(fact["words"] for fact, _ in told if fact["weight"] < 0)
    why = f"{speaks} ({place}); " + (f"against it: {against}; " if against else "")
    return told[0][1], f"{why}{sureness(odds)} sure"


def part_of_other(one: Case, other: Case) -> bool:
    """Whether one result needs a part of what the other needs, of failures without a place."""
    if one.found.tells or other.found.tells:
        return False
    return any(
        small.found.top != large.found.top
        and contains(large.text, small.text)
        and weight(small.text) >= _LEAST_WEIGHT
        and len(solid(small.text)) >= _LEAST_SHARE * len(solid(large.text))
        for small, large in ((one, other), (other, one))
    )


def quoted(text: bytes) -> str:
    """Return a text for a sentence: on one line, and short."""
    shown = " ".join(printable(text[: 10 * _QUOTED]).split())
    return f"`{shown[:_QUOTED]}{'…' if len(shown) > _QUOTED else ''}`"
