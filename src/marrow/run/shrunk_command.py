"""`--shrink-command`: drops the words of a failing command that the failure does not need.

Greedy, in runs of words that get shorter: halves, then pairs (an option with its value), then
single words, until none can go. Guarantee: no single word can be left out. Worst case: O(n²) runs
for n words; commands have a dozen. Two commands that disagree (`--differ`) lose words in turn.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.registry import open_executor
from marrow.engine.process.observed import ObservedCommand
from marrow.engine.process.placement import Placement
from marrow.engine.verdict import Verdict
from marrow.run.plan import Plan

_CANDIDATE: Final = "{}"


def shrunk_words(
    words: tuple[str, ...], fails: Callable[[tuple[str, ...]], bool]
) -> tuple[str, ...]:
    """Return the words that a failing command needs; the first, and those with `{}`, stay."""
    size = max(1, len(words) // 2)
    while True:
        before = words
        at = len(words)
        while at > 1:
            start = max(1, at - size)
            gone = [index for index in range(start, at) if _CANDIDATE not in words[index]]
            if gone:
                fewer = tuple(word for index, word in enumerate(words) if index not in gone)
                if fails(fewer):
                    words = fewer
            at = start
        if size > 1:
            size = max(1, min(size // 2, len(words) // 2))
        elif words == before:
            return words


def shrunk_command(
    command: ObservedCommand, text: bytes, plan: Plan, place: Placement
) -> ObservedCommand:
    """Return a command without the words that its failure on a text does not need.

    Of two commands that disagree, each loses words as long as they still do.
    """

    def fails(changed: ObservedCommand) -> bool:
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
    if not command.second:
        return command
    second = shrunk_words(command.second, lambda some: fails(with_words(command, words, some)))
    return with_words(command, words, second)


def with_words(
    command: ObservedCommand, words: tuple[str, ...], second: tuple[str, ...]
) -> ObservedCommand:
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
