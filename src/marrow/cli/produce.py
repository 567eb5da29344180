"""`marrow produce`: new inputs from a pattern."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from marrow.abstraction.compact_form import compact
from marrow.abstraction.pattern import Pattern
from marrow.abstraction.producer import Producer, Verified, verify
from marrow.abstraction.pytest_module import pytest_module
from marrow.abstraction.sampling import Sample
from marrow.cli.console import echo
from marrow.cli.exits import CliError, Exit
from marrow.cli.inputs import Duration
from marrow.cli.interruption import interruptible
from marrow.cli.options import jobs_option, sandbox_option, unresolved_if_option
from marrow.cli.patterns import pattern_of, unusable
from marrow.cli.sandboxing import in_sandbox, sandbox_if
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.process.command import TestCommand, TestCommandError
from marrow.engine.process.workspace import WorkspaceError
from marrow.engine.search.dispatcher import TestFailureError
from marrow.engine.search.sample_tester import SampleTester
from marrow.engine.verdict import Verdict
from marrow.grammar.model.errors import ParseError
from marrow.grammar.model.rules import GrammarError
from marrow.report.plain import printable
from marrow.syntax.language_table import SUFFIXES

_EPILOG: Final = """\b
Examples:
  marrow produce crash.pattern.json -n 100 -o inputs
  marrow produce crash.pattern.json -n 100 -o inputs --verify ./test.sh
  marrow produce crash.pattern.json -n 20 --verify ./test.sh --pytest test_crash.py
  marrow produce crash.pattern.json -n 100 --verify ./test.sh --sandbox
  marrow produce crash.pattern.json -n 5             # print them

\b
--verify runs the test that the pattern was found with on every input. It exits with 0 if
the input fails, with 125 if it is not valid, otherwise if it is valid and does not fail.
More: marrow help tests, marrow help exit-codes
"""

_WORDS: Final = {
    Verdict.INTERESTING: "fails",
    Verdict.NOT_INTERESTING: "passes",
    Verdict.UNRESOLVED: "not valid",
    Verdict.TIMEOUT: "timed out",
}


@dataclass(frozen=True, slots=True)
class Production:
    """One `marrow produce`, as its options say."""

    pattern_path: Path
    number: int
    output: Path | None
    test: str | None
    shell: str | None
    unresolved_if: str | None
    pytest_path: Path | None
    suffix: str | None
    seed: int
    jobs: int
    timeout: float
    sandbox: bool
    as_json: bool
    quiet: bool
    verbose: bool

    def run(self) -> None:
        """Produce, write, verify and show; raise `CliError` where that is impossible."""
        self._check()
        pattern = pattern_of(self.pattern_path)
        command = self._command()
        try:
            samples = Producer(pattern, self.seed).inputs(self.number)
        except (GrammarError, ParseError) as error:
            raise unusable(self.pattern_path, error) from error
        if self.output is not None:
            self._write_inputs(self.output, pattern, samples)
        verified = None
        if command is not None:
            verified = self._verify(command, pattern, samples)
            if self.pytest_path is not None:
                failing = [
                    sample.text
                    for sample, verdict in zip(samples, verified.verdicts, strict=True)
                    if verdict is Verdict.INTERESTING
                ]
                self._write_module(self.pytest_path, pattern, failing, command)
        if self.as_json:
            click.echo(json.dumps(self._document(samples, verified)))
        elif not self.quiet:
            self._show(samples, verified)

    def _check(self) -> None:
        """Raise `CliError` where options contradict each other."""
        if self.test is not None and self.shell is not None:
            raise CliError(Exit.USAGE, "--verify and --shell exclude each other\nGive one test.")
        for name, given in (
            ("--pytest", self.pytest_path is not None),
            ("--unresolved-if", self.unresolved_if is not None),
            ("--sandbox", self.sandbox),
        ):
            if given and self.test is None and self.shell is None:
                raise CliError(
                    Exit.USAGE, f"{name} needs a test\nGive one with --verify or --shell."
                )
        if self.suffix is not None and os.sep in self.suffix:
            raise CliError(Exit.USAGE, "--suffix is the end of a file name\nGive one such as .lua.")

    def _command(self) -> TestCommand | None:
        try:
            if self.shell is not None:
                command = TestCommand.shell(self.shell)
            elif self.test is not None:
                command = TestCommand.executable(self.test)
            else:
                return None
            if self.unresolved_if is not None:
                command = command.unresolved_if(self.unresolved_if)
            named = (self.shell, self.unresolved_if)
            return in_sandbox(command, sandbox_if(self.sandbox, named))
        except TestCommandError as error:
            raise CliError(Exit.TEST, str(error)) from error

    def _candidate_name(self, pattern: Pattern, stem: str) -> str:
        if self.suffix is not None:
            return stem + self.suffix
        return stem + next(iter(SUFFIXES.get(pattern.language.name, ())), ".txt")

    def _number(self, number: int) -> str:
        """Return the number of an input with zeros, so that names sort as numbers do."""
        return f"{number:0{len(str(self.number))}}"

    def _write_inputs(self, directory: Path, pattern: Pattern, samples: Sequence[Sample]) -> None:
        with _writing(directory):
            directory.mkdir(parents=True, exist_ok=True)
            if any(directory.iterdir()):
                # The files of an earlier run would be taken for inputs of this one.
                raise CliError(
                    Exit.OUTPUT, f"{directory} is not empty\nGive a new directory with -o."
                )
            for number, sample in enumerate(samples, 1):
                name = self._candidate_name(pattern, self._number(number))
                (directory / name).write_bytes(sample.text)

    def _verify(self, command: TestCommand, pattern: Pattern, samples: list[Sample]) -> Verified:
        name = self._candidate_name(pattern, "input")
        with interruptible() as interruption, ExitStack() as closing:
            try:
                with interruption.held():
                    executor = CommandExecutor(command, name, self.jobs, adopt=True)
                    closing.callback(executor.close)
                executor.allow(self.timeout)
                return verify(samples, SampleTester(executor, Journal.in_memory()))
            except (WorkspaceError, TestFailureError) as error:
                raise CliError(Exit.TEST, str(error)) from error
            except KeyboardInterrupt:
                sys.exit(interruption.code)

    def _write_module(
        self, path: Path, pattern: Pattern, failing: Sequence[bytes], command: TestCommand
    ) -> None:
        script = command.script
        words = list(command.line("")[:-1])
        if script is not None:
            # The module and its script may move together.
            place = os.path.relpath(script, path.resolve().parent)
            words = [f"{{here}}/{place}" if word == str(script) else word for word in words]
        text = pytest_module(
            failing,
            words,
            pattern=compact(pattern),
            name=self._candidate_name(pattern, "input"),
            timeout=self.timeout,
        )
        with _writing(path):
            path.write_text(text, encoding="utf-8")

    def _show(self, samples: Sequence[Sample], verified: Verified | None) -> None:
        if self.output is None and verified is None:
            for sample in samples:
                echo(printable(sample.text))
        if verified is not None and self.verbose:
            for number, verdict in enumerate(verified.verdicts, 1):
                echo(f"{self._number(number)}: {_WORDS[verdict]}")
        if len(samples) < self.number:
            echo(f"the pattern has no more than {len(samples)} other inputs", err=True)
        if self.output is not None:
            echo(f"{self.output}: {len(samples)} inputs")
        if verified is not None:
            echo(_figures(verified))
        if self.pytest_path is not None and verified is not None:
            echo(f"{self.pytest_path}: {verified.failing} inputs that fail")

    def _document(self, samples: Sequence[Sample], verified: Verified | None) -> dict[str, object]:
        """Return the summary for programs."""
        found: dict[str, object] = {
            "pattern": str(self.pattern_path),
            "inputs": [sample.text.decode("utf-8", "backslashreplace") for sample in samples],
            "seed": self.seed,
        }
        if verified is not None:
            found["valid"] = verified.valid
            found["failing"] = verified.failing
            found["verdicts"] = [_WORDS[verdict] for verdict in verified.verdicts]
        return found


def _figures(verified: Verified) -> str:
    """Return the figures of the paper's Table 2 in a line."""
    counts = Counter(verified.verdicts)
    late = f", {counts[Verdict.TIMEOUT]} timed out" if counts[Verdict.TIMEOUT] else ""
    return (
        f"{len(verified.verdicts)} inputs: {verified.valid} valid ({verified.valid_share:.0%}), "
        f"{verified.failing} failing ({verified.failing_share:.0%} of the valid ones){late}"
    )


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CliError(
            Exit.OUTPUT,
            f"cannot write {path}: {error.strerror or error}\nChoose another place, or make room.",
        ) from error


@click.command("produce", epilog=_EPILOG)
@click.argument("pattern_path", metavar="PATTERN", type=click.Path(path_type=Path))
@click.option(
    "-n",
    "--number",
    metavar="N",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="How many inputs; fewer if the pattern has no more.",
)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The directory that the inputs go to, as 001.lua and so on; it must be new or empty.",
)
@click.option("--verify", "test", metavar="TEST", help="Run a test on every input.")
@click.option("--shell", metavar="COMMAND", help="The same with a shell command; $1 is the file.")
@unresolved_if_option
@click.option(
    "--pytest",
    "pytest_path",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write a test module with the inputs that fail; needs --verify or --shell.",
)
@click.option(
    "--suffix",
    metavar="S",
    help="The suffix of the inputs' names (.lua); default: that of the grammar's language.",
)
@click.option(
    "--seed", metavar="N", type=int, default=0, show_default=True, help="Another seed, others."
)
@jobs_option("How many tests run at once.")
@click.option(
    "--timeout",
    metavar="TIME",
    type=Duration(),
    default="30s",
    show_default=True,
    help="How long one test may take (30s, 2m).",
)
@sandbox_option
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("-v", "--verbose", is_flag=True, help="Print the verdict on each input.")
def produce_command(**options: Any) -> None:
    """Produce new inputs from a PATTERN that marrow abstract found.

    Every part that varies is filled anew, what must be the same with the same. The inputs are all
    different, small ones come first, and the same seed gives the same ones. Without -o they are
    printed, unless they are only verified.
    """
    Production(**options).run()
