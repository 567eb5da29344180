"""Crash folders with their truth: fuzz a program, keep what fails, and see which fix mends it.

The truth about a file is a set of bugs:

1. The bugs whose fix, applied alone, makes its failure go away: the file passes, or, since it has
   another bug further on, fails in another way (another kind of failure, or another stack, lines
   included but for those that the fix moves). What counts is the first failure, which is what a triage sees.
2. If that gives several bugs, the file may have parts that have nothing to do with its failure, but
   with a bug: a fix that refuses them ends the program before it comes to the failure. So lines
   (chunks and bytes of binary files) are taken away as long as the failure stays the same, and what is left
   is decided in the same way.
3. What is a set of several bugs then is one: a bug feeds another, as where a wrong value of the
   first is what the second stumbles over, and either fix ends it.
4. If no fix changes anything, nobody can say what it is: it is not in the folder, but counted.

How pairs of files are counted: see `measuring`.

Every row is on disk as soon as it is known, and text number n depends on n alone, so that all of
this can be ended and gone on with at any point.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

from bench.triage.fuzz import GENERATORS, mutated
from bench.triage.programs import Program

#: Frames of the sanitizer and the C library, which stack hashes leave out.
_SYSTEM = re.compile(
    r"interceptor|__asan|__sanitizer|__libc|_start|__GI|raise|abort|__assert|pthread|libasan"
    r"|mem(cpy|set|move)|strlen|vsprintf|sprintf|strcmp|strtol"
)
_FRAME = re.compile(r"^\s*#\d+ 0x[0-9a-f]+ in (\S+) (\S*)", re.MULTILINE)
_PYTHON = re.compile(r'^  File "[^"]*", (line \d+), in (\S+)', re.MULTILINE)

# Where a chunk of a binary file begins: its name is four capital letters.
_CHUNK = re.compile(rb"(?=[A-Z]{4})")

# A stack whose files were of one bug so often is not looked at again when that bug has all its
# files: which files are kept may depend on that, what is said about them does not.
_SURE = 4

# A run that takes longer hangs, in seconds; of what hangs, so many files are kept: each costs as many
# seconds as there are fixes.
_PATIENCE = 2
_HANGS = 6

# How often a generated text is changed as fuzzers do it.
_MUTATED = 0.1

# A stack that overflowed differs in its depth: of so many frames the functions are compared.
_DEEP = 100

# What a run that hangs is said to end with.
_HUNG = 124

Frames = list[tuple[str, str]]


@dataclass(frozen=True)
class End:
    """How a run ended, and what it said."""

    code: int
    said: str

    @property
    def fails(self) -> bool:
        """Whether it crashed: the programs say `error:` and exit with 1 on what they refuse."""
        said = self.said
        return (
            self.code < 0 or self.code == _HUNG or "AddressSanitizer" in said or "Traceback" in said
        )

    @property
    def frames(self) -> Frames:
        """The functions on the stack with their lines, the innermost first."""
        python = [(name, line) for line, name in _PYTHON.findall(self.said)]
        if python:
            return python[::-1]
        first = self.said.partition("\n\n")[0]
        found = [(name, where.rpartition("/")[2]) for name, where in _FRAME.findall(first)]
        return [
            (name, where.partition(":")[2]) for name, where in found if not _SYSTEM.search(name)
        ]

    @property
    def stack_hash(self) -> str:
        """The usual hash: the three functions on top."""
        top = " ".join(name for name, _ in self.frames[:3])
        return hashlib.sha256(top.encode()).hexdigest()[:12]

    @property
    def failure(self) -> tuple[object, ...]:
        """What tells this failure from another one."""
        return self.failure_but_for(frozenset())

    def failure_but_for(self, changed: frozenset[str]) -> tuple[object, ...]:
        """What tells this failure from another one, in a variant that has other lines, too.

        A call that a fix has moved by a line is the same call.
        """
        kind = re.search(r"AddressSanitizer: (\S+)|^(\w+Error)", self.said, re.MULTILINE)
        frames = [
            (name, "" if where.removeprefix("line ") in changed else where)
            for name, where in self.frames
        ]
        stack = sorted({name for name, _ in frames}) if len(frames) >= _DEEP else frames
        return self.code, kind and kind[0], tuple(stack)


def run(command: list[str], path: Path, *, names: bool = True) -> End:
    """Run a program on a file. Without the `names` of functions a sanitizer is much faster."""
    words = [str(path) if word == "{}" else word for word in command]
    if words[-2].endswith(".py"):
        return _forked(words[-2], str(path))
    options = "detect_leaks=0" + ("" if names else ":symbolize=0")
    environment = os.environ | {"ASAN_OPTIONS": options}
    try:
        ended = subprocess.run(
            words, capture_output=True, timeout=_PATIENCE, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        return End(_HUNG, "")
    return End(ended.returncode, ended.stderr.decode("utf-8", "replace"))


@cache
def _compiled(program: str) -> CodeType:
    return compile(Path(program).read_text(), program, "exec")


def _forked(program: str, path: str) -> End:
    """Run a program in Python in a copy of this process: much faster than starting Python."""
    code = _compiled(program)
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if not child:
            status = 1
            try:
                signal.alarm(_PATIENCE)
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                os.dup2(said.fileno(), 2)
                sys.argv = [program, path]
                exec(code, {"__name__": "__main__", "__file__": program})
                status = 0
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else end.code is not None
            except BaseException as error:
                here = error.__traceback__
                traceback.print_exception(error.with_traceback(here and here.tb_next))
            finally:
                sys.stderr.flush()
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    return End(_HUNG if status == -signal.SIGALRM else status, text)


Fixed = dict[str, tuple[list[str], frozenset[str]]]


def fixed_variants(program: Program, built: Path) -> Fixed:
    """Return the command of every variant with one fix, and the lines that the fix changes."""
    return {
        bug: (program.command(program.build(built, bug)), program.changed(bug))
        for bug in program.bugs
    }


def bugs_of(path: Path, seen: End, target: list[str], fixed: Fixed) -> tuple[list[str], str]:
    """Return the bugs of a failing file, and how that is known: see the rule above."""
    bugs, how = _decided(path, seen, fixed)
    if len(bugs) > 1:
        _keep_needed(path, seen, target)
        bugs, how = _decided(path, seen, fixed)
        how = f"{how} its part"
    return bugs, how


def _decided(path: Path, seen: End, fixed: Fixed) -> tuple[list[str], str]:
    ends = {bug: run(command, path) for bug, (command, _) in fixed.items()}
    bugs = [
        bug
        for bug, end in ends.items()
        if end.failure_but_for(fixed[bug][1]) != seen.failure_but_for(fixed[bug][1])
    ]
    if not bugs:
        return [], "unclear"
    return bugs, "mends" if any(not ends[bug].fails for bug in bugs) else "changes"


def _keep_needed(path: Path, seen: End, target: list[str]) -> None:
    """Take lines away, of a binary file chunks and bytes, while the failure stays the same."""
    text = path.read_bytes()
    lines = text.splitlines(keepends=True)
    if len(lines) >= 4 and b"\0" not in text:
        _keep_parts(path, lines, seen, target)
        return
    _keep_parts(path, _CHUNK.split(text), seen, target)
    text = path.read_bytes()
    _keep_parts(path, [text[at : at + 1] for at in range(len(text))], seen, target)


def _keep_parts(path: Path, parts: list[bytes], seen: End, target: list[str]) -> None:
    size = len(parts) // 2
    while size:
        at = 0
        while at < len(parts):
            fewer = parts[:at] + parts[at + size :]
            path.write_bytes(b"".join(fewer))
            if run(target, path).failure == seen.failure:
                parts = fewer
            else:
                at += size
        size //= 2
    path.write_bytes(b"".join(parts))


class CrashFolder:
    """The crash folder of a program, and its rows."""

    def __init__(self, program: Program, work: Path, most: int) -> None:
        self.program = program
        self.work = work / program.name
        self.folder = self.work / "crashes"
        self.folder.mkdir(parents=True, exist_ok=True)
        self._most = most
        self._rows = self.work / "rows.jsonl"
        self._next = self.work / "next"
        built = self.work / "built"
        self.target = program.command(program.build(built))
        self._fixed = fixed_variants(program, built)
        self._text = self.work / "text"
        self.counts: Counter[str] = Counter()
        self._by_stack: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        self._known: set[str] = set()
        self.rows: list[dict[str, Any]] = []
        if self._rows.exists():
            for line in self._rows.read_text().splitlines():
                self._count(json.loads(line))

    def _count(self, row: dict[str, Any]) -> None:
        self.rows.append(row)
        self._known.add(row["digest"])
        self._by_stack[row["stack"]].append(tuple(row["bugs"]))
        if row["kept"]:
            self.counts.update(row["bugs"])

    @property
    def next(self) -> int:
        """The number of the next text of the generator."""
        return int(self._next.read_text()) if self._next.exists() else 0

    @property
    def full(self) -> bool:
        """Whether there are enough files of every bug."""
        return all(self.counts[bug] >= self._most for bug in self.program.bugs)

    def take(self, text: bytes, name: str) -> None:
        """Run a text; if it fails, find its bugs and keep it."""
        digest = hashlib.sha256(text).hexdigest()
        if digest in self._known:
            return
        self._text.write_bytes(text)
        if not run(self.target, self._text, names=False).fails:
            return
        seen = run(self.target, self._text)
        if seen.code == _HUNG and sum(row.get("hangs", False) for row in self.rows) >= _HANGS:
            return
        stack = seen.stack_hash
        before = self._by_stack[stack][-_SURE:]
        if len(before) == _SURE and len(set(before)) == 1 and self._enough(before[0]):
            return
        bugs, how = bugs_of(self._text, seen, self.target, self._fixed)
        kept = bool(bugs) and not self._enough(bugs)
        if kept:
            (self.folder / name).write_bytes(text)
        row: dict[str, Any] = {
            "name": name,
            "digest": digest,
            "bugs": bugs,
            "how": how,
            "stack": stack,
        }
        row |= {"kept": kept, "hangs": seen.code == _HUNG}
        with self._rows.open("a") as file:
            file.write(json.dumps(row) + "\n")
        self._count(row)

    def _enough(self, bugs: tuple[str, ...] | list[str]) -> bool:
        return all(self.counts[bug] >= self._most for bug in bugs)

    def take_generated(self, number: int) -> None:
        """Take a text of the generator."""
        draw = random.Random(number)
        text = GENERATORS[self.program.name](number).text()
        if draw.random() < _MUTATED:
            text = mutated(text, draw)
        self.take(text, f"id:{number:06},sig:06,src:grammar")
        self._next.write_text(str(number + 1))

    def save(self) -> None:
        """Write truth.json."""
        files = {
            row["name"]: {key: row[key] for key in ("bugs", "how", "stack")}
            for row in self.rows
            if row["kept"]
        }
        found = {"program": self.program.name, "bugs": sorted(self.program.bugs), "files": files}
        (self.work / "truth.json").write_text(json.dumps(found, indent=1))

    @property
    def words(self) -> str:
        """How far it is, in a line."""
        kept = [row for row in self.rows if row["kept"]]
        several = sum(len(row["bugs"]) > 1 for row in kept)
        later = sum(row["how"].startswith("changes") for row in kept)
        unclear = sum(row["how"].startswith("unclear") for row in self.rows)
        return (
            f"{self.program.name}: {len(kept)} files, {len(self.counts)} of "
            f"{len(self.program.bugs)} bugs; {several} files of several bugs, {later} that no fix "
            f"alone mends, {unclear} unclear; {self.next} texts made: {dict(self.counts)}"
        )


def make_crashes(
    program: Program,
    work: Path,
    afl: int,
    most: int,
    seconds: float,
    *,
    afl_run: str = "",
    fuzzed_too: bool = True,
) -> None:
    """Build a program and its variants, fuzz it for a while, and write crashes/ and truth.json.

    A second run of afl-fuzz has a name, and a random seed of its own. Without `fuzzed_too`
    the texts of the generator are seeds of afl alone.
    """
    end = time.monotonic() + seconds
    folder = CrashFolder(program, work, most)
    if afl:
        _afl(program, folder.work, afl, afl_run)
    for path in sorted(folder.work.glob("out*/default/crashes/id:*")):
        if time.monotonic() < end:
            number = path.relative_to(folder.work).parts[0].removeprefix("out")
            folder.take(path.read_bytes(), f"afl{number}-{path.name}")
    while fuzzed_too and not folder.full and time.monotonic() < end:
        folder.take_generated(folder.next)
    folder.save()
    print(folder.words)


def _afl(program: Program, work: Path, seconds: int, name: str) -> None:
    """Run afl-fuzz for a while; it goes on where it was."""
    if shutil.which("afl-fuzz") is None or program.source.suffix != ".c":
        print(f"no afl for {program.name}: it is for programs in C, if afl-fuzz is there")
        return
    binary = program.build(work / "afl", compiler="afl-clang-fast")
    seeds = work / "seeds"
    seeds.mkdir(exist_ok=True)
    number = 0
    while len(list(seeds.iterdir())) < 20:
        path = seeds / f"seed{number}"
        path.write_bytes(GENERATORS[program.name](10_000_000 + number).text())
        if run([str(binary), "{}"], path, names=False).fails:
            path.unlink()
        number += 1
    out = work / f"out{name}"
    environment = os.environ | {
        "AFL_SKIP_CPUFREQ": "1",
        "AFL_NO_UI": "1",
        "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1",
        "AFL_NO_AFFINITY": "1",
        "ASAN_OPTIONS": "abort_on_error=1:symbolize=0:detect_leaks=0",
    }
    words: list[str] = ["afl-fuzz", "-V", str(seconds), "-m", "none", "-t", "2000"]
    words += ["-s", str(sum(name.encode()))] if name else []
    words += [word for path in program.source.parent.glob("*.dict") for word in ("-x", str(path))]
    words += ["-i", "-" if out.exists() else str(seeds), "-o", str(out), "--", str(binary), "@@"]
    process = subprocess.Popen(
        words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        process.wait(seconds * 2 + 60)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        process.wait(20)
