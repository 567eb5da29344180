"""Jobs: runs of marrow in processes of their own, for a server that watches several of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

# How much of the end of the events is read for a status: the last few lines.
_TAIL: Final = 1 << 14


class MarrowRun:
    """One run of marrow: its process, its events so far, its record in the end."""

    def __init__(self, words: Sequence[str], directory: Path, *, after: Sequence[str] = ()) -> None:
        """Start it; `after` is what follows `--`."""
        self.words: Final = tuple(words)
        self.after: Final = tuple(after)
        self._events: Final = directory / "events.jsonl"
        self._output: Final = directory / "record.json"
        self._messages: Final = directory / "messages.txt"
        line = [sys.executable, "-m", "marrow", *words, "--json"]
        if words[0] != "match":
            line += ["--events", str(self._events)]
        if after:
            line += ["--", *after]
        with self._output.open("wb") as out, self._messages.open("wb") as err:
            self._process: Final = subprocess.Popen(
                line, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
            )

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def stop(self) -> None:
        """End it as Ctrl-C does; the best so far is kept."""
        if self.running:
            self._process.send_signal(signal.SIGINT)

    def wait(self) -> None:
        """Wait for its end."""
        self._process.wait()

    def status(self) -> dict[str, Any]:
        """Return how far it is: the last event of each kind that says so."""
        seen: dict[str, Any] = {"state": "running" if self.running else "ended"}
        for event in self._last_events():
            for key in ("tokens", "bytes", "tests", "phase", "seconds"):
                if key in event:
                    seen[key] = event[key]
        return seen

    def _last_events(self) -> list[dict[str, Any]]:
        try:
            with self._events.open("rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
                lines = file.read().split(b"\n")
        except OSError:
            return []
        found = []
        for line in lines:
            try:
                found.append(json.loads(line))
            except ValueError:  # the first line may be cut, the last be on its way
                continue
        return found

    def record(self) -> dict[str, Any]:
        """Return what it printed in the end; see `marrow schema`."""
        try:
            record: dict[str, Any] = json.loads(self._output.read_bytes())
        except ValueError:
            said = self._messages.read_text(errors="replace").strip()
            record = {
                "error": {
                    "kind": "internal",
                    "exit": self._process.returncode,
                    "message": "marrow ended without a record",
                    "hint": "Look at the output.",
                    "output": said,
                }
            }
        return record


class Jobs:
    """All jobs of a server, by number; their files are removed when it ends."""

    def __init__(self) -> None:
        self._directory: Final = tempfile.TemporaryDirectory(prefix="marrow-jobs-")
        self._jobs: Final[list[MarrowRun]] = []

    def start(self, words: Sequence[str], after: Sequence[str] = ()) -> int:
        """Start a job; return its number."""
        place = Path(self._directory.name, str(len(self._jobs)))
        place.mkdir()
        self._jobs.append(MarrowRun(words, place, after=after))
        return len(self._jobs) - 1

    def __getitem__(self, number: int) -> MarrowRun:
        if number < 0:
            raise IndexError(number)
        return self._jobs[number]

    def close(self) -> None:
        """Stop all jobs, and remove their files."""
        for job in self._jobs:
            job.stop()
        for job in self._jobs:
            job.wait()
        self._directory.cleanup()
