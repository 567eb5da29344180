"""What the engine costs beside the test itself.

Three figures, each from real runs with a command as the test:

(a) the share of the wall time at `-j 1` that is the test itself, for a test that takes 10 ms and an
    input of 2,000 tokens. What the test costs without marrow is measured by running the same
    command, as many times, in a plain loop with `subprocess`, before and after.
(b) tests per second at `-j 32` against `-j 1`, for a test that only sleeps 100 ms.
(c) the processor time of marrow itself for each candidate at `-j 1`, with a quick test, between the
    50th and the 800th test of a run that begins with 330 tokens: by tree-sitter, and by a grammar.
    Runs of two checkouts alternate, so that a busy machine slows both.

    python -m bench.overhead                            (a) and (b)
    python -m bench.overhead --profile                  (a) under cProfile
    python -m bench.overhead --only c --against ../old  (c), of this checkout and another
    python -m bench.overhead --only c --profile         and where it goes, by samples
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.startup import HERE, MEASURED
from marrow.engine.events import ignore
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.process.command import TestCommand
from marrow.engine.search.limits import Limits
from marrow.reducers.pipeline.algorithm_table import DEFAULT_ALGORITHM, algorithm_of
from marrow.run.output.output_file import OutputFile
from marrow.run.reduction import Reduction
from marrow.syntax.views import view_of

TARGET_SHARE = 0.85
TARGET_SPEEDUP = 20.0

# Interesting while the marked statements are there, inside functions all over the input: with one
# alone the reduction would be over after a few tests.
MARKED_EVERY = 4
TEN_MS = "sleep 0.01; [ $(grep -c needle input.c) -eq {count} ]"
HUNDRED_MS = "sleep 0.1; exit 1"


@dataclass(frozen=True, slots=True)
class Measured:
    """A reduction that was measured."""

    seconds: float
    own_seconds: float  # of marrow's own processor time, without the tests'
    tests: int

    @property
    def rate(self) -> float:
        """Tests a second."""
        return self.tests / self.seconds


def make_input(tokens: int) -> bytes:
    """Return a C program of about this many tokens with marked statements all over it."""
    functions = []
    for number in range(tokens // 41):  # tokens of a function
        call = "work" if number % MARKED_EVERY else "needle"
        functions.append(
            f"int work{number}(int a, int b) {{\n"
            f"    int sum = a + {number};\n"
            "    if (sum > b) {\n"
            "        sum = sum - b * 2;\n"
            f"        {call}(sum);\n"
            "    }\n"
            "    return sum;\n"
            "}\n"
        )
    return "\n".join(functions).encode()


def measure(
    text: bytes, shell: str, workers: int, most_tests: int, name: str = DEFAULT_ALGORITHM
) -> Measured:
    """Reduce an input by a shell command and say how long it took."""
    with tempfile.TemporaryDirectory() as directory:
        output = OutputFile(Path(directory) / "input.reduced.c")
        journal = Journal(Path(directory) / "journal", {}, resume=False)
        executor = CommandExecutor(TestCommand.shell(shell), "input.c", workers)
        view = view_of("input.c", text)
        limits = Limits(tests=most_tests)
        algorithm = algorithm_of(name)
        try:
            start, own = time.perf_counter(), time.process_time()
            reduction = Reduction(
                text=text,
                view=view,
                strategy=algorithm,
                executor=executor,
                journal=journal,
                listener=ignore,
                limits=limits,
            )
            result = reduction.run(output.write)
            seconds = time.perf_counter() - start
            return Measured(seconds, time.process_time() - own, result.tests)
        finally:
            executor.close()
            journal.close()


def plain_loop(text: bytes, shell: str, runs: int) -> float:
    """Return the seconds that as many runs of the command take without marrow."""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "input.c").write_bytes(text)
        command = ["/bin/sh", "-c", shell]
        start = time.perf_counter()
        for _ in range(runs):
            subprocess.run(
                command,
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
        return time.perf_counter() - start


def share_of_the_test(algorithm: str, profile: bool) -> bool:
    """Measure and print (a); return whether the target holds."""
    text = make_input(2_000)
    tokens = view_of("input.c", text).counter.parse(text).token_count
    shell = TEN_MS.format(count=text.count(b"needle"))
    before = plain_loop(text, shell, 100) / 100
    profiler = cProfile.Profile()
    if profile:
        profiler.enable()
    measured = measure(text, shell, 1, 100_000, algorithm)
    if profile:
        profiler.disable()
        pstats.Stats(profiler).sort_stats("tottime").print_stats(25)
    after = plain_loop(text, shell, 100) / 100
    alone = (before + after) / 2
    share = alone * measured.tests / measured.seconds
    each = measured.seconds / measured.tests
    print(
        f"(a) {tokens} tokens, -j 1: {measured.tests} tests in {measured.seconds:.2f} s, "
        f"{1000 * each:.2f} ms each; the command alone {1000 * alone:.2f} ms "
        f"({1000 * before:.2f} before, {1000 * after:.2f} after); "
        f"share of the test {share:.1%} (target {TARGET_SHARE:.0%}); "
        f"marrow's own processor time {1000 * measured.own_seconds / measured.tests:.2f} ms a test"
    )
    return share >= TARGET_SHARE


def speed_with_many_workers(algorithm: str) -> bool:
    """Measure and print (b); return whether the target holds."""
    text = make_input(2_000)
    one = measure(text, HUNDRED_MS, 1, 50, algorithm)
    many = measure(text, HUNDRED_MS, 32, 1_500, algorithm)
    speedup = many.rate / one.rate
    print(
        f"(b) -j 1: {one.rate:.1f} tests a second; -j 32: {many.rate:.1f}; "
        f"{speedup:.1f} times as many (target {TARGET_SPEEDUP:.0f})"
    )
    return speedup >= TARGET_SPEEDUP


# Interesting while every function is there with its number. By the shell alone, so that the test is
# quick.
QUICK = """\
IFS=; text=; while read -r line; do text="$text$line
"; done < "$1"
for word in {words}; do case $text in *"$word"*) ;; *) exit 1;; esac; done
"""
FEW, MANY = 50, 800
FRONT_ENDS = {"tree-sitter": (), "a grammar": ("--grammar", "c")}

# Samples of the main thread, for each millisecond that the process has computed (the kernel may
# tick more slowly): the innermost frame that names an area says where the time goes.
SAMPLED = """
import collections, os, signal, sys
AREAS = {
    "journal/": "the journal",
    "executors/": "starting tests",
    "dispatcher.py:wait": "waiting (other threads end and clean up after tests)",
    ":parse": "parsing",
    "validity": "checking syntax", ":_refuses": "checking syntax",
    "search/": "scheduling: texts, keys, chances",
    "reducers/": "making attempts",
    "importlib": "loading modules",
}
seen = collections.Counter()
def sample(_, frame):
    while frame is not None:
        name = f"{frame.f_code.co_filename}:{frame.f_code.co_name}"
        area = next((words for key, words in AREAS.items() if key in name), None)
        if area:
            break
        frame = frame.f_back
    seen[area if frame is not None else "the rest"] += 1
signal.signal(signal.SIGPROF, sample)
signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)
from marrow.cli.main import run
try:
    run()
finally:
    signal.setitimer(signal.ITIMER_PROF, 0)
    for area, count in seen.most_common():
        print(f"    {count / seen.total():4.0%}  {area}", file=sys.stderr)
"""


def run_quick(checkout: Path, most: int, options: Sequence[str], program: str) -> float:
    """Reduce by the command line of a checkout; return the seconds of its own processor time."""
    text = make_input(340)
    words = [f"'a + {number};' 'work{number}('" for number in range(8)]
    shell = QUICK.format(words=" ".join([*words, "'> b'", "'b * 2'", "'(sum)'", "'return sum'"]))
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        (folder / "input.c").write_bytes(text)
        command = ["reduce", "input.c", "--shell", shell, "-q", "-j", "1", "--max-tests", str(most)]
        subprocess.run(
            [sys.executable, "-c", program, *command, *options],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            check=False,
        )
        used = folder / "used.json"
        return float(json.loads(used.read_text())[0]) if used.exists() else 0.0


def cost_of_a_candidate(checkouts: Sequence[Path], runs: int, profile: bool) -> None:
    """Measure and print (c)."""
    for name, options in FRONT_ENDS.items():
        each: dict[Path, list[float]] = {checkout: [] for checkout in checkouts}
        for _ in range(runs):
            for checkout, costs in each.items():
                few, many = (run_quick(checkout, n, options, MEASURED) for n in (FEW, MANY))
                costs.append(1000 * (many - few) / (MANY - FEW))
        for checkout, costs in each.items():
            ratios = [one / other for one, other in zip(costs, each[checkouts[-1]], strict=True)]
            print(
                f"(c) by {name}, {checkout.name}: {min(costs):.2f} ms a candidate at least, "
                f"{median(costs):.2f} in the median of {runs}; "
                f"{median(ratios):.2f} times as much as {checkouts[-1].name}"
            )
        if profile:
            run_quick(checkouts[0], MANY, options, SAMPLED)


def main() -> int:
    """Run the benchmark; exit with 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--profile", action="store_true", help="profile (a), or sample (c)")
    parser.add_argument("--only", choices=["a", "b", "c"], help="measure one figure only")
    parser.add_argument("--against", type=Path, help="another checkout, for (c)")
    parser.add_argument("--runs", type=int, default=5, help="of each, for (c)")
    parser.add_argument("--algorithm", default=DEFAULT_ALGORITHM, help="the algorithm to run")
    arguments = parser.parse_args()
    sys.setswitchinterval(0.0005)  # as the command line does
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, sh is {shutil.which('sh')}")
    if arguments.only == "c":
        checkouts = [HERE, *([arguments.against.resolve()] if arguments.against else [])]
        cost_of_a_candidate(checkouts, arguments.runs, arguments.profile)
        return 0
    good = True
    if arguments.only != "b":
        good = share_of_the_test(arguments.algorithm, arguments.profile) and good
    if arguments.only != "a":
        good = speed_with_many_workers(arguments.algorithm) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
