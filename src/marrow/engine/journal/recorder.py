"""The recorder: a listener that writes the history of a run into its journal."""

from __future__ import annotations

from typing import Final

from marrow.engine.delta import delta
from marrow.engine.events import Accepted, Event, Listener, PassBegan
from marrow.engine.journal.history import AcceptedStep, Turn
from marrow.engine.journal.journal import Journal, digest


class Recorder:
    """Records events, and passes them on."""

    def __init__(self, text: bytes, journal: Journal, listener: Listener) -> None:
        self._text = text
        self._journal: Final = journal
        self._listen: Final = listener
        self._steps = 0
        self._turns = 0

    def __call__(self, event: Event) -> None:
        """Take an event."""
        match event:
            case PassBegan():
                self._journal.put_turn(self._turns, Turn(event.tests, event.name))
                self._turns += 1
            case Accepted():
                self._accept(event)
        self._listen(event)

    def _accept(self, event: Accepted) -> None:
        # From the text that is known here, so that the steps follow from each other.
        changes = delta(self._text, event.after)
        self._text = event.after
        step = AcceptedStep(
            event.tests,
            event.tokens,
            event.length,
            event.pass_name,
            event.phase,
            digest(event.after),
            changes,
        )
        self._journal.put_step(self._steps, step)
        self._steps += 1
