"""Inputs of `marrow produce`: patterns of what a generator's texts fail with, and more of each.

Texts of the generator are run until so many have failed at different places. `marrow abstract` finds
the pattern of each by the program's grammar, and `marrow produce` makes new texts from that; nothing
says that they fail, or in which way.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from bench.triage.crashes import CrashFolder, run
from bench.triage.fuzz import GENERATORS
from bench.triage.programs import Program

# How many tests one pattern may take: with fewer, more of the text stays as it is.
_TESTS = 200

# Texts of the generator from this number on: not those that seeds of afl are.
_FIRST = 20_000_000


def produce_crashes(
    program: Program, work: Path, patterns: int, number: int, most: int, seconds: float
) -> None:
    """Find patterns, produce texts, and add those that fail to the crash folder."""
    end = time.monotonic() + seconds
    folder = CrashFolder(program, work, most)
    made = folder.work / "produced"
    made.mkdir(exist_ok=True)
    grammar = next(program.source.parent.glob("*.json"))
    seen: set[str] = set()
    at = _FIRST
    while len(seen) < patterns and time.monotonic() < end:
        text = made / f"{at}.txt"
        text.write_bytes(GENERATORS[program.name](at).text())
        at += 1
        ended = run(folder.target, text)
        if not ended.fails or ended.stack_hash in seen:
            text.unlink()
            continue
        seen.add(ended.stack_hash)
        out = text.with_suffix("")
        if not out.exists():
            _produced(text, grammar, folder.target, number)
        for path in sorted(out.glob("*")):
            if time.monotonic() < end:
                folder.take(path.read_bytes(), f"produced-{text.stem}-{path.name}")
    folder.save()
    print(folder.words)


def _produced(text: Path, grammar: Path, target: list[str], number: int) -> None:
    """Write texts of the pattern of one into a directory beside it."""
    marrow = [sys.executable, "-m", "marrow"]
    pattern = text.with_suffix(".pattern.json")
    with text.with_suffix(".log").open("w") as log:
        words = ["abstract", str(text), "--grammar", str(grammar), "-o", str(pattern), "--force"]
        words += ["--max-tests", str(_TESTS), "--no-journal", "-j1", "--", *target]
        subprocess.run([*marrow, *words], stdout=log, stderr=log, check=False)
        if pattern.exists():
            words = ["produce", str(pattern), "-n", str(number), "-o", str(text.with_suffix(""))]
            subprocess.run([*marrow, *words], stdout=log, stderr=log, check=False)
