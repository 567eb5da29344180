"""`marrow produce`: new inputs from a pattern."""

from __future__ import annotations

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from marrow.abstraction.producer import Producer, Verified, verify
from marrow.abstraction.samples import Sample
from marrow.base.errors import UsageError, error_text, os_errors
from marrow.cli.commands.match import pattern_of, unusable
from marrow.cli.console import echo
from marrow.cli.interruption import interruptible
from marrow.cli.records import print_record
from marrow.cli.run_options import GroupedCommand, run_options, values_of
from marrow.engine.search.sample_tester import SampleTester
from marrow.engine.verdict import Verdict
from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.model.rules import GrammarError
from marrow.languages.recognition import suffixes_of
from marrow.report.plain import printable
from marrow.run.options.options import ProduceOptions
from marrow.run.output.output_file import OutputError, OutputFile
from marrow.run.plan.plan import Plan, plan_samples
from marrow.run.run import Run
from marrow.schemas import tag

# How long a test may take, in seconds, unless the user says so: no input was measured.
_TIMEOUT: Final = 30.0

_WORDS: Final = {
    Verdict.INTERESTING: "fails",
    Verdict.NOT_INTERESTING: "passes",
    Verdict.UNRESOLVED: "not valid",
    Verdict.TIMEOUT: "timed out",
}


class ProduceRun:
    """One `marrow produce`, as its options say."""

    def __init__(self, pattern_path: Path, values: Mapping[str, Any]) -> None:
        """Raise an error where options contradict each other, or there is no pattern."""
        self.values: Final = values
        self.output: Final[Path | None] = values["output"]
        self.timeout: Final[float] = values["timeout"] or _TIMEOUT
        self.tested: Final = values["verify"] is not None or values["shell"] is not None
        if values["verify"] is not None and values["shell"] is not None:
            raise UsageError("⟦verify⟧ and ⟦shell⟧ exclude each other\nGive one test.")
        for name in ("unresolved_if", "sandbox"):
            if values[name] and not self.tested:
                raise UsageError(f"⟦{name}⟧ needs a test\nGive one with ⟦verify⟧ or ⟦shell⟧.")
        suffix: str | None = values["suffix"]
        if suffix is not None and os.sep in suffix:
            raise UsageError("⟦suffix⟧ is the end of a file name\nGive one such as .lua.")
        self.pattern_path: Final = pattern_path
        self.pattern: Final = pattern_of(pattern_path)
        if suffix is None:
            suffix = next(iter(suffixes_of(self.pattern.language.name)), ".txt")
        self.suffix: Final[str] = suffix
        # Who may not read the pattern may not read what is made of it.
        self.rights: Final = pattern_path.stat().st_mode & 0o666

    def run(self) -> None:
        """Produce, write, verify and show; raise an error where that is impossible."""
        values, plan = self.values, None
        if self.tested:
            plan = plan_samples(f"input{self.suffix}", values["verify"], values, self.timeout)
        try:
            self.producer = Producer(self.pattern, values["seed"])
            samples = self.producer.inputs(values["number"])
        except (GrammarError, ParseError) as error:
            raise unusable(self.pattern_path, error) from error
        if self.output is not None:
            self._write_inputs(self.output, samples)
        verified = None if plan is None else self._verify(plan, samples)
        if values["as_json"]:
            print_record(self._document(samples, verified))
        elif not values["quiet"]:
            self._show(samples, verified)

    def _number(self, number: int) -> str:
        """Return the number of an input with zeros, so that names sort as numbers do."""
        return f"{number:0{len(str(self.values['number']))}}"

    def _write_inputs(self, directory: Path, samples: Sequence[Sample]) -> None:
        advice = "Choose another place, or make room."
        with os_errors(OutputError, f"cannot write {directory}", advice):
            directory.mkdir(self.rights | self.rights >> 2 & 0o111, parents=True, exist_ok=True)
            filled = any(directory.iterdir())
        if filled and not self.values["force"]:
            # The files of an earlier run would be taken for inputs of this one.
            raise OutputError(error_text("directory_not_empty", directory=directory))
        for number, sample in enumerate(samples, 1):
            name = f"{self._number(number)}{self.suffix}"
            OutputFile(directory / name, self.rights).write(sample.text)

    def _verify(self, plan: Plan, samples: list[Sample]) -> Verified:
        """Run the test on the samples."""
        with interruptible() as interruption:
            run = Run(plan, trusted=True, own_process=True, before_close=interruption.shield)
            try:
                with interruption.held():
                    run.open()
                with contextlib.closing(run):
                    return verify(samples, SampleTester(run.executor, run.journal))
            except KeyboardInterrupt:
                sys.exit(interruption.code)

    def _show(self, samples: Sequence[Sample], verified: Verified | None) -> None:
        if self.output is None and verified is None:
            for sample in samples:
                echo(printable(sample.text))
        if verified is not None and self.values["verbose"]:
            for number, verdict in enumerate(verified.verdicts, 1):
                echo(f"{self._number(number)}: {_WORDS[verdict]}")
        if len(samples) < self.values["number"]:
            said = "there are no more" if self.producer.exhausted else "no others were found"
            echo(f"{len(samples)} inputs; {said}", err=True)
        if self.output is not None:
            echo(f"{self.output}: {len(samples)} inputs")
        if verified is not None:
            echo(_figures(verified))

    def _document(self, samples: Sequence[Sample], verified: Verified | None) -> dict[str, object]:
        """Return the summary for programs."""
        found: dict[str, object] = {
            "schema": tag("inputs"),
            "pattern": str(self.pattern_path),
            "inputs": [sample.text.decode("utf-8", "backslashreplace") for sample in samples],
            "seed": self.values["seed"],
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


@click.command(
    "produce",
    cls=GroupedCommand,
    first=("number", "output", "verify", "suffix", "seed"),
)
@click.argument("pattern_path", metavar="PATTERN", type=click.Path(path_type=Path))
@run_options(ProduceOptions)
def produce_command(pattern_path: Path, **given: Any) -> None:
    """Produce new inputs from a PATTERN that marrow abstract found.

    Every placeholder of the pattern gets a new text; placeholders of one name get the same. All
    inputs differ, small ones come first, and the same seed gives the same inputs. Without -o and
    --verify they are printed.
    """
    ProduceRun(pattern_path, values_of("produce", given, pattern_path)).run()
