"""Events as JSON lines, for programs that watch a run: to a file, or to an open descriptor.

The vocabulary is that of `engine.events`; single attempts are counted in `progress`, a few times
a second. A reader that leaves, or a full disk, ends the lines and not the run.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from pathlib import Path
from typing import IO, Any, Final

from marrow import __version__
from marrow.base.clock import running_time
from marrow.base.errors import UsageError, error_text
from marrow.engine.events import (
    Accepted,
    Answer,
    Event,
    Noted,
    OtherFailure,
    PassBegan,
    PhaseAdvanced,
    PhaseBegan,
    SampleTested,
    Tried,
    Warned,
)
from marrow.schemas import tag

# Often enough for a display.
_SECONDS: Final = 0.25


class EventLines:
    """Writes events as they come; `texts` adds the text of each improvement."""

    def __init__(self, target: str, *, texts: bool) -> None:
        self._file: IO[str] | None = _opened(target)
        self._texts: Final = texts
        self._started: Final = running_time()
        self._next = 0.0
        self._counts: Final = Counter[Answer]()
        self._size: dict[str, int] = {}
        self._share: dict[str, float] = {}
        self._turn = {"phase": "", "pass": ""}

    def begin(self, command: str, source: str) -> None:
        """Say what runs."""
        told = {"marrow": __version__, "command": command, "input": source}
        self._line("started", schema=tag("event"), **told)

    def __call__(self, event: Event) -> None:
        """Write an event, or count it."""
        match event:
            case PhaseBegan():
                self._turn, self._share = {"phase": event.words, "pass": ""}, {}
                self._line("phase", phase=event.words)
            case PhaseAdvanced():
                self._share = {"share": round(event.share, 4)}
                self._progress()
            case PassBegan():
                self._turn["pass"] = event.name
            case Tried() | SampleTested():
                self._counts[event.answer] += 1
                self._progress()
            case Accepted():
                self._size = {"tokens": event.tokens, "bytes": event.length}
                self._turn = {"phase": event.phase, "pass": event.pass_name}
                text = event.after.decode("utf-8", "backslashreplace")
                more = {"text": text} if self._texts else {}
                self._line("improved", **self._size, tests=event.tests, **self._turn, **more)
            case OtherFailure():
                self._line("other-failure", label=event.label)
            case Noted():
                self._line("note", message=event.message)
            case Warned():
                self._line("warning", message=event.message)

    def end(self, code: int, **facts: object) -> None:
        """Say how it ended, and close."""
        self._line("ended", exit=code, **facts)
        self._close()

    def _progress(self) -> None:
        if running_time() < self._next:
            return
        self._next = running_time() + _SECONDS
        counts = {"tests": Answer.TEST, "cached": Answer.CACHE, "invalid": Answer.INVALID}
        counted = {name: self._counts[answer] for name, answer in counts.items()}
        self._line("progress", **counted, **self._size, **self._turn, **self._share)

    def _line(self, name: str, **facts: Any) -> None:
        if self._file is None:
            return
        record = {"event": name, "seconds": round(running_time() - self._started, 3), **facts}
        try:
            self._file.write(json.dumps(record) + "\n")
            self._file.flush()
        except (OSError, ValueError):
            self._close()

    def _close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):
                file.close()


def _opened(target: str) -> IO[str]:
    """Open a file by its path, or a descriptor by its number; raise `UsageError`."""
    try:
        if target.isdecimal():
            return os.fdopen(os.dup(int(target)), "w", encoding="utf-8")
        return Path(target).open("w", encoding="utf-8")
    except (OSError, OverflowError) as error:
        what = "the open descriptor" if target.isdecimal() else "the file"
        why = getattr(error, "strerror", error)
        raise UsageError(error_text("no_events", what=what, target=target, why=why)) from error
