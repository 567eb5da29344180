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
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marrow.engine.journal.journal import Journal, JournalError, read_record
from marrow.engine.process.command import CapturedCommand, TestCommand
from marrow.engine.process.placement import OverlayPlacement, Placement
from marrow.run.plan.chosen_test import ResolvedTest, sandbox_for
from marrow.run.plan.plan import Plan
from marrow.run.test.shrunk_command import CommandShrinker, with_words
from marrow.signature.failing_command import FailingCommand

if TYPE_CHECKING:
    from marrow.run.test.inferred_test import Choice


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
    """Return the test of a plan, with what the journal knows; arguments are as for `Run`."""
    place: Placement
    test, place, watched, runs = plan.test, plan.source.placement, False, 0
    sandbox = None if plan.sandbox is None else sandbox_for(plan.sandbox, plan.words)
    facts: Mapping[str, str] = {}
    if isinstance(test, FailingCommand):
        path = plan.journal
        if path is not None and plan.resume is not False and os.path.exists(path):
            with contextlib.suppress(JournalError):
                facts = read_record(path).facts
        # Only a command needs what infers failures.
        from marrow.run.test.inferred_test import inferred_test

        known = facts.get(_JUDGE)
        found = inferred_test(test, plan, sandbox, say, choose, known, own_process=own_process)
        test, place, watched, runs = found.test, found.place, found.watched, found.runs
    if isinstance(test, TestCommand):
        if plan.unresolved_if is not None:
            test = test.unresolved_if(plan.unresolved_if)
        if sandbox is not None:
            test = replace(test, sandbox=sandbox)
    if plan.shrink_command and isinstance(test, CapturedCommand):
        if _WORDS in facts:
            first, second = json.loads(facts[_WORDS])
            return ResolvedTest(with_words(test, tuple(first), tuple(second)), place, watched, runs)
        shrinker = CommandShrinker(plan.source.text, plan, place)
        test = shrinker.command(test)
        say(f"the command, without what the failure does not need: {test.plain}")
        runs += shrinker.runs
    return ResolvedTest(test, place, watched, runs)


def note_test(journal: Journal, test: CapturedCommand) -> None:
    """Record what a run that is resumed must not work out again."""
    journal.note(_JUDGE, test.judge.identity)
    journal.note(_WORDS, json.dumps([test.arguments, test.second]))


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
