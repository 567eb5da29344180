"""Crash folders with their truth: fuzz a program, keep what fails, and see which fix mends it."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.triage.fuzz import GENERATORS, mutated
from bench.triage.programs import Program

#: Frames of the sanitizer and the C library, which stack hashes leave out.
_SYSTEM = re.compile(
    r"interceptor|__asan|__sanitizer|__libc|_start|__GI|raise|abort|__assert|pthread|libasan|mem(cpy|set|move)|strlen|vsprintf|sprintf|strcmp|strtol"
)
_FRAME = re.compile(r"^\s*#\d+ 0x[0-9a-f]+ in (\S+)", re.MULTILINE)
_PYTHON = re.compile(r'^  File "[^"]*", line \d+, in (\S+)', re.MULTILINE)


# Programs that run at once: they mostly wait for the system.
_AT_ONCE = 3


def run(command: list[str], path: Path, *, names: bool = True) -> tuple[int, str]:
    """Run a program on a file; return how it ended and what it said.

    Without the `names` of functions a sanitizer is ten times as fast.
    """
    words = [str(path) if word == "{}" else word for word in command]
    environment = os.environ | ({} if names else {"ASAN_OPTIONS": "symbolize=0"})
    try:
        ended = subprocess.run(words, capture_output=True, timeout=20, check=False, env=environment)
    except subprocess.TimeoutExpired:
        return 124, ""
    return ended.returncode, ended.stderr.decode("utf-8", "replace")


def fails(code: int, said: str) -> bool:
    """Whether that was a crash: the programs say `error:` and exit with 1 on what they refuse."""
    return code < 0 or code == 124 or "AddressSanitizer" in said or "Traceback" in said


def frames(said: str) -> list[str]:
    """Return the functions on the stack, the innermost first."""
    python = _PYTHON.findall(said)
    if python:
        return python[::-1]
    first = said.partition("\n\n")[0]
    return [name for name in _FRAME.findall(first) if not _SYSTEM.search(name)]


def stack_hash(said: str) -> str:
    """Return the usual hash: the three frames on top."""
    return hashlib.sha256(" ".join(frames(said)[:3]).encode()).hexdigest()[:12]


def summary(code: int, said: str) -> tuple[object, ...]:
    """Return what tells failures apart: for inputs with several bugs."""
    kind = re.search(r"AddressSanitizer: (\S+)|^(\w+Error)", said, re.MULTILINE)
    return code, kind and kind[0], tuple(frames(said))


def make_crashes(program: Program, work: Path, afl: int, most: int, tries: int) -> None:
    """Build a program and its variants, fuzz it, and write crashes/ and truth.json."""
    work = work / program.name
    built = work / "built"
    target = program.command(program.build(built))
    with ThreadPoolExecutor(4) as builders:
        made = builders.map(lambda bug: program.command(program.build(built, bug)), program.bugs)
        fixed = dict(zip(program.bugs, made, strict=True))
    folder = work / "crashes"
    folder.mkdir(parents=True, exist_ok=True)
    truth: dict[str, dict[str, object]] = {}
    counts: Counter[str] = Counter()
    seen: set[bytes] = set()
    owner: dict[str, str] = {}
    unclear = 0

    def look(text: bytes, name: str) -> tuple[str, bytes, str | None, str] | None:
        """Run a text, and find its bug."""
        with tempfile.NamedTemporaryFile(prefix="triage-") as file:
            file.write(text)
            file.flush()
            path = Path(file.name)
            if not fails(*run(target, path, names=False)):
                return None
            code, said = run(target, path)
            stack = stack_hash(said)
            bug = _bug(path, code, said, fixed, owner.get(stack))
            if bug is not None:
                owner[stack] = bug
            return name, text, bug, stack

    def take(made: list[tuple[bytes, str]]) -> None:
        nonlocal unclear
        fresh = [(text, name) for text, name in made if text not in seen]
        seen.update(text for text, _ in fresh)
        for found in pool.map(lambda one: look(*one), fresh):
            if found is None:
                continue
            name, text, bug, stack = found
            if bug is None or counts[bug] >= most:
                unclear += bug is None
                continue
            counts[bug] += 1
            (folder / name).write_bytes(text)
            truth[name] = {"bug": bug, "stack": stack}

    def save() -> None:
        found = {"program": program.name, "bugs": sorted(program.bugs), "files": truth}
        (work / "truth.json").write_text(json.dumps(found, indent=1))

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        if afl:
            paths = _afl(program, work, afl)
            take([(path.read_bytes(), f"afl-{at:04}") for at, path in enumerate(paths)])
        # What an earlier run found comes first.
        take([(path.read_bytes(), path.name) for path in sorted(folder.iterdir())])
        save()
        if not tries:
            return
        generator = GENERATORS[program.name](1)
        draw = random.Random(2)
        for start in range(0, tries, _AT_ONCE * 4):
            batch = []
            for number in range(start, start + _AT_ONCE * 4):
                text = generator.text()
                if draw.random() < 0.1:
                    text = mutated(text, draw)
                batch.append((text, f"id:{number:06},sig:06,src:grammar"))
            take(batch)
            save()
            print(start, len(truth), dict(counts), flush=True)
            if len(counts) == len(program.bugs) and min(counts.values()) >= most:
                break
    print(
        f"{len(truth)} files, {len(counts)} of {len(program.bugs)} bugs, {unclear} unclear: {counts}"
    )


def _bug(
    path: Path, code: int, said: str, fixed: dict[str, list[str]], likely: str | None
) -> str | None:
    """Return the bug of a failing file: the one whose fix alone mends it, or changes it.

    `likely` is the bug of a file with the same stack: its fix is tried first, which saves the others
    where it mends this file too.
    """
    if likely is not None and not fails(*run(fixed[likely], path, names=False)):
        return likely
    ends = {bug: run(command, path, names=False) for bug, command in fixed.items()}
    mended = [bug for bug, (end, words) in ends.items() if not fails(end, words)]
    if len(mended) == 1:
        return mended[0]
    if mended:
        return None
    ends = {bug: run(command, path) for bug, command in fixed.items()}
    changed = [bug for bug, end in ends.items() if summary(*end) != summary(code, said)]
    return changed[0] if len(changed) == 1 else None


def _afl(program: Program, work: Path, seconds: int) -> list[Path]:
    """Run afl-fuzz for a while; return what it found, by its own de-duplication."""
    if shutil.which("afl-fuzz") is None or program.source.suffix != ".c":
        return []
    binary = program.build(
        work / "afl", compiler=("afl-gcc-fast",) if shutil.which("afl-gcc-fast") else ("afl-cc",)
    )
    seeds = work / "seeds"
    seeds.mkdir(exist_ok=True)
    generator = GENERATORS[program.name](9)
    made = 0
    while made < 20:
        path = seeds / f"seed{made}"
        path.write_bytes(generator.text())
        made += not fails(*run([str(binary), "{}"], path))
    out = work / "out"
    shutil.rmtree(out, ignore_errors=True)
    environment = os.environ | {
        "AFL_SKIP_CPUFREQ": "1",
        "AFL_NO_UI": "1",
        "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1",
        "AFL_NO_AFFINITY": "1",
        "AFL_USE_ASAN": "1",
        "ASAN_OPTIONS": "abort_on_error=1:symbolize=0:detect_leaks=0",
    }
    words = [
        "afl-fuzz",
        "-V",
        str(seconds),
        "-m",
        "none",
        "-t",
        "2000",
        "-i",
        str(seeds),
        "-o",
        str(out),
        "--",
        str(binary),
        "@@",
    ]
    process = subprocess.Popen(
        words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        process.wait(seconds * 3 + 60)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        process.wait(20)
    return sorted((out / "default" / "crashes").glob("id:*"))
