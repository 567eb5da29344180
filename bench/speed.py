"""What marrow itself costs: at a start, beside a test, for a candidate, with many workers.

    python -m bench.speed                        all of it
    python -m bench.speed start --against ../old some figures, of this checkout and another

start      seconds of the processor and modules of marrow for `--version`, `--help` and a reduction
           of a small JSON file. Modules are compiled before, as they are where marrow is installed.
test       the share of the wall time at `-j 1` that is the test itself, for a test that takes 10 ms
           and an input of 2,000 tokens. What the test costs without marrow is measured by running
           the same command, as many times, in a plain loop, before and after.
workers    tests per second at `-j 32` against `-j 1`, for a test that only sleeps 100 ms.
candidate  the processor time for each candidate at `-j 1`, with a quick test, between the 50th and
           the 800th test of a run that begins with 330 tokens: by tree-sitter, and by a grammar.

All are runs of the command line. Seconds of the processor are those of marrow's own process: tests
do not count. Runs of two checkouts alternate, so that a busy machine slows both.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final, TypeVar

T = TypeVar("T")

HERE: Final = Path(__file__).resolve().parent.parent

#: Seconds of the processor that a start may take.
STARTS: Final = {"--version": 0.15, "--help": 0.15, "reduce": 0.3}
SHARE: Final = 0.85
SPEEDUP: Final = 20.0

# A process can tell its own time from that of its children; whoever waits for it cannot.
_MEASURED: Final = """
import json, resource, sys
from marrow.cli.main import run
try:
    run()
finally:
    used = resource.getrusage(resource.RUSAGE_SELF)
    modules = sum(name.partition(".")[0] == "marrow" for name in sys.modules)
    print(json.dumps([used.ru_utime + used.ru_stime, modules]), file=open("used.json", "w"))
"""

#: 10 objects of a few fields each, 0.7 kB; the test keeps one word of them, which takes 30 tests.
_SMALL: Final = json.dumps(
    [{"id": number, "name": f"item{number}", "tags": ["a", "b"]} for number in range(10)], indent=1
).replace("item7", "needle")

# Interesting while the marked statements are there, inside functions all over the input: with one
# alone the reduction would be over after a few tests.
_MARKED_EVERY: Final = 4
_TEN_MS: Final = "sleep 0.01; [ $(grep -c needle input.c) -eq {count} ]"

# Interesting for the first candidate, the input itself, alone.
_HUNDRED_MS: Final = "sleep 0.1; [ $(wc -c < input.c) -eq {size} ]"

# Interesting while every function is there with its number. By the shell alone: that is quick.
_QUICK: Final = """\
IFS=; text=; while read -r line; do text="$text$line
"; done < "$1"
for word in {words}; do case $text in *"$word"*) ;; *) exit 1;; esac; done
"""
_FEW, _MANY = 50, 800
_FRONT_ENDS: Final = {"tree-sitter": (), "a grammar": ("--grammar", "c")}


@dataclass(frozen=True, slots=True)
class Run:
    """A run: seconds by the clock and of marrow's processor, modules loaded, tests run."""

    clock: float
    processor: float
    modules: int
    tests: int


def make_input(tokens: int) -> str:
    """Return a C program of about this many tokens with marked statements all over it."""
    return "\n".join(
        f"int work{number}(int a, int b) {{\n"
        f"    int sum = a + {number};\n"
        "    if (sum > b) {\n"
        "        sum = sum - b * 2;\n"
        f"        {'work' if number % _MARKED_EVERY else 'needle'}(sum);\n"
        "    }\n"
        "    return sum;\n"
        "}\n"
        for number in range(tokens // 41)  # tokens of a function
    )


def run(checkout: Path, words: Sequence[str], text: str = "") -> Run:
    """Run a command line by the code of a checkout on `input.c`, or on `small.json`."""
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    with tempfile.TemporaryDirectory(prefix="marrow-speed-") as place:
        folder = Path(place)
        (folder / "small.json").write_text(_SMALL)
        (folder / "input.c").write_text(text)
        start = time.perf_counter()
        ended = subprocess.run(
            [sys.executable, "-c", _MEASURED, *words],
            cwd=folder, env=environment, stdout=subprocess.PIPE, check=False,
        )  # fmt: skip
        clock = time.perf_counter() - start
        used, said = folder / "used.json", ended.stdout
        processor, modules = json.loads(used.read_text()) if used.exists() else (0.0, 0)
        tests = json.loads(said)["tests"] if said.startswith(b"{") else 0
    return Run(clock, processor, modules, tests)


def reduce(checkout: Path, text: str, shell: str, *options: str) -> Run:
    """Reduce a text by a shell command."""
    words = ["reduce", "input.c", "--shell", shell, "--json", "--quiet", "--no-journal", *options]
    return run(checkout, words, text)


def start(checkouts: Sequence[Path], runs: int) -> bool:
    """Measure and print what starts cost."""
    small = ["reduce", "small.json", "--shell", 'grep -q needle "$1"', "-q", "-j", "1"]
    good = True
    for words in (["--version"], ["--help"], small):
        each = _alternating(checkouts, runs + 1, partial(run, words=words))
        for checkout, starts in each.items():
            seconds = [one.processor for one in starts[1:]]  # the first one compiles
            target = STARTS[words[0]]
            good &= min(seconds) <= target
            print(
                f"start: {words[0]:9} {checkout.name:20.20}  {min(seconds):.3f} s at least, "
                f"{median(seconds):.3f} in the median (target {target:.2f}); "
                f"{starts[-1].modules} modules"
            )
    return good


def share_of_the_test(checkouts: Sequence[Path], _: int) -> bool:
    """Measure and print how much of a run is the test itself."""
    text = make_input(2_000)
    shell = _TEN_MS.format(count=text.count("needle"))
    before = _plain_loop(text, shell)
    measured = reduce(checkouts[0], text, shell, "-j", "1")
    alone = (before + _plain_loop(text, shell)) / 2
    share = alone * measured.tests / measured.clock
    print(
        f"test: {measured.tests} tests in {measured.clock:.2f} s; the command alone "
        f"{1000 * alone:.2f} ms; share of the test {share:.1%} (target {SHARE:.0%}); marrow's own "
        f"processor time {1000 * measured.processor / measured.tests:.2f} ms a test"
    )
    return share >= SHARE


def _plain_loop(text: str, shell: str, runs: int = 100) -> float:
    """Return the seconds that a run of a command takes without marrow."""
    with tempfile.TemporaryDirectory() as place:
        Path(place, "input.c").write_text(text)
        began = time.perf_counter()
        for _ in range(runs):
            subprocess.run(["/bin/sh", "-c", shell], cwd=place, capture_output=True, check=False)
        return (time.perf_counter() - began) / runs


def speed_with_many_workers(checkouts: Sequence[Path], _: int) -> bool:
    """Measure and print tests per second of many workers."""
    text = make_input(2_000)
    shell = _HUNDRED_MS.format(size=len(text))
    rates = []
    for workers, most in ((1, 50), (32, 1_500)):
        words = ("-j", str(workers), "--max-tests")
        few, many = (
            reduce(checkouts[0], text, shell, *words, str(tests)) for tests in (most // 5, most)
        )
        rates.append((many.tests - few.tests) / (many.clock - few.clock))
    print(
        f"workers: -j 1: {rates[0]:.1f} tests a second; -j 32: {rates[1]:.1f}; "
        f"{rates[1] / rates[0]:.1f} times as many (target {SPEEDUP:.0f})"
    )
    return rates[1] / rates[0] >= SPEEDUP


def cost_of_a_candidate(checkouts: Sequence[Path], runs: int) -> bool:
    """Measure and print what a candidate costs marrow itself."""
    text = make_input(340)
    words = [f"'a + {number};' 'work{number}('" for number in range(8)]
    shell = _QUICK.format(words=" ".join([*words, "'> b'", "'b * 2'", "'(sum)'", "'return sum'"]))
    for name, options in _FRONT_ENDS.items():

        def cost(checkout: Path, options: tuple[str, ...] = options) -> float:
            few, many = (
                reduce(checkout, text, shell, "-j", "1", "--max-tests", str(most), *options)
                for most in (_FEW, _MANY)
            )
            return 1000 * (many.processor - few.processor) / (_MANY - _FEW)

        each = _alternating(checkouts, runs, cost)
        for checkout, costs in each.items():
            ratios = [one / other for one, other in zip(costs, each[checkouts[-1]], strict=True)]
            print(
                f"candidate: by {name}, {checkout.name}: {min(costs):.2f} ms at least, "
                f"{median(costs):.2f} in the median of {runs}; "
                f"{median(ratios):.2f} times as much as {checkouts[-1].name}"
            )
    return True


def _alternating(
    checkouts: Sequence[Path], runs: int, measure: Callable[[Path], T]
) -> dict[Path, list[T]]:
    each: dict[Path, list[T]] = {checkout: [] for checkout in checkouts}
    for _ in range(runs):
        for checkout, found in each.items():
            found.append(measure(checkout))
    return each


FIGURES: Final = {
    "start": start,
    "test": share_of_the_test,
    "workers": speed_with_many_workers,
    "candidate": cost_of_a_candidate,
}


def main() -> int:
    """Run the benchmark; exit with 1 if a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=", ".join(FIGURES))
    parser.add_argument("--against", type=Path, help="another checkout (start, candidate)")
    parser.add_argument("--runs", type=int, default=5, help="of each (start, candidate)")
    given = parser.parse_args()
    checkouts = [HERE, *([given.against.resolve()] if given.against else [])]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    good = [FIGURES[name](checkouts, given.runs) for name in given.figures or FIGURES]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
