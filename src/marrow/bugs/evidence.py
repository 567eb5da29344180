"""Evidence: what says that two failures have one cause. Each rule is a row in a table.

A rule looks at two cases and says in words what joins them, or nothing. Rules work because a small
result needs all of its parts: two results seldom share a part by chance. Figures for each rule are
in docs/lab/triage.md. Two results do not tell whether a place is at fault or its callers are. Many
callers that need the same words do, and so does one among them that can do without
(`CallSiteStatistics`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from marrow.bugs.canonical import (
    LONGEST_RESULT,
    NUMBER,
    STRING,
    canonical,
    contains,
    one_apart,
    shape,
    solid,
    weight,
)
from marrow.bugs.case import Case
from marrow.bugs.failure_key import FailureKey, Site
from marrow.diagnostics.message_rules import ASSERTION
from marrow.languages.recognition import is_binary
from marrow.report.plain import printable

# At least this many callers, and this share of them, must need a word before one without it is odd.
_AGREEING: Final = 3
_SHARE: Final = 0.75

# A word that results of more than this share of the other functions have tells nothing.
_COMMON: Final = 1 / 3

# A number or string of more characters is not what reduction leaves where any will do.
_PLAIN: Final = 2

# The names of a binary format's parts.
_TAG: Final = re.compile(rb"[A-Za-z]{3,}")


@dataclass(frozen=True, slots=True)
class CallSiteStatistics:
    """What is known about call sites: by default, nothing."""

    #: How many callers each innermost place has.
    callers: Mapping[FailureKey, int] = field(default_factory=dict)
    #: What nearly all callers of a place need, and little else that fails does.
    needs: Mapping[FailureKey, frozenset[bytes]] = field(default_factory=dict)
    #: Places that misuse memory in other ways than using it after it was freed, too.
    wild: frozenset[Site] = frozenset()

    def odd(self, case: Case) -> bool:
        """Whether a result reaches its place without anything of what nearly all others need."""
        needs = self.needs.get(case.found.top)
        return bool(needs) and not (needs or frozenset()) & words_of(case.text)


def call_site_statistics(cases: Iterable[Case]) -> CallSiteStatistics:
    """Return what results say about their places."""
    words: dict[FailureKey, dict[FailureKey, list[frozenset[bytes]]]] = {}
    wild: set[Site] = set()
    for case in cases:
        found = case.found
        words.setdefault(found.top, {}).setdefault(found.near, []).append(words_of(case.text))
        if found.sites and found.memory and not found.freed:
            wild.add(found.sites[0])
    return CallSiteStatistics(
        {top: len(callers) for top, callers in words.items()},
        {top: needs for top in words if (needs := _needs(top, words))},
        frozenset(wild),
    )


def _needs(
    top: FailureKey, words: Mapping[FailureKey, Mapping[FailureKey, list[frozenset[bytes]]]]
) -> frozenset[bytes]:
    """Return the words that nearly all callers of a place need, if they are rare elsewhere."""
    callers = [frozenset.intersection(*results) for results in words[top].values()]
    if len(callers) <= _AGREEING:
        return frozenset()
    enough = max(_AGREEING, _SHARE * len(callers))
    shared = [
        word for word in frozenset.union(*callers) if sum(word in one for one in callers) >= enough
    ]
    elsewhere: dict[tuple[str, ...], list[frozenset[bytes]]] = {}
    for other, results in words.items():
        if other.function != top.function:
            elsewhere.setdefault(other.function, []).extend(
                one for some in results.values() for one in some
            )
    return frozenset(
        word
        for word in shared
        if sum(_usual(word, results) for results in elsewhere.values()) <= _COMMON * len(elsewhere)
    )


def _usual(word: bytes, results: list[frozenset[bytes]]) -> bool:
    return 2 * sum(word in one for one in results) >= len(results)


def words_of(text: bytes) -> frozenset[bytes]:
    """Return the words and signs that a result needs; of values, only that one is not plain."""
    if len(text) > LONGEST_RESULT:
        return frozenset()
    if is_binary(text):
        return frozenset(_TAG.findall(text))
    return frozenset(
        one.kind.encode() if one.kind in (NUMBER, STRING) else one.text
        for one in solid(text)
        if not one.free or (one.kind in (NUMBER, STRING) and len(one.text) > _PLAIN)
    )


# A part of a result is evidence if it has at least this many lexemes that must be as they are, and
# is this share of the result: a single bracket is a part of everything.
_LEAST_WEIGHT: Final = 2
_LEAST_SHARE: Final = 0.5

# A place that fails for at least this many callers is at fault itself.
_CROWD: Final = 3

# How much alike results are that fail in the same function with failures of one sort.
_ALIKE: Final = 0.7

# An assertion guards this many lines after it.
_GUARDED: Final = 3

# How much of a text is quoted in a sentence.
_QUOTED: Final = 60


@dataclass(frozen=True, slots=True)
class Link:
    """Two files that have one cause, by the rule that says so and its evidence in words."""

    one: str
    other: str
    rule: str
    why: str


#: A rule: what joins two cases, in words, in view of what all of them say about places.
Rule: TypeAlias = Callable[[Case, Case, CallSiteStatistics], str]


def same_result(one: Case, other: Case, _: CallSiteStatistics) -> str:
    """Both reduce to the same canonical text."""
    if canonical(one.text) != canonical(other.text):
        return ""
    return f"both reduce to {quoted(one.text)}"


def same_place(one: Case, other: Case, around: CallSiteStatistics) -> str:
    """Both small results fail at the same line with the same message, called from the same line.

    A place that fails from many callers is at fault itself, but for a caller that can do without
    what nearly all others need; of two callers, both may be, unless they are lines of one function
    or need the same.
    """
    if not one.found.tells:
        return ""
    if one.found.top != other.found.top:
        return _same_sort(one.found, other.found)
    if one.found.overflow:
        return f"both recurse without end through {', '.join(map(str, one.found.sites))}"
    odd = around.odd(one)
    if odd != around.odd(other):
        return ""
    if one.found.near == other.found.near:
        return f"both small inputs fail alike at {one.found.sites[0]}"
    if one_apart(one.text, other.text):
        same = f"{quoted(one.text)} is {quoted(other.text)} but for a word"
        return f"both small inputs fail alike at {one.found.sites[0]}, and {same}"
    place = one.found.sites[0]
    if one.found.caller and one.found.caller == other.found.caller:
        return f"both small inputs fail alike at {place}, called by {one.found.caller}"
    callers = around.callers.get(one.found.top, 0)
    if callers < _CROWD or odd:
        return ""
    return f"both small inputs fail alike at {place}, which {callers} callers reach"


def _same_sort(here: FailureKey, there: FailureKey) -> str:
    """Say that two failures of one sort are at one line: what a message names is chance.

    `object of type 'int' has no len()` is so with another type. Of an overflow lines say nothing.
    """
    if here.overflow or there.overflow or here.sites[:1] != there.sites[:1]:
        return ""
    called_alike = here.near.sites == there.near.sites or (
        here.caller and here.caller == there.caller
    )
    if not called_alike:
        return ""
    if here.status != there.status or not here.message or _sort_of(here) != _sort_of(there):
        return ""
    return f"both small inputs fail at {here.sites[0]} with {_sort_of(here)}"


def same_memory(one: Case, other: Case, around: CallSiteStatistics) -> str:
    """Both misuse memory at the same line, called from the same one; how that shows is chance."""
    if not (one.found.tells and one.found.memory and other.found.memory):
        return ""
    if one.found.sites[:2] != other.found.sites[:2]:
        return ""
    if around.odd(one) != around.odd(other):
        return ""
    return f"both misuse memory at {one.found.sites[0]}"


def same_freeing(one: Case, other: Case, around: CallSiteStatistics) -> str:
    """Both use memory after it was freed at the same line, called from the same one.

    A wild pointer may point at such memory, too: what a place does with other memory tells.
    """
    here, there = one.found, other.found
    if not here.freed or here.freed != there.freed:
        return ""
    if around.wild & {*here.sites[:1], *there.sites[:1]}:
        return ""
    return f"both use memory after it was freed in {here.freed[0]}"


def same_function(one: Case, other: Case, _: CallSiteStatistics) -> str:
    """Both fail in the same function, and their results are much alike."""
    here, there = one.found, other.found
    if not here.sites or not there.sites or here.overflow or there.overflow:
        return ""
    if here.function != there.function:
        return ""
    if here.top == there.top:
        return ""
    if one_apart(one.text, other.text):
        same = f"{quoted(one.text)} is {quoted(other.text)} but for a word"
        return f"both fail in {here.sites[0].function}, and {same}"
    if alikeness(one.text, other.text) < _ALIKE:
        return ""
    if _guards(here, there) or _guards(there, here):
        return f"the assertion in {here.sites[0].function} comes right before the line that fails"
    if _sort_of(here) != _sort_of(there):
        return ""
    return f"both fail in {here.sites[0].function}: {quoted(one.text)}, {quoted(other.text)}"


def _guards(one: FailureKey, other: FailureKey) -> bool:
    """Whether one is a failed assertion, and the other fails right after it."""
    if one.kind != ASSERTION or other.kind == ASSERTION:
        return False
    lines = [key.sites[0].position.partition(":")[0] for key in (one, other)]
    if one.sites[0].file != other.sites[0].file or not all(line.isdigit() for line in lines):
        return False
    return 0 < int(lines[1]) - int(lines[0]) <= _GUARDED


def _sort_of(key: FailureKey) -> str:
    """Return the sort of a failure: the first word of its message, such as an exception's name."""
    words = key.message.replace("AddressSanitizer: ", "").split(":")[0].split()
    return words[0] if words else str(key.status)


def alikeness(one: bytes, other: bytes) -> float:
    """Return the share of lexemes that two results have in common, in whatever order."""
    here, there = (Counter(shape(text).split(b" ")) for text in (one, other))
    return 2 * (here & there).total() / (here.total() + there.total())


def same_recursion(one: Case, other: Case, _: CallSiteStatistics) -> str:
    """Both overflow the stack, and one recursion goes through the functions of the other."""
    if not (one.found.overflow and other.found.overflow):
        return ""
    here, there = ({site.function for site in case.found.sites} for case in (one, other))
    if not here or not there or not (here <= there or there <= here):
        return ""
    return f"both recurse without end through {', '.join(sorted(here & there))}"


def same_shape(one: Case, other: Case, _: CallSiteStatistics) -> str:
    """The results differ in values alone, and fail in the same function; or say the same."""
    if len(one.text) > LONGEST_RESULT:
        return ""
    if shape(one.text) != shape(other.text) or not weight(one.text):
        return ""
    here, there = one.found, other.found
    if here.tells and there.tells:
        alike = here.function == there.function
    else:
        alike = (here.message, here.status) == (there.message, there.status)
    if not alike:
        return ""
    return f"both reduce to {quoted(one.text)}, but for values"


def part_of_other(one: Case, other: Case, _: CallSiteStatistics) -> str:
    """What one result needs is a part of what the other needs; for failures without a place."""
    if one.found.tells or other.found.tells:
        return ""
    if max(len(one.text), len(other.text)) > LONGEST_RESULT:
        return ""
    for small, large in ((one, other), (other, one)):
        if (
            small.found.top != large.found.top
            and contains(large.text, small.text)
            and _tells(small.text, large.text)
            and shape(small.text) != shape(large.text)
        ):
            return f"{quoted(large.text)} needs all of {quoted(small.text)}"
    return ""


def _tells(part: bytes, whole: bytes) -> bool:
    return weight(part) >= _LEAST_WEIGHT and len(solid(part)) >= _LEAST_SHARE * len(solid(whole))


#: The rules, the strongest first.
RULES: Final[dict[str, Rule]] = {
    "same result": same_result,
    "same place": same_place,
    "same memory": same_memory,
    "same freeing": same_freeing,
    "same recursion": same_recursion,
    "same function": same_function,
    "same shape": same_shape,
    "part of the other": part_of_other,
}

#: The rules for failures that do not say where they are: looks alone decide.
UNLOCATED_RULES: Final = ("same result", "same shape", "part of the other")


def _contrary(one: FailureKey, other: FailureKey, around: CallSiteStatistics) -> bool:
    """Whether two failures speak against one cause.

    One reads memory, and the other writes at the same line, as `a[i] = a[j]` does; or both use
    memory that different functions freed, and no place among them has a wild pointer.
    """
    if one.sites[:1] == other.sites[:1] and {one.access, other.access} == {"read", "write"}:
        return True
    if not one.freed or not other.freed or around.wild & {*one.sites[:1], *other.sites[:1]}:
        return False
    return one.freed[0].function != other.freed[0].function


def link(one: Case, other: Case, around: CallSiteStatistics) -> Link | None:
    """Return what joins two cases, by the strongest rule; None if nothing does."""
    rules = RULES if not _contrary(one.found, other.found, around) else {"same result": same_result}
    for name, rule in rules.items():
        why = rule(one, other, around)
        if why:
            return Link(one.file, other.file, name, why)
    return None


def quoted(text: bytes) -> str:
    """Return a text for a sentence: on one line, and short."""
    shown = " ".join(printable(text[: 10 * _QUOTED]).split())
    return f"`{shown[:_QUOTED]}{'…' if len(shown) > _QUOTED else ''}`"
