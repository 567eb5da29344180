"""What the user asked `marrow reduce` for, and whether it can be done."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from marrow.cli.exits import CliError, Exit
from marrow.cli.question import Question
from marrow.engine.executors.quorum import Quorum
from marrow.reducers.pipeline import Pipeline
from marrow.reducers.settings import Settings


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for."""

    inputs: tuple[Path, ...]
    test: str | None
    shell: str | None
    question: Question
    output: Path | None
    in_place: bool
    jobs: int | None
    executor: str | None
    scheduler: str | None
    ship: tuple[Path, ...]
    keep: tuple[str, ...]
    language: str | None
    grammar: str | None
    start: str | None
    algorithm: str | None
    pipeline: Pipeline
    settings: Settings
    timeout: float | None
    memory: int | None
    sandbox: bool
    max_tests: int | None
    max_time: float | None
    quorum: Quorum | None
    allow_empty: bool
    resume: bool
    as_json: bool
    report: Path | None
    quiet: bool
    verbose: int

    @property
    def input_path(self) -> Path:
        """The input, or the first of several."""
        return self.inputs[0]

    @property
    def workers(self) -> int:
        """How many tests run at once on this machine."""
        return self.jobs or os.cpu_count() or 1

    @property
    def on_cluster(self) -> bool:
        """Whether tests run on a cluster."""
        return self.executor == "dask" or self.scheduler is not None

    @property
    def several(self) -> bool:
        """Whether the input is a set of files."""
        # Not `Path.is_dir`, which does not take a name that is too long.
        return len(self.inputs) > 1 or os.path.isdir(self.input_path)

    @property
    def commands(self) -> tuple[str | None, ...]:
        """All that was said of the test, as far as it may name files."""
        words = (word for command in self.question.commands for word in command)
        return (self.shell, *self.question.guards, *words)

    @property
    def title(self) -> str:
        """The input in a few words."""
        more = len(self.inputs) - 1
        return f"{self.input_path} and {more} more" if more else str(self.input_path)

    @property
    def output_path(self) -> Path:
        """Where the result goes."""
        if self.in_place:
            return self.input_path
        if self.output is not None:
            return self.output
        path = self.input_path
        if path.name in ("", ".."):
            path = Path(os.path.abspath(path))
        if path.is_dir():
            return path.with_name(f"{path.name}.reduced")
        return path.with_name(f"{path.stem}.reduced{'' if self.several else path.suffix}")

    @property
    def journal_path(self) -> Path:
        """Where the journal is."""
        return self.output_path.with_name(self.output_path.name + ".marrow")

    def check(self) -> None:
        """Raise `CliError` where the options contradict each other."""
        if self.in_place and self.output is not None:
            raise CliError(
                Exit.USAGE,
                "--in-place and -o exclude each other\n"
                "Leave out -o to write over the input, or --in-place to leave it alone.",
            )
        if self.scheduler is not None and self.executor == "local":
            raise CliError(
                Exit.USAGE,
                "--executor local runs tests on this machine, --scheduler on a cluster\n"
                "Leave one of them out.",
            )
        if self.ship and not self.on_cluster:
            raise CliError(
                Exit.USAGE,
                "--ship brings files to the workers of a cluster, and there is none\n"
                "Say --scheduler ADDRESS, or leave it out: here the test finds its files itself.",
            )
        if self.several:
            self._check_several()
        elif self.keep:
            raise CliError(
                Exit.USAGE,
                "--keep names files of a set that must stay as they are\n"
                "There is only one file to reduce: leave --keep out.",
            )
        given = (self.test is not None, self.shell is not None, bool(self.question.commands))
        if sum(given) != 1:
            raise CliError(
                Exit.USAGE,
                "give one test: the path of an executable behind the input, a shell command with "
                "--shell,\nor the command that fails behind --: marrow reduce INPUT -- COMMAND {}\n"
                "`marrow reduce --help` has examples; `marrow init` writes a test to start from.",
            )

    def _check_several(self) -> None:
        if self.language is not None or self.grammar is not None:
            raise CliError(
                Exit.USAGE,
                "--language and --grammar are for one file: in a set each file has its own\n"
                "Leave them out; --keep GLOB leaves files as they are.",
            )
        if self.in_place and len(self.inputs) > 1:
            raise CliError(
                Exit.USAGE,
                "--in-place is for one file or one directory\n"
                "Give the directory that the files are in, or let the result go to another: -o DIR",
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
        if self.several:
            self._check_directory(path)
        elif path.is_dir():
            raise CliError(
                Exit.OUTPUT,
                f"cannot write the result to {path}: it is a directory\n"
                f"Name a file in it: -o {path}/{self.input_path.name}",
            )
        elif path.exists():
            self._check_existing(path)
        if not os.access(parent, os.W_OK | os.X_OK):
            raise CliError(
                Exit.OUTPUT,
                f"cannot write the result to {path}: no right to write in {parent}\n"
                "Choose another place with -o.",
            )

    def _check_directory(self, path: Path) -> None:
        if path.exists() and not path.is_dir():
            raise CliError(
                Exit.OUTPUT,
                f"cannot write the result to {path}: it is not a directory\n"
                "The result of several files is a directory; choose another place with -o.",
            )
        place = path.resolve()
        for one in () if self.in_place else self.inputs:
            inside = one.resolve()
            if one.is_dir() and (place == inside or inside in place.parents):
                raise CliError(
                    Exit.USAGE,
                    f"the result would be written into the input {one}\n"
                    "Say --in-place if you want that (the original is kept), or choose another -o.",
                )
            if place in inside.parents:
                raise CliError(
                    Exit.USAGE,
                    f"the result would take the place of the directory that {one} is in\n"
                    "Choose another -o.",
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
