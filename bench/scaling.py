"""How a reduction scales with the number of workers, for tests that take 200 ms.

    python -m bench.scaling simulated                     in simulated time, whatever the load here
    python -m bench.scaling simulated --free              as if marrow itself took no time
    python -m bench.scaling simulated --cases js-duk-70 --workers 1,64
    python -m bench.scaling threads                       by the clock: functions that sleep
    python -m bench.scaling commands                      processes that sleep, on this machine
    python -m bench.scaling dask                          the workers of a Dask cluster in threads
    python -m bench.scaling dask --scheduler ADDRESS --workers 64  a Dask cluster that is there
    python -m bench.scaling cores                         tests that compute: -j 8 against -j 2
    python -m bench.scaling faults                        16 Dask workers, killed at random

The input is a C program of 5,000 tokens, or a case of `bench.cases`. Target: at 64 workers at most
1/16 of the time at 1. *Wasted* is the share of the tests that were started and not needed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.cases import prepare, select
from bench.overhead import make_input
from bench.simulated import simulate
from bench.verdicts import share
from marrow.engine.events import Answer, Event, Tried
from marrow.engine.executors.executor import Executor
from marrow.engine.executors.function import CallableExecutor
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.executors.registry import ExecutorOptions, open_executor
from marrow.engine.process.command import TestCommand
from marrow.engine.process.placement import OneFile
from marrow.engine.verdict import Verdict, verdict_of_exit
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.reducers.pipeline.pipeline import Pipeline
from marrow.reducers.pipeline.strategy import Strategy
from marrow.run.plan.input import text_input
from marrow.run.plan.plan import Plan
from marrow.run.run import Run
from marrow.syntax.views import view_of

SECONDS: Final = 0.2
TARGET: Final = 16.0
ALL_WORKERS: Final = (1, 2, 4, 8, 16, 32, 64)

#: The calls that the synthetic input must keep: the more there are, the fewer attempts succeed.
KEPT: Final = (4, 20, 36, 52, 68, 84, 100, 116)


@dataclass(frozen=True, slots=True)
class Problem:
    """What to reduce, and what decides."""

    name: str
    file: str
    language: str
    text: bytes
    test: Callable[[bytes], Verdict]


def synthetic() -> Problem:
    """Return a C program of 5,000 tokens; eight statements must stay in their functions."""
    wanted = [(b"work%d(" % number, b"a + %d;" % number) for number in KEPT]

    def test(candidate: bytes) -> Verdict:
        good = all(one in candidate and two in candidate for one, two in wanted)
        return Verdict.INTERESTING if good else Verdict.NOT_INTERESTING

    return Problem("synthetic", "input.c", "c", make_input(5_000), test)


def of_case(name: str) -> Problem:
    """Return a case of the benchmarks; verdicts that runs have left are used again."""
    (case,) = select([name])
    made = prepare(case)
    place = tempfile.TemporaryDirectory(prefix="bench-")
    script = share(made, Path(place.name)).test
    known: dict[bytes, Verdict] = {}

    def test(candidate: bytes) -> Verdict:
        key = hashlib.sha256(candidate).digest()
        if key not in known:
            with tempfile.TemporaryDirectory(dir=place.name) as work:
                Path(work, case.file).write_bytes(candidate)
                done = subprocess.run([script], cwd=work, capture_output=True, check=False)
                known[key] = verdict_of_exit(done.returncode)
        return known[key]

    return Problem(name, case.file, case.language, made.input.read_bytes(), test)


@dataclass(slots=True)
class Rate:
    """How many tests succeeded, as a listener."""

    tests: int = 0
    good: int = 0

    def __call__(self, event: Event) -> None:
        """Count."""
        if isinstance(event, Tried) and event.answer is Answer.TEST:
            self.tests += 1
            self.good += event.verdict is Verdict.INTERESTING


@dataclass(frozen=True, slots=True)
class Row:
    """One run."""

    workers: int
    seconds: float
    needed: int
    started: int
    text: bytes
    rate: float = 0.0

    def line(self, base: float) -> str:
        """Return the row of the table; `base` is the time at one worker."""
        return (
            f"{self.workers:>7} {self.seconds:>9.1f} {base / self.seconds:>8.1f} "
            f"{self.needed:>7,} {self.needed / self.seconds:>9.1f} {self.started:>8,} "
            f"{1 - self.needed / max(1, self.started):>7.0%}"
        )


HEAD: Final = "workers   seconds  speedup  needed  useful/s  started  wasted"


def in_simulated_time(
    problem: Problem, workers: int, algorithm: Strategy | None, *, own: bool
) -> Row:
    """Reduce in simulated time, with marrow's own or without."""
    view = view_of(problem.file, problem.text, problem.language)
    run = simulate(problem.text, view, problem.test, workers, SECONDS, algorithm=algorithm, own=own)
    return Row(workers, run.seconds, run.counts.needed, run.started, run.result.text)


def by_the_clock(
    problem: Problem, executor: Executor, workers: int, algorithm: Strategy | None
) -> Row:
    """Reduce by the clock, with an executor that is closed at the end."""
    view = view_of(problem.file, problem.text, problem.language)
    rate = Rate()
    plan = Plan(
        source=text_input(problem.text),
        test=problem.test,
        view=view,
        strategy=algorithm or Pipeline(),
        identity={},
    )
    with closing(executor), Run(plan, rate, executor=executor, trusted=True) as run:
        start = time.perf_counter()
        result = run.reduction.run()
        seconds = time.perf_counter() - start
    if result.stopped:
        raise SystemExit(f"stopped: {result.stopped}")
    counts = run.reduction.scheduler.counts
    share_of_successes = rate.good / max(1, rate.tests)
    return Row(workers, seconds, counts.needed, counts.tests, result.text, share_of_successes)


def sleeping(problem: Problem) -> Callable[[bytes], Verdict]:
    """Return a test that takes its time."""
    test = problem.test

    def slow(candidate: bytes) -> Verdict:
        time.sleep(SECONDS)
        return test(candidate)

    return slow


def as_command(before: str) -> TestCommand:
    """Return the synthetic test as a command, with something to do before it."""
    words = [f"work{number}(" for number in KEPT] + [f"a + {number};" for number in KEPT]
    looks = " && ".join(f"case $text in *'{word}'*) ;; *) exit 1;; esac" for word in words)
    return TestCommand.shell(f"{before}; text=$(cat input.c); {looks}")


def executor_of(how: str, problem: Problem, workers: int, scheduler: str | None) -> Executor:
    """Return what runs the tests; `scheduler` is the address of a Dask cluster, if there is one."""
    where = None if how in ("threads", "commands") else scheduler or "dask"
    test = as_command(f"sleep {SECONDS}") if how == "commands" else sleeping(problem)
    options = ExecutorOptions(where, workers=workers, base=problem.text)
    return open_executor(test, OneFile(problem.file), options)


def scaling(
    how: str,
    problems: list[Problem],
    workers: list[int],
    algorithm: Strategy | None,
    scheduler: str | None,
) -> bool:
    """Print the table of each problem; return whether the target holds and results are the same."""
    good = True
    for problem in problems:
        tokens = view_of(problem.file, problem.text, problem.language).counter
        count = tokens.parse(problem.text).token_count
        print(f"\n{problem.name}: {count:,} tokens, {how}, load {os.getloadavg()[0]:.0f}\n{HEAD}")
        base = 0.0
        texts = set()
        for number in workers:
            if how.startswith("simulated"):
                row = in_simulated_time(problem, number, algorithm, own=how == "simulated")
            else:
                executor = executor_of(how, problem, number, scheduler)
                row = by_the_clock(problem, executor, number, algorithm)
            # Without a run at one worker: what its tests alone would take.
            base = base or (row.seconds if number == 1 else row.needed * SECONDS)
            texts.add(row.text)
            print(row.line(base), flush=True)
            if number == max(ALL_WORKERS):
                good = good and base / row.seconds >= TARGET
        print(f"results: {'the same' if len(texts) == 1 else 'DIFFERENT'}")
        good = good and len(texts) == 1
    return good


def cores() -> bool:
    """Print what -j 8 costs where there are fewer cores and tests compute; the clock counts."""
    problem = synthetic()
    command = as_command("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}, tests that compute\n{HEAD}")
    times = {}
    base = 0.0
    for number in (1, 2, 8):
        executor = CommandExecutor(command, problem.file, number)
        row = by_the_clock(problem, executor, number, algorithm_of("perses*"))
        base = base or row.seconds
        times[number] = row.seconds
        print(row.line(base), flush=True)
    return times[8] < 1.25 * times[2]


@contextmanager
def killing(pids: Callable[[], list[int]], every: float) -> Iterator[list[int]]:
    """Kill one of some processes again and again, until the end of the block."""
    over = threading.Event()
    killed: list[int] = []

    def work() -> None:
        lots = random.Random(1)
        while not over.wait(every):
            found = pids()
            if found:
                killed.append(lots.choice(found))
                os.kill(killed[-1], signal.SIGKILL)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


def faults(workers: int, every: float) -> bool:
    """Reduce on Dask workers that are killed at random; return whether the result is the same."""
    from distributed import LocalCluster

    problem = synthetic()
    algorithm = algorithm_of("perses*")
    alone = by_the_clock(problem, CallableExecutor(problem.test), 1, algorithm)
    test, place = as_command(f"sleep {SECONDS}"), OneFile(problem.file)
    with LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:

        def pids() -> list[int]:
            return [worker.pid for worker in cluster.workers.values() if worker.pid]

        options = ExecutorOptions(cluster.scheduler_address, base=problem.text)
        executor = open_executor(test, place, options)
        with killing(pids, every) as killed:
            row = by_the_clock(problem, executor, workers, algorithm)
    same = row.text == alone.text
    print(
        f"{workers} workers, one killed every {every:g} s, {len(killed)} in all: "
        f"{row.seconds:.0f} s, {row.needed:,} tests needed, {row.started:,} started; "
        f"the result is {'the same' if same else 'DIFFERENT'}"
    )
    return same


def main() -> int:
    """Run a benchmark; exit with 1 if a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.scaling", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    ways = ["simulated", "threads", "commands", "dask", "cores", "faults"]
    parser.add_argument("how", choices=ways)
    parser.add_argument("--cases", default="synthetic", help="synthetic, or names of cases")
    parser.add_argument("--workers", default=",".join(map(str, ALL_WORKERS)))
    parser.add_argument("--algorithm", help="instead of the pipeline")
    parser.add_argument("--free", action="store_true", help="simulated, without marrow's own time")
    parser.add_argument("--scheduler", help="dask: the address of a cluster that is there")
    parser.add_argument("--every", type=float, default=2.0, help="seconds between two kills")
    arguments = parser.parse_args()
    sys.setswitchinterval(0.0005)  # as the command line does
    workers = [int(number) for number in arguments.workers.split(",")]
    if arguments.how == "cores":
        return 0 if cores() else 1
    if arguments.how == "faults":
        return 0 if faults(min(16, max(workers)), arguments.every) else 1
    names = arguments.cases.split(",")
    problems = [synthetic() if name == "synthetic" else of_case(name) for name in names]
    algorithm = None if arguments.algorithm is None else algorithm_of(arguments.algorithm)
    how = "simulated, free" if arguments.free else arguments.how
    return 0 if scaling(how, problems, workers, algorithm, arguments.scheduler) else 1


if __name__ == "__main__":
    sys.exit(main())
