"""From a failing command to a test: run it on the input, infer the failure, and have it judged."""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from marrow.base.bounded_file import read_bounded
from marrow.base.errors import InputError, UsageError, error_text, message_of
from marrow.diagnostics.message_rules import EXCEPTION
from marrow.diagnostics.observation import Observation, ending, same_ending
from marrow.engine.executors.local import UNKNOWN_TIMEOUT
from marrow.engine.process.command import CapturedCommand
from marrow.engine.process.placement import OverlayPlacement, Placement
from marrow.engine.process.sandbox import Sandbox
from marrow.languages.language_facts import facts_of
from marrow.run.output.output_file import OutputFile
from marrow.run.output.output_paths import SAVED_TEST, check_file
from marrow.run.plan.chosen_test import ResolvedTest
from marrow.run.plan.plan import Plan
from marrow.run.test.guards import guard_commands
from marrow.run.test.observed_command import (
    FailureJudge,
    KeptFailure,
    ObservedCommand,
    TypedCommand,
    judge_in,
    typed_command,
)
from marrow.signature.controls import ControlRun
from marrow.signature.failing_command import CANDIDATE, FailingCommand, ObservedCommands
from marrow.signature.inference import Inference, infer_disagreement, infer_signature
from marrow.signature.refusals import UnclearFailureError
from marrow.signature.resource_use import ResourceUse
from marrow.signature.signature import Fact, Signature, SignatureFileError, label_of
from marrow.signature.user_expression import SlowExpressionError, matches_line
from marrow.signature.written_script import signature_script

# How many findings are named that are not kept.
_NAMED: Final = 3

# How much of the output that an expression was looked for in is shown, in lines.
_SHOWN: Final = 8


def inferred_test(
    inquiry: FailingCommand,
    plan: Plan,
    sandbox: Sandbox | None,
    say: Callable[[str], None],
    known: str | None = None,
    *,
    own_process: bool = False,
) -> ResolvedTest:
    """Return the test for the failure; raise `UnclearFailureError` if there is none to keep.

    With a quorum, the failure that most runs show is kept: not all of them need to. `known` is what
    a journal says of the judge of a run that is resumed; `own_process` is as for `Run`.
    """
    source = plan.source
    typed = typed_command(inquiry, plan)
    if source.name and CANDIDATE not in typed.plain.removesuffix(f" < {CANDIDATE}"):
        path = os.path.relpath(source.paths[0]) if source.paths else source.name
        name = source.name if path.startswith("..") else path
        say(
            f"note: no {{}} in the command: it finds the candidate as {name}, and on its standard "
            "input"
        )
    guards = guard_commands(inquiry.guards, inquiry.commands, source, say)
    guard = "" if plan.view is None else facts_of(plan.view.language).guard
    if len(inquiry.commands) == 2 and not inquiry.guards and guard:
        say(
            "note: without a guard the result may have undefined behaviour (uninitialised reads, "
            f"say);\n⟦guard {guard}⟧ keeps it valid"
        )
    wanted = inquiry.resource or inquiry.wanted
    asked = repr((inquiry.commands, wanted, inquiry.allow_new_errors, guards))
    judge = judge_in(known, asked)
    watched = judge is None and not _is_there(inquiry.signature)
    place, looked = typed.place, _FirstLook(inquiry, plan, sandbox, typed, say, own_process)
    if judge is None:
        kept = looked.kept() if watched else _read(inquiry.signature)
        place = looked.place or place
        judge = FailureJudge(kept, asked, looked.label, tuple(looked.products))
    elif judge.hidden and isinstance(place, OverlayPlacement):
        place = replace(place, around=place.around.without(judge.hidden))
    say(f"kept: {judge.kept.sentence}")
    for line in judge.kept.evidence[:_SHOWN]:
        say(f"  | {line}")
    if facts := looked.left_out:
        named = "; ".join(f"“{fact.template.shown()}”" for fact in facts[:_NAMED])
        more = f"; and {len(facts) - _NAMED} more" if len(facts) > _NAMED else ""
        say(f"not kept: {named}{more} (⟦keep_{facts[0].stream} REGEX⟧ keeps one of them too)")
    if judge.hidden:
        names = ", ".join(map(os.path.basename, judge.hidden[:_NAMED]))
        more = ", ..." if len(judge.hidden) > _NAMED else ""
        say(f"note: tests do not see what an earlier run may have left: {names}{more}")
    if watched and _fails_itself(inquiry, plan, judge.kept):
        say(
            "note: the code of the input fails, so any code that fails in this way will do, such "
            "as 0/0. To keep more:\n⟦keep_stderr REGEX⟧ for a function of the trace, ⟦keep_lines "
            "A-B⟧ for lines, ⟦keep_names⟧ for names"
        )
    if inquiry.signature is not None and not _is_there(inquiry.signature):
        assert isinstance(judge.kept, Signature)  # two commands have none
        content = judge.kept.to_toml().encode("utf-8", "surrogateescape")
        OutputFile(inquiry.signature, source.mode & 0o666).write(content)
        say(f"the signature is saved as {inquiry.signature}")
    if inquiry.write_test is not None:
        assert not isinstance(judge.kept, ResourceUse)  # refused with the options
        script = signature_script(
            ObservedCommands(typed.portable, guards, directory=source.several), judge.kept
        )
        check_file(inquiry.write_test, SAVED_TEST, "write_test test.sh", force=plan.force)
        # Whoever may read the input may read the test and run it.
        rights = source.mode & 0o666 | (source.mode & 0o444) >> 2 | 0o700
        OutputFile(inquiry.write_test, rights).write(script.encode("utf-8", "surrogateescape"))
        say(f"the test is saved as {inquiry.write_test}")
    test = CapturedCommand(
        typed.commands[0],
        plan.memory,
        typed.plain,
        second=typed.commands[1] if len(typed.commands) == 2 else (),
        guards=guards,
        judge=judge,
    )
    return ResolvedTest(test, place, watched and not looked.wavers, looked.count)


@dataclass(slots=True)
class _FirstLook:
    """What the first look at the commands shows."""

    inquiry: FailingCommand
    plan: Plan
    sandbox: Sandbox | None
    typed: TypedCommand
    say: Callable[[str], None]
    adopt: bool
    #: The placement of candidates, once a command was run.
    place: Placement | None = None
    #: The label of the failure itself.
    label: str = ""
    #: Whether the command fails only now and then.
    wavers: bool = False
    #: How often commands were run.
    count: int = 0
    #: Findings that are not kept, because there are many.
    left_out: tuple[Fact, ...] = ()
    #: Files of an earlier run that tests do not see, since the failure does not need them.
    products: Sequence[str] = ()

    def kept(self) -> KeptFailure:
        """Run the commands on the input, and the one on controls; return what to keep."""
        with contextlib.ExitStack() as closing:
            runs = []
            for words in self.typed.commands:
                place = self.place or self.typed.place
                observer = ObservedCommand(place, words, self.plan, self.sandbox, adopt=self.adopt)
                closing.callback(observer.close)
                quorum = self.plan.quorum
                runs.append(observer.runs(1 if quorum is None else quorum.runs))
                self.place = observer.place
                if len(self.typed.commands) == 2:
                    observer.close()  # two would inherit each other's orphans
            self.count = sum(map(len, runs))
            kept = self._kept(runs, observer)
            self.place = observer.place
            return kept

    def _kept(self, runs: list[list[Observation]], observer: ObservedCommand) -> KeptFailure:
        source, quorum, wanted = self.plan.source, self.plan.quorum, self.inquiry.wanted
        name = source.name or source.base.name
        if self.inquiry.resource is not None:
            return ResourceUse(*self.inquiry.resource).seen_in(*runs)
        if any(run.status is None for seen in runs for run in seen):
            limit = f"{self.plan.timeout or UNKNOWN_TIMEOUT:g} s"
            raise UnclearFailureError(error_text("command_without_end", limit=limit))
        self.label = label_of(runs[0][0], source.text, name)
        if len(runs) == 2:
            return infer_disagreement(runs[0], runs[1], source.text, name, wanted.forbidden)
        seen = runs[0]
        if quorum is not None:
            seen = commonest_failure(seen)
        elif not all(same_ending(seen[0].status, one.status) for one in seen):
            seen = self._rare(observer, seen)
        succeeds = all(one.status == 0 for one in seen)
        _check_wanted(self.inquiry, seen[0])
        controls = [] if wanted.chosen else observer.controls()
        self.count += len(controls)
        found = self._inferred(seen, controls)
        plain = not (found.signatures or wanted.chosen or wanted.expressions)
        if plain and succeeds and quorum is None:
            seen = self._rare(observer, seen)
            if self.wavers:
                found = self._inferred(seen, controls)
        self.left_out = found.left_out
        self.products = observer.without_products(found.best)
        return found.best

    def _rare(self, observing: ObservedCommand, seen: list[Observation]) -> list[Observation]:
        """Return the failing runs of a command that does not fail every time."""
        every = observing.rare_failures(seen)
        self.count += len(every) - len(seen)
        found = commonest_failure(every)
        if found[0].status != 0:
            self.wavers = True
            self.say(
                f"note: the command {ending(found[0].status)} in {len(found)} of {len(every)} runs "
                "on the input"
            )
        return found

    def _inferred(self, seen: list[Observation], controls: list[ControlRun]) -> Inference:
        source = self.plan.source
        return infer_signature(
            seen,
            source.text,
            source.name or source.base.name,
            controls=controls,
            wanted=self.inquiry.wanted,
            allow_new_errors=self.inquiry.allow_new_errors,
            command=self.inquiry.commands[0],
        )


def _fails_itself(inquiry: FailingCommand, plan: Plan, kept: KeptFailure) -> bool:
    """Return whether the input is a program that an interpreter runs, and its own code fails."""
    language = "" if plan.view is None else plan.view.language
    program, *words = map(os.path.basename, inquiry.commands[0])
    script = next((word for word in words if not word.startswith("-")), CANDIDATE)
    return (
        isinstance(kept, Signature)
        and script in {CANDIDATE, "@@", plan.source.name}
        and (kept.kind, kept.frames) == (EXCEPTION, ())
        and any(re.fullmatch(one, program) for one in facts_of(language).interpreters)
        and not inquiry.wanted.expressions
    )


def commonest_failure(runs: Sequence[Observation]) -> list[Observation]:
    """Return the runs that end as most of the failing ones do, or those that end at all."""
    ended = [run for run in runs if run.status is not None]
    failing = Counter(run.status for run in ended if run.status != 0)
    status = failing.most_common(1)[0][0] if failing else 0
    return [run for run in ended if run.status == status] or list(runs)


def _check_wanted(inquiry: FailingCommand, seen: Observation) -> None:
    """Raise `UnclearFailureError` where an expression of the user matches nothing."""
    wanted = inquiry.wanted
    for option, patterns, name, output, other, elsewhere in (
        ("keep_stderr", wanted.stderr, "error", seen.stderr, "keep_stdout", seen.stdout),
        ("only_stderr", wanted.only_stderr, "error", seen.stderr, "only_stdout", seen.stdout),
        ("keep_stdout", wanted.stdout, "output", seen.stdout, "keep_stderr", seen.stderr),
        ("only_stdout", wanted.only_stdout, "output", seen.stdout, "only_stderr", seen.stderr),
    ):
        for pattern in patterns:
            if _matches(option, pattern, output):
                continue
            there = _matches(option, pattern, elsewhere)
            lines = output.decode("utf-8", "replace").splitlines()
            shown = "\n".join(f"  | {line}" for line in lines[-_SHOWN:])
            advice = "Check the expression by hand (as for grep -E) on what the command prints."
            if there:
                stream = "output" if name == "error" else "error"
                advice = f"The standard {stream} has it: say ⟦{other}⟧ instead."
            raise UnclearFailureError(
                f"⟦{option}⟧: no line on the command's standard {name} matches {pattern}\n"
                + (f"It printed there:\n{shown}\n" if shown else "It printed nothing there.\n")
                + advice
            )
    for pattern in wanted.forbidden:
        _matches("forbid", pattern, seen.stdout + b"\n" + seen.stderr)


def _matches(option: str, expression: str, output: bytes) -> bool:
    try:
        return matches_line(expression, output)
    except SlowExpressionError as error:
        raise UsageError(f"⟦{option}⟧: {error}") from None


def _is_there(path: Path | None) -> bool:
    return path is not None and path.exists() and path.stat().st_size > 0


def _read(path: Path | None) -> Signature:
    """Read a signature that was saved."""
    assert path is not None
    try:
        return Signature.from_toml(read_bounded(path, 1 << 20).decode())
    except SignatureFileError as error:
        raise SignatureFileError(f"{path}: {message_of(error)}") from error
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot read the signature {path}: {message_of(error)}\n"
            "Name another file with ⟦signature FILE⟧; one that is missing is written."
        ) from error
