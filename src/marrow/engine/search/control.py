"""The control of a run from outside, while it runs: skip a pass, pause, stop.

Another thread asks; the scheduler looks between two attempts and does it.
"""

from __future__ import annotations


class Control:
    """What was asked for. Each value is set by one thread and read by another."""

    def __init__(self) -> None:
        self.paused = False
        self.stopped = False
        self._skip: str | None = None

    def skip(self, pass_name: str) -> None:
        """Ask that a pass be skipped, if it is still its turn when the scheduler looks."""
        self._skip = pass_name

    @property
    def skipping(self) -> bool:
        """Whether a pass is to be skipped."""
        return self._skip is not None

    def take_skip(self, pass_name: str) -> bool:
        """Return whether this pass is to be skipped, once."""
        if self._skip is None:
            return False
        wanted, self._skip = self._skip, None
        return wanted == pass_name
