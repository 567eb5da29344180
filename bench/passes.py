"""What each pass of the pipeline costs and brings, and whether the result stays when reduced again.

    python -m bench.passes --cases js-mujs-33,go
    python -m bench.passes --cases all --max-time 300

Tests are those in stream order that no earlier verdict answered: what a run with one worker makes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench.cases import CannotMakeError, Prepared, prepare, select
from bench.cases.measure import measure
from bench.verdicts import share
from marrow import reduce
from marrow.engine.events import Accepted, Answer, Event, Tried

#: The words with which each pass tells what it does; perses has many, and is what is left.
PHASES: Final = {
    "removing comments and blank lines": "comments",
    "shortening names": "short-names",
    "compacting the layout": "compact",
    "deleting by name": "names",
    "deleting with what is left alone": "orphans",
    "rewriting": "rewrites",
    "replacing by less": "less",
    "shortening numbers": "numbers",
    "shortening strings": "strings",
    "deleting in windows": "windows",
    "deleting tokens": "tokens",
    "deleting what is alike": "alike",
    "deleting what the parser wants": "unparsed",
    "merging names": "merge",
    "replacing identifiers": "identifiers",
}


@dataclass(slots=True)
class Account:
    """What passes did in one run or several: tests, successes, tokens removed."""

    tests: Counter[str] = field(default_factory=Counter)
    successes: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    left: int = 0

    def listen(self, event: Event) -> None:
        """Count an event."""
        if isinstance(event, Tried) and event.answer is Answer.TEST:
            self.tests[_pass_of(event.attempt.phase)] += 1
        elif isinstance(event, Accepted):
            name = _pass_of(event.phase)
            self.successes[name] += 1
            self.tokens[name] += self.left - event.tokens
            self.left = event.tokens

    def add(self, other: Account) -> None:
        """Add the counts of another run."""
        self.tests += other.tests
        self.successes += other.successes
        self.tokens += other.tokens

    def table(self) -> str:
        """Return a Markdown table, what brings most for a test first."""
        rows = ["| pass | tests | successes | tokens removed | tokens for 100 tests |"]
        rows.append("| --- | --- | --- | --- | --- |")

        def rate(name: str) -> float:
            return 100 * self.tokens[name] / max(1, self.tests[name])

        for name in sorted(self.tests, key=rate, reverse=True):
            counts = f"{self.tests[name]:,} | {self.successes[name]:,} | {self.tokens[name]:,}"
            rows.append(f"| {name} | {counts} | {rate(name):.1f} |")
        return "\n".join(rows)


def main() -> int:
    """Run the cases; exit with 1 if one could not be made or its result did not stay."""
    parser = argparse.ArgumentParser(prog="python -m bench.passes", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--cases", default="all", help="names and languages, with commas")
    parser.add_argument("--max-time", type=float, help="seconds for each run")
    arguments = parser.parse_args()
    total, good = Account(), True
    for case in select(arguments.cases.split(",")):
        try:
            made = prepare(case)
        except CannotMakeError as error:
            print(error, file=sys.stderr)
            good = False
            continue
        good = _run(made, arguments.max_time, total) and good
    print(total.table())
    return 0 if good else 1


def _pass_of(phase: str) -> str:
    return PHASES.get(phase, "perses")


def _run(made: Prepared, seconds: float | None, total: Account) -> bool:
    """Reduce a case, and its result again; return whether that changed nothing."""
    original = made.input.read_bytes()
    before = _tokens(made, original)
    account = Account(left=before)
    text = _reduced(made, original, seconds, account)
    total.add(account)
    stays = text is not None and _reduced(made, text, seconds, Account()) == text
    state = "stopped" if text is None else "stays" if stays else "changes when reduced again"
    print(f"{made.case.name}: {before:,} -> {account.left:,} tokens, {state}", file=sys.stderr)
    return stays


def _tokens(made: Prepared, text: bytes) -> int:
    return measure(text, made.case.file, made.case.language).tokens


def _reduced(made: Prepared, text: bytes, seconds: float | None, account: Account) -> bytes | None:
    """Return what is left of a text, None if a limit stopped it; note what the passes did."""
    with tempfile.TemporaryDirectory(prefix="bench-") as place:
        result = reduce(
            text,
            str(share(made, Path(place)).test),
            name=made.case.file,
            language=made.case.language,
            max_seconds=seconds,
            on_event=account.listen,
        )
    return None if result.stopped else result.text


if __name__ == "__main__":
    sys.exit(main())
