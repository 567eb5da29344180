"""One `marrow produce`, from the request to the exit code."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from marrow.abstraction.compact_form import compact
from marrow.abstraction.pattern import Pattern
from marrow.abstraction.producer import Producer, Verified, verify
from marrow.abstraction.pytest_module import pytest_module
from marrow.abstraction.sampling import Sample
from marrow.cli.console import echo
from marrow.cli.exits import CliError, Exit
from marrow.cli.interruption import Interruption
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
from marrow.syntax.languages import SUFFIXES

_SAID: Final = {
    Verdict.INTERESTING: "fails",
    Verdict.NOT_INTERESTING: "passes",
    Verdict.UNRESOLVED: "not valid",
    Verdict.TIMEOUT: "timed out",
}


@dataclass(frozen=True, slots=True)
class ProduceRequest:
    """What the user asked `marrow produce` for."""

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

    @property
    def verifies(self) -> bool:
        """Whether there is a test."""
        return self.test is not None or self.shell is not None

    def check(self) -> None:
        """Raise `CliError` where the options contradict each other."""
        if self.test is not None and self.shell is not None:
            raise CliError(Exit.USAGE, "--verify and --shell exclude each other\nGive one test.")
        for name, given in (
            ("--pytest", self.pytest_path),
            ("--unresolved-if", self.unresolved_if),
            ("--sandbox", self.sandbox or None),
        ):
            if given is not None and not self.verifies:
                raise CliError(
                    Exit.USAGE, f"{name} needs a test\nGive one with --verify or --shell."
                )
        if self.suffix is not None and os.sep in self.suffix:
            raise CliError(Exit.USAGE, "--suffix is part of a file's name\nGive one as .lua is.")


class ProduceRun:
    """One `marrow produce`."""

    def __init__(self, request: ProduceRequest, interruption: Interruption) -> None:
        self._request: Final = request
        self._interruption: Final = interruption

    def run(self) -> Exit:
        """Do it all; raise `CliError` with a message where something is wrong."""
        request = self._request
        pattern = pattern_of(request.pattern_path)
        command = self._command()
        try:
            samples = Producer(pattern, request.seed).inputs(request.number)
        except (GrammarError, ParseError) as error:
            raise unusable(request.pattern_path, error) from error
        if request.output is not None:
            self._write(request.output, pattern, samples)
        verified = None
        if command is not None:
            try:
                verified = self._verify(command, pattern, samples)
            except KeyboardInterrupt:
                return self._interruption.code
        if request.pytest_path is not None and verified is not None and command is not None:
            failing = [
                sample.text
                for sample, verdict in zip(samples, verified.verdicts, strict=True)
                if verdict is Verdict.INTERESTING
            ]
            self._write_module(request.pytest_path, pattern, failing, command)
        self._show(samples, verified)
        return Exit.DONE

    def _command(self) -> TestCommand | None:
        request = self._request
        commands = (request.shell, request.unresolved_if)
        try:
            if request.shell is not None:
                command = TestCommand.shell(request.shell)
            elif request.test is not None:
                command = TestCommand.executable(request.test)
            else:
                return None
            if request.unresolved_if is not None:
                command = command.unresolved_if(request.unresolved_if)
            command = in_sandbox(command, sandbox_if(request.sandbox, commands))
        except TestCommandError as error:
            raise CliError(Exit.TEST, str(error)) from error
        return command

    def _suffix(self, pattern: Pattern) -> str:
        if self._request.suffix is not None:
            return self._request.suffix
        return next(iter(SUFFIXES.get(pattern.grammar.name, ())), ".txt")

    def _name(self, number: int) -> str:
        return f"{number:0{len(str(self._request.number))}}"

    def _write(self, directory: Path, pattern: Pattern, samples: Sequence[Sample]) -> None:
        suffix = self._suffix(pattern)
        with _writing(directory):
            directory.mkdir(parents=True, exist_ok=True)
            if any(directory.iterdir()):
                # Files of an earlier run among those of this one would be taken for its inputs.
                raise CliError(
                    Exit.OUTPUT, f"{directory} is not empty\nGive a new directory with -o."
                )
            for number, sample in enumerate(samples, 1):
                (directory / f"{self._name(number)}{suffix}").write_bytes(sample.text)

    def _verify(self, command: TestCommand, pattern: Pattern, samples: list[Sample]) -> Verified:
        try:
            executor = CommandExecutor(
                command, f"input{self._suffix(pattern)}", self._request.jobs, adopt=True
            )
        except WorkspaceError as error:
            raise CliError(Exit.TEST, str(error)) from error
        executor.allow(self._request.timeout)
        try:
            return verify(samples, SampleTester(executor, Journal.in_memory()))
        except TestFailureError as error:
            raise CliError(Exit.TEST, str(error)) from error
        finally:
            executor.close()

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
            name=f"input{self._suffix(pattern)}",
            timeout=self._request.timeout,
        )
        with _writing(path):
            path.write_text(text, encoding="utf-8")

    def _show(self, samples: Sequence[Sample], verified: Verified | None) -> None:
        request = self._request
        if request.as_json:
            click.echo(json.dumps(as_json(request, samples, verified)))
            return
        if request.quiet:
            return
        if request.output is None and verified is None:
            for sample in samples:
                echo(printable(sample.text))
        if verified is not None and request.verbose:
            for number, verdict in enumerate(verified.verdicts, 1):
                echo(f"{self._name(number)}: {_SAID[verdict]}")
        if len(samples) < request.number:
            echo(f"the pattern has no more than {len(samples)} other inputs", err=True)
        if request.output is not None:
            echo(f"{request.output}: {len(samples)} inputs")
        if verified is not None:
            echo(summary(verified))
        if request.pytest_path is not None and verified is not None:
            echo(f"{request.pytest_path}: {verified.failing} inputs that fail")


def summary(verified: Verified) -> str:
    """Return the figures of Table 2 in a line."""
    counts = Counter(verified.verdicts)
    late = f", {counts[Verdict.TIMEOUT]} timed out" if counts[Verdict.TIMEOUT] else ""
    return (
        f"{len(verified.verdicts)} inputs: {verified.valid} valid ({verified.valid_share:.0%}), "
        f"{verified.failing} failing ({verified.failing_share:.0%} of the valid ones){late}"
    )


def as_json(
    request: ProduceRequest, samples: Sequence[Sample], verified: Verified | None
) -> dict[str, object]:
    """Return the summary for programs."""
    found: dict[str, object] = {
        "pattern": str(request.pattern_path),
        "inputs": [sample.text.decode("utf-8", "backslashreplace") for sample in samples],
        "seed": request.seed,
    }
    if verified is not None:
        found["valid"] = verified.valid
        found["failing"] = verified.failing
        found["verdicts"] = [_SAID[verdict] for verdict in verified.verdicts]
    return found


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CliError(
            Exit.OUTPUT,
            f"cannot write {path}: {error.strerror or error}\nChoose another place, or make room.",
        ) from error
