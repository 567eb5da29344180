"""Crash files of a program whose bugs are known, and which fix ends each of them.

    python -m bench.triage labels --seeds SEEDS --fixed FIXED --source SOURCE --crashes d/ \\
        --labels d.json --command '/path/of/target {}'

`FIXED` holds a build of the program for each fix, with that fix alone, under the name of the fix;
beside it, in `NAME.d`, the source files that the fix changes. The seeds, such as the regression
tests of the fixes, and mutations of them that fail become the folder `d/`.

The bugs of a file are the fixes after which its first failure is gone: the file passes, or fails in
another way, or at another line. A line is known by its text, since a fix moves the lines after it.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from marrow.bugs.failure_key import Criterion, FailureKey
from marrow.diagnostics.observation import Observation
from marrow.diagnostics.report import report_of
from marrow.diagnostics.texts import InputText

# A run that takes longer hangs, in seconds; what hangs is left out: each fix costs as much again.
_PATIENCE = 10

# How many frames of a stack must agree, and how many files of one stack are kept.
_FRAMES = 6
_ALIKE = 10

# What a byte is often set to, as fuzzers do it.
_BYTES = bytes((0, 1, 2, 16, 32, 64, 127, 128, 254, 255))

_PIECE = re.compile(rb"\w+|\s+|[^\w\s]")
_OPTIONS = "detect_leaks=0:handle_abort=1:max_allocation_size_mb=1000"


@dataclass(frozen=True)
class Failure:
    """The first failure of a run: what was said, and its place as functions and texts of lines."""

    said: str
    place: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Build:
    """A build of the program: its command, the sources, and where those are that a fix changed."""

    command: Sequence[str]
    source: Path
    changed: Path | None = None

    def failure(self, path: Path) -> Failure | None:
        """Run it on a file; return None if that passes, or takes too long."""
        words = [str(path) if word == "{}" else word for word in self.command]
        environment = os.environ | {"ASAN_OPTIONS": _OPTIONS}
        try:
            ended = subprocess.run(
                *(words,), capture_output=True, timeout=_PATIENCE, check=False, env=environment
            )
        except subprocess.TimeoutExpired:
            return None
        seen = Observation(ended.returncode, ended.stdout, ended.stderr)
        text = path.read_bytes()
        key = Criterion(name=path.name).judge(seen, text)
        if not isinstance(key, FailureKey) or not key.tells:
            return None
        frames = report_of(seen, InputText(text, path.name)).frames[:_FRAMES]
        place = tuple((one.function, self._line(one.file, one.position)) for one in frames)
        return Failure(key.message, place)

    def _line(self, file: str, position: str) -> str:
        """Return the text of a line of the program; nothing of a file that is not its own."""
        path = Path(file)
        if not path.is_relative_to(self.source) or not position.isdigit():
            return ""
        changed = self.changed and self.changed / path.relative_to(self.source)
        lines = lines_of(changed if changed and changed.exists() else path)
        return lines[int(position) - 1] if 0 < int(position) <= len(lines) else ""


@cache
def lines_of(path: Path) -> tuple[str, ...]:
    """Return the lines of a source file, without what only lays them out."""
    return tuple(" ".join(line.split()) for line in path.read_text("latin-1").splitlines())


def is_same(failure: Failure, other: Failure, fix: Path) -> bool:
    """Whether a failure of the program is that of a fixed build; the fix may write its line anew."""
    if failure.said != other.said or len(failure.place) != len(other.place):
        return False
    written = {line for path in fix.rglob("*") if path.is_file() for line in lines_of(path)}
    return all(
        one == there and (line == its or its in written)
        for (one, line), (there, its) in zip(failure.place, other.place, strict=True)
    )


def mutations(seeds: Sequence[bytes]) -> Iterator[bytes]:
    """Yield changed seeds without end: of text lexemes, of anything else bytes."""
    for number in range(1 << 62):
        rng = random.Random(number)
        seed, other = rng.choice(seeds), rng.choice(seeds)
        textual = b"\0" not in seed and seed.isascii()
        pieces = _PIECE.findall(seed) if textual else [bytes([one]) for one in seed]
        donor = _PIECE.findall(other) if textual else [bytes([one]) for one in other]
        for _ in range(rng.choice((1, 1, 2, 3, 5))):
            at, much = rng.randrange(len(pieces) + 1), rng.choice((1, 1, 2, 4, 16, 64))
            match rng.randrange(4):
                case 0:
                    del pieces[at : at + much]
                case 1:
                    pieces[at:at] = pieces[at : at + much]
                case 2:
                    start = rng.randrange(len(donor) + 1)
                    pieces[at : at + rng.choice((0, much))] = donor[start : start + much]
                case _ if not textual:
                    value = rng.choice((rng.choice(_BYTES), rng.randrange(256)))
                    pieces[at : at + 1] = [bytes([value])]
        yield b"".join(pieces)


def make_folder(seeds: Path, crashes: Path, build: Build, files: int, texts: int) -> None:
    """Fill a folder with seeds that fail, and mutations of seeds, few of one stack."""
    crashes.mkdir(exist_ok=True)
    known = [path.read_bytes() for path in sorted(seeds.iterdir()) if path.is_file()]
    seen: Counter[Failure] = Counter()
    changed = mutations(known)
    for number in range(len(known) + texts):
        text = known[number] if number < len(known) else next(changed)
        path = crashes / hashlib.sha256(text).hexdigest()[:16]
        if path.exists() or sum(seen.values()) >= files:
            continue
        path.write_bytes(text)
        failure = build.failure(path)
        if failure is None or seen[failure] >= _ALIKE:
            path.unlink()
        else:
            seen[failure] += 1


def label(crashes: Path, labels: Path, build: Build, fixed: Path) -> None:
    """Write which fixes end the failure of each file; a file is written when all are known."""
    found: dict[str, list[str]] = json.loads(labels.read_text()) if labels.exists() else {}
    fixes = sorted(path for path in fixed.iterdir() if path.is_file())
    for path in sorted(crashes.iterdir()):
        before = None if path.name in found else build.failure(path)
        if before is None:
            continue
        found[path.name] = []
        for fix in fixes:
            command = [str(fix), *build.command[1:]]
            changed = fix.with_name(f"{fix.name}.d")
            after = Build(command, build.source, changed).failure(path)
            if after is None or not is_same(before, after, changed):
                found[path.name].append(fix.name)
        labels.write_text(json.dumps(found, indent=1))
