"""Control of a run from outside: skip a pass, pause, stop, take a person's edit, go back.

Another thread asks; the scheduler looks between two attempts and obeys.
"""

from __future__ import annotations

import queue
from typing import Final

#: The name of the pass where a person changes the best.
BY_HAND: Final = "edit"


class ProposedEdit:
    """A text that a person proposes as the new best, and the answer to it.

    One that goes `back` was the best before, and need not be smaller.
    """

    def __init__(self, text: bytes, *, back: bool = False) -> None:
        self.text: Final = text
        self.back: Final = back
        self._answer: Final[queue.Queue[str]] = queue.Queue()

    def reply(self, words: str) -> None:
        """Answer, from the run's thread."""
        self._answer.put(words)

    def answer(self, seconds: float) -> str:
        """Wait for the answer."""
        try:
            return self._answer.get(timeout=seconds)
        except queue.Empty:
            return "Not answered yet."


class Control:
    """The wishes of another thread. Each value is set by one thread and read by another."""

    def __init__(self) -> None:
        self.paused = False
        self.stopped = False
        #: Whether a signal came that ends the run.
        self.interrupted = False
        #: The passes that are skipped whenever it is their turn.
        self.switched_off: frozenset[str] = frozenset()
        self._skip: str | None = None
        self._edit: ProposedEdit | None = None

    def propose(self, text: bytes, *, back: bool = False) -> ProposedEdit:
        """Propose a text as the new best; one that was proposed before has had its time."""
        before, self._edit = self._edit, ProposedEdit(text, back=back)
        if before is not None:
            before.reply("Another edit came after this one.")
        return self._edit

    def take_edit(self) -> ProposedEdit | None:
        """Return the edit that is proposed, once."""
        wanted, self._edit = self._edit, None
        return wanted

    def switch(self, pass_name: str) -> None:
        """Switch a pass off, or on again."""
        self.switched_off ^= {pass_name}

    def skip(self, pass_name: str) -> None:
        """Ask to skip a pass, if it is still its turn when the scheduler looks."""
        self._skip = pass_name

    @property
    def has_wish(self) -> bool:
        """Whether somebody asks to stop, to skip a pass or to take an edit."""
        return self.interrupted or self.stopped or self._skip is not None or self._edit is not None

    def take_skip(self, pass_name: str) -> bool:
        """Return whether to skip this pass; a wish is granted once."""
        if self._skip is None:
            return False
        wanted, self._skip = self._skip, None
        return wanted == pass_name
