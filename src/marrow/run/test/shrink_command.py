"""`--shrink-command`: drops the words of a failing command that the failure does not need.

Greedy, in runs of words that get shorter: halves and less, then all pairs of neighbours (an option
with its value) and single words, until none can go. Guarantee: no word and no two neighbours can be
left out. Worst case: O(n²) runs for n words; commands have a dozen. Two commands that disagree
(`--differ`) lose words in turn.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.registry import open_executor
from marrow.engine.process.captured_command import CapturedCommand
from marrow.engine.process.placement import Placement
from marrow.engine.verdict import Verdict
from marrow.run.plan.plan import Plan

_CANDIDATE: Final = "{}"

#: An option with its value.
_PAIR: Final = 2


def shrunk_words(
    words: tuple[str, ...], fails: Callable[[tuple[str, ...]], bool]
) -> tuple[str, ...]:
    """Return the words that a failing command needs; the first, and those with `{}`, stay.

    No words are tried twice.
    """
    fails = cache(fails)
    size = len(words) // 2
    while size > _PAIR:
        for at in range(len(words), 1, -size):
            words = _without(words, max(1, at - size), at, fails)
        size //= 2
    before = None
    while words != before:
        before = words
        for size in (_PAIR, 1):
            # An option and its value can be anywhere.
            for at in range(len(words), size, -1):
                words = _without(words, at - size, at, fails)
    return words


def _without(
    words: tuple[str, ...], start: int, end: int, fails: Callable[[tuple[str, ...]], bool]
) -> tuple[str, ...]:
    """Return a command without some of its words, if it still fails then."""
    kept = tuple(word for word in words[start:end] if _CANDIDATE in word)
    fewer = (*words[:start], *kept, *words[end:])
    return fewer if len(fewer) < len(words) and fails(fewer) else words


@dataclass(frozen=True, slots=True)
class ShrunkCommand:
    """A shorter command, and how often it was run to find it."""

    command: CapturedCommand
    runs: int


def shrunk_command(
    command: CapturedCommand, text: bytes, plan: Plan, place: Placement
) -> ShrunkCommand:
    """Return a command without the words that its failure on a text does not need.

    Of two commands that disagree, each loses words as long as they still do.
    """
    runs = 0

    def fails(changed: CapturedCommand) -> bool:
        nonlocal runs
        runs += 1
        where = replace(plan.where, base=plan.source.text, adopt=False)
        executor = open_executor(changed, place, where)
        try:
            if plan.timeout is not None:
                executor.allow(plan.timeout)
            return outcome_of(executor.submit(text)).verdict is Verdict.INTERESTING
        finally:
            executor.close()

    words = shrunk_words(
        command.arguments, lambda some: fails(with_words(command, some, command.second))
    )
    command = with_words(command, words, command.second)
    if command.second:
        second = shrunk_words(command.second, lambda some: fails(with_words(command, words, some)))
        command = with_words(command, words, second)
    return ShrunkCommand(command, runs)


def with_words(
    command: CapturedCommand, words: tuple[str, ...], second: tuple[str, ...]
) -> CapturedCommand:
    """Return a command with other words, also where a person would type it."""
    if (words, second) == (command.arguments, command.second):
        return command
    plain = "; ".join(
        " ".join(word if word == _CANDIDATE else shlex.quote(word) for word in some)
        for some in (words, second)
        if some
    )
    return replace(command, arguments=words, second=second, plain=plain)


def known_words(fact: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of a command, and of the second of two, as a journal has them."""
    first, second = json.loads(fact)
    return tuple(map(str, first)), tuple(map(str, second))
