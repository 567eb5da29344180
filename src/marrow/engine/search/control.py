"""Control of a run from outside: skip a pass, pause, stop.

Another thread asks; the scheduler looks between two attempts and obeys.
"""

from __future__ import annotations


class Control:
    """The wishes of another thread. Each value is set by one thread and read by another."""

    def __init__(self) -> None:
        self.paused = False
        self.stopped = False
        self._skip: str | None = None

    def skip(self, pass_name: str) -> None:
        """Ask to skip a pass, if it is still its turn when the scheduler looks."""
        self._skip = pass_name

    @property
    def skipping(self) -> bool:
        """Whether somebody asks to skip a pass."""
        return self._skip is not None

    def take_skip(self, pass_name: str) -> bool:
        """Return whether to skip this pass; a wish is granted once."""
        if self._skip is None:
            return False
        wanted, self._skip = self._skip, None
        return wanted == pass_name
