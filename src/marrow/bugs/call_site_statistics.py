"""Statistics of call sites: what all results together say about the places they fail at.

Two results do not tell whether a place is at fault or its callers are. Many callers that need the
same words do, and so does one among them that can do without.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from marrow.bugs.canonical import LONGEST_RESULT, NUMBER, STRING, solid
from marrow.bugs.case import Case
from marrow.bugs.failure_key import FailureKey, Site
from marrow.languages.recognition import is_binary

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
