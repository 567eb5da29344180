"""One `marrow abstract`, from the request to the exit code."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.text import Text

from marrow.abstraction.compact_form import compact, segments
from marrow.abstraction.ddset import Options
from marrow.abstraction.pattern import Evidence, Mark, Pattern
from marrow.abstraction.pattern_json import to_json
from marrow.cli.console import echo
from marrow.cli.exits import CliError, Exit
from marrow.cli.grammar import grammar_file
from marrow.cli.inputs import read_input
from marrow.cli.interruption import Interruption
from marrow.cli.reduce_run import SWITCH_SECONDS, ReduceRun
from marrow.cli.reporting import check_report, note_beginning, write_report
from marrow.cli.request import Request
from marrow.cli.source import Source
from marrow.engine.events import LateListener
from marrow.engine.executors.executor import Executor
from marrow.engine.journal.journal import Journal
from marrow.engine.process.command import TestCommand, TestCommandError
from marrow.engine.search.dispatcher import Limits
from marrow.grammar.language import Language
from marrow.grammar.model.errors import ParseError
from marrow.grammar.model.rules import GrammarError
from marrow.report.pattern_data import pattern_data
from marrow.report.plain import printable
from marrow.report.progress import Progress
from marrow.report.screen import LiveProgress
from marrow.run.abstracting import Abstracted, find_pattern, shipped_language
from marrow.run.first_runs import Checked
from marrow.run.output import OutputError, OutputFile
from marrow.run.reduction import Ending
from marrow.syntax.views import UnknownLanguageError
from marrow.tree.render import render

_STYLES: Final = {
    Mark.ABSTRACT: "bold green",
    Mark.CONTEXT_SENSITIVE: "bold magenta",
    Mark.INVISIBLE: "dim",
}

#: A counter-example in a line of -v is cut to this many characters.
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class AbstractRequest(Request):
    """What the user asked `marrow abstract` for."""

    unresolved_if: str | None
    no_reduce: bool
    checks: int
    naive: bool
    seed: int

    @property
    def output_path(self) -> Path:
        """Where the pattern goes."""
        return self.output or self.input_path.with_name(f"{self.input_path.stem}.pattern.json")

    @property
    def commands(self) -> tuple[str | None, ...]:
        """All that was said of the test, as far as it may name files."""
        return (self.shell, self.unresolved_if)

    def check(self) -> None:
        """Raise `CliError` where the options contradict each other."""
        if (self.test is None) == (self.shell is None):
            raise CliError(
                Exit.USAGE,
                "give one test: the path of an executable behind the input, or a command with "
                "--shell\n`marrow abstract --help` has examples.",
            )
        if self.grammar is not None and self.language is not None:
            raise CliError(
                Exit.USAGE, "--grammar and --language exclude each other\nLeave one of them out."
            )
        if self.start is not None and self.grammar is None:
            raise CliError(Exit.USAGE, "--start names a rule of a grammar\nGive --grammar too.")


class AbstractRun(ReduceRun):
    """One `marrow abstract`: the test, the journal and the limits are those of `marrow reduce`."""

    def __init__(self, request: AbstractRequest, interruption: Interruption) -> None:
        super().__init__(request, interruption)
        self._wanted = request

    def _run(self) -> Exit:
        request = self._wanted
        sys.setswitchinterval(SWITCH_SECONDS)
        text = read_input(request.input_path)
        request.check_output()
        check_report(request.report)
        self._algorithm()
        language = self._language(text)
        path = request.input_path
        source = Source(text, path.name, path.parent, request.inputs)
        command = self._command(source)
        with self._executor(command, source) as executor:
            checked, journal = self._begin(executor, command, source)
            try:
                self._note(f"{path}: the grammar {language.name}, {len(text):,} bytes")
                note_beginning(
                    journal,
                    title=f"marrow abstract {request.title}",
                    language=f"the grammar {language.name}",
                    text=text,
                    tokens=language.parse(text).token_count,
                    length=len(text),
                    command=command,
                    name=source.name,
                    seed=request.seed,
                    quorum=request.quorum,
                )
                return self._abstract(text, language, executor, journal, checked)
            except OutputError as error:
                raise CliError(Exit.OUTPUT, str(error)) from error
            finally:
                journal.close()

    def _command(self, source: Source) -> TestCommand:
        command = super()._command(source)
        if self._wanted.unresolved_if is None:
            return command
        try:
            return command.unresolved_if(self._wanted.unresolved_if)
        except TestCommandError as error:
            raise CliError(Exit.USAGE, str(error)) from error

    def _language(self, text: bytes) -> Language:
        """Return the language, and see that the input matches it before any test is run."""
        request = self._wanted
        name = request.input_path.name
        try:
            if request.grammar is not None:
                path = grammar_file(request.grammar)
                language = Language.from_file(path, request.start).self_contained
            else:
                language = shipped_language(name, text, request.language)
            language.read(text)
        except GrammarError as error:
            raise CliError(
                Exit.INPUT, f"{error}\n`marrow grammar FILE --check` says what a grammar lacks."
            ) from error
        except ParseError as error:
            raise CliError(
                Exit.INPUT,
                f"{request.input_path}, {error}: it does not match the grammar\n"
                "A pattern needs a grammar that the input matches: mend one of them.",
            ) from error
        except (LookupError, UnknownLanguageError) as error:
            raise CliError(Exit.USAGE, str(error.args[0])) from error
        return language

    def _abstract(
        self,
        text: bytes,
        language: Language,
        executor: Executor,
        journal: Journal,
        checked: Checked,
    ) -> Exit:
        request = self._wanted
        output = OutputFile(request.output_path)
        if not request.resume and (old := output.keep_old()) is not None:
            self._note(f"note: {output.path} was there already; it is kept as {old}")
        listener = LateListener()
        with self._progress(0, len(text)) as progress:
            listener.target = progress
            found = find_pattern(
                text,
                language,
                executor,
                journal,
                listener,
                Options(request.checks, request.seed, request.naive),
                None if request.no_reduce else self._algorithm(),
                Limits(request.max_tests, request.max_time),
                request.quorum,
            )
        if found.ending is Ending.FINISHED:
            journal.note("finished", "yes")
        output.write(to_json(found.pattern).encode())
        self._show(found, output.path, checked.runs)
        journal.note("ended", json.dumps({"state": f"{verified(found.pattern).capitalize()}."}))
        if request.report is not None:
            write_report(
                request.report,
                journal.record,
                pattern_data(found.pattern, verified(found.pattern)),
            )
            self._note(f"report: {request.report}")
        if found.ending is Ending.INTERRUPTED:
            return self._interruption.code
        if found.ending is Ending.TEST_FAILED:
            raise CliError(Exit.TEST, found.pattern.stopped)
        return Exit.DONE

    def _progress(self, tokens: int, length: int) -> Progress:
        request = self._wanted
        if self._say.is_terminal and not (request.quiet or self._say.is_dumb_terminal):
            return LiveProgress(self._say, f"marrow abstract {request.input_path}", tokens, length)
        return Progress(tokens, length)

    def _show(self, found: Abstracted, path: Path, first_runs: int) -> None:
        request, pattern = self._wanted, found.pattern
        if request.as_json:
            click.echo(json.dumps(as_json(pattern, request.input_path, path, first_runs)))
            return
        Console(highlight=False, soft_wrap=True).print(coloured(pattern))
        if request.quiet:
            return
        if request.verbose:
            for line in reasons(pattern):
                echo(line)
        echo("\n".join(summary(pattern, path, first_runs)))
        if pattern.stopped:
            echo(f"  go on with: {self._again()}")


def coloured(pattern: Pattern) -> Text:
    """Return the compact form in colours."""
    shown = Text()
    for segment in segments(pattern):
        text = printable(segment.text.encode("utf-8", "backslashreplace"))
        shown.append(text, _STYLES.get(segment.mark))
    shown.rstrip()
    return shown


def summary(pattern: Pattern, path: Path, first_runs: int) -> list[str]:
    """Return what there is to say about a pattern, in lines."""
    counts = count_marks(pattern)
    tests = pattern.counts
    lines = [
        f"{path}: {counts['abstract']} abstract, {counts['groups']} context-sensitive groups, "
        f"{counts['invisible']} invisible",
        f"  {verified(pattern)}",
        f"  {tests.tests + first_runs:,} tests run, {tests.reduction:,} of them to reduce; "
        f"{tests.cached:,} answered from the cache",
    ]
    if pattern.stopped:
        lines.append(f"  stopped: {pattern.stopped.partition(chr(10))[0]}")
    return lines


def verified(pattern: Pattern) -> str:
    """Say how far a pattern can be trusted."""
    joint = pattern.joint
    if pattern.naive:
        return "not verified as a whole: the published procedure does not do that"
    if pattern.stopped:
        return "not verified: the search was stopped"
    if not joint.samples:
        return "nothing varies: only this input was found to fail"
    share = f"{joint.valid / joint.samples:.0%} of the samples were valid inputs"
    if joint.exhaustive:
        return f"verified: all {joint.failing} other inputs of the pattern fail; {share}"
    bound = f"at least {joint.confidence:.0%} of all do, with 95% confidence"
    return (
        f"verified: {joint.failing} of {joint.valid} valid samples failed with everything varied "
        f"at once ({bound}); {share}"
    )


def count_marks(pattern: Pattern) -> dict[str, int]:
    """Count what varies."""
    marks = [hole.marked.mark for hole in pattern.holes()]
    return {
        "abstract": marks.count(Mark.ABSTRACT),
        "groups": marks.count(Mark.CONTEXT_SENSITIVE),
        "invisible": marks.count(Mark.INVISIBLE),
    }


def reasons(pattern: Pattern) -> list[str]:
    """Return a line for each node that was looked at, with the evidence."""
    lines = []
    for place, node in pattern.tree.walk():
        marked = pattern.marks.get(place)
        if marked is None or marked.mark is Mark.LEXICAL:
            continue
        text = _short(render((node,)))
        pad = "  " * place.depth
        lines.append(
            f"{pad}{marked.name} {text}: {marked.mark.value}; {_evidence(marked.evidence)}"
        )
    return lines


def _evidence(evidence: Evidence) -> str:
    said = f"{evidence.failing} failed, {evidence.unresolved + evidence.timeouts} unresolved"
    if evidence.counterexample is not None:
        return f"{said}; passes: {_short(evidence.counterexample)}"
    return f"{said}; {evidence.reason}" if evidence.reason else said


def _short(text: bytes) -> str:
    shown = printable(text).replace("\n", "\\n")
    return repr(shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}...")


def as_json(
    pattern: Pattern, input_path: Path, output_path: Path, first_runs: int
) -> dict[str, object]:
    """Return the summary for programs."""
    joint = pattern.joint
    return {
        "input": str(input_path),
        "output": str(output_path),
        "pattern": compact(pattern),
        "grammar": pattern.language.name,
        **count_marks(pattern),
        "joint": {
            "failing": joint.failing,
            "valid": joint.valid,
            "samples": joint.samples,
            "confidence": round(joint.confidence, 4),
        },
        "tests": pattern.counts.tests + first_runs,
        "reduction_tests": pattern.counts.reduction,
        "cached": pattern.counts.cached,
        "seed": pattern.seed,
        "stopped": pattern.stopped or None,
    }
