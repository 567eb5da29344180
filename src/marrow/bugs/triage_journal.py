"""The journal of a triage: which files came when, and what the target did with every text so far.

All decisions follow from these, so a triage is resumed by doing it again: what is known is not run
twice. A new build of the target begins a new journal, which keeps the history of the files.
"""

from __future__ import annotations

import base64
import contextlib
import json
import threading
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from marrow.diagnostics.observation import Observation
from marrow.engine.journal.journal import Journal, JournalError, digest, read_record

#: The name of the journal in the directory of a triage.
JOURNAL: Final = "triage.marrow"

_FORM: Final = "triage 1"
_BATCHES: Final = "batches"
_OBSERVATION: Final = "observation "

# What is kept of an output at each of its ends: signatures read no more than this many lines.
_KEPT: Final = 32 << 10


class TriageJournal:
    """Observations by text, and batches of files; without a path, in memory alone."""

    def __init__(self, path: Path | None, target: str, rights: int = 0o666) -> None:
        """Open the journal of a target; one of another target only hands on its batches.

        The file is at most as readable as `rights` say.
        """
        self.lock: Final = threading.Lock()
        self.resumed = False
        self.new_target = False
        batches = "[]"
        identity = {"form": _FORM, "target": target}
        resume = path is not None and path.exists()
        if resume:
            assert path is not None
            facts = read_record(path).facts
            if facts and facts.get("form") != _FORM:
                raise JournalError(
                    f"{path} is not the journal of a triage\nName another directory with ⟦output⟧."
                )
            batches = facts.get(_BATCHES, "[]")
            self.new_target = bool(facts) and facts.get("target") != target
            resume = not self.new_target
        self._journal: Final = Journal(path, identity, resume=resume, rights=rights)
        self._journal.note(_BATCHES, batches)
        self.batches: Final[list[list[str]]] = json.loads(batches)
        self._seen: Final = {
            name.removeprefix(_OBSERVATION): content
            for name, content in self._journal.record.texts.items()
            if name.startswith(_OBSERVATION)
        }
        self.resumed = bool(self._seen)

    @property
    def size(self) -> int:
        """How many texts the target was run on."""
        return len(self._seen)

    @property
    def failure(self) -> str:
        """Why nothing can be written any more; empty if it can."""
        return self._journal.failure

    def add_batch(self, keys: Iterable[str]) -> None:
        """Record files that were not there before."""
        known = {key for batch in self.batches for key in batch}
        new = [key for key in dict.fromkeys(keys) if key not in known]
        if new:
            self.batches.append(new)
            with self.lock:
                self._journal.note(_BATCHES, json.dumps(self.batches))

    def get(self, name: str) -> Observation | None:
        """Return what is known under a name: see `name_of`."""
        content = self._seen.get(name)
        return None if content is None else unpacked(content.decode("ascii"))

    def put(self, name: str, observation: str) -> None:
        """Record a packed observation."""
        content = observation.encode("ascii")
        with self.lock:
            self._seen[name] = content
            self._journal.put_text(f"{_OBSERVATION}{name}", content)

    def close(self) -> None:
        """Close the file."""
        with contextlib.suppress(Exception):
            self._journal.close()


def name_of(text: bytes, run: int = 0) -> str:
    """Return the name of the first, second, ... run on a text."""
    return f"{digest(text).hex()}{f' {run}' if run else ''}"


def packed(seen: Observation) -> str:
    """Return an observation as a text that travels: outputs at most so long, compressed."""
    return json.dumps([seen.status, _short(seen.stdout), _short(seen.stderr)])


def unpacked(text: str) -> Observation:
    """Return the observation in a text."""
    status, stdout, stderr = json.loads(text)
    return Observation(status, _long(stdout), _long(stderr))


def _short(output: bytes) -> str:
    if len(output) > 2 * _KEPT:
        output = output[:_KEPT] + b"\n" + output[-_KEPT:]
    return base64.b85encode(zlib.compress(output)).decode("ascii") if output else ""


def _long(output: str) -> bytes:
    return zlib.decompress(base64.b85decode(output)) if output else b""
