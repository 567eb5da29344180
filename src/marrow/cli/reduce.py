"""`marrow reduce`: cut a failing input down."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from marrow.cli.exits import EXIT_CODES, CliError, Exit
from marrow.cli.inputs import Duration, Size, choose_view, read_input
from marrow.cli.interruption import Interruption, interruptible
from marrow.cli.messages import as_json, summary, unfit_message
from marrow.engine.command import CommandExecutor, TestCommand, TestCommandError
from marrow.engine.events import LateListener
from marrow.engine.journal import Journal, JournalError, digest, discard, is_unfinished
from marrow.engine.output import OutputError, OutputFile
from marrow.engine.scheduler import Limits, StopReductionError
from marrow.reduce.algorithms import ALGORITHMS, DEFAULT_ALGORITHM
from marrow.reduction import Checked, Reduction, Result, UnfitTestError, check_test
from marrow.report.progress import LineProgress, LiveProgress, Progress
from marrow.syntax.choose import View

_EPILOG = f"""\b
Examples:
  marrow reduce crash.c ./test.sh
  marrow reduce big.js --shell 'node "$1" 2>&1 | grep -q "TypeError: x is not"'
  marrow reduce query.sql ./test.sh -o small.sql -j 4 --max-time 10m
  marrow reduce crash.c ./test.sh --resume

\b
The test is started in an empty directory of its own with the candidate in it, under
the name of the input; its path is also the first argument. It exits with 0 if the
candidate still shows the failure, with 125 if it is not a valid input, with anything
else if not. Scripts for C-Reduce, C-Vise, Perses, Picireny and Shrink Ray work.

{EXIT_CODES}"""


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for."""

    input_path: Path
    test: str | None
    shell: str | None
    output: Path | None
    in_place: bool
    jobs: int
    language: str | None
    algorithm: str
    seed: int
    timeout: float | None
    memory: int | None
    max_tests: int | None
    max_time: float | None
    allow_empty: bool
    resume: bool
    as_json: bool
    quiet: bool
    verbose: int

    @property
    def output_path(self) -> Path:
        """Where the result goes."""
        if self.in_place:
            return self.input_path
        if self.output is not None:
            return self.output
        return self.input_path.with_name(f"{self.input_path.stem}.reduced{self.input_path.suffix}")

    @property
    def journal_path(self) -> Path:
        """Where the journal is."""
        return self.output_path.with_name(self.output_path.name + ".marrow")

    @property
    def original_path(self) -> Path:
        """Where the original input is kept when it is written over."""
        return self.input_path.with_name(self.input_path.name + ".orig")


@click.command("reduce", epilog=_EPILOG)
@click.argument("input_path", metavar="INPUT", type=click.Path(path_type=Path))
@click.argument("test", metavar="[TEST]", required=False)
@click.option("--shell", metavar="COMMAND", help="Use a shell command as the test; $1 is the file.")
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    type=click.Path(path_type=Path),
    help="Where the result goes; default: NAME.reduced.EXT beside INPUT.",
)
@click.option(
    "--in-place", is_flag=True, help="Write over INPUT; the original stays as INPUT.orig."
)
@click.option(
    "-j",
    "--jobs",
    metavar="N",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="all cores",
    help="How many tests run at once. The result does not depend on it.",
)
@click.option("-l", "--language", metavar="L", help="The language, if the file name does not tell.")
@click.option(
    "--algorithm",
    metavar="NAME",
    default=DEFAULT_ALGORITHM,
    show_default=True,
    type=click.Choice(sorted(ALGORITHMS)),
    help="Which algorithm: "
    + "; ".join(f"{a.name}: {a.description}" for a in ALGORITHMS.values())
    + ".",
)
@click.option(
    "--seed",
    metavar="N",
    type=int,
    default=0,
    show_default=True,
    help="For algorithms that draw lots.",
)
@click.option(
    "--timeout",
    metavar="TIME",
    type=Duration(),
    help="How long one test may take (30s, 2m); default: ten times the first run.",
)
@click.option("--memory", metavar="SIZE", type=Size(), help="Limit a test's memory (512M, 2G).")
@click.option("--max-tests", metavar="N", type=click.IntRange(min=1), help="Stop after N tests.")
@click.option("--max-time", metavar="TIME", type=Duration(), help="Stop after this time (10m, 2h).")
@click.option("--allow-empty", is_flag=True, help="Do not mind a test that likes an empty file.")
@click.option("--resume", is_flag=True, help="Go on with an earlier run; no test is run twice.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the summary as JSON on standard output."
)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@click.option(
    "-v", "--verbose", count=True, help="Print every success with its change, every test."
)
def reduce_command(**options: Any) -> None:
    """Cut INPUT down to a much smaller file on which TEST still exits with 0.

    INPUT is never changed, unless you ask for it. The best result so far is on disk at any time;
    Ctrl-C stops and keeps it, and --resume goes on later.
    """
    request = Request(**options)
    if request.in_place and request.output is not None:
        raise CliError(Exit.USAGE, "--in-place and -o exclude each other")
    if (request.test is None) == (request.shell is None):
        raise CliError(
            Exit.USAGE,
            "give one test: the path of an executable behind the input, or a command with --shell\n"
            "`marrow reduce --help` has examples.",
        )
    with interruptible() as interruption:
        code = ReduceRun(request).run(interruption)
    if code is not Exit.DONE:
        sys.exit(code)


class ReduceRun:
    """One `marrow reduce`, from the command line to the exit code."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._say = Console(stderr=True, quiet=request.quiet, highlight=False)

    def run(self, interruption: Interruption) -> Exit:
        """Do it all; raise `CliError` with a message where something is wrong."""
        request = self._request
        text = self._read()
        view = choose_view(request.input_path, text, request.language)
        command = self._command()
        output = OutputFile(request.output_path, request.input_path.stat().st_mode)
        executor = CommandExecutor(command, request.input_path.name, request.jobs, adopt=True)
        try:
            checked = self._check(executor, command, text)
            self._note(f"{request.input_path}: {view.counter.description}, {len(text):,} bytes")
            if view.note:
                self._note(f"note: {view.note}")
            self._note(
                f"the test takes {checked.slowest:.2f} s on the input; a candidate may take "
                f"{checked.timeout:.0f} s (--timeout changes that)"
            )
            journal = self._journal(text, command)
            try:
                return self._reduce(text, view, executor, journal, output, interruption)
            finally:
                journal.close()
        except KeyboardInterrupt:
            self._note("stopped before anything was changed")
            return interruption.code
        except OutputError as error:
            raise CliError(Exit.OUTPUT, str(error)) from error
        finally:
            executor.close()

    def _read(self) -> bytes:
        request = self._request
        if request.in_place and request.resume and request.original_path.exists():
            return read_input(request.original_path)
        return read_input(request.input_path)

    def _command(self) -> TestCommand:
        request = self._request
        try:
            if request.shell is not None:
                return TestCommand.shell(request.shell, memory=request.memory)
            return TestCommand.executable(request.test or "", memory=request.memory)
        except TestCommandError as error:
            raise CliError(Exit.TEST, str(error)) from error

    def _check(self, executor: CommandExecutor, command: TestCommand, text: bytes) -> Checked:
        request = self._request
        try:
            return check_test(
                executor, text, timeout=request.timeout, allow_empty=request.allow_empty
            )
        except UnfitTestError as error:
            code, message = unfit_message(error, command, request.input_path)
            raise CliError(code, message) from error
        except StopReductionError as error:
            raise CliError(Exit.TEST, str(error)) from error

    def _journal(self, text: bytes, command: TestCommand) -> Journal:
        request = self._request
        identity = {"input": digest(text).hex(), "test": command.fingerprint()}
        path = request.journal_path
        if not request.resume and is_unfinished(path):
            self._note(
                f"note: an earlier run was not finished; it could go on with --resume. Starting "
                f"anew; its journal is kept as {path}~"
            )
            with contextlib.suppress(OSError):
                discard(Path(f"{path}~"))
                path.replace(f"{path}~")
        try:
            journal = Journal(path, identity, resume=request.resume)
        except JournalError as error:
            raise CliError(Exit.JOURNAL, str(error)) from error
        journal.note("seed", str(request.seed))
        if request.resume:
            self._note(f"going on with {journal.size:,} known verdicts of {path}")
        return journal

    def _reduce(
        self,
        text: bytes,
        view: View,
        executor: CommandExecutor,
        journal: Journal,
        output: OutputFile,
        interruption: Interruption,
    ) -> Exit:
        request = self._request
        self._prepare_output(output)
        limits = Limits(request.max_tests, request.max_time)
        algorithm = ALGORITHMS[request.algorithm]
        listener = LateListener()
        reduction = Reduction(text, view, algorithm, executor, journal, listener, limits)
        output.write(text)
        with self._progress(reduction.tokens_before, len(text)) as progress:
            listener.target = progress
            result = reduction.run(output.write)
        interrupted = result.stopped == "interrupted"
        if not interrupted:
            reduction.verify(result)
        output.write(result.text)
        self._summary(result, output.path)
        if interrupted:
            return interruption.code
        if not result.verified and result.tokens_after < result.tokens_before:
            raise CliError(
                Exit.FLAKY,
                f"the test is not interesting on the result {output.path} when run once more\n"
                "The test is flaky: run it several times on the same file to see it.",
            )
        return Exit.DONE

    def _prepare_output(self, output: OutputFile) -> None:
        """Keep what the result would write over."""
        request = self._request
        if request.in_place:
            if not (request.resume and request.original_path.exists()):
                output.keep_old(".orig")
        elif not request.resume:
            kept = output.keep_old()
            if kept is not None:
                self._note(f"note: {output.path} was there already; it is kept as {kept}")

    def _progress(self, tokens: int, length: int) -> Progress:
        request = self._request
        if request.quiet:
            return Progress(tokens, length)
        if self._say.is_terminal and not request.verbose:
            return LiveProgress(self._say, f"marrow reduce {request.input_path}", tokens, length)
        return LineProgress(self._say, tokens, length, verbose=request.verbose > 0)

    def _summary(self, result: Result, path: Path) -> None:
        request = self._request
        if request.as_json:
            click.echo(json.dumps(as_json(result, request.input_path, path)))
        elif not request.quiet:
            click.echo(summary(result, path, self._by_hand(path), self._again()))

    def _by_hand(self, path: Path) -> str:
        request = self._request
        if request.shell is not None:
            return f"sh -c {shlex.quote(request.shell)} sh {shlex.quote(str(path))}; echo $?"
        test = request.test or ""
        start = "" if "/" in test else "./"
        return f"{start}{shlex.quote(test)} {shlex.quote(str(path))}; echo $?"

    def _again(self) -> str:
        arguments = [argument for argument in sys.argv[1:] if argument != "--resume"]
        return shlex.join(["marrow", *arguments, "--resume"])

    def _note(self, line: str) -> None:
        self._say.print(line, markup=False, soft_wrap=True)
