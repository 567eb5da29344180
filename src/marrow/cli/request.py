"""What the user asked `marrow reduce` for, and whether it can be done."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from marrow.cli.exits import CliError, Exit
from marrow.cli.question import Question
from marrow.reduce.pipeline import Pipeline
from marrow.reduce.settings import Settings


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for."""

    input_path: Path
    test: str | None
    shell: str | None
    question: Question
    output: Path | None
    in_place: bool
    jobs: int
    language: str | None
    grammar: str | None
    start: str | None
    algorithm: str | None
    pipeline: Pipeline
    settings: Settings
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

    def originals(self) -> Iterator[Path]:
        """Yield where originals may be that were written over in place."""
        for path in sorted(self.input_path.parent.iterdir()):
            if path.name.startswith(f"{self.input_path.name}.orig") and path.is_file():
                yield path

    def check(self) -> None:
        """Raise `CliError` where the options contradict each other."""
        if self.in_place and self.output is not None:
            raise CliError(
                Exit.USAGE,
                "--in-place and -o exclude each other\n"
                "Leave out -o to write over the input, or --in-place to leave it alone.",
            )
        given = (self.test is not None, self.shell is not None, bool(self.question.commands))
        if sum(given) != 1:
            raise CliError(
                Exit.USAGE,
                "give one test: the path of an executable behind the input, a shell command with "
                "--shell,\nor the command that fails behind --: marrow reduce INPUT -- COMMAND {}\n"
                "`marrow reduce --help` has examples; `marrow init` writes a test to start from.",
            )

    def check_output(self) -> None:
        """Raise `CliError` where the result cannot be written, before any test is run."""
        path = self.output_path
        try:
            self._check_output(path)
        except OSError as error:
            raise CliError(
                Exit.OUTPUT,
                f"cannot write the result to {path}: {error.strerror or error}\n"
                "Choose another place with -o.",
            ) from error

    def _check_output(self, path: Path) -> None:
        parent = path.absolute().parent
        if not parent.is_dir():
            raise CliError(
                Exit.OUTPUT,
                f"there is no directory {parent} for the result\n"
                "Make it, or choose another place with -o.",
            )
        if path.is_dir():
            raise CliError(
                Exit.OUTPUT,
                f"cannot write the result to {path}: it is a directory\n"
                f"Name a file in it: -o {path}/{self.input_path.name}",
            )
        if path.exists():
            self._check_existing(path)
        if not os.access(parent, os.W_OK | os.X_OK):
            raise CliError(
                Exit.OUTPUT,
                f"cannot write the result to {path}: no right to write in {parent}\n"
                "Choose another place with -o.",
            )

    def _check_existing(self, path: Path) -> None:
        if not path.is_file():
            raise CliError(
                Exit.OUTPUT,
                f"cannot write the result to {path}: it is not a regular file\n"
                "Choose another place with -o.",
            )
        if self.in_place:
            return
        if path.samefile(self.input_path):
            raise CliError(
                Exit.USAGE,
                f"the result would be written over the input {self.input_path}\n"
                "Say --in-place if you want that (the original is kept), or choose another -o.",
            )
        if self.test is not None and Path(self.test).exists() and path.samefile(self.test):
            raise CliError(
                Exit.USAGE,
                f"the result would be written over the test {self.test}\nChoose another -o.",
            )
