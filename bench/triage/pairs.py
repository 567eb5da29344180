"""How often two inputs of one bug end in the same bytes, with and without the canonical form.

    python -m bench.triage.pairs WORK [--program ember] [--files 3] [--bugs a,b]

WORK is the directory of `python -m bench.triage`, with crash files and their truth. Of each bug some
files are reduced to the end; the test wants the target to fail, and the variant without that bug
not to. The row of a file is kept as soon as it is done, by the code of marrow.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import combinations, islice
from pathlib import Path
from typing import Any

from bench.economy import ROOT, code_of
from bench.triage.programs import Program, program
from marrow import Result, reduce
from marrow.engine.events import Accepted, Answer, Event, Tried

#: Crash files are small: larger ones are left out, so that a row takes seconds.
_LARGEST = 2_000

#: A run of the target takes some milliseconds.
_SECONDS = 5.0


def main() -> int:
    """Reduce files of the bugs, then count the pairs that are the same."""
    parser = argparse.ArgumentParser(prog="python -m bench.triage.pairs", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("work", type=Path)
    parser.add_argument("--program", default="ember")
    parser.add_argument("--files", type=int, default=3)
    parser.add_argument("--bugs", default="", help="with commas; default: all")
    arguments = parser.parse_args()
    os.environ["ASAN_OPTIONS"] = "detect_leaks=0"
    chosen = program(arguments.program)
    bugs = arguments.bugs.split(",") if arguments.bugs else list(chosen.bugs)
    place = arguments.work / chosen.name
    rows = json.loads((place / "truth.json").read_text())["files"]
    truth = {name: row["bugs"] for name, row in rows.items()}
    totals: Counter[str] = Counter()
    for bug in bugs:
        made = (_row(chosen, place, bug, path) for path in _files(place, truth, bug))
        rows = list(islice((row for row in made if row is not None), arguments.files))
        counts = {
            form: sum(one[form] == two[form] for one, two in combinations(rows, 2))
            for form in ("before", "after")
        }
        pairs = len(rows) * (len(rows) - 1) // 2
        totals.update(pairs=pairs, tests=sum(row["tests"] for row in rows), **counts)
        print(f"| {bug} | {len(rows)} | {pairs} | {counts['before']} | {counts['after']} |")
        for row in rows:
            print(f"    {row['tests']:5} {row['after']!r}", flush=True)
    print(f"all: {dict(totals)}")
    return 0


def _files(place: Path, truth: dict[str, list[str]], bug: str) -> list[Path]:
    """Return the crash files of a bug alone, in the order of digests of their names."""
    names = [name for name, bugs in truth.items() if bugs == [bug]]
    names.sort(key=lambda name: hashlib.sha256(name.encode()).digest())
    paths = [place / "crashes" / name for name in names]
    return [path for path in paths if path.exists() and path.stat().st_size <= _LARGEST]


def _row(chosen: Program, place: Path, bug: str, path: Path) -> dict[str, Any] | None:
    """Return what is left of a file before and after the canonical form.

    None if the file has another bug as well, further on, which makes the variant fail.
    """
    key = hashlib.sha256(f"{chosen.name} {bug} {path.name}".encode()).hexdigest()[:16]
    kept = ROOT / "bench" / "results" / "pairs" / code_of(ROOT) / f"{key}.json"
    if kept.exists():
        row: dict[str, Any] = json.loads(kept.read_text())
        return row
    texts: list[bytes] = []
    count = 0

    def listen(event: Event) -> None:
        nonlocal count
        count += isinstance(event, Tried) and event.answer is Answer.TEST
        if isinstance(event, Accepted) and event.pass_name == "canonical" and not texts:
            texts.append(b"")

    with tempfile.TemporaryDirectory(prefix="pairs-") as work:
        test = _test(chosen, place, bug, Path(work))
        if not test(path.read_bytes()):
            return None
        usual = reduce(path.read_bytes(), test, name="input", on_event=listen)
        before: Result = usual
        if texts:  # the canonical form changed something
            before = reduce(path.read_bytes(), test, name="input", passes="-canonical")
    row = {
        "before": before.text.decode("latin-1"),
        "after": usual.text.decode("latin-1"),
        "tests": count,
    }
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(row))
    return row


def _test(chosen: Program, place: Path, bug: str, work: Path) -> Callable[[bytes], bool]:
    """Return the test that holds one bug: the target fails, and no longer without it."""
    target, with_fix = chosen.build(place / "built"), chosen.build(place / "built", bug)
    known: dict[bytes, bool] = {}

    def fails(binary: Path) -> bool:
        command = [str(work / "input") if word == "{}" else word for word in chosen.command(binary)]
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS
            )
        except subprocess.TimeoutExpired:
            return False
        crashed = b"AddressSanitizer" in done.stderr or b"Traceback" in done.stderr
        return done.returncode < 0 or crashed

    def test(text: bytes) -> bool:
        if text not in known:
            (work / "input").write_bytes(text)
            known[text] = fails(target) and not fails(with_fix)
        return known[text]

    return test


if __name__ == "__main__":
    sys.exit(main())
