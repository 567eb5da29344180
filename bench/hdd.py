"""The sixteen variants of HDD on C and JavaScript: the tables of the hoisting paper, our figures.

    python -m bench.hdd                          ten small inputs of our own, all variants
    python -m bench.hdd --cases js               those in JavaScript alone
    python -m bench.hdd --cases js --options '--grammar javascript'
    python -m bench.hdd --cases c-avr-registers --max-time 1800

Vince et al., "The Effect of Hoisting on Variants of Hierarchical Delta Debugging", Tables A2 to A5:
output sizes in characters that are not white space, and test executions, each with the difference
to the variant without hoisting. The inputs in bench/inputs/ are programs that real interpreters and
compilers get wrong; those of `bench.cases` work as well. Every run counts five tests that are not
candidates: the first runs on the input and an empty file, and the last check.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from bench.cases import CannotMakeError, select
from bench.cases.case import Case
from bench.cases.sources import File
from bench.runs import FailedRunError, Limits, Run, compare
from marrow.reduce.variants import VARIANTS

_INPUTS: Final = Path(__file__).resolve().parent / "inputs"


def _javascript(name: str, program: str, message: str, *measured: int) -> Case:
    """Return a case: an interpreter ends with a message, and node does not mind the program.

    The interpreter is asked first: it is the quicker one, and seldom says so.
    """
    tokens, size = measured
    script = (
        f"timeout 5 {program} input.js > said 2>&1\n"
        f"grep -q '{message}' said || exit 1\n"
        "timeout 5 node input.js > said 2>&1\n"
    )
    source = File(str(_INPUTS / f"{name}.js"))
    about = f"{program}: {message}"
    return Case(
        f"js-{name}", "input.js", "javascript", about, source, script, tokens, size,
        needs=(program, "node"),
    )  # fmt: skip


def _c(name: str, message: str, *measured: int) -> Case:
    """Return a case: clang for BPF ends with a message on a program that gcc accepts."""
    tokens, size = measured
    script = (
        "clang-14 -fno-crash-diagnostics -w -S -o out.s --target=bpf -O1 input.c > said 2>&1\n"
        f"grep -q '{message}' said || exit 1\n"
        "gcc -std=gnu99 -fsyntax-only -Werror=implicit-function-declaration -Werror=implicit-int "
        "input.c 2> said\n"
    )
    source = File(str(_INPUTS / f"{name}.c"))
    about = f"clang 14 for BPF: {message}"
    return Case(
        f"c-{name}", "input.c", "c", about, source, script, tokens, size,
        needs=("clang-14", "gcc"),
    )  # fmt: skip


CASES: Final = (
    _javascript("arguments-alias", "mujs", "Error: not the same", 339, 1272),
    _javascript("capture-reset", "mujs", "Error: stale group", 146, 641),
    _javascript("empty-loop", "mujs", "infinite loop matching the empty string", 294, 1105),
    _javascript("holes", "mujs", "RangeError: counted", 142, 522),
    _javascript("key-order", "mujs", "Error: wrong order", 622, 2409),
    _javascript("replace-before", "mujs", "Error: bad prefix", 1099, 3762),
    _javascript("replace-offset", "mujs", "Error: columns do not grow", 288, 1176),
    _javascript("stable-sort", "duk", "Error: not stable", 531, 1863),
    _c("ledger", "defined with too many args", 438, 1667),
    _c("matrix", "Unsupported dynamic stack allocation", 595, 1955),
)

#: The four families, each with its variants as the columns of a table.
_FAMILIES: Final = tuple(VARIANTS[start : start + 4] for start in range(0, len(VARIANTS), 4))

_MEASURES: Final[tuple[tuple[str, Callable[[Run], int]], ...]] = (
    ("Output sizes (non-white-space characters)", lambda run: run.after.characters),
    ("Test executions", lambda run: run.tests),
)


def main() -> int:
    """Run the variants and print the tables."""
    arguments = _arguments()
    limits = Limits(arguments.jobs, arguments.max_tests, arguments.max_time)
    options = f" {arguments.options}" if arguments.options else ""
    runs: list[Run] = []
    failed = False
    for case in _selected(arguments.cases):
        try:
            names = [variant.name + options for variant in VARIANTS]
            runs += compare([case], names, limits, on_run=_tell)
        except (CannotMakeError, FailedRunError) as error:
            print(error, file=sys.stderr)
            failed = True
    for family in _FAMILIES:
        for title, measure in _MEASURES:
            names = [variant.name + options for variant in family]
            print(f"\n{title}\n\n{table(runs, names, measure)}")
    return 1 if failed else 0


def table(runs: Sequence[Run], names: Sequence[str], measure: Callable[[Run], int]) -> str:
    """Return a Markdown table: a line a case, a column a variant, the change against the first."""
    found = {(run.case, run.runner): run for run in runs}
    cases = list(dict.fromkeys(run.case for run in runs))
    lines = [f"| case | input | {' | '.join(names)} |", "| --- " * (len(names) + 2) + "|"]
    changes: dict[str, list[float]] = {name: [] for name in names}
    for case in cases:
        row = [found.get((case, name)) for name in names]
        first = row[0]
        if first is None:
            continue
        cells = [f"{case}", f"{first.before.characters:,}"]
        for name, run in zip(names, row, strict=True):
            if run is None:
                cells.append("")
                continue
            value, base = measure(run), measure(first)
            change = 100 * (value - base) / base
            changes[name].append(change)
            stopped = " stopped" if run.stopped else ""
            cells.append(f"{value:,}{stopped}" + ("" if run is first else f" ({change:+.1f}%)"))
        lines.append(f"| {' | '.join(cells)} |")
    means = [f"{statistics.mean(changes[name]):+.1f}%" for name in names if changes[name]]
    lines.append(f"| mean | | {' | '.join(means)} |")
    return "\n".join(lines)


def _selected(names: str) -> list[Case]:
    """Return our own cases by name or language, and those of `bench.cases`."""
    chosen: list[Case] = []
    for name in names.split(","):
        language = "javascript" if name == "js" else name
        own = [case for case in CASES if name == "own" or language in (case.name, case.language)]
        chosen += own or select([name])
    return chosen


def _tell(run: Run) -> None:
    size = f"{run.before.characters:,} -> {run.after.characters:,} characters"
    print(f"{run.case} {run.runner}: {size}, {run.tests:,} tests", file=sys.stderr)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.hdd", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--cases", default="own", help="own, js, c, or names with commas")
    parser.add_argument("--options", default="", help="more options of marrow reduce, for all")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="tests at once")
    parser.add_argument("--max-tests", type=int, help="stop each run after so many tests")
    parser.add_argument("--max-time", type=float, help="stop each run after so many seconds")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
