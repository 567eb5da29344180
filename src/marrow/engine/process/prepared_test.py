"""Prepared tests: directories made ready for a candidate, and cleared after its test."""

from __future__ import annotations

import contextlib
import os
import threading
from dataclasses import dataclass
from typing import Final

from marrow.engine.process.placement import OneFile, Overlay, OverlayPlacement, SetOfFiles
from marrow.engine.process.workspace import TestDirectory, Workspace

# How much is read of what tests write: the first errors say most, and a compiler may write much.
_MOST_FILES: Final = 8
_MOST_BYTES: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class PreparedTest:
    """Everything ready for one test: its directories, its argument, its standard input.

    `inside` is the directory that the test runs in: `own.path`, or one below it.
    """

    own: TestDirectory
    inside: str
    argument: str
    stdin: int
    overlay: Overlay | None = None

    @property
    def typed(self) -> str:
        """The argument as a person types it in that directory: the file's own name."""
        if not os.path.isabs(self.argument):
            return self.argument
        name = os.path.relpath(self.argument, self.inside)
        return f"./{name}" if name.startswith("-") else name

    def written(self) -> bytes:
        """Return the texts that the test wrote into files in its directory: many scripts do."""
        texts = []
        with (
            contextlib.suppress(OSError),
            self.own.opened.enter(os.path.relpath(self.inside, self.own.path)) as here,
        ):
            names = sorted(set(here.names()) - {os.path.basename(self.argument)})
            for name in names[:_MOST_FILES]:
                with contextlib.suppress(OSError):
                    texts.append(here.read(name, _MOST_BYTES))
        return b"\n".join(one for one in texts if b"\0" not in one)


class EmptyDirectories:
    """Every test has a directory that holds the candidate and nothing else."""

    def __init__(self, workspace: Workspace, place: OneFile | SetOfFiles) -> None:
        self._workspace: Final = workspace
        self._place: Final = place

    def prepare(self, candidate: bytes) -> PreparedTest:
        """Put the candidate into a fresh directory."""
        own = self._workspace.directory()
        try:
            name, stdin = self._place.put(own.opened, candidate)
        except PermissionError:  # the test before has taken the directory for itself (chattr +i)
            self._workspace.discard(own, self._place.alone)
            own = self._workspace.directory(fresh=True)
            name, stdin = self._place.put(own.opened, candidate)
        except BaseException:
            self._workspace.discard(own, self._place.alone)
            raise
        return PreparedTest(own, own.path, os.path.join(own.path, name).rstrip("/"), stdin)

    def clear(self, test: PreparedTest, *, deserted: bool) -> None:
        """Remove the directory, or keep it for another test."""
        self._workspace.discard(test.own, self._place.alone, deserted=deserted)


class OverlayDirectories:
    """Every test has an overlay of the directory where its command was typed, one at a time."""

    def __init__(self, workspace: Workspace, place: OverlayPlacement) -> None:
        self._workspace: Final = workspace
        self._place: Final = place
        self._guard: Final = threading.Lock()
        self._spare: Final[list[tuple[TestDirectory, Overlay]]] = []

    def prepare(self, candidate: bytes) -> PreparedTest:
        """Put the candidate into an overlay that no test uses."""
        with self._guard:
            found = self._spare.pop() if self._spare else None
        own = self._workspace.directory() if found is None else found[0]
        try:
            overlay = Overlay(own.opened, own.path, self._place) if found is None else found[1]
            argument, stdin = overlay.put(candidate)
        except BaseException:
            self._workspace.discard(own, "")
            raise
        return PreparedTest(own, overlay.directory, argument, stdin, overlay)

    def clear(self, test: PreparedTest, *, deserted: bool) -> None:
        """Put the overlay back as it was, or remove it."""
        assert test.overlay is not None
        if deserted:
            with contextlib.suppress(OSError):
                test.overlay.restore()
                self._workspace.clear_temporary(test.own)
                with self._guard:
                    self._spare.append((test.own, test.overlay))
                return
        self._workspace.discard(test.own, "")
