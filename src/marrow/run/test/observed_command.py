"""A failing command as it was typed, the first look at it, and the judge of its failure."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final, TypeAlias

from marrow.base.clock import running_time
from marrow.base.errors import error_text
from marrow.diagnostics.observation import Observation
from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process.command import CapturedCommand, JudgedEnd, TestCommandError
from marrow.engine.process.placement import OverlayPlacement, Placement
from marrow.engine.process.sandbox import Sandbox
from marrow.engine.process.working_tree import is_below, real_path, working_tree_of
from marrow.engine.search.dispatcher import TestFailureError
from marrow.engine.verdict import Verdict
from marrow.run.output.output_paths import pretty_path
from marrow.run.plan.input import Input
from marrow.run.plan.plan import Plan
from marrow.run.test.check_test import FIRST_RUNS, patient_runs
from marrow.run.test.guards import READY
from marrow.signature.controls import EMPTY, ControlRun, control_texts, trivial_text
from marrow.signature.failing_command import CANDIDATE, FailingCommand, Words, typed
from marrow.signature.resource_use import ResourceUse
from marrow.signature.signature import Disagreement, Signature

#: What is kept of a failure: that of one command, the disagreement of two, or what one uses.
KeptFailure: TypeAlias = Signature | Disagreement | ResourceUse


@dataclass(frozen=True)
class FailureJudge:
    """Asks for a failure.

    `asked` is what the user asked for, in words that tell it from anything else; `own` the label of
    the failure itself, so that it is not taken for another one; `hidden` are files that its
    command does not see.
    """

    kept: KeptFailure
    asked: str = ""
    own: str = ""
    hidden: tuple[str, ...] = ()

    @cached_property
    def identity(self) -> str:
        """What it asks for, as text; see `kept_in`."""
        data = {"asked": self.asked, "own": self.own, "hidden": self.hidden}
        return json.dumps(data | {"kept": self.kept.to_dict()}, sort_keys=True)

    def judge(self, ended: tuple[Observation, ...], candidate: bytes) -> JudgedEnd:
        """Say whether the commands still show it."""
        said = self.kept.judge_all(list(ended), candidate)
        if said.matches:
            return JudgedEnd(Verdict.INTERESTING)
        label = "" if said.label == self.own else said.label
        return JudgedEnd(Verdict.NOT_INTERESTING, said.why, label)


def judge_in(identity: str | None, asked: str) -> FailureJudge | None:
    """Return the judge that a journal knows, if it was made for what is asked for now."""
    if identity is None:
        return None
    try:
        data = json.loads(identity)
        if data["asked"] != asked:
            return None
        kept = data["kept"]
        form: type[KeptFailure] = Disagreement if "each" in kept else Signature
        form = ResourceUse if "resource" in kept else form
        return FailureJudge(form.from_dict(kept), asked, data["own"], tuple(data["hidden"]))
    except (ValueError, KeyError, TypeError):
        return None  # another version of marrow wrote it


# Longer words are not file names on any system: they are scripts for `sh -c`, say.
_LONGEST_NAME: Final = 4096


@dataclass(frozen=True, slots=True)
class TypedCommand:
    """The commands of a test as they are run, the placement of candidates, and a line for people.

    `portable` are the commands with absolute paths, for a directory that holds only the candidate.
    """

    commands: tuple[Words, ...]
    portable: tuple[Words, ...]
    place: Placement
    plain: str


def typed_command(inquiry: FailingCommand, plan: Plan) -> TypedCommand:
    """Return the commands of an inquiry, ready to run; raise `TestCommandError` where that fails.

    On other machines there is nothing of the user's directory: a command has absolute paths there.
    """
    source = plan.source
    for words in inquiry.commands:
        _check_program(words[0])
    portable = tuple(
        tuple(_absolute(word, source, first=at == 0) for at, word in enumerate(words))
        for words in inquiry.commands
    )
    plain = _by_hand(inquiry.commands, inquiry.guards, source)
    if plan.where.kind.remote:
        return TypedCommand(portable, portable, source.placement, plain)
    place = _mirrored(plan, inquiry)
    commands = portable if place.around.beside else inquiry.commands
    named = tuple(_naming_candidate(words, source) for words in commands)
    return TypedCommand(named, portable, place, plain)


def _mirrored(plan: Plan, inquiry: FailingCommand) -> OverlayPlacement:
    """Return the placement of candidates in mirrors of the current directory."""
    source, here = plan.source, os.getcwd()
    paths = [os.path.abspath(path) for path in source.paths] or [
        os.path.join(here, name) for name in source.top_names
    ]
    base = os.path.realpath(source.base if source.paths else here) if source.several else ""
    typed_in = here
    if source.paths == (source.base,) and not names_input(inquiry.words, source):
        typed_in = base  # what does not name the directory that is the input runs in it
    # The command may read all files of a directory: it must not see what marrow writes there.
    written = [plan.output, plan.journal, plan.report, inquiry.write_test]
    if plan.output is not None:
        written.append(pretty_path(plan.output))
    hidden = [os.path.abspath(path) for path in written if path is not None]
    hidden = [path for path in hidden if path not in paths]
    around = working_tree_of(typed_in, paths, base, hidden, " ".join(inquiry.words))
    return OverlayPlacement(around, source.placement, source.mode & 0o777 | 0o600, base)


def names_input(words: Iterable[str], source: Input) -> bool:
    """Whether a word names the directory that is the input, or something in it."""
    top = real_path(str(source.base))
    return any(
        CANDIDATE in word
        or (len(word) <= _LONGEST_NAME and "\0" not in word and is_below(real_path(word), top))
        or (not word.startswith("-") and source.base.name and source.base.name in word)
        for word in words
    )


def _naming_candidate(words: Words, source: Input) -> Words:
    """Return a command with `{}` for the absolute path of the input."""
    if source.several or not source.paths:
        return words
    for name in {os.path.abspath(source.paths[0]), real_path(str(source.paths[0]))}:
        words = tuple(word.replace(name, CANDIDATE) for word in words)
    return words


def _by_hand(commands: tuple[Words, ...], guards: tuple[str, ...], source: Input) -> str:
    """Return the command for a person to try, with {} where a word is the input."""
    stdin = f" < {CANDIDATE}" if source.name else ""

    def is_input(word: str) -> bool:
        return not source.several and _is_path(word) and source.candidate(Path(word)) is not None

    def line(words: Words) -> str:
        shown = typed(CANDIDATE if is_input(word) else word for word in words)
        return shown if CANDIDATE in shown else shown + stdin

    # The ready guard is many commands, which say what they check when the run begins.
    own = [guard for guard in guards if guard != READY]
    before = [f"({guard}){'' if CANDIDATE in guard else stdin} && " for guard in own]
    return "".join(before) + "; ".join(map(line, commands))


def _is_path(word: str) -> bool:
    """Whether a word names something that exists."""
    return len(word) <= _LONGEST_NAME and "\0" not in word and os.path.exists(word)


def _check_program(program: str) -> None:
    if CANDIDATE not in program and shutil.which(program) is None:
        if os.path.isfile(program):
            name = shlex.quote(program)
            raise TestCommandError(f"{program} is not executable\nMake it so with: chmod +x {name}")
        raise TestCommandError(error_text("no_program", program=program))


def _absolute(word: str, source: Input, *, first: bool) -> str:
    """Return a word of a command that is run in another directory.

    One that names the input becomes `{}`; a relative path of a program or file becomes absolute.
    """
    plain = CANDIDATE in word or word.startswith("-") or (first and os.sep not in word)
    if plain or not _is_path(word):
        return word
    # A bare word such as `c` may name a language as well as a directory that happens to exist.
    path = str(Path(word).absolute()) if os.sep in word or "." in word else word
    return source.candidate(Path(word)) or path


# How long the controls may take, in seconds, and by how many times the slowest run on the input: a
# command that takes long is run on some of them only.
_CONTROL_SECONDS: Final = 2.0
_CONTROL_RUNS: Final = 4.0

# How many times as long a command is run that fails now and then, to see how.
_RARE: Final = 3


@dataclass(slots=True)
class _Watcher:
    """The judge of the first look: it remembers what it has seen."""

    seen: list[Observation] = field(default_factory=list)
    identity: str = "watching"

    def judge(self, ended: tuple[Observation, ...], candidate: bytes) -> JudgedEnd:
        """Say yes."""
        del candidate
        self.seen += ended
        return JudgedEnd(Verdict.INTERESTING)


class ObservedCommand:
    """Runs a command on the input and its like, one after the other, to see what it does."""

    def __init__(
        self, place: Placement, words: Words, plan: Plan, sandbox: Sandbox | None, *, adopt: bool
    ) -> None:
        #: The placement of candidates: what the command writes to becomes part of its overlay.
        self.place = place
        self._plan: Final = plan
        self._adopt: Final = adopt
        #: What runs the command, and the place that it was made for.
        self._executor: tuple[CommandExecutor, Placement] | None = None
        self._seconds = 0.0
        self._judge: Final = _Watcher()
        self._command: Final = CapturedCommand(
            words, plan.memory, sandbox=sandbox, judge=self._judge
        )

    def runs(self, least: int) -> list[Observation]:
        """Run it on the input: until that is often enough, and `least` times."""
        text = self._plan.source.text
        with self._watching():
            seen = self._on([text], self._plan.timeout)
        if seen[0].status is not None:  # one more would only take as long
            more = max(FIRST_RUNS, least) - 1
            seen += self._on([text] * more, self._plan.timeout)
        return seen

    @contextlib.contextmanager
    def _watching(self) -> Iterator[None]:
        """Make the directories that it writes to inside this block part of its overlay."""
        place = self.place
        before = place.around.watched() if isinstance(place, OverlayPlacement) else {}
        yield
        if isinstance(place, OverlayPlacement):
            self.place = replace(place, around=place.around.written_since(before))

    def rare_failures(self, seen: list[Observation]) -> list[Observation]:
        """Run it until it has failed often enough to tell how, if ever; return runs that end."""
        seen = [one for one in seen if one.status is not None]
        most = _RARE * patient_runs(self._seconds)
        while (failed := sum(one.status != 0 for one in seen)) < FIRST_RUNS and len(seen) < most:
            if not failed and len(seen) >= patient_runs(self._seconds):
                break
            more = self._on([self._plan.source.text] * FIRST_RUNS, self._plan.timeout)
            seen = [*seen, *(one for one in more if one.status is not None)]
        return seen

    def controls(self) -> list[ControlRun]:
        """Run it on other texts, to see what is special about the input."""
        source, view = self._plan.source, self._plan.view
        texts = [(EMPTY, b"")]
        if not source.several:
            texts = control_texts(source.text, trivial_text("" if view is None else view.language))
        found: list[ControlRun] = []
        started = running_time()
        most = max(_CONTROL_SECONDS, _CONTROL_RUNS * self._seconds)
        with self._watching():  # on an input that does not fail, a command may write more
            for what, text in texts:
                if found and running_time() - started > most:
                    break
                seen = self._on([text], self._plan.timeout or max(5.0, 10 * self._seconds))
                found += [ControlRun(what, text, one) for one in seen]
        return found

    def without_products(self, kept: KeptFailure) -> list[str]:
        """Hide files that an earlier run has left, if the failure does without; return which."""
        place = self.place
        if not isinstance(place, OverlayPlacement) or not (products := place.around.products()):
            return []
        self.place = replace(place, around=place.around.without(products))
        text = self._plan.source.text
        if kept.judge_all(self._on([text], self._plan.timeout), text).matches:
            return products
        self.place = place
        return []

    def _on(self, texts: Sequence[bytes], timeout: float | None) -> list[Observation]:
        """Run it on some texts. Raises `TestFailureError` if it cannot be run."""
        if self._executor is None or self._executor[1] != self.place:
            self.close()  # what the command writes to is new
            made = CommandExecutor(self._command, self.place, adopt=self._adopt)
            self._executor = (made, self.place)
        executor = self._executor[0]
        if timeout is not None:
            executor.allow(timeout)
        for text in texts:
            outcome = outcome_of(executor.submit(text, capture=True))
            if outcome.verdict is Verdict.ERROR:
                raise TestFailureError(outcome.message)
            self._seconds = max(self._seconds, outcome.seconds)
        found = list(self._judge.seen)
        self._judge.seen.clear()
        return found

    def close(self) -> None:
        """End what the runs have left."""
        if self._executor is not None:
            self._executor[0].close()
            self._executor = None
