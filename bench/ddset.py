"""DDSET on real failures: the paper's Tables 1 and 2, ours and the procedure as printed.

    python -m bench.ddset                        all failures, ours and as printed
    python -m bench.ddset lua jq                 those whose names begin so
    python -m bench.ddset --only ours --produce 1000

Gopinath et al., "Abstracting Failure-Inducing Inputs", Tables 1 and 2. Executions are those that a
single worker needs, without those of the reduction, which is the same for both; a text that was
tested before counts only once. Inputs are produced in the same way from both patterns, with
everything varied at once. The procedure as printed is stopped after `--budget` executions (marked
with +): it counts as if it had ended there, and the pattern that it had by then is not compared.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from bench.ddset_cases import FAILURES
from bench.ddset_failure import Failure
from bench.ddset_held_out import HELD_OUT
from bench.ddset_verdicts import RememberingExecutor
from marrow.abstraction.compact_form import compact, segments
from marrow.abstraction.ddset import CHECKS
from marrow.abstraction.pattern import Mark, Pattern
from marrow.abstraction.producer import Producer, Verified, verify
from marrow.abstraction.syntax import PatternLanguage
from marrow.engine.events import Answer, Event, SampleTested
from marrow.engine.journal.journal import Journal
from marrow.engine.search.limits import Limits
from marrow.engine.search.sample_tester import SampleTester
from marrow.grammar.language import Language
from marrow.grammars import grammar_path
from marrow.reducers.strategies.algorithms import DEFAULT_ALGORITHM, algorithm_of
from marrow.reducers.strategies.strategy import Strategy
from marrow.run.chosen_view import view_by_language
from marrow.run.first_runs import check_test
from marrow.run.input import text_input
from marrow.run.pattern_language import language_of_view
from marrow.run.pattern_search import find_pattern
from marrow.run.plan import Plan, Sampling
from marrow.run.run import Run
from marrow.session import answered_by_the_caller
from marrow.syntax.views import view_of

#: What issue and paper ask for: this share of valid produced inputs fails.
TARGET_FAILING: Final = 0.99
#: At most this share of the executions of the procedure as printed, on average.
TARGET_EXECUTIONS: Final = 0.25
#: As many as in the paper's Table 2.
PRODUCED: Final = 100
#: Seconds by the clock for a test. The tests limit the time of the processor themselves: only one
#: that waits for something takes as long, on a busy machine too.
TIMEOUT: Final = 60.0
#: The paper's procedure took up to 20,000 executions on its own subjects.
BUDGET: Final = 20_000


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table."""

    failure: str
    how: str
    pattern: Pattern
    verified: Verified
    executions: int

    def cells(self) -> list[str]:
        """Return what is printed."""
        pattern = self.pattern
        marks = [hole.marked.mark for hole in pattern.holes()]
        remaining = sum(
            len(one.text.strip())
            for one in segments(pattern)
            if one.mark in (Mark.CONCRETE, Mark.LEXICAL, Mark.UNKNOWN)
        )
        said = self.verified
        return [
            self.failure,
            self.how,
            str(len(pattern.tree.text.strip())),
            f"{marks.count(Mark.ABSTRACT)}/{marks.count(Mark.INVISIBLE)}",
            str(marks.count(Mark.CONTEXT_SENSITIVE)),
            str(remaining),
            f"{self.executions:,}{'+' if pattern.stopped else ''}",
            f"{said.valid_share:.0%} of {len(said.verdicts)}" if said.verdicts else "-",
            f"{said.failing_share:.1%}" if said.valid else "-",
            f"`{' '.join(compact(pattern).split())}`".replace("|", "\\|"),
        ]


_HEAD: Final = (
    "failure", "how", "chars", "visible/invisible", "groups", "remaining", "executions", "valid",
    "failing", "pattern",
)  # fmt: skip


def measure(
    failure: Failure, *, naive: bool, seed: int, number: int, budget: int, jobs: int
) -> Row:
    """Find a failure's pattern, produce inputs from it and verify them."""
    executor = RememberingExecutor(failure, jobs)
    needed = 0

    def count(event: Event) -> None:
        # Verdicts in the order of the stream: what runs ahead of its turn is not counted.
        nonlocal needed
        needed += isinstance(event, SampleTested) and event.answer is Answer.TEST

    try:
        text = failure.text.encode()
        check_test(executor, text, timeout=TIMEOUT)
        reduced = find_reduced(failure)
        limits = Limits(budget if naive else None, None)
        plan = planned(reduced, failure, checks=CHECKS, seed=seed, naive=naive, limits=limits)
        with Run(plan, count, executor=executor, trusted=True) as run:
            pattern = find_pattern(run).pattern
        samples = Producer(pattern, seed).inputs(number)
        judge = SampleTester(executor, Journal.in_memory())
        how = "printed" if naive else "ours"
        return Row(failure.name, how, pattern, verify(samples, judge), needed)
    finally:
        executor.close()


@cache
def find_reduced(failure: Failure) -> bytes:
    """Reduce a failure's input, once for both."""
    executor = RememberingExecutor(failure)
    try:
        check_test(executor, failure.text.encode(), timeout=TIMEOUT)
        plan = planned(failure.text.encode(), failure, strategy=algorithm_of(DEFAULT_ALGORITHM))
        with Run(plan, executor=executor, trusted=True) as run:
            return find_pattern(run).pattern.tree.text
    finally:
        executor.close()


def planned(
    text: bytes,
    failure: Failure,
    *,
    strategy: Strategy | None = None,
    checks: int = 1,
    seed: int = 0,
    naive: bool = False,
    limits: Limits | None = None,
) -> Plan:
    """Return the plan of a search for the pattern of a failure."""
    source = text_input(text, failure.file)
    language: PatternLanguage
    if failure.grammar:
        grammar = Language.from_file(grammar_path(failure.grammar)).self_contained
        language, view = grammar, view_by_language(grammar, source)
    else:
        # Pieces come from the input before it was reduced.
        view = view_of(failure.file, text)
        language = language_of_view(failure.text.encode(), view)
    return Plan(
        source=source,
        test=answered_by_the_caller,
        view=view,
        strategy=strategy,
        sampling=Sampling(language, checks, seed, naive, language.parse(text)),
        limits=limits or Limits(),
        identity={},
    )


def judged(rows: Sequence[Row]) -> list[str]:
    """Say whether the targets are met."""
    ours = {row.failure: row for row in rows if row.how == "ours"}
    printed = {row.failure: row for row in rows if row.how == "printed"}
    lines = []
    valid = sum(row.verified.valid for row in ours.values())
    failing = sum(row.verified.failing for row in ours.values())
    if valid:
        worst = min(
            (row for row in ours.values() if row.verified.valid),
            key=lambda row: row.verified.failing_share,
        )
        lines.append(
            f"failing: {failing} of {valid} valid inputs of ours ({failing / valid:.2%}; target "
            f"{TARGET_FAILING:.0%}); least: {worst.failure}, {worst.verified.failing_share:.1%}"
        )
    both = [name for name in ours if name in printed]
    if both:
        shares = [ours[name].executions / max(1, printed[name].executions) for name in both]
        finished = [name for name in both if not printed[name].pattern.stopped]
        lines.append(
            f"executions: {sum(shares) / len(shares):.1%} of those as printed on average (target "
            f"{TARGET_EXECUTIONS:.0%}), {sum(ours[name].executions for name in both):,} against "
            f"{sum(printed[name].executions for name in both):,} in all; at most, since "
            f"{len(both) - len(finished)} of {len(both)} runs as printed were stopped"
        )
        less = [
            name
            for name in finished
            if ours[name].verified.valid_share < printed[name].verified.valid_share
        ]
        means = [
            sum(row[name].verified.valid_share for name in finished) / max(1, len(finished))
            for row in (ours, printed)
        ]
        lines.append(
            f"valid: {means[0]:.1%} of ours, {means[1]:.1%} as printed, on average; less in: "
            + (", ".join(less) or "none")
        )
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the failures and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.ddset", description=__doc__)
    parser.add_argument("names", nargs="*", help="failures whose names begin so")
    parser.add_argument("--only", choices=("ours", "printed"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--produce", type=int, default=PRODUCED, metavar="N")
    parser.add_argument("--budget", type=int, default=BUDGET, metavar="TESTS")
    parser.add_argument("-j", "--jobs", type=int, default=2, metavar="N")
    options = parser.parse_args(arguments)
    rows: list[Row] = []
    print("| " + " | ".join(_HEAD) + " |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for failure in (*FAILURES, *HELD_OUT):
        if failure is HELD_OUT[0]:
            for line in judged(rows):
                print(line)
            print("held out: nothing was tuned on these")
            rows.clear()
        if options.names and not failure.name.startswith(tuple(options.names)):
            continue
        if missing := failure.missing():
            print(f"{failure.name}: {', '.join(missing)} not installed", file=sys.stderr)
            continue
        for how in ("ours", "printed") if failure.grammar else ("ours",):
            if options.only in (None, how):
                row = measure(
                    failure,
                    naive=how == "printed",
                    seed=options.seed,
                    number=options.produce,
                    budget=options.budget,
                    jobs=options.jobs,
                )
                rows.append(row)
                print("| " + " | ".join(row.cells()) + " |", flush=True)
    print()
    for line in judged(rows):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
