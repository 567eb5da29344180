"""Signals: Ctrl-C, SIGTERM and others end a run cleanly; Ctrl-Z stops its tests, too."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

from marrow.cli.exits import Exit
from marrow.cli.main import ignored
from marrow.engine.search.control import Control

# Seconds until an interruption that Python dropped is repeated: some finalizers later.
_SOON: Final = 0.01

#: Signals that end a run. SIGXCPU comes at the soft limit of processor time (`ulimit -t`); the
#: hard limit kills later.
INTERRUPTING: Final = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGXCPU,
    # A parent may have set a timer: `perl -e 'alarm 60; exec @ARGV' marrow ...`.
    signal.SIGALRM,
)

_CODES: Final = {signal.SIGINT: Exit.INTERRUPTED, signal.SIGQUIT: Exit.QUIT}


@dataclass(slots=True)
class Interruption:
    """The exit code of the signal that ends a run, and when the run lets it through."""

    code: Exit = Exit.INTERRUPTED
    #: Ends the search even where code that is not marrow's swallows the exception.
    control: Control = field(default_factory=Control)
    _held: bool = False
    _waiting: bool = False

    def shield(self) -> None:
        """Ignore signals from now on, while the run cleans up."""
        for number in INTERRUPTING:
            signal.signal(number, ignored)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Delay a signal until the end of this block, which must not stop halfway."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._waiting:
            self._waiting = False
            raise KeyboardInterrupt

    def arrived(self, number: int, _: FrameType | None = None) -> None:
        """Note the signal, and end the run."""
        self.shield()
        self.code = _CODES.get(signal.Signals(number), Exit.TERMINATED)
        self.control.interrupted = True
        if not self._held:
            raise KeyboardInterrupt
        self._waiting = True

    def repeat(self) -> None:
        """Interrupt again: Python drops what is raised in finalizers and weak references."""
        signal.signal(signal.SIGALRM, self._again)
        signal.setitimer(signal.ITIMER_REAL, _SOON, _SOON)

    def _again(self, _: int, frame: FrameType | None) -> None:
        # The hook itself may still be at work: what is raised there is dropped, too.
        if frame is None or frame.f_code.co_filename != __file__:
            self.settle()
            self.shield()
            raise KeyboardInterrupt

    def settle(self) -> None:
        """Repeat the interruption no more."""
        if signal.getsignal(signal.SIGALRM) == self._again:
            signal.setitimer(signal.ITIMER_REAL, 0)


@contextlib.contextmanager
def interruptible() -> Iterator[Interruption]:
    """Turn the signals that ask a process to end into KeyboardInterrupt.

    Only the first signal interrupts: more of them (an impatient Ctrl-C Ctrl-C) must not stop the
    run while it cleans up.
    """
    interruption = Interruption()

    before = {number: signal.getsignal(number) for number in (*INTERRUPTING, signal.SIGTSTP)}
    report = sys.unraisablehook

    def unraisable(dropped: sys.UnraisableHookArgs) -> None:
        if dropped.exc_type is KeyboardInterrupt:
            interruption.repeat()
        else:
            report(dropped)

    sys.unraisablehook = unraisable
    if before[signal.SIGTSTP] is signal.SIG_DFL:
        signal.signal(signal.SIGTSTP, _stop)
    for number, handler in before.items():
        # An ignored signal stays ignored: `nohup`, or a background job of a script.
        if handler not in (signal.SIG_IGN, ignored) and number in INTERRUPTING:
            signal.signal(number, interruption.arrived)
    try:
        yield interruption
    except KeyboardInterrupt:  # while nothing was at work yet
        sys.exit(interruption.code)
    finally:
        interruption.settle()
        sys.unraisablehook = report
        for number, handler in before.items():
            # Another signal must not change the exit code while the interpreter shuts down.
            ends = interruption.control.interrupted and number in INTERRUPTING
            signal.signal(number, signal.SIG_IGN if ends else handler)


def _stop(number: int, _: FrameType | None) -> None:
    """Stop the tests, then this process, as Ctrl-Z does; they continue with it."""
    from marrow.engine.process.watchdog import tests_stopped

    with tests_stopped():
        signal.signal(number, signal.SIG_DFL)
        # Here the process stops until it is continued.
        os.kill(os.getpid(), number)
        signal.signal(number, _stop)
