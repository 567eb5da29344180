"""DDSET on real failures: ours with several seeds, beside the procedure as printed.

    python -m bench.ddset                        all failures, five seeds, 300 inputs produced
    python -m bench.ddset lua jq                 those whose names begin so
    python -m bench.ddset --no-printed --seeds 1 --produce 100
    python -m bench.ddset --rows ddset.rows      keep each search, and go on where a run was stopped
    python -m bench.ddset --rows ddset.rows --show
    python -m bench.ddset --without-grammar      failures that have a grammar, as if they had none

Gopinath et al., "Abstracting Failure-Inducing Inputs", Tables 1 and 2. Tests are those that a
single worker needs, without those of the reduction, which is the same for both. A text that was
tested before costs ours nothing; the procedure as printed runs it again. Inputs are produced from
the first seed's pattern, with everything varied at once; near samples are all those near the input,
one part varied at a time. Steady is how many seeds gave the same pattern, up to names. The
procedure as printed is stopped after `--budget` tests (marked with +): it counts as if it had ended
there.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from bench.ddset_cases import FAILURES
from bench.ddset_failure import Failure
from bench.ddset_held_out import HELD_OUT
from bench.ddset_looked_at import LOOKED_AT
from bench.ddset_measure import measure, measure_printed, measure_seed
from bench.ddset_parser_cases import PARSER_FAILURES
from bench.ddset_rows import PrintedRun, Row, Rows, SeedRun, code_version
from marrow.languages.recognition import language_of
from marrow.run.test.check_test import NotInterestingError

#: What the issue asks for: of the valid produced inputs, and of the valid near samples, fail.
TARGET_FAILING: Final = 0.99
#: Of the produced inputs are valid, in the mean and at worst.
TARGET_VALID: Final = (0.95, 0.85)
#: At most this share of the tests of the procedure as printed, in total.
TARGET_TESTS: Final = 0.10
#: At least this share of the failures gives one pattern with all seeds.
TARGET_STEADY: Final = 0.80
#: Enough for a lower bound of 99%.
PRODUCED: Final = 300
SEEDS: Final = 5
#: The paper's procedure took up to 20,000 executions on its own subjects.
BUDGET: Final = 20_000

_HEAD: Final = (
    "failure", "chars", "visible/invisible", "groups", "remaining", "tests", "printed", "valid",
    "failing", "at least", "near", "steady", "pattern",
)  # fmt: skip


def judged(rows: Sequence[Row]) -> list[str]:
    """Say whether the targets are met."""
    lines = []
    varied = [one for one in rows if one.valid]
    if varied:
        shares = [one.valid_share for one in varied]
        least = min(varied, key=lambda one: one.valid_share)
        lines.append(
            f"valid: {sum(shares) / len(shares):.1%} in the mean (target {TARGET_VALID[0]:.0%}), "
            f"{min(shares):.0%} at worst, {least.name} (target {TARGET_VALID[1]:.0%})"
        )
        worst = min(varied, key=lambda one: one.failing_share)
        lines.append(
            f"failing: {sum(one.failing for one in varied)} of "
            f"{sum(one.valid for one in varied)} valid inputs; least: "
            f"{worst.name}, {worst.failing_share:.1%} (target {TARGET_FAILING:.0%})"
        )
    near = [one for one in rows if one.near_valid]
    if near:
        worst = min(near, key=lambda one: one.near_share)
        lines.append(
            f"near: {sum(one.near_failing for one in near)} of "
            f"{sum(one.near_valid for one in near)} valid samples fail; least: "
            f"{worst.name}, {worst.near_share:.1%} (target {TARGET_FAILING:.0%})"
        )
    if rows:
        steady = sum(one.steady == one.seeds for one in rows)
        lines.append(
            f"steady: {steady} of {len(rows)} failures give one pattern with all seeds "
            f"({steady / len(rows):.0%}; target {TARGET_STEADY:.0%})"
        )
    both = [(one.name, one.tests, one.printed) for one in rows if one.printed is not None]
    if both:
        ours, theirs = (sum(row[1] for row in both), sum(row[2].tests for row in both))
        more = [name for name, tests, printed in both if tests > printed.tests]
        stopped = sum(row[2].stopped for row in both)
        lines.append(
            f"tests: {ours:,} of ours, {theirs:,} as printed, {ours / max(1, theirs):.1%} (target "
            f"{TARGET_TESTS:.0%}; at most, since {stopped} runs as printed were stopped); more in: "
            f"{', '.join(more) or 'none'}"
        )
    versions = Counter(one.version for one in rows)
    if len(versions) > 1:
        usual = versions.most_common(1)[0][0]
        others = ", ".join(one.name for one in rows if one.version != usual)
        lines.append(f"measured with other code than the rest: {others}")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the failures and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.ddset", description=__doc__)
    parser.add_argument("names", nargs="*", help="failures whose names begin so")
    parser.add_argument("--no-printed", action="store_true", help="not the procedure as printed")
    parser.add_argument("--printed-only", action="store_true", help="nothing else than that")
    parser.add_argument(
        "--without-grammar", action="store_true", help="with tree-sitter alone, where it can"
    )
    parser.add_argument("--seeds", type=int, default=SEEDS, metavar="N")
    parser.add_argument("--produce", type=int, default=PRODUCED, metavar="N")
    parser.add_argument("--budget", type=int, default=BUDGET, metavar="TESTS")
    parser.add_argument("-j", "--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="keep rows here, and go on")
    parser.add_argument("--show", action="store_true", help="only print the rows that are kept")
    options = parser.parse_args(arguments)
    kept = Rows.read(options.rows)
    version = code_version()
    for title, failures in (
        ("", (*FAILURES, *PARSER_FAILURES, *LOOKED_AT)),
        ("held out: nothing was tuned on these", HELD_OUT),
    ):
        rows: list[Row] = []
        print(f"\n{title}\n\n| " + " | ".join(_HEAD) + " |")
        print("| --- |" + " ---: |" * (len(_HEAD) - 2) + " --- |")
        for failure in failures:
            if options.names and not failure.name.startswith(tuple(options.names)):
                continue
            if options.without_grammar:
                failure = replace(failure, grammar="")
                if language_of(failure.file, failure.text.encode()) is None:
                    continue
            if not options.show:
                _measure(failure, options, kept, version)
            row = kept.row(failure.name)
            if row is not None:
                rows.append(row)
                print("| " + " | ".join(row.cells()) + " |", flush=True)
        print()
        for line in judged(rows):
            print(line, flush=True)
    return 0


def _measure(failure: Failure, options: argparse.Namespace, kept: Rows, version: str) -> None:
    """Measure what is not kept yet of a failure, if that is possible here."""
    if missing := failure.missing():
        print(f"{failure.name}: {', '.join(missing)} not installed", file=sys.stderr)
        return
    try:
        if not options.printed_only:
            row = kept.first.get(failure.name)
            if row is None or row.version != version:
                measured = measure(failure, number=options.produce, jobs=options.jobs)
                kept.keep(Row.of(measured, version))
            for seed in range(1, options.seeds):
                known = kept.others.get((failure.name, seed))
                if known is None or known.version != version:
                    found = measure_seed(failure, seed, jobs=options.jobs)
                    kept.keep(SeedRun.of(failure.name, seed, found, version))
        if failure.grammar and not options.no_printed and failure.name not in kept.printed:
            printed = measure_printed(failure, budget=options.budget, jobs=options.jobs)
            kept.keep(PrintedRun.of(failure.name, printed))
    except NotInterestingError:
        print(f"{failure.name}: the program here does not fail so", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
