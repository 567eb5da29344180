"""Stages: the directories that tests run in, made ready for a candidate and cleared behind it."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from dataclasses import dataclass
from typing import Final, Protocol

from marrow.engine.process.overlay import Overlay, OverlayPlacement
from marrow.engine.process.placement import Placement
from marrow.engine.process.workspace import TestDirectory, Workspace, remove

# How much is read of what tests write: the first errors say most, and a compiler may write much.
_MOST_FILES: Final = 8
_MOST_BYTES: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class PreparedTest:
    """What is made ready for one test: its directories, its argument, its standard input.

    `inside` is the directory that the test runs in: `own.path`, or one below it.
    """

    own: TestDirectory
    inside: str
    argument: str
    stdin: int
    mirror: Overlay | None = None

    @property
    def typed(self) -> str:
        """The argument as a person types it in that directory: the file's own name."""
        if not os.path.isabs(self.argument):
            return self.argument
        name = os.path.relpath(self.argument, self.inside)
        return f"./{name}" if name.startswith("-") else name

    def written(self) -> bytes:
        """Return the texts that the test wrote into files in its directory: many scripts do."""
        names: list[str] = []
        with contextlib.suppress(OSError):
            names = sorted(set(os.listdir(self.inside)) - {os.path.basename(self.argument)})
        texts = (_first_bytes(os.path.join(self.inside, name)) for name in names[:_MOST_FILES])
        return b"\n".join(one for one in texts if b"\0" not in one)

    @property
    def root(self) -> str:
        """What stands before the paths of the user's own files, where they are mirrored."""
        return "" if self.mirror is None else self.mirror.root


def _first_bytes(path: str) -> bytes:
    """Return the first bytes of a regular file; none of what is no such file, or not readable."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(file, _MOST_BYTES) if stat.S_ISREG(os.fstat(file).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(file)


class TestDirectories(Protocol):
    """Makes scenes ready, and clears them."""

    def prepare(self, candidate: bytes) -> PreparedTest:
        """Make everything ready for the test of a candidate."""

    def clear(self, scene: PreparedTest, *, deserted: bool) -> None:
        """Clear up behind a test; a scene is `deserted` if no process of the test is left."""


def test_directories_for(workspace: Workspace, place: Placement) -> TestDirectories:
    """Return the stage for a placement."""
    if isinstance(place, OverlayPlacement):
        return OverlayDirectories(workspace, place)
    return EmptyDirectories(workspace, place)


class EmptyDirectories:
    """Every test has a directory that holds the candidate and nothing else."""

    def __init__(self, workspace: Workspace, place: Placement) -> None:
        self._workspace: Final = workspace
        self._place: Final = place

    def prepare(self, candidate: bytes) -> PreparedTest:
        """Put the candidate into a fresh directory."""
        own = self._workspace.directory()
        try:
            argument, stdin = self._place.put(own.path, candidate)
        except PermissionError:  # the test before has taken the directory for itself (chattr +i)
            self._workspace.discard(own, self._place.alone)
            own = self._workspace.directory(fresh=True)
            argument, stdin = self._place.put(own.path, candidate)
        except BaseException:
            self._workspace.discard(own, self._place.alone)
            raise
        return PreparedTest(own, own.path, argument, stdin)

    def clear(self, scene: PreparedTest, *, deserted: bool) -> None:
        """Remove the directory, or keep it for another test."""
        self._workspace.discard(scene.own, self._place.alone, deserted=deserted)


class OverlayDirectories:
    """Every test has a mirror of the directory where its command was typed, one at a time."""

    def __init__(self, workspace: Workspace, place: OverlayPlacement) -> None:
        self._workspace: Final = workspace
        self._place: Final = place
        self._guard: Final = threading.Lock()
        self._spare: Final[list[tuple[TestDirectory, Overlay]]] = []

    def prepare(self, candidate: bytes) -> PreparedTest:
        """Put the candidate into a mirror that no test uses."""
        with self._guard:
            found = self._spare.pop() if self._spare else None
        if found is None:
            own = self._workspace.directory()
            try:
                mirror = Overlay(own.path, self._place)
            except BaseException:
                self._workspace.discard(own, "")
                raise
        else:
            own, mirror = found
        try:
            argument, stdin = mirror.put(candidate)
        except BaseException:
            self._workspace.discard(own, "")
            raise
        return PreparedTest(own, mirror.directory, argument, stdin, mirror)

    def clear(self, scene: PreparedTest, *, deserted: bool) -> None:
        """Put the mirror back as it was, or remove it."""
        assert scene.mirror is not None
        if deserted:
            with contextlib.suppress(OSError):
                scene.mirror.restore()
                if os.listdir(scene.own.temporary):
                    remove(scene.own.temporary)
                    os.mkdir(scene.own.temporary)
                with self._guard:
                    self._spare.append((scene.own, scene.mirror))
                return
        self._workspace.discard(scene.own, "")
