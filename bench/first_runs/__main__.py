"""Twenty-five first runs, as a new user makes them.

    python -m bench.first_runs             all runs whose tool is installed
    python -m bench.first_runs TOOL...     some of them
    python -m bench.first_runs --check     only run the tools, on the inputs: they must fail
    python -m bench.first_runs --keep DIR  leave the inputs, results and outputs in DIR
    python -m bench.first_runs --longest S stop a reduction after S seconds, as Ctrl-C does; what is
                                           there by then is judged, and marked with a +

Each is `marrow reduce FILE -- COMMAND {}` without an option, in a directory of its own; then the
command runs on the input and on the result, and the rule in `bench.first_runs.rule` compares the
two outputs. The exit code is 1 if a result shows another failure.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.first_runs.rule import Looks, Output, different

RUNS: Final = Path(__file__).parent / "runs"
CORPUS: Final = Path(__file__).parents[2] / "tests" / "signature" / "corpus"
FEWEST_TOKENS: Final = 200

# Seconds that one reduction may take.
_LONGEST: Final = 900.0
# The exit code of a run that Ctrl-C stopped.
_STOPPED: Final = 130
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
_TESTS: Final = re.compile(r"([\d,]+) tests run")
_KEPT: Final = re.compile(
    r"^(?:kept|keeps?|keeping|looking for|signature)\b:? *(.*)$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class FirstRun:
    """A tool, an input on which it fails, and how it prints errors."""

    tool: str
    failure: str
    command: tuple[str, ...]
    file: str
    text: str
    looks: Looks
    files: dict[str, str]
    build: str

    @property
    def installed(self) -> bool:
        """Return whether the tool can be run here."""
        return bool(self.build) or shutil.which(self.command[0]) is not None


def load(path: Path) -> FirstRun:
    """Read a first run."""
    read: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))

    def pattern(text: str) -> re.Pattern[str]:
        return re.compile(text, re.MULTILINE)

    looks = Looks(
        pattern(read["error"]),
        pattern(read["frame"]) if "frame" in read else None,
        [pattern(one) for one in read.get("mask", ())],
    )
    text = commands() if read.get("generate") == "commands" else read["text"]
    return FirstRun(
        tool=path.stem,
        failure=read["failure"],
        command=tuple(read["command"]),
        file=read["file"],
        text=text,
        looks=looks,
        files=read.get("files", {}),
        build=read.get("build", ""),
    )


def commands() -> str:
    """Return commands for the corpus' machine: 120 that are harmless, then several mistakes."""
    dice = random.Random(17)
    lines = ["title corner shop", "push 3", "push 4"]
    for _ in range(120):
        number = dice.randrange(1, 9)
        lines.append(
            dice.choice(
                [
                    f"push {number}",
                    f"check {number}",
                    "take 0",
                    "show",
                    f"label n{number}",
                    f"# {number}",
                ]
            )
        )
    return "\n".join([*lines, "take 900", "pop", "drop", "show", "label " + "long " * 9, ""])


def tokens(text: str) -> int:
    """Return how many words and signs a text has."""
    return len(_TOKEN.findall(text))


def place(run: FirstRun, directory: Path, text: str) -> None:
    """Write an input and what belongs to it into a directory."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in run.files.items():
        (directory / name).write_text(content, encoding="utf-8")
    (directory / run.file).write_text(text, encoding="utf-8")
    if run.build:
        environment = {**os.environ, "CORPUS": str(CORPUS)}
        subprocess.run(["sh", "-c", run.build], cwd=directory, env=environment, check=True)


def observed(run: FirstRun, directory: Path, text: str) -> Output:
    """Run the command on an input, as it would be typed."""
    place(run, directory, text)
    words = [word.replace("{}", run.file) for word in run.command]
    done = subprocess.run(
        words,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
    )
    code = done.returncode
    ended = f"exit {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
    printed = (done.stdout + b"\n" + done.stderr).decode(errors="replace")
    return Output(ended, printed, text)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a first run went; `wrong` says why it did not go well."""

    before: int
    after: int = 0
    tests: str = "-"
    seconds: float = 0.0
    kept: str = "-"
    wrong: str = ""


def reduce(run: FirstRun, directory: Path, longest: float) -> Outcome:
    """Make a first run and judge it."""
    before = observed(run, directory / "before", run.text)
    count = tokens(run.text)
    here = directory / "here"
    place(run, here, run.text)
    marrow = [str(Path(sys.executable).parent / "marrow"), "reduce", run.file, "--", *run.command]
    started = time.monotonic()
    with subprocess.Popen(
        marrow,
        cwd=here,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as done:
        try:
            printed, _ = done.communicate(timeout=longest)
        except subprocess.TimeoutExpired:
            done.send_signal(signal.SIGINT)
            printed, _ = done.communicate()
    stopped = done.returncode == _STOPPED
    seconds = time.monotonic() - started
    said = printed.decode(errors="replace")
    (directory / "marrow.txt").write_text(said, encoding="utf-8")
    kept = _KEPT.search(said)
    sentence = kept[1].strip() if kept else "-"
    name = Path(run.file)
    result = here / f"{name.stem}.reduced{name.suffix}"
    if (done.returncode and not stopped) or not result.exists():
        line = next((line for line in said.splitlines() if line.strip()), "nothing printed")
        return Outcome(count, kept=sentence, wrong=f"marrow exits with {done.returncode}: {line}")
    text = result.read_text(encoding="utf-8", errors="surrogateescape")
    after = observed(run, directory / "after", text)
    (directory / "after.txt").write_text(after.text, encoding="utf-8")
    ran = _TESTS.search(said)
    wrong = different(before, after, run.looks)
    tests = (ran[1] if ran else "-") + "+" * stopped
    return Outcome(count, tokens(text), tests, seconds, sentence, wrong)


def check(run: FirstRun, directory: Path) -> str:
    """Say what is wrong with a run's input; nothing if the tool fails on it as it should."""
    output = observed(run, directory, run.text)
    kinds = run.looks.kinds(output, run.text)
    if output.ended == "exit 0":
        return "the tool does not fail"
    if not kinds:
        return f"no error is found in: {output.text[:300]}"
    if tokens(run.text) < FEWEST_TOKENS:
        return f"only {tokens(run.text)} tokens"
    print(f"{run.tool:10} {output.ended:10} {tokens(run.text):4} tokens  {' | '.join(kinds)[:200]}")
    print(f"{'':10} frame: {run.looks.first_frame(output)}" if run.looks.frame else "", end="\n")
    return ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.first_runs")
    parser.add_argument("tools", nargs="*")
    parser.add_argument("--check", action="store_true", help="only run the tools on the inputs")
    parser.add_argument("--keep", metavar="DIR", help="leave all files in a directory")
    parser.add_argument(
        "--longest", metavar="S", type=float, default=_LONGEST, help="seconds a run"
    )
    options = parser.parse_args(arguments)
    runs = [load(path) for path in sorted(RUNS.glob("*.toml"))]
    runs = [run for run in runs if not options.tools or run.tool in options.tools]
    bad = same = made = 0
    if not options.check:
        print("| tool | failure | tokens | tests | seconds | same? | marrow keeps |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
    for run in runs:
        if not run.installed:
            print(f"{run.tool}: not here")
            continue
        with TemporaryDirectory() as temporary:
            directory = Path(options.keep or temporary) / run.tool
            if options.check:
                wrong = check(run, directory)
                if wrong:
                    print(f"{run.tool}: {wrong}")
            else:
                made += 1
                outcome = reduce(run, directory, options.longest)
                wrong = outcome.wrong
                same += not wrong
                verdict = "yes" if not wrong else f"no: {wrong}"
                print(
                    f"| {run.tool} | {run.failure} | {outcome.before} -> {outcome.after} | "
                    f"{outcome.tests} | {outcome.seconds:.0f} | {verdict} | {outcome.kept} |",
                    flush=True,
                )
            bad += bool(wrong)
    if not options.check:
        print(f"the same failure: {same} of {made}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
