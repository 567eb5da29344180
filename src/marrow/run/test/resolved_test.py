"""The test of a plan as it is run: failure inferred, command shortened, in its sandbox.

`--shrink-command` drops the words of a failing command that the failure does not need. Greedy, in
runs of words that get shorter: halves and less, then all pairs of neighbours (an option with its
value) and single words, until none can go. Guarantee: no word and no two neighbours can be left
out. Worst case: O(n²) runs for n words; commands have a dozen. Two commands that disagree
(`--differ`) lose words in turn.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.registry import open_executor
from marrow.engine.journal.journal import Journal, JournalError, read_record
from marrow.engine.process.command import CapturedCommand, TestCommand
from marrow.engine.process.placement import OverlayPlacement, Placement
from marrow.engine.verdict import Verdict
from marrow.run.plan.chosen_test import ResolvedTest, sandbox_for
from marrow.run.plan.plan import Plan
from marrow.signature.failing_command import FailingCommand

if TYPE_CHECKING:
    from marrow.run.test.inferred_test import Choice


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


def shrunk_command(
    command: CapturedCommand, text: bytes, plan: Plan, place: Placement
) -> tuple[CapturedCommand, int]:
    """Return a command without the words that its failure on a text does not need, and its runs.

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
    return command, runs


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


#: The fact of a journal that says which failure is kept.
_JUDGE: Final = "judge"
#: The fact that has the words of the command.
_WORDS: Final = "words of the command"


def resolve_test(
    plan: Plan,
    say: Callable[[str], None],
    choose: Choice | None = None,
    *,
    own_process: bool = False,
) -> ResolvedTest:
    """Return the test of a plan; a run that is resumed takes what its journal knows of it.

    `choose` and `own_process` are as for `Run`.
    """
    place: Placement
    test, place, watched, runs = plan.test, plan.source.placement, False, 0
    sandbox = None if plan.sandbox is None else sandbox_for(plan.sandbox, plan.words)
    if isinstance(test, FailingCommand):
        # Only a command needs what infers failures.
        from marrow.run.test.inferred_test import inferred_test

        known = _known_fact(plan, _JUDGE)
        found = inferred_test(test, plan, sandbox, say, choose, known, own_process=own_process)
        test, place, watched, runs = found.test, found.place, found.watched, found.runs
    if isinstance(test, TestCommand):
        if plan.unresolved_if is not None:
            test = test.unresolved_if(plan.unresolved_if)
        if sandbox is not None:
            test = replace(test, sandbox=sandbox)
    if plan.shrink_command and isinstance(test, CapturedCommand):
        test, more = _shorter(plan, test, place, say)
        runs += more
    return ResolvedTest(test, place, watched, runs)


def note_test(journal: Journal, test: CapturedCommand) -> None:
    """Record what a run that is resumed must not work out again."""
    journal.note(_JUDGE, test.judge.identity)
    journal.note(_WORDS, json.dumps([test.arguments, test.second]))


def _shorter(
    plan: Plan, test: CapturedCommand, place: Placement, say: Callable[[str], None]
) -> tuple[CapturedCommand, int]:
    """Return the test without the words of its command that the failure does not need."""
    known = _known_fact(plan, _WORDS)
    if known is not None:
        first, second = json.loads(known)
        return with_words(test, tuple(first), tuple(second)), 0
    shorter, runs = shrunk_command(test, plan.source.text, plan, place)
    say(f"the command, without what the failure does not need: {shorter.plain}")
    return shorter, runs


def _known_fact(plan: Plan, name: str) -> str | None:
    """Return a fact of the journal of a run that is resumed."""
    path = plan.journal
    if path is None or plan.resume is False or not os.path.exists(path):
        return None
    with contextlib.suppress(JournalError):
        return read_record(path).facts.get(name)
    return None


# How many files that changed are named.
_MOST_NAMED: Final = 5


def changed_files(place: Placement, say: Callable[[str], None]) -> Callable[[], None]:
    """Look at the files around a command; return what looks again and says which changed."""
    around = place.around if isinstance(place, OverlayPlacement) else None
    before = {} if around is None else around.watched()

    def tell() -> None:
        changed = [] if around is None else around.changed_since(before)
        if not changed:
            return
        some = ", ".join(map(os.path.relpath, changed[:_MOST_NAMED]))
        more = len(changed) - _MOST_NAMED
        say(
            f"warning: files around the command changed while it was tested: {some}"
            + (f" and {more:,} more" if more > 0 else "")
            + "\nIf it was the command that wrote them, run it on a copy of the directory, or "
            "with ⟦sandbox⟧, where\nnothing can be written."
        )

    return tell
