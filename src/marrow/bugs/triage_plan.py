"""A whole triage, from options to files, for the command line and the library alike."""

from __future__ import annotations

import contextlib
import math
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from marrow.base.clock import ticking
from marrow.base.deadline import Deadline, within
from marrow.base.errors import InputError, UsageError
from marrow.bugs.bug import TriageResult
from marrow.bugs.bug_directory import check_directory, foreign_bug_names, write_directory
from marrow.bugs.crash_files import CrashFile, read_crash_files
from marrow.bugs.known_bugs import OVERRULES, KnownBug, is_triage, read_decisions, read_known
from marrow.bugs.naming import TriageWishes
from marrow.bugs.target import Target, identity_of
from marrow.bugs.triage_journal import JOURNAL, TriageJournal
from marrow.bugs.triage_run import Triage, TriageProgress
from marrow.engine.events import Listener, ignore
from marrow.engine.journal.journal_file import discard
from marrow.engine.search.dispatcher import Limits
from marrow.languages.recognition import canonical_name, suffixes_of
from marrow.run.plan.chosen_test import AnyTest, chosen_sandbox, chosen_test
from marrow.run.plan.chosen_view import chosen_language
from marrow.run.plan.input import NAMELESS, Input
from marrow.run.plan.plan import Plan, chosen_place
from marrow.signature.failing_command import FailingCommand

#: Where a triage goes unless another place is named.
DEFAULT_OUTPUT: Final = Path("bugs")

# How far a strict or a loose triage moves the threshold: the odds double.
_STEP: Final = math.log(2)

# A suffix that this share of the files has is that of their language.
_MOST: Final = 0.5


@dataclass(frozen=True, slots=True)
class TriageReport:
    """The result of a triage, and where it is."""

    result: TriageResult
    directory: Path | None


def triage_files(
    paths: Sequence[Path],
    test: AnyTest | None,
    values: Mapping[str, Any],
    *,
    output: Path | None,
    listener: Listener = ignore,
    progress: Callable[[TriageProgress], None] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
    own_process: bool = False,
) -> TriageReport:
    """Triage crash files, and write what was found to a directory, if one is named."""
    if values["strict"] and values["loose"]:
        raise UsageError("⟦strict⟧ and ⟦loose⟧ exclude each other\nGive one of them.")
    deadline = Deadline(values["max_time"])
    with within(deadline):
        # A fuzzer that found nothing is good news in CI: known bugs are run all the same.
        found = read_crash_files(paths, output, may_be_none=bool(values["known"]))
    name = candidate_name(found.files, values)
    plan = plan_triage(name, test, {**values, "output": output})
    known = known_bugs(values["known"], output)
    overrules = values["overrules"]
    if overrules is not None and not overrules.exists():
        raise InputError(f"{overrules} does not exist\nCheck the name that ⟦overrules⟧ gives.")
    if overrules is None and output is not None:
        overrules = output / OVERRULES
    wishes = TriageWishes(
        values["reduce"],
        () if overrules is None else read_decisions(overrules),
        known,
        frozenset() if output is None else frozenset(foreign_bug_names(output)),
        # How likely it must be that failures have one cause.
        _STEP * (int(values["strict"]) - int(values["loose"])),
    )
    if output is not None:
        check_directory(output, found.mode)
    with contextlib.ExitStack() as closing:
        closing.enter_context(ticking())
        journal = _journal(output, plan, found.mode, anew=values["anew"])
        closing.callback(journal.close)
        if journal.new_target:
            say("note: the target is not the one of the last run: every file is run again")
        elif journal.resumed:
            say(f"continuing with {journal.size:,} known runs in {output}")
        target = Target(plan, journal, own_process=own_process)
        closing.callback(target.close)
        triage = Triage(
            *(plan, _with_grammar(name, values), wishes, target, deadline), listener, progress
        )
        with within(deadline):
            result = triage.run(found)
        if journal.failure:
            say(f"warning: {journal.failure}; this triage cannot be resumed")
        if output is not None:
            suffix = Path(name).suffix
            for note in write_directory(output, result, target.plain or "", suffix, found.mode):
                say(f"note: {note}")
    return TriageReport(result, output)


def _journal(output: Path | None, plan: Plan, rights: int, *, anew: bool) -> TriageJournal:
    path = None if output is None else output / JOURNAL
    if anew and path is not None and path.exists():
        discard(path)
    return TriageJournal(path, identity_of(plan), rights)


def known_bugs(directories: Sequence[Path], output: Path | None) -> tuple[KnownBug, ...]:
    """Return the bugs of earlier triages, each once: those that are named, and the output's own."""
    places = [*directories]
    listed = [os.path.realpath(one) for one in directories]
    if output is not None and is_triage(output) and os.path.realpath(output) not in listed:
        places.append(output)
    found: dict[str, KnownBug] = {}
    for place in places:
        for bug in read_known(place):
            found.setdefault(bug.id, bug)
    return tuple(found.values())


def plan_triage(name: str, test: AnyTest | None, values: Mapping[str, Any]) -> Plan:
    """Return the plan of running a target on files that have one name each time."""
    command = values.get("command")
    chosen = chosen_test(test, {**values, "differ": False})
    if callable(chosen) and not hasattr(chosen, "arguments"):
        raise UsageError("a triage runs a command or a script\nGive ⟦command⟧ or the path of one.")
    if command is None and values["forbid"]:
        raise UsageError("⟦forbid⟧ is about what a command prints\nGive the command after --.")
    assert not isinstance(chosen, FailingCommand) or len(chosen.commands) == 1
    return Plan(
        source=Input(b"", name),
        test=chosen,
        view=None,
        strategy=None,
        limits=Limits(seconds=values["max_time"]),
        timeout=values["timeout"],
        memory=values["memory"],
        sandbox=chosen_sandbox(values),
        where=chosen_place(values),
        output=values["output"],
        identity={},
    )


def candidate_name(files: Sequence[CrashFile], values: Mapping[str, Any]) -> str:
    """Return the name that files have for the target: with the suffix that most of them have."""
    if values["name"] is not None:
        return str(Path(values["name"]).name)
    if values["language"] is not None:
        return NAMELESS + next(iter(suffixes_of(canonical_name(values["language"]))), "")
    suffixes = Counter(Path(file.name).suffix for file in files)
    suffix, count = next(iter(suffixes.most_common(1)), ("", 0))
    common = count > _MOST * len(files) and suffix[1:].isalnum() and not suffix[1:].isdigit()
    return NAMELESS + (suffix if common else "")


def _with_grammar(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with the grammar compiled: it is used for many files."""
    changed = {**values, "keep_lines": ()}
    if values["grammar"] is None:
        return changed
    language = chosen_language(Input(b"", name), values)
    return changed | {"grammar": language, "start": None, "assume": (), "encoding": None}
