"""Readings of a text by a pattern: where its parts are, with groups that are the same everywhere.

The search is linear in the stretches if groups are single tokens; with g groups that can be read in
s ways it may look at s ** g combinations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from marrow.abstraction.pattern import VARIABLE, Hole, Pattern

#: How many parts were read, how many tokens, and the tokens of the groups met so far.
_State: TypeAlias = tuple[int, int, tuple[tuple[int, tuple[Hashable, ...]], ...]]


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """The answer: `parts` has the text of each hole if it is yes, `reason` why not.

    A `PatternMatch` is true if the text belongs to the pattern. `doubt` says what is not known of
    one that does: whether parts that were always the same have to be.
    `inside` says where the text has an instance of the pattern, if it has more as well.
    """

    parts: tuple[tuple[Hole, str], ...] = ()
    reason: str = ""
    doubt: str = ""
    inside: str = ""

    def __bool__(self) -> bool:
        return not self.reason


class Groups:
    """The groups of a pattern: which of its parts must be the same, and which only were."""

    def __init__(self, pattern: Pattern) -> None:
        number = {
            place: index
            for index, hole in enumerate(pattern.holes())
            if len(hole.places) > 1
            for place in hole.places
        }
        every: list[int | None] = []
        sure: list[int | None] = []
        known: dict[int, int] = {}
        for place, index in number.items():
            known[index] = known.get(index, 0) + (not pattern.marks[place].doubtful)
        for place, _ in pattern.tree.walk():
            if pattern.mark_at(place) in VARIABLE:
                index = number.get(place, -1)
                every.append(index if index >= 0 else None)
                # One that must not differ from the others: then they may not from it.
                needed = not pattern.marks[place].doubtful or known.get(index, 0) == 1
                sure.append(index if index >= 0 and needed and known[index] else None)
        #: For each part that varies the group it is in, if any: of all, and of those that are sure.
        self.every: Final = every
        self.sure: Final = sure

    @property
    def doubtful(self) -> bool:
        """Whether some parts are only thought to be the same."""
        return self.every != self.sure


def answer(
    holes: Sequence[Hole],
    groups: Groups,
    numbers: Sequence[int | None],
    texts: Sequence[Hashable],
    ends: Callable[[int, int], Collection[int]],
    stretch: Callable[[int, int], str],
) -> PatternMatch:
    """Return the answer for a text that has the form of a pattern.

    `numbers` has the hole of each part, None for a given token; `ends` where a part may end.
    """
    doubt = ""
    reading = _reading(_by_part(numbers, groups.every), texts, ends)
    if reading is None and groups.doubtful:
        reading = _reading(_by_part(numbers, groups.sure), texts, ends)
        doubt = "parts that were the same in all valid inputs so far differ here"
    if reading is None:
        return PatternMatch(reason="it has the form, but parts that must be the same differ")
    parts: list[tuple[Hole, str]] = []
    found: set[int] = set()
    for number, (start, end) in zip(numbers, reading, strict=True):
        if number is not None and number not in found:
            found.add(number)
            parts.append((holes[number], stretch(start, end)))
    return PatternMatch(tuple(parts), doubt=doubt)


def _by_part(numbers: Sequence[int | None], groups: Sequence[int | None]) -> list[int | None]:
    """Return the group of each part; given tokens have none."""
    left = iter(groups)
    return [None if number is None else next(left) for number in numbers]


def _reading(
    groups: Sequence[int | None],
    texts: Sequence[Hashable],
    ends: Callable[[int, int], Collection[int]],
) -> list[tuple[int, int]] | None:
    """Return where each part of the pattern is in a text, groups being the same everywhere."""
    first: _State = (0, 0, ())
    before: dict[_State, _State | None] = {first: None}
    stack = [first]
    while stack:
        state = stack.pop()
        done, at, bound = state
        if done == len(groups):
            if at >= len(texts):
                return _path(before, state)
            continue
        group = groups[done]
        for end in ends(done, at):
            new = bound
            if group is not None:
                own = tuple(texts[at:end])
                known = next((text for hole, text in bound if hole == group), None)
                if known is None:
                    new = (*bound, (group, own))
                elif known != own:
                    continue
            following = (done + 1, end, new)
            if following not in before:
                before[following] = state
                stack.append(following)
    return None


def _path(before: dict[_State, _State | None], last: _State) -> list[tuple[int, int]]:
    """Return the stretches that lead to a state."""
    found: list[tuple[int, int]] = []
    state = last
    while (earlier := before[state]) is not None:
        found.append((earlier[1], state[1]))
        state = earlier
    return found[::-1]
