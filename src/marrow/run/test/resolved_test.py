"""The test of a plan as it is run: failure inferred, command shortened, in its sandbox."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from marrow.engine.executors.registry import ExecutableTest
from marrow.engine.journal.journal import Journal, JournalError, read_record
from marrow.engine.process.captured_command import CapturedCommand
from marrow.engine.process.command import TestCommand
from marrow.engine.process.overlay import OverlayPlacement
from marrow.engine.process.placement import Placement
from marrow.run.plan.chosen_test import sandbox_for
from marrow.run.plan.plan import Plan
from marrow.run.test.shrink_command import (
    ShrunkCommand,
    known_words,
    shrunk_command,
    with_words,
)
from marrow.signature.failing_command import FailingCommand

if TYPE_CHECKING:
    from marrow.run.test.inferred_test import Choice

#: The fact of a journal that says which failure is kept.
_JUDGE: Final = "judge"
#: The fact that has the words of the command.
_WORDS: Final = "words of the command"


@dataclass(frozen=True, slots=True)
class ResolvedTest:
    """A test, the placement of its candidates, and how its command was run before.

    `watched` says that it was run on the input, `runs` how often in all.
    """

    test: ExecutableTest
    place: Placement
    watched: bool = False
    runs: int = 0


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
    test, place, watched, runs = plan.test, plan.source.placement, False, 0
    sandbox = None if plan.sandbox is None else sandbox_for(plan.sandbox, plan.words)
    if isinstance(test, FailingCommand):
        # Only a command needs what infers failures.
        from marrow.run.test.inferred_test import first_choice, inferred_test

        inferred = inferred_test(
            test,
            plan,
            sandbox,
            say,
            choose or first_choice,
            _known_fact(plan, _JUDGE),
            own_process=own_process,
        )
        test, place, watched = inferred.test, inferred.place, inferred.watched
        runs = inferred.runs
    if isinstance(test, TestCommand):
        if plan.unresolved_if is not None:
            test = test.unresolved_if(plan.unresolved_if)
        if sandbox is not None:
            test = replace(test, sandbox=sandbox)
    if plan.shrink_command and isinstance(test, CapturedCommand):
        shorter = _shorter(plan, test, place, say)
        test, runs = shorter.command, runs + shorter.runs
    return ResolvedTest(test, place, watched, runs)


def note_test(journal: Journal, test: CapturedCommand) -> None:
    """Record what a run that is resumed must not work out again."""
    journal.note(_JUDGE, test.judge.identity)
    journal.note(_WORDS, json.dumps([test.arguments, test.second]))


def _shorter(
    plan: Plan, test: CapturedCommand, place: Placement, say: Callable[[str], None]
) -> ShrunkCommand:
    """Return the test without the words of its command that the failure does not need."""
    known = _known_fact(plan, _WORDS)
    if known is not None:
        return ShrunkCommand(with_words(test, *known_words(known)), 0)
    shorter = shrunk_command(test, plan.source.text, plan, place)
    say(f"the command, without what the failure does not need: {shorter.command.plain}")
    return shorter


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


class ChangedFiles:
    """Looks at the files around a command when it is made, and again when it is asked."""

    def __init__(self, place: Placement) -> None:
        self._around: Final = place.around if isinstance(place, OverlayPlacement) else None
        self._before: Final = {} if self._around is None else self._around.watched()

    def tell(self, say: Callable[[str], None]) -> None:
        """Say which files have changed, if any have."""
        changed = [] if self._around is None else self._around.changed_since(self._before)
        if not changed:
            return
        some = ", ".join(map(os.path.relpath, changed[:_MOST_NAMED]))
        more = len(changed) - _MOST_NAMED
        say(
            f"warning: files around the command changed while it was tested: {some}"
            + (f" and {more:,} more" if more > 0 else "")
            + "\nIf it was the command that wrote them, run it on a copy of the directory, or with "
            "⟦sandbox⟧, where\nnothing can be written."
        )
