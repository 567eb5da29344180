"""The sixteen variants of HDD on C and JavaScript: the tables of the hoisting paper, our figures.

    python -m bench.hdd                          inputs of our own, all variants
    python -m bench.hdd --cases single           those with a single cause, as in the paper's suites
    python -m bench.hdd --cases large,c-lanai-terminator --max-tests 500

Vince et al., "The Effect of Hoisting on Variants of Hierarchical Delta Debugging", Tables A2 to A5:
output sizes in characters that are not white space, and test executions, each with the difference
to the variant without hoisting. The inputs in bench/inputs/ are programs that real interpreters and
compilers get wrong; those of `bench.cases` work as well. Variants share verdicts (see
`bench.verdicts`), so that a comparison that was stopped goes on; a test counts all the same.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.cases import CannotMakeError, prepare, select
from bench.cases.case import Case, Prepared, Source
from bench.cases.random_javascript import random_javascript
from bench.cases.sources import File
from bench.verdicts import remembering
from marrow import reduce
from marrow.engine.events import Answer, Event, Tried
from marrow.reducers.algorithms.hdd_variants import HDD_VARIANTS

_INPUTS: Final = Path(__file__).resolve().parent / "inputs"

# Of the processor, so that a verdict does not depend on what else the machine does. The longest of
# the inputs takes an interpreter a quarter of a second.
_SECONDS: Final = 1


@dataclass(frozen=True, slots=True)
class Among:
    """A program of ours with random ones before and behind it: as large as you like."""

    name: str
    seeds: tuple[int, ...]

    def make(self) -> bytes:
        """Put the programs one after the other, ours in the middle."""
        parts = [random_javascript(seed).encode() for seed in self.seeds]
        parts.insert((len(parts) + 1) // 2, (_INPUTS / f"{self.name}.js").read_bytes())
        return b"".join(parts)


def _javascript(
    name: str,
    program: str,
    message: str,
    *measured: int,
    other: str = "node",
    source: Source | None = None,
) -> Case:
    """Return a case: an interpreter ends with a message, and another does not mind the program.

    The one that fails is asked first: it is the quicker one, and seldom says so. The other is the
    quickest that runs the whole input.
    """
    tokens, size = measured
    script = (
        f"ulimit -t {_SECONDS}\n"
        f"{program} input.js > said 2>&1\n"
        f"grep -q '{message}' said || exit 1\n"
        f"{other} input.js > said 2>&1\n"
    )
    made = source or File(str(_INPUTS / f"{name}.js"))
    about = f"{program}: {message}"
    return Case(
        f"js-{name}", "input.js", "javascript", about, made, script, tokens, size,
        needs=(program, other),
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


_LOOP: Final = ("mujs", "infinite loop matching the empty string")
_PATTERN: Final = ("duk", "invalid try")

#: The failure has one cause, in one place, whatever else the program does: as the crashes and
#: assertions have that the paper's inputs end with.
SINGLE: Final = (
    _javascript("catch-pattern", *_PATTERN, 422, 1644),
    _javascript("cyclic-join", "mujs", "stack overflow", 419, 1451),
    _javascript("empty-loop", *_LOOP, 294, 1105),
    _javascript(
        "frozen-length", "mujs", "is read-only or non-configurable", 410, 1539, other="duk"
    ),
)

#: The same among thousands of tokens.
LARGE: Final = (
    _javascript("empty-loop-5k", *_LOOP, 5_459, 11_947, source=Among("empty-loop", (70,))),
    _javascript(
        "catch-pattern-17k", *_PATTERN, 16_727, 36_681, source=Among("catch-pattern", (33, 58))
    ),
    _javascript(
        "empty-loop-36k", *_LOOP, 36_100, 78_520, source=Among("empty-loop", (33, 58, 66, 70, 3))
    ),
)

#: The failure is a wrong value that the program computes and compares, so that all it takes to get
#: there has to stay.
COMPUTED: Final = (
    _javascript("arguments-alias", "mujs", "Error: not the same", 339, 1272, other="duk"),
    _javascript("capture-reset", "mujs", "Error: stale group", 146, 641, other="duk"),
    _javascript("holes", "mujs", "RangeError: counted", 142, 522, other="duk"),
    _javascript("key-order", "mujs", "Error: wrong order", 622, 2409, other="duk"),
    _javascript("replace-before", "mujs", "Error: bad prefix", 1099, 3762, other="duk"),
    _javascript("replace-offset", "mujs", "Error: columns do not grow", 288, 1176, other="duk"),
    _javascript("stable-sort", "duk", "Error: not stable", 531, 1863, other="mujs"),
)

C: Final = (
    _c("ledger", "defined with too many args", 438, 1667),
    _c("matrix", "Unsupported dynamic stack allocation", 595, 1955),
)

#: The cases of our own by what names them together.
SETS: Final = {
    "own": (*SINGLE, *LARGE, *COMPUTED, *C),
    "single": SINGLE,
    "large": LARGE,
    "computed": COMPUTED,
    "js": (*SINGLE, *COMPUTED),
    "c": C,
}


@dataclass(frozen=True, slots=True)
class Run:
    """What a variant made of a case. `steps` are the tests of deleting, hoisting and so on."""

    case: str
    variant: str
    before: int
    after: int
    tests: int
    steps: Counter[str]
    stopped: bool


#: The four families, each with its variants as the columns of a table.
_FAMILIES: Final = tuple(
    HDD_VARIANTS[start : start + 4] for start in range(0, len(HDD_VARIANTS), 4)
)

_MEASURES: Final[tuple[tuple[str, Callable[[Run], int]], ...]] = (
    ("Output sizes (non-white-space characters)", lambda run: run.after),
    ("Test executions", lambda run: run.tests),
)


def main() -> int:
    """Run the variants and print the tables."""
    arguments = _arguments()
    runs: list[Run] = []
    failed = False
    wanted = arguments.variants.split(",")
    chosen = [one for one in HDD_VARIANTS if arguments.variants == "all" or one.name in wanted]
    for case in _selected(arguments.cases):
        try:
            made = prepare(case)
        except CannotMakeError as error:
            print(error, file=sys.stderr)
            failed = True
            continue
        for variant in chosen:
            runs.append(measure(made, variant.name, arguments.max_tests))
            _tell(runs[-1])
    for family in _FAMILIES:
        for title, value in _MEASURES:
            print(f"\n{title}\n\n{table(runs, [one.name for one in family], value)}", flush=True)
    return 1 if failed else 0


def measure(made: Prepared, variant: str, max_tests: int | None = None) -> Run:
    """Run a variant on a case."""
    case, text = made.case, made.input.read_bytes()
    steps: Counter[str] = Counter()

    def listen(event: Event) -> None:
        if isinstance(event, Tried) and event.answer is Answer.TEST:
            steps[event.attempt.phase.split()[0]] += 1

    with tempfile.TemporaryDirectory(prefix="bench-") as work:
        result = reduce(
            text,
            remembering(made, Path(work)),
            name=case.file,
            language=case.language,
            algorithm=variant,
            max_tests=max_tests,
            on_event=listen,
        )
    sizes = _characters(text), _characters(result.text)
    return Run(case.name, variant, *sizes, steps.total(), steps, result.stopped is not None)


def _characters(text: bytes) -> int:
    """Return the number of characters that are not white space."""
    return sum(not one.isspace() for one in text.decode("utf-8", "replace"))


def table(runs: Sequence[Run], names: Sequence[str], measure: Callable[[Run], int]) -> str:
    """Return a Markdown table: a line a case, a column a variant, the change against the first."""
    found = {(run.case, run.variant): run for run in runs}
    cases = list(dict.fromkeys(run.case for run in runs))
    lines = [f"| case | input | {' | '.join(names)} |", "| --- " * (len(names) + 2) + "|"]
    changes: dict[str, list[float]] = {name: [] for name in names}
    for case in cases:
        row = [found.get((case, name)) for name in names]
        first = row[0]
        if first is None:
            continue
        cells = [f"{case}", f"{first.before:,}"]
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
    """Return our own cases by name or set, and those of `bench.cases`."""
    chosen: list[Case] = []
    for name in names.split(","):
        own = [case for case in SETS["own"] if case.name == name]
        chosen += SETS.get(name) or own or select([name])
    return chosen


def _tell(run: Run) -> None:
    size = f"{run.before:,} -> {run.after:,} characters"
    steps = ", ".join(f"{count} {step}" for step, count in run.steps.items())
    print(f"{run.case} {run.variant}: {size}, {run.tests:,} tests ({steps})", file=sys.stderr)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.hdd", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--cases", default="own", help=f"{', '.join(SETS)}, or names with commas")
    parser.add_argument("--variants", default="all", help="names with commas; default: all")
    parser.add_argument("--max-tests", type=int, help="stop each run after so many tests")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
