"""A run on one large case: tokens after so many tests, and where the time goes.

    python -m bench.large_run cpp-aggregate --tests 400 --max-time 450 --cache FILE --curve FILE

Verdicts are kept in `--cache`, with the processor time that each test took: a run that goes the
same way as one before asks nobody again, so a long run is made in pieces, and a change of marrow is
measured by what it does differently. The curve has a line for each step: tests so far, tokens, the
processor time of marrow, that of the tests, the phase. Figures in docs/notes/large.md.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import sqlite3
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import TextIO

import marrow
from bench.cases import prepare, select
from marrow.engine.events import Accepted, Answer, Event, Tried


class KeptVerdicts:
    """A test whose verdicts are kept in a file."""

    def __init__(self, script: Path, name: str, cache: Path) -> None:
        self._script = script
        self._name = name
        self._lock = threading.Lock()
        self._rows = sqlite3.connect(cache, check_same_thread=False)
        self._rows.execute(
            "CREATE TABLE IF NOT EXISTS verdict (key TEXT PRIMARY KEY, good INTEGER, seconds REAL)"
        )
        #: The processor time of all tests, and how many of them ran here.
        self.seconds = 0.0
        self.ran = 0

    def __call__(self, text: bytes) -> bool:
        """Ask the file, else the script."""
        key = hashlib.sha256(text).hexdigest()
        with self._lock:
            row = self._rows.execute(
                "SELECT good, seconds FROM verdict WHERE key = ?", (key,)
            ).fetchone()
            if row is None:
                good, seconds = self._run(text)
                self._rows.execute("INSERT INTO verdict VALUES (?, ?, ?)", (key, good, seconds))
                self._rows.commit()
                self.ran += 1
            else:
                good, seconds = bool(row[0]), float(row[1])
            self.seconds += seconds
        return good

    def _run(self, text: bytes) -> tuple[bool, float]:
        before = _children()
        with tempfile.TemporaryDirectory() as made:
            (Path(made) / self._name).write_bytes(text)
            done = subprocess.run(
                [str(self._script)],
                cwd=made,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
        return done.returncode == 0, _children() - before


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Curve:
    """Writes a line for each step, and for every tenth test."""

    def __init__(self, test: KeptVerdicts, out: TextIO, *, every: bool) -> None:
        self._test = test
        self._out = out
        self._every = every
        self._tests = 0
        self._tokens = 0
        self._started = time.process_time()

    def __call__(self, event: Event) -> None:
        """Take in an event."""
        if isinstance(event, Tried) and event.answer is Answer.TEST:
            self._tests += 1
            if self._every:
                verdict = "-" if event.verdict is None else event.verdict.name
                candidate = event.attempt.tree
                size = f"{candidate.token_count:,} tokens, {len(candidate.text):,} bytes"
                self._line(f"{event.attempt.phase}: {verdict} {size}")
        elif isinstance(event, Accepted):
            self._tokens = event.tokens
            self._line(f"-> {event.phase} {event.pass_name}")

    def _line(self, words: str) -> None:
        own = time.process_time() - self._started
        line = f"{self._tests:6} {self._tokens:9,} {own:8.1f} {self._test.seconds:8.1f} {words}"
        print(line, file=self._out, flush=True)


def main() -> None:
    """Run a case."""
    parser = argparse.ArgumentParser(prog="python -m bench.large_run", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("case")
    parser.add_argument("--tests", type=int, default=400)
    parser.add_argument("--max-time", type=float, default=450.0)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--curve", type=Path, required=True)
    parser.add_argument("--result", type=Path)
    parser.add_argument("--input", type=Path, help="start from this text, not the case's own")
    parser.add_argument("--every", action="store_true", help="a line for failures too")
    arguments = parser.parse_args()
    (case,) = select([arguments.case])
    made = prepare(case)
    script, file = made.test, arguments.input or made.input
    test = KeptVerdicts(script, case.file, arguments.cache)
    with arguments.curve.open("w") as out:
        result = marrow.reduce(
            file.read_bytes(),
            test,
            name=case.file,
            max_tests=arguments.tests,
            max_time=arguments.max_time,
            on_event=Curve(test, out, every=arguments.every),
        )
    if arguments.result is not None:
        arguments.result.write_bytes(result.text)
    print(
        f"{case.name}: {result.tokens_before:,} -> {result.tokens_after:,} tokens, "
        f"{result.tests} tests, {test.ran} of them anew; {result.stopped or 'finished'}"
    )


if __name__ == "__main__":
    main()
