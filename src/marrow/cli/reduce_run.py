"""One `marrow reduce`, from the request to the exit code."""

from __future__ import annotations

import contextlib
import functools
import json
import shlex
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import click

from marrow.cli.ask import ask
from marrow.cli.console import echo
from marrow.cli.executors import open_executor
from marrow.cli.exits import CliError, Exit
from marrow.cli.interruption import Interruption
from marrow.cli.journals import journal_state, set_aside
from marrow.cli.keys import Keyboard, keys_work, pressed
from marrow.cli.messages import (
    as_json,
    flaky_note,
    memory_message,
    summary,
    unfit_message,
    unverified_message,
)
from marrow.cli.patient_console import PatientConsole
from marrow.cli.reporting import check_report, note_beginning, note_end, write_report
from marrow.cli.request import Request
from marrow.cli.sandboxing import in_sandbox, sandbox_if
from marrow.cli.source import Source, read_source, view_of_source
from marrow.engine.events import LateListener
from marrow.engine.executors.executor import Executor, ExecutorLostError
from marrow.engine.journal.journal import Journal, JournalError, digest, identity_of
from marrow.engine.process.command import TestCommand, TestCommandError
from marrow.engine.process.sandbox import Sandbox
from marrow.engine.search.control import Control
from marrow.engine.search.dispatcher import Limits, TestFailureError
from marrow.engine.verdict import Outcome, Verdict
from marrow.reducers.algorithms import algorithm_of
from marrow.reducers.strategy import Strategy
from marrow.report.progress import LineProgress, Progress
from marrow.report.screen import LiveProgress
from marrow.run.first_runs import (
    FIRST_RUNS,
    Checked,
    UnfitTestError,
    check_test,
    checked_before,
    record_check,
)
from marrow.run.output import OutputError, OutputFile
from marrow.run.output_directory import OutputDirectory
from marrow.run.reduction import Ending, Reduction, Result
from marrow.syntax.views import View

# Python's own 5 ms are as long as a quick test takes.
SWITCH_SECONDS = 0.0005


class ReduceRun:
    """One `marrow reduce`."""

    def __init__(self, request: Request, interruption: Interruption) -> None:
        self._request = request
        self._interruption = interruption
        self._say = PatientConsole(stderr=True, quiet=request.quiet, highlight=False)

    def run(self) -> Exit:
        """Do it all; raise `CliError` with a message where something is wrong."""
        try:
            return self._run()
        except KeyboardInterrupt:
            self._note("stopped before a candidate was tried; nothing was changed")
            return self._interruption.code
        except CliError:
            raise
        except ExecutorLostError as error:
            raise CliError(Exit.CLUSTER, str(error)) from error
        except MemoryError as error:
            raise CliError(Exit.MEMORY, memory_message(self._request.output_path)) from error
        except Exception as error:
            if self._request.verbose:
                traceback.print_exc()
            raise CliError(
                Exit.INTERNAL,
                f"marrow itself failed: {type(error).__name__}: {error}\n"
                f"This is a bug. The best so far is in {self._request.output_path}, if a candidate "
                "was accepted;\n-v shows where it failed, --resume goes on.",
            ) from error

    def _run(self) -> Exit:
        request = self._request
        # Threads that start tests must not wait long for the one that makes the candidates.
        sys.setswitchinterval(SWITCH_SECONDS)
        source = read_source(request)
        request.check_output()
        check_report(request.report)
        view = view_of_source(request, source)
        self._algorithm()
        command = self._command(source)
        with self._executor(command, source) as executor:
            checked, journal = self._begin(executor, command, source)
            try:
                self._introduce(view, source, checked)
                return self._reduce(source, view, executor, journal, checked, command)
            except OutputError as error:
                raise CliError(Exit.OUTPUT, str(error)) from error
            finally:
                journal.close()

    def _command(self, source: Source) -> TestCommand:
        sandbox = sandbox_if(self._request.sandbox, self._request.commands)
        return in_sandbox(self._plain_command(source, sandbox), sandbox)

    def _plain_command(self, source: Source, sandbox: Sandbox | None) -> TestCommand:
        request = self._request
        if request.question.commands:
            return ask(
                request.question,
                source,
                self._note,
                timeout=request.timeout,
                memory=request.memory,
                quorum=request.quorum,
                sandbox=sandbox,
            )
        try:
            if request.shell is not None:
                return TestCommand.shell(request.shell, memory=request.memory)
            return TestCommand.executable(request.test or "", memory=request.memory)
        except TestCommandError as error:
            raise CliError(Exit.TEST, str(error)) from error

    def _algorithm(self) -> Strategy:
        request = self._request
        if request.algorithm is None:
            return request.pipeline
        try:
            return algorithm_of(request.algorithm, request.settings)
        except LookupError as error:
            raise CliError(
                Exit.USAGE, f"{error.args[0]}\n`marrow reduce --help` names the algorithms."
            ) from error

    @contextlib.contextmanager
    def _executor(self, command: TestCommand, source: Source) -> Iterator[Executor]:
        """Make the executor, and close it whatever happens, undisturbed by signals."""
        executor = open_executor(self._request, command, source)
        try:
            yield executor
        finally:
            self._interruption.shield()
            executor.close()

    def _begin(
        self, executor: Executor, command: TestCommand, source: Source
    ) -> tuple[Checked, Journal]:
        """Open the journal and check the test, unless the journal says that this was done."""
        request = self._request
        if not request.resume:
            found = journal_state(request.journal_path)
            checked = self._check(executor, command, source)
            set_aside(request.journal_path, found, self._note)
            journal = self._open_journal(source, command)
        else:
            journal = self._open_journal(source, command)
            self._note(f"going on with {journal.size:,} known verdicts of {request.journal_path}")
            before = checked_before(executor, journal, request.timeout)
            if before is not None:
                return before, journal
            checked = self._check(executor, command, source)
        record_check(checked, source.text, journal)
        return checked, journal

    def _check(self, executor: Executor, command: TestCommand, source: Source) -> Checked:
        request = self._request
        try:
            return check_test(
                executor,
                source.text,
                timeout=request.timeout,
                allow_empty=request.allow_empty,
                # A command was run several times already, to see what it does.
                runs=1 if request.question.commands else FIRST_RUNS,
                quorum=request.quorum,
            )
        except UnfitTestError as error:
            code, message = unfit_message(error, command, source)
            raise CliError(code, message) from error
        except TestFailureError as error:
            raise CliError(Exit.TEST, str(error)) from error

    def _open_journal(self, source: Source, command: TestCommand) -> Journal:
        request = self._request
        try:
            identity = identity_of(source.identity, command.fingerprint(), request.quorum)
            journal = Journal(request.journal_path, identity, resume=request.resume)
        except JournalError as error:
            raise CliError(Exit.JOURNAL, str(error)) from error
        except OSError as error:
            raise CliError(
                Exit.TEST,
                f"cannot read the test: {error}\n"
                "Its content is what --resume knows it by: make it readable (chmod +r).",
            ) from error
        self._note_algorithm(journal)
        return journal

    def _note_algorithm(self, journal: Journal) -> None:
        """Record algorithm and settings; say so if those of a run that is resumed were others."""
        ours = self._algorithm().signature
        recorded = journal.fact("algorithm")
        if recorded is not None and recorded != ours:
            self._note(
                "note: the earlier run had another algorithm or other settings. Its verdicts still "
                "hold and are used, but this run goes its own way"
            )
            journal.forget_skips()
        journal.note("algorithm", ours)

    def _introduce(self, view: View, source: Source, checked: Checked) -> None:
        length = view.length(source.text)
        self._note(f"{self._request.title}: {view.description}, {length:,} bytes")
        if view.note:
            self._note(f"note: {view.note}")
        self._note(
            f"the test takes {checked.slowest:.2f} s on the input; a candidate may take "
            f"{checked.timeout:.3g} s (--timeout changes that)"
        )
        if self._request.quorum is not None and checked.seen is not None:
            self._note(flaky_note(self._request.quorum, checked.seen))

    def _reduce(
        self,
        source: Source,
        view: View,
        executor: Executor,
        journal: Journal,
        checked: Checked,
        command: TestCommand,
    ) -> Exit:
        request = self._request
        limits = Limits(request.max_tests, request.max_time)
        listener = LateListener()
        text = source.text
        control = Control()
        reduction = Reduction(
            text=text,
            view=view,
            strategy=self._algorithm(),
            executor=executor,
            journal=journal,
            listener=listener,
            limits=limits,
            control=control,
            quorum=request.quorum,
        )
        note_beginning(
            journal,
            title=f"marrow reduce {request.title}",
            language=view.description,
            text=text,
            tokens=reduction.tokens_before,
            length=view.length(text),
            command=command,
            name=source.name,
            seed=request.settings.seed,
            quorum=request.quorum,
        )
        output = source.output(request.output_path)
        known = self._prepare_output(output, text, journal)
        progress = self._progress(reduction.tokens_before, view.length(text))
        with progress, _keys(progress, control):
            listener.target = progress
            result = reduction.run(output.write, known)
        result.tests += checked.runs
        output.write(result.text)
        outcome = self._verify(reduction, result)
        note_end(journal, result, reduction.scheduler.counts.asked)
        self._summary(result, output.path, source, command)
        if request.report is not None:
            write_report(request.report, journal.record)
            self._note(f"report: {request.report}")
        return self._conclude(result, outcome, output.path)

    def _prepare_output(
        self, output: OutputFile | OutputDirectory, text: bytes, journal: Journal
    ) -> bytes | None:
        """Keep what the result would write over; return the best of a run that is resumed."""
        request = self._request
        if request.resume:
            known = output.read()
            if known is not None and journal.get(digest(known)) is Verdict.INTERESTING:
                return known
        elif request.in_place:
            kept = output.keep_original()
            self._note(f"the original is kept as {kept}")
        else:
            old = output.keep_old()
            if old is not None:
                self._note(f"note: {output.path} was there already; it is kept as {old}")
        output.write(text)
        return None

    def _verify(self, reduction: Reduction, result: Result) -> Outcome | None:
        """Run the test once more on the result, unless the run was broken off."""
        if result.ending not in (Ending.FINISHED, Ending.LIMIT):
            return None
        try:
            return reduction.verify(result)
        except KeyboardInterrupt:
            result.stopped, result.ending = "interrupted", Ending.INTERRUPTED
            return None

    def _conclude(self, result: Result, outcome: Outcome | None, path: Path) -> Exit:
        """Return the exit code, or raise `CliError` where the result is in doubt."""
        request = self._request
        if result.ending is Ending.INTERRUPTED:
            return self._interruption.code
        if result.ending is Ending.EXECUTOR_LOST:
            raise CliError(Exit.CLUSTER, result.stopped or "there is nothing to run tests on")
        if result.ending is Ending.TEST_FAILED:
            raise CliError(Exit.TEST, result.stopped or "the test cannot be run")
        if outcome is not None and outcome.verdict is Verdict.ERROR:
            raise CliError(Exit.TEST, outcome.message)
        if outcome is not None and not result.verified:
            raise CliError(Exit.FLAKY, unverified_message(result, outcome, path, request.quorum))
        return Exit.DONE

    def _progress(self, tokens: int, length: int) -> Progress:
        request = self._request
        if request.quiet:
            return Progress(tokens, length)
        if self._say.is_terminal and not (self._say.is_dumb_terminal or request.verbose):
            title = f"marrow reduce {request.title}"
            return LiveProgress(self._say, title, tokens, length, keys=keys_work())
        return LineProgress(self._say, tokens, length, verbose=request.verbose > 0)

    def _summary(self, result: Result, path: Path, source: Source, command: TestCommand) -> None:
        request = self._request
        if request.as_json:
            click.echo(json.dumps(as_json(result, request.title, path)))
        elif not request.quiet:
            echo(summary(result, path, source, command, self._again()))

    def _again(self) -> str:
        arguments = [argument for argument in sys.argv[1:] if argument != "--resume"]
        # Behind `--` there are no options.
        at = arguments.index("--") if "--" in arguments else len(arguments)
        return shlex.join(["marrow", *arguments[:at], "--resume", *arguments[at:]])

    def _note(self, line: str) -> None:
        self._say.print(line, markup=False, soft_wrap=True)


def _keys(progress: Progress, control: Control) -> contextlib.AbstractContextManager[object]:
    """Return what reads keys, where there is a display that names them."""
    if isinstance(progress, LiveProgress) and progress.keys:
        return Keyboard(functools.partial(pressed, progress, control))
    return contextlib.nullcontext()
