"""Runs of reducers on benchmark cases: marrow's algorithms and other tools, results kept on disk.

A *runner* is named by a string: an algorithm of marrow with options behind it (`perses*`,
`hddr* --hoist both`), `default` for marrow as it comes, or
another tool (`cvise`, `creduce`). A finished run is kept below `bench/results/`, under a key of all
that can change it, so that a comparison that was stopped goes on where it was. Runs of marrow on
one case share verdicts, as long as they make one test at a time and have no limit of time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import marrow
from bench.cases import Case, Prepared, prepare
from bench.cases.measure import Size, measure
from bench.verdicts import share

RESULTS: Final = Path(__file__).resolve().parent / "results"

#: Other tools by name: the command. A tool that writes its result elsewhere names `{output}`.
TOOLS: Final[dict[str, str]] = {
    "cvise": "cvise --n {jobs} --tidy {not_c} {test} {file}",
    "creduce": "creduce --n {jobs} --tidy {not_c} {test} {file}",
    "shrinkray": "shrinkray --parallelism {jobs} --ui basic --no-history --formatter none"
    " --trivial-is-not-error {test} {file}",
    "ddsmt": "ddsmt -j {jobs} --ignore-output {file} {output} {test}",
}

# Counts, one byte a test: appending so little is not torn apart by tests that run at once. Some
# tools give the path of a candidate of another name.
_COUNTING: Final = """\
#!/bin/bash
printf . >> {counter}
[ -f "$1" ] && ! [ "$1" -ef {file} ] || exec {test}
place=$(mktemp -d)
cp "$1" "$place/{file}" && cd "$place" && {test}
code=$?
rm -r "$place"
exit $code
"""

#: Languages for which C-Vise and C-Reduce use what they know of C.
_C_LIKE: Final = frozenset({"c", "cpp"})

_TICKS: Final = os.sysconf("SC_CLK_TCK")

# How long a run may go on after it was asked to end, before it is killed: on a busy machine the
# test that is running takes a while.
_GRACE: Final = 120.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How a run is made: jobs at once, and when it is stopped.

    `max_processor` is in seconds of the processor, of a tool and all that it runs: a busy machine
    changes little.
    """

    jobs: int = 1
    max_tests: int | None = None
    max_seconds: float | None = None
    max_processor: float | None = None


ONE_AT_A_TIME: Final = Limits()


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run. `stopped` says that a limit ended it, and which.

    `processor` is the seconds of the processor that it and its tests took, which other work on the
    machine changes less than those of the clock; 0 if that is not known.
    """

    case: str
    runner: str
    before: Size
    after: Size
    tests: int
    seconds: float
    stopped: str = ""
    result: str = ""  # the file with the reduced input
    processor: float = 0.0


class FailedRunError(Exception):
    """A reducer did not give a result; the message holds the end of what it said."""


def compare(
    cases: Iterable[Case],
    runners: Sequence[str],
    limits: Limits = ONE_AT_A_TIME,
    *,
    on_run: Callable[[Run], None] = lambda _: None,
    results: Path = RESULTS,
) -> list[Run]:
    """Run every runner on every case, one after the other; runs that are known are not repeated.

    Raises `CannotMakeError` if a case cannot be made here, `FailedRunError` if a reducer fails.
    """
    runs = []
    for case in cases:
        made = prepare(case)
        for runner in runners:
            run = run_one(made, runner, limits, results)
            on_run(run)
            runs.append(run)
    return runs


def run_one(made: Prepared, runner: str, limits: Limits, results: Path = RESULTS) -> Run:
    """Run one reducer on one case, or return what an earlier run gave."""
    # What a shell starts in the background ignores Ctrl-C, and so would the tools.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    results.mkdir(parents=True, exist_ok=True)
    stem = f"{made.case.name}-{_key(made, runner, limits)}"
    kept = results / f"{stem}.json"
    if kept.exists():
        return _loaded(json.loads(kept.read_text()))
    with tempfile.TemporaryDirectory(prefix="bench-") as place:
        work = Path(place)
        shutil.copy(made.input, work / made.case.file)
        way = _other_tool if runner in TOOLS else _marrow
        tests, seconds, processor, stopped, text = way(made, runner, limits, work)
    output = results / f"{stem}{Path(made.case.file).suffix}"
    output.write_bytes(text)
    case = made.case
    run = Run(
        case.name,
        runner,
        measure(made.input.read_bytes(), case.file, case.language),
        measure(text, case.file, case.language),
        tests,
        seconds,
        stopped,
        str(output),
        processor,
    )
    fresh = kept.with_suffix(".new")
    fresh.write_text(json.dumps(asdict(run), indent=1))
    fresh.replace(kept)
    return run


def _marrow(
    made: Prepared, runner: str, limits: Limits, work: Path
) -> tuple[int, float, float, str, bytes]:
    words = shlex.split(runner)
    algorithm = [] if words[0] == "default" else ["--algorithm", words[0]]
    output = work / "output"
    # Where seconds count, none may be saved: what a test took at another time, on a busier machine,
    # is not what it takes now.
    by_time = limits.max_seconds is not None or limits.max_processor is not None
    shared = share(made, work, answer=limits.jobs == 1 and not by_time)
    how = [*algorithm, *words[1:], "--json", "-q"]
    command = [sys.executable, "-m", "marrow", "reduce", made.case.file, str(shared.test), *how]
    command += ["-l", made.case.language, "-o", str(output), "-j", str(limits.jobs)]
    if limits.max_tests is not None:
        command += ["--max-tests", str(limits.max_tests)]
    if limits.max_seconds is not None:
        command += ["--max-time", f"{limits.max_seconds:g}"]
    ours = [str(Path(marrow.__file__).parent.parent), str(Path(__file__).resolve().parent.parent)]
    environment = {"PYTHONPATH": os.pathsep.join(ours)}
    counter = work / "no-count"
    counter.touch()
    limits = replace(limits, max_tests=None, max_seconds=None)
    seconds, processor, stopped = _timed(command, work, work, environment, limits, counter)
    saved = shared.saved()
    found = json.loads((work / "out").read_text())
    why = stopped or found["stopped"] or ""
    spent = seconds + saved.clock, processor + saved.processor
    return found["tests"], *spent, why, output.read_bytes()


def _other_tool(
    made: Prepared, runner: str, limits: Limits, work: Path
) -> tuple[int, float, float, str, bytes]:
    """Run another tool; its tests are counted by a script around the test."""
    counter = work / "count"
    counter.touch()
    test = work / "counting.sh"
    test.write_text(_COUNTING.format(counter=counter, file=made.case.file, test=made.test))
    test.chmod(0o755)
    place = work / "tool"
    place.mkdir()
    target = place / made.case.file
    shutil.copy(made.input, target)
    output = place / "output" if "{output}" in TOOLS[runner] else target
    not_c = "" if made.case.language in _C_LIKE else "--not-c"
    words = TOOLS[runner].format(
        jobs=limits.jobs, not_c=not_c, test=test, file=made.case.file, output=output
    )
    spent = _timed(words.split(), place, work, {"TMPDIR": str(work)}, limits, counter)
    return counter.stat().st_size, *spent, output.read_bytes()


def _timed(
    command: Sequence[str],
    place: Path,
    work: Path,
    variables: Mapping[str, str],
    limits: Limits,
    counter: Path,
) -> tuple[float, float, str]:
    """Run a command in a place; return its seconds, those of the processor, and what stopped it."""
    start, before = time.monotonic(), _processor_seconds()
    with (work / "out").open("wb") as out, (work / "said").open("wb") as said:
        process = subprocess.Popen(
            command,
            cwd=place,
            stdout=out,
            stderr=said,
            env={**os.environ, **variables},
            start_new_session=True,
        )
        stopped = wait(process, limits, counter)
    if process.returncode != 0 and not stopped:
        end = "".join((work / one).read_text(errors="replace") for one in ("out", "said"))
        raise FailedRunError(f"{command[0]} in {place}: {end.strip()[-2000:]}")
    return time.monotonic() - start, _processor_seconds() - before, stopped


def _processor_seconds() -> float:
    """Return the seconds of the processor that all processes took that were waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def wait(
    process: subprocess.Popen[bytes],
    limits: Limits,
    counter: Path,
    look: Callable[[float], None] | None = None,
) -> str:
    """Wait for a tool's end or a limit; the tool and all that it started end then.

    `look` is called now and then, with the seconds of the processor so far.
    """
    stopped, start = "", time.monotonic()
    try:
        while process.poll() is None and not stopped:
            time.sleep(0.1)
            if limits.max_seconds is not None and time.monotonic() - start > limits.max_seconds:
                stopped = f"after {limits.max_seconds:g} s"
            if limits.max_processor is not None:
                used = processor_seconds(process.pid)
                if look is not None:
                    look(used)
                if used > limits.max_processor:
                    stopped = f"after {limits.max_processor:g} s of the processor"
            if limits.max_tests is not None and counter.stat().st_size >= limits.max_tests:
                stopped = f"after {limits.max_tests} tests"
    finally:
        for number in (signal.SIGINT, signal.SIGKILL):
            if process.poll() is None:
                if number == signal.SIGINT:
                    process.send_signal(number)
                else:
                    os.killpg(process.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_GRACE)
    return stopped


def processor_seconds(session: int) -> float:
    """Return the processor time of all processes of a session, and of those that have ended."""
    total = 0
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            fields = Path(entry.path, "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session or _started_by(entry.name, session):
            total += sum(map(int, fields[11:15]))
    return total / _TICKS


def _started_by(process: str, ancestor: int) -> bool:
    """Return whether a process has another one above it: tests have sessions of their own."""
    for _ in range(64):
        try:
            parent = Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            return False
        if parent in ("0", "1"):
            return False
        if int(parent) == ancestor:
            return True
        process = parent
    return False


def _key(made: Prepared, runner: str, limits: Limits) -> str:
    """Return a hash of all that can change a run's result."""
    own = Path(marrow.__file__).parent
    version = tool_version(runner) if runner in TOOLS else code_version(own)
    parts = (made.input.read_bytes(), made.case.script, made.case.file, runner, limits, version)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


@cache
def tool_version(tool: str) -> str:
    """Return what a tool says of its version."""
    done = subprocess.run([tool, "--version"], capture_output=True, text=True)
    return done.stdout + done.stderr


@cache
def code_version(root: Path) -> str:
    """Return a hash of marrow's own files, below `src/marrow` of a checkout."""
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()


def _loaded(kept: dict[str, Any]) -> Run:
    return Run(**{**kept, "before": Size(**kept["before"]), "after": Size(**kept["after"])})
