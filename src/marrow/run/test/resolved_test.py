"""The test of a plan as it is run: failure inferred, command shortened, in its sandbox."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from marrow.engine.journal.journal import Journal, JournalError, read_record
from marrow.engine.process.command import CapturedCommand, TestCommand
from marrow.run.plan.chosen_test import ResolvedTest, sandbox_for
from marrow.run.plan.plan import Plan
from marrow.run.test.shrunk_command import CommandShrinker, with_words
from marrow.signature.failing_command import FailingCommand

#: The fact of a journal that says which failure is kept.
_JUDGE: Final = "judge"
#: The fact that has the words of the command.
_WORDS: Final = "words of the command"


def resolve_test(
    plan: Plan,
    say: Callable[[str], None],
    *,
    own_process: bool = False,
) -> ResolvedTest:
    """Return the test of a plan as it is run: failure inferred, in its sandbox, command shortened.

    The journal of a run that is resumed knows it. The arguments are as for `Run`.
    """
    sandbox = None if plan.sandbox is None else sandbox_for(plan.sandbox, plan.words)
    facts: Mapping[str, str] = {}
    if isinstance(plan.test, FailingCommand):
        # Only a command needs what infers failures.
        from marrow.run.test.inferred_test import inferred_test

        path = plan.journal
        if path is not None and plan.resume is not False and os.path.exists(path):
            with contextlib.suppress(JournalError):
                facts = read_record(path).facts
        known = facts.get(_JUDGE)
        found = inferred_test(plan.test, plan, sandbox, say, known, own_process=own_process)
    else:
        found = ResolvedTest(plan.test, plan.source.placement)
    test = found.test
    if isinstance(test, TestCommand):
        if plan.unresolved_if is not None:
            test = test.unresolved_if(plan.unresolved_if)
        if sandbox is not None:
            test = replace(test, sandbox=sandbox)
    if not (plan.shrink_command and isinstance(test, CapturedCommand)):
        return replace(found, test=test)
    if _WORDS in facts:
        first, second = map(tuple, json.loads(facts[_WORDS]))
        return replace(found, test=with_words(test, first, second))
    shrinker = CommandShrinker(plan.source.text, plan, found.place)
    test = shrinker.command(test)
    say(f"the command, without what the failure does not need: {test.plain}")
    return replace(found, test=test, runs=found.runs + shrinker.runs)


def note_test(journal: Journal, test: CapturedCommand) -> None:
    """Record what a run that is resumed must not work out again."""
    journal.note(_JUDGE, test.judge.identity)
    journal.note(_WORDS, json.dumps([test.arguments, test.second]))
