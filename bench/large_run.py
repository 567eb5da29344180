"""A run on one large case: tokens after so many tests, and where the time goes.

    python -m bench.large_run cpp-aggregate --tests 400 --max-time 450 --cache DIRECTORY --every

Verdicts are kept in `--cache`, with the processor time that each test took and what it wrote: a run
that goes the same way as one before asks nobody again, so a long run is made in pieces, and a
change of marrow is measured by what it does differently. The curve, in `--cache` too, has a line
for each step: tests so far, tokens, the processor time of marrow, that of the tests, the phase.
Figures in docs/lab/large.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Final, TextIO

import marrow
from bench.cases import prepare, select
from marrow.engine.events import Accepted, Answer, Event, Tried

# The test that asks the cache first: `said` is where the tests of the cases send what compilers
# say, and `asked` has a line for each test, with its processor time.
_WRAPPER: Final = """\
#!{python} -S
import hashlib, os, resource, shutil, subprocess, sys
with open({file!r}, "rb") as file:
    key = hashlib.sha256(file.read()).hexdigest()
heard = os.environ.get("MARROW_HEARD", "")
kept = os.path.join({kept!r}, key + ".heard" * bool(heard))
try:
    with open(kept) as file:
        code, seconds, said = file.read().split("\\n", 2)
except OSError:
    code = subprocess.call([{test!r}])
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    files = [os.path.join(heard, one) for one in os.listdir(heard)] if heard else ["said"]
    files = sorted(filter(os.path.exists, files), key=lambda one: os.stat(one).st_mtime_ns)
    said = "".join(open(one, errors="replace").read(100_000) for one in files)
    with open(f"{{kept}}.{{os.getpid()}}", "w") as file:
        file.write(f"{{code}}\\n{{seconds}}\\n{{said}}")
    os.rename(file.name, kept)
else:
    with open(os.path.join(heard, "0") if heard else "said", "w") as file:
        file.write(said)
with open({asked!r}, "a") as file:
    file.write(f"{{seconds}}\\n")
if {texts!r}:
    number = sum(1 for _ in open({asked!r}))
    for suffix, source in ((os.path.splitext({file!r})[1], {file!r}), (".said", "said")):
        if os.path.exists(source):
            shutil.copyfile(source, os.path.join({texts!r}, f"{{number:04}}-{{code}}{{suffix}}"))
sys.exit(int(code))
"""


class Curve:
    """Writes a line for each step, or for every test."""

    def __init__(self, asked: Path, out: TextIO, *, every: bool) -> None:
        self._asked = asked
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
        tests = sum(map(float, self._asked.read_text().split()))
        line = f"{self._tests:6} {self._tokens:9,} {own:8.1f} {tests:8.1f} {words}"
        print(line, file=self._out, flush=True)


def main() -> None:
    """Run a case."""
    parser = argparse.ArgumentParser(prog="python -m bench.large_run", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("case")
    parser.add_argument("--tests", type=int, default=400)
    parser.add_argument("--max-time", type=float, default=450.0)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--input", type=Path, help="start from this text, not the case's own")
    parser.add_argument("--every", action="store_true", help="a line for failures too")
    parser.add_argument("--texts", action="store_true", help="keep each candidate, and its errors")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    arguments = parser.parse_args()
    (case,) = select([arguments.case])
    made = prepare(case)
    directory = arguments.cache / case.name
    kept = directory / "verdicts"
    kept.mkdir(parents=True, exist_ok=True)
    asked, test = directory / "asked", directory / "test.py"
    asked.write_text("")
    texts = directory / "texts"
    if arguments.texts:
        texts.mkdir(exist_ok=True)
    told = str(texts.resolve()) if arguments.texts else ""
    names = {
        "texts": told,
        "file": case.file,
        "kept": str(kept.resolve()),
        "asked": str(asked.resolve()),
    }
    test.write_text(_WRAPPER.format(python=sys.executable, test=str(made.test), **names))
    test.chmod(0o755)
    with (directory / "curve").open("w") as out:
        result = marrow.reduce(
            (arguments.input or made.input).read_bytes(),
            str(test),
            name=case.file,
            jobs=arguments.jobs,
            max_tests=arguments.tests,
            max_time=arguments.max_time,
            on_event=Curve(asked, out, every=arguments.every),
        )
    (directory / case.file).write_bytes(result.text)
    print(
        f"{case.name}: {result.tokens_before:,} -> {result.tokens_after:,} tokens, "
        f"{result.tests} tests; {result.stopped or 'finished'}"
    )


if __name__ == "__main__":
    main()
