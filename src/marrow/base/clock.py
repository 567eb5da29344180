"""The time that a run has had: the clock halts while the process is stopped.

Ctrl-Z, SIGSTOP, a paused container: whatever stops a process, the time until it continues counts
neither for tests nor for limits, and is not shown. Nothing tells a process for how long it was
stopped. So a thread looks at the clock ten times a second (`ticking`); where it could not for half
a second and more, and the process hardly used the processor, it was stopped. A long computation
also keeps the thread from looking, but uses the processor.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

# How often the clock is looked at: so much of a stop may count as time of the run.
_TICK: Final = 0.1

# A thread that waits for the processor on a busy machine gets it sooner than this. A shorter stop
# does not matter: time limits of tests are ten times what a test takes, and two seconds at least.
_STOPPED: Final = 0.5

# A process that computes gets a larger share of the processor than this, also on a busy machine.
_SHARE: Final = 0.1


class RunningClock:
    """A clock that halts while the process is stopped."""

    def __init__(
        self,
        wall: Callable[[], float] = time.monotonic,
        processor: Callable[[], float] = time.process_time,
    ) -> None:
        self._wall: Final = wall
        self._processor: Final = processor
        self._lock: Final = threading.RLock()
        self._users = 0
        self._end: threading.Event | None = None
        self._ticker: threading.Thread | None = None
        self._last = self._last_used = 0.0
        #: How long the process was stopped, as far as known.
        self.stopped = 0.0

    def now(self) -> float:
        """Return the seconds since some moment, without those in which the process was stopped."""
        with self._lock:
            now = self._wall()
            if self._end is not None:
                if now - self._last > _STOPPED:
                    self._look(now)
                self._last = now
            return now - self.stopped

    def tick(self) -> None:
        """Look at the clock."""
        with self._lock:
            self._look(self._wall())

    @contextlib.contextmanager
    def ticking(self) -> Iterator[None]:
        """Notice stops, inside the block; blocks may overlap."""
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._last, self._last_used = self._wall(), self._processor()
                self._end = self._start()
        try:
            yield
        finally:
            ticker = None
            with self._lock:
                self._users -= 1
                if self._users == 0 and self._end is not None:
                    self._end.set()
                    self._end, ticker = None, self._ticker
            if ticker is not None:
                ticker.join()

    def _start(self) -> threading.Event | None:
        end = threading.Event()

        def tick() -> None:
            while not end.wait(_TICK):
                self.tick()

        try:
            self._ticker = threading.Thread(target=tick, name="clock", daemon=True)
            self._ticker.start()
        except RuntimeError:  # no room for another thread: then stops count as time
            return None
        return end

    def _look(self, now: float) -> None:
        used = self._processor()
        gap = now - self._last
        # The processor was last looked at one tick before the stop.
        if gap > _STOPPED and used - self._last_used < _TICK + _SHARE * gap:
            self.stopped += gap
        self._last, self._last_used = now, used


_CLOCK: Final = RunningClock()

#: The time that this process has had, in seconds; only differences mean something.
running_time: Final = _CLOCK.now

#: Notice stops, inside a `with` block.
ticking: Final = _CLOCK.ticking
