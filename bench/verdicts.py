"""Verdicts that the runs on one case share: what a test said of a text, it says again.

Runs of several algorithms on one case meet many texts more than once, and a run that is repeated
with changed code meets most of them. A script around the test answers those at once, and notes how
long the test took when it ran, so that counts and times of a run are what they would be without.

That holds for one test at a time: where two run at once, saved seconds do not add up. Such runs
ask every test, and only note what it said.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.cases import Prepared

# `time` writes: elapsed seconds, then seconds of the processor for the test and for the system.
_SCRIPT: Final = """\
#!/bin/bash
read -r hash _ < <(sha256sum {file})
known={directory}/$hash
if {known} && read -r code took 2> /dev/null < "$known"; then
    echo "$took" >> {saved}
    exit "$code"
fi
TIMEFORMAT='%R %U %S'
took=$( {{ time {test} > /dev/null 2>&1; }} 2>&1 )
code=$?
echo "$code $took" > "$known.$$" && mv "$known.$$" "$known"
exit "$code"
"""


@dataclass(frozen=True, slots=True)
class Seconds:
    """How long something took: by the clock, and of the processor."""

    clock: float
    processor: float


@dataclass(frozen=True, slots=True)
class Shared:
    """A test that remembers, and the file in which it notes the times it saved."""

    test: Path
    notes: Path

    def saved(self) -> Seconds:
        """Return how long the tests that were not run took when they ran."""
        rows = [list(map(float, line.split())) for line in self.notes.read_text().splitlines()]
        return Seconds(sum(row[0] for row in rows), sum(row[1] + row[2] for row in rows))


def _directory(made: Prepared) -> Path:
    """Return where the verdicts of a case are, a file for each text."""
    key = hashlib.sha256(made.case.script.encode()).hexdigest()[:16]
    directory = made.test.parent / "verdicts" / key
    directory.mkdir(parents=True, exist_ok=True)
    return directory


@dataclass(slots=True)
class RememberingTest:
    """The test of a case as a function, for runs that only count: no process if it knows.

    It knows what the script of `share` knows. `saved` counts the seconds that the tests which were
    not run took when they ran, `processor` those of the processor of all tests.
    """

    made: Prepared
    #: A directory for it alone.
    work: Path
    directory: Path
    saved: float = 0.0
    processor: float = 0.0

    def __call__(self, text: bytes) -> bool:
        """Whether a text is interesting."""
        known = self.directory / hashlib.sha256(text).hexdigest()
        try:
            code, clock, user, system = known.read_text().split()
        except FileNotFoundError:
            return self._run(text, known) == 0
        self.saved += float(clock)
        self.processor += float(user) + float(system)
        return int(code) == 0

    def _run(self, text: bytes, known: Path) -> int:
        (self.work / self.made.case.file).write_bytes(text)
        started, before = time.monotonic(), os.times()
        code = subprocess.run(
            [self.made.test],
            cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=False,
        ).returncode  # fmt: skip
        clock, after = time.monotonic() - started, os.times()
        user = after.children_user - before.children_user
        system = after.children_system - before.children_system
        self.processor += user + system
        new = known.with_suffix(f".{os.getpid()}")
        new.write_text(f"{code} {clock:.3f} {user:.3f} {system:.3f}\n")
        new.replace(known)
        return code


def remembering(made: Prepared, work: Path) -> RememberingTest:
    """Return the test of a case as a function that remembers; `work` is for it alone."""
    return RememberingTest(made, work, _directory(made))


def share(made: Prepared, work: Path, *, answer: bool = True) -> Shared:
    """Write a test for a case that remembers its verdicts; `work` is a directory for it alone.

    Unless it is to `answer` from what it remembers, it only notes what the test says.
    """
    directory = _directory(made)
    shared = Shared(work / "remembering.sh", work / "saved")
    shared.notes.touch()
    words = {
        "file": made.case.file,
        "directory": directory,
        "saved": shared.notes,
        "test": made.test,
    }
    quoted = {name: shlex.quote(str(word)) for name, word in words.items()}
    quoted["known"] = "true" if answer else "false"
    shared.test.write_text(_SCRIPT.format(**quoted))
    shared.test.chmod(0o755)
    return shared
