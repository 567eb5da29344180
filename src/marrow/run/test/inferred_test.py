"""From a failing command to a test: run it on the input, infer the failure, and have it judged."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeAlias

from marrow.base.bounded_file import read_bounded
from marrow.base.clock import running_time
from marrow.base.errors import InputError, UsageError, message_of
from marrow.diagnostics.observation import Observation
from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process.captured_command import CapturedCommand, CommandEnd, JudgedEnd
from marrow.engine.process.overlay import OverlayPlacement
from marrow.engine.process.placement import Placement
from marrow.engine.process.sandbox import Sandbox
from marrow.engine.search.dispatcher import TestFailureError
from marrow.engine.verdict import Verdict
from marrow.run.output.output_file import OutputFile
from marrow.run.output.output_paths import SAVED_TEST, check_file
from marrow.run.plan.input import Input
from marrow.run.plan.plan import Plan
from marrow.run.test.check_test import enough_runs
from marrow.run.test.failure_judge import FailureJudge, KeptFailure, judge_in, observation
from marrow.run.test.guards import guard_commands, runs_compilers
from marrow.run.test.typed_command import TypedCommand, typed_command
from marrow.signature.controls import EMPTY, ControlRun, control_texts, trivial_text
from marrow.signature.failing_command import CANDIDATE, FailingCommand, ObservedCommands, Words
from marrow.signature.inference import Inference, infer_disagreement, infer_signature
from marrow.signature.refusals import UnclearFailureError
from marrow.signature.signature import Fact, Signature, SignatureFileError, label_of
from marrow.signature.user_expression import SlowExpressionError, matches_line
from marrow.signature.written_script import signature_script

#: Chooses one of several signatures; the first is the best.
Choice: TypeAlias = Callable[[tuple[Signature, ...]], Signature]

# How long the controls may take, in seconds, and by how many times the slowest run on the input: a
# command that takes long is run on some of them only.
_CONTROL_SECONDS: Final = 2.0
_CONTROL_RUNS: Final = 4.0

# A signature is a page of text.
_LARGEST_SIGNATURE: Final = 1 << 20

# How many findings are named that are not kept.
_NAMED: Final = 3

# How much of the output that an expression was looked for in is shown, in lines.
_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class InferredTest:
    """The test for a failure, the placement of candidates, and how the command was run before."""

    test: CapturedCommand
    place: Placement
    watched: bool
    runs: int


def first_choice(signatures: tuple[Signature, ...]) -> Signature:
    """Choose the best signature."""
    return signatures[0]


def inferred_test(
    inquiry: FailingCommand,
    plan: Plan,
    sandbox: Sandbox | None,
    say: Callable[[str], None],
    choose: Choice = first_choice,
    known: str | None = None,
    *,
    own_process: bool = False,
) -> InferredTest:
    """Return the test for the failure; raise `UnclearFailureError` if there is none to keep.

    With a quorum, the failure that most runs show is kept: not all of them need to. `known` is what
    a journal says of the judge of a run that is resumed; `own_process` is as for `Run`.
    """
    source = plan.source
    typed = typed_command(inquiry, plan)
    if source.name and CANDIDATE not in typed.plain.removesuffix(f" < {CANDIDATE}"):
        say(
            f"note: no {{}} in the command: it finds the candidate as {_shown_name(source)}, and "
            "on its standard input"
        )
    guards = guard_commands(inquiry.guards, inquiry.commands, source, say)
    if len(inquiry.commands) == 2 and not inquiry.guards and runs_compilers(inquiry.commands):
        say(
            "note: without a guard the result may have undefined behaviour (uninitialised reads, "
            "say);\n⟦guard c⟧ keeps it valid"
        )
    asked = repr((inquiry.commands, inquiry.wanted, inquiry.allow_new_errors, guards))
    judge = judge_in(known, asked)
    watched = judge is None and not _is_there(inquiry.signature)
    runs, looked = 0, None
    if judge is None:
        looked = _Looked(inquiry, plan, sandbox, typed, adopt=own_process)
        kept = looked.kept(choose) if watched else _read(inquiry.signature)
        typed, runs = looked.typed, looked.count
        judge = FailureJudge(kept, asked, looked.label)
    say(f"kept: {judge.kept.sentence}")
    for line in judge.kept.evidence[:_SHOWN]:
        say(f"  | {line}")
    if looked is not None and looked.left_out:
        say(_left_out(looked.left_out))
    if inquiry.signature is not None and not _is_there(inquiry.signature):
        _save_signature(inquiry.signature, judge.kept, source.mode, say)
    if inquiry.write_test is not None:
        script = signature_script(
            ObservedCommands(typed.portable, guards, directory=source.several), judge.kept
        )
        check_file(inquiry.write_test, SAVED_TEST, "write_test test.sh", force=plan.force)
        _save(inquiry.write_test, script, source.mode)
        say(f"the test is saved as {inquiry.write_test}")
    test = CapturedCommand(
        typed.commands[0],
        plan.memory,
        typed.plain,
        second=typed.commands[1] if len(typed.commands) == 2 else (),
        guards=guards,
        judge=judge,
    )
    return InferredTest(test, typed.place, watched, runs)


def _shown_name(source: Input) -> str:
    """Return how a command finds a candidate that it does not name."""
    path = os.path.relpath(source.paths[0]) if source.paths else source.name
    return source.name if path.startswith("..") else path


class _Looked:
    """What the first look at the commands shows."""

    def __init__(
        self,
        inquiry: FailingCommand,
        plan: Plan,
        sandbox: Sandbox | None,
        typed: TypedCommand,
        *,
        adopt: bool,
    ) -> None:
        self.typed = typed
        #: The label of the failure itself.
        self.label = ""
        #: How often commands were run.
        self.count = 0
        #: Findings that are not kept, because there are many.
        self.left_out: tuple[Fact, ...] = ()
        self._inquiry: Final = inquiry
        self._plan: Final = plan
        self._sandbox: Final = sandbox
        self._adopt: Final = adopt
        self._closing: Final = contextlib.ExitStack()

    def kept(self, choose: Choice) -> KeptFailure:
        """Run the commands on the input, and the one on controls; return what to keep."""
        with self._closing:
            return self._kept(choose)

    def _kept(self, choose: Choice) -> KeptFailure:
        source, quorum, wanted = self._plan.source, self._plan.quorum, self._inquiry.wanted
        name = source.name or source.base.name
        runs = []
        observers = []
        for words in self.typed.commands:
            observing = _Observing(self.typed, words, self._plan, self._sandbox, adopt=self._adopt)
            self._closing.callback(observing.close)
            runs.append(observing.runs(1 if quorum is None else quorum.runs))
            self.typed = replace(self.typed, place=observing.place)
            observers.append(observing)
            if len(self.typed.commands) == 2:
                observing.close()  # two would inherit each other's orphans
        if any(run.status is None for seen in runs for run in seen):
            raise UnclearFailureError(
                "the command does not end in time on the input\n"
                "Allow it more with ⟦timeout⟧; or, if hanging is the failure, limit it yourself "
                "and have that kept: -- timeout 10 COMMAND {}"
            )
        self.count = sum(map(len, runs))
        self.label = label_of(runs[0][0], source.text, name)
        if len(runs) == 2:
            return infer_disagreement(runs[0], runs[1], source.text, name, wanted.forbidden)
        seen = runs[0] if quorum is None else commonest_failure(runs[0])
        _check_wanted(self._inquiry, seen[0])
        controls = [] if wanted.chosen else observers[0].controls()
        self.count += len(controls)
        self.typed = replace(self.typed, place=observers[0].place)
        found: Inference = infer_signature(
            seen,
            source.text,
            name,
            controls=controls,
            wanted=wanted,
            allow_new_errors=self._inquiry.allow_new_errors,
            command=self._inquiry.commands[0],
        )
        kept = found.best if len(found.signatures) < 2 else choose(found.signatures)
        self.left_out = found.left_out if kept == found.best else ()
        return kept


def _left_out(facts: Sequence[Fact]) -> str:
    """Name findings that are not kept, and the option that keeps one of them."""
    named = "; ".join(f"“{fact.template.shown()}”" for fact in facts[:_NAMED])
    more = f"; and {len(facts) - _NAMED} more" if len(facts) > _NAMED else ""
    return f"not kept: {named}{more} (⟦keep_{facts[0].stream} REGEX⟧ keeps one of them too)"


def commonest_failure(runs: Sequence[Observation]) -> list[Observation]:
    """Return the runs that end in the way that most of the failing ones do.

    For a command that fails only now and then; if it never fails, these are the runs that end.
    """
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
            advice = (
                f"The standard {'output' if name == 'error' else 'error'} has it: say "
                f"⟦{other}⟧ instead."
                if there
                else "Check the expression by hand (as for grep -E) on what the command prints."
            )
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


@dataclass(slots=True)
class _Watching:
    """The judge of the first look: it remembers what it has seen."""

    seen: list[CommandEnd] = field(default_factory=list)
    identity: str = "watching"

    def judge(self, ended: tuple[CommandEnd, ...], candidate: bytes) -> JudgedEnd:
        """Say yes."""
        del candidate
        self.seen += ended
        return JudgedEnd(Verdict.INTERESTING)


class _Observing:
    """Runs a command on the input and its like, one after the other, to see what it does."""

    def __init__(
        self,
        typed: TypedCommand,
        words: Words,
        plan: Plan,
        sandbox: Sandbox | None,
        *,
        adopt: bool,
    ) -> None:
        self.place = typed.place
        self._plan: Final = plan
        self._adopt: Final = adopt
        #: What runs the command, and the place that it was made for.
        self._executor: tuple[CommandExecutor, Placement] | None = None
        self._seconds = 0.0
        self._judge: Final = _Watching()
        self._command: Final = CapturedCommand(
            words, plan.memory, sandbox=sandbox, judge=self._judge
        )

    def runs(self, least: int) -> list[Observation]:
        """Run it on the input: until that is often enough, and `least` times."""
        text = self._plan.source.text
        around = self.place.around if isinstance(self.place, OverlayPlacement) else None
        before = {} if around is None else around.watched()
        seen = self._on([text], self._plan.timeout)
        if around is not None:
            assert isinstance(self.place, OverlayPlacement)
            self.place = replace(self.place, around=around.written_since(before))
        if seen[0].status is not None:  # one more would only take as long
            more = enough_runs(self._seconds, least)
            seen += self._on([text] * (more - 1), self._plan.timeout)
        return seen

    def controls(self) -> list[ControlRun]:
        """Run it on other texts, to see what is special about the input."""
        source, view = self._plan.source, self._plan.view
        if source.several:
            texts = [(EMPTY, b"")]
        else:
            texts = control_texts(source.text, trivial_text("" if view is None else view.language))
        found: list[ControlRun] = []
        around = self.place.around if isinstance(self.place, OverlayPlacement) else None
        before = {} if around is None else around.watched()
        started = running_time()
        most = max(_CONTROL_SECONDS, _CONTROL_RUNS * self._seconds)
        for what, text in texts:
            if found and running_time() - started > most:
                break
            seen = self._on([text], self._plan.timeout or max(5.0, 10 * self._seconds))
            found += [ControlRun(what, text, one) for one in seen]
        if around is not None:
            # On an input that does not fail, a command may write more.
            assert isinstance(self.place, OverlayPlacement)
            self.place = replace(self.place, around=around.written_since(before))
        return found

    def _on(self, texts: Sequence[bytes], timeout: float | None) -> list[Observation]:
        """Run it on some texts. Raises `TestFailureError` if it cannot be run."""
        executor = self._ready()
        if timeout is not None:
            executor.allow(timeout)
        for text in texts:
            outcome = outcome_of(executor.submit(text, capture=True))
            if outcome.verdict is Verdict.ERROR:
                raise TestFailureError(outcome.message)
            self._seconds = max(self._seconds, outcome.seconds)
        found = [observation(one) for one in self._judge.seen]
        self._judge.seen.clear()
        return found

    def _ready(self) -> CommandExecutor:
        """Return what runs the command; another one if what the command writes to is new."""
        if self._executor is None or self._executor[1] != self.place:
            self.close()
            executor = CommandExecutor(self._command, self.place, adopt=self._adopt)
            self._executor = (executor, self.place)
        return self._executor[0]

    def close(self) -> None:
        """End what the runs have left."""
        if self._executor is not None:
            self._executor[0].close()
            self._executor = None


def _is_there(path: Path | None) -> bool:
    return path is not None and path.exists() and path.stat().st_size > 0


def _read(path: Path | None) -> Signature:
    """Read a signature that was saved."""
    assert path is not None
    try:
        return Signature.from_toml(read_bounded(path, _LARGEST_SIGNATURE).decode())
    except SignatureFileError as error:
        raise SignatureFileError(f"{path}: {message_of(error)}") from error
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot read the signature {path}: {message_of(error)}\n"
            "Name another file with ⟦signature FILE⟧; one that is missing is written."
        ) from error


def _save_signature(path: Path, kept: KeptFailure, rights: int, say: Callable[[str], None]) -> None:
    assert isinstance(kept, Signature)  # two commands have none
    OutputFile(path, rights & 0o666).write(kept.to_toml().encode("utf-8", "surrogateescape"))
    say(f"the signature is saved as {path}")


def _save(path: Path, script: str, rights: int) -> None:
    """Save a test; whoever may read the input may read it and run it."""
    content = script.encode("utf-8", "surrogateescape")
    OutputFile(path, rights & 0o666 | (rights & 0o444) >> 2 | 0o700).write(content)
