"""The watchdog: a thread that ends tests that take too long, and processes that tests leave.

A test's process group is killed as a whole, but a test may also start processes in groups or
sessions of their own. Their parent dies with the test, and marrow inherits them. By their mark it
knows whose they are; one that has lost the mark (a cleared environment) is ended when every test
that ran when it was first seen has ended.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from typing import Final

from marrow.base.clock import running_time, ticking
from marrow.engine.process.child import TestProcess
from marrow.engine.process.leftover_processes import (
    become_subreaper,
    children,
    end_marked,
    inherited,
    is_alive,
    mark_of,
    reaped,
    send,
    stop_all,
)

# How often orphans are looked for. They do no harm for a second.
_SWEEP_SECONDS: Final = 1.0

# How long to wait for the end of orphans that were killed. What is there after a minute is held by
# the kernel, or belongs to another user.
_LAST_SECONDS: Final = 60.0

# So many orphans of which nobody knows whose they are may be a fork bomb without marks. No test is
# started then until the others have ended; what is left is nobody's.
_MOST_STRANGERS: Final = 64


# The watchdogs of this process.
_WATCHDOGS: Final[weakref.WeakSet[Watchdog]] = weakref.WeakSet()


@contextlib.contextmanager
def tests_stopped() -> Iterator[None]:
    """Stop the tests that run, inside the block, with all that they have started.

    For a process that is about to be stopped itself. They have sessions of their own, and do not
    get the signal that Ctrl-Z sends.
    """
    tests = [pid for watchdog in list(_WATCHDOGS) for pid in watchdog.tests()]
    stopped = stop_all(lambda: tests, end=False)
    try:
        yield
    finally:
        for pid in stopped:
            send(pid, signal.SIGCONT)


@contextlib.contextmanager
def sweeps_held() -> Iterator[None]:
    """Hold off watchdogs while this process has other children, which they would end."""
    with contextlib.ExitStack() as held:
        for watchdog in list(_WATCHDOGS):
            held.enter_context(watchdog.starting())
        yield


def run_helper(
    words: Sequence[str], text: bytes = b"", *, seconds: float, directory: str | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a program beside tests, a formatter for one, while none of them runs.

    Raises as `subprocess.run` does.
    """
    with sweeps_held():
        return subprocess.run(
            words, input=text, capture_output=True, timeout=seconds, cwd=directory, check=False
        )


class Watchdog:
    """Kills tests that run too long, and orphans that tests left.

    With `adopt`, the process inherits the orphans of its tests and ends them: for a program that
    starts no other processes after this.
    """

    def __init__(self, run: str, *, adopt: bool) -> None:
        self._run: Final = run
        self._not_ours: Final = frozenset(children()) if adopt else frozenset()
        self._adopting: Final = adopt and become_subreaper(True)
        self._condition: Final = threading.Condition()
        self._clock: Final = contextlib.ExitStack()
        self._deadlines: Final[dict[TestProcess, float]] = {}
        # Orphans without a mark, and the tests that ran when each was first seen.
        self._strangers: Final[dict[int, frozenset[str]]] = {}
        # One thread at a time: what one reaps, another must not take for alive.
        self._sweeping: Final = threading.Lock()
        self._wakes_at = 0.0
        self._closed = False
        self._starting = 0
        self._thread: Final = threading.Thread(
            target=self._watch, name="marrow-watchdog", daemon=True
        )
        self._thread.start()
        self._clock.enter_context(ticking())
        _WATCHDOGS.add(self)

    @contextlib.contextmanager
    def starting(self) -> Iterator[None]:
        """Hold off reaping while a process is started that is not watched yet."""
        with self._condition:
            self._starting += 1
        try:
            yield
        finally:
            with self._condition:
                self._starting -= 1

    def watch(self, process: TestProcess, seconds: float) -> None:
        """Kill the process unless `forget` is called in time."""
        deadline = running_time() + seconds
        with self._condition:
            self._deadlines[process] = deadline
            # Most tests end in time: waking the thread for each would cost more than it gains.
            if deadline < self._wakes_at:
                self._condition.notify()

    def forget(self, process: TestProcess) -> None:
        """Forget a process that has ended."""
        with self._condition:
            self._deadlines.pop(process, None)

    def ended(self, process: TestProcess) -> bool:
        """Forget a test that was waited for, end what it left; return whether that was nothing."""
        deserted = self._sees_no_orphans()
        self.forget(process)
        if not deserted and self._adopting:
            self._sweep_all()
        return deserted

    def _sees_no_orphans(self) -> bool:
        with self._condition:
            known = {process.pid for process in self._deadlines} | self._not_ours
        pids = inherited() if self._adopting else None
        return pids is not None and known.issuperset(pids)

    def left_nothing(self, process: TestProcess, directory: str) -> bool:
        """Whether no process of a test is left, nor any in a directory; takes some milliseconds."""
        return not self._adopting and not is_alive(process.mark, directory)

    @property
    def overrun(self) -> bool:
        """Whether no test should be started while others run."""
        return len(self._strangers) > _MOST_STRANGERS

    def tests(self) -> list[int]:
        """Return the ids of the tests that run."""
        return [process.pid for process in list(self._deadlines)]

    def close(self) -> None:
        """End the thread, and all processes that tests left."""
        with self._condition:
            self._closed = True
            self._condition.notify()
        self._thread.join()
        self._clock.close()
        if self._adopting:
            self._sweep_all()
            end_marked(self._run)
            become_subreaper(False)

    def _watch(self) -> None:
        next_sweep = running_time() + _SWEEP_SECONDS
        while True:
            with self._condition:
                if self._closed:
                    return
                now = running_time()
                late = [process for process, end in self._deadlines.items() if end <= now]
                if not late and now < next_sweep:
                    self._wakes_at = min(self._deadlines.values(), default=next_sweep)
                    self._wakes_at = min(self._wakes_at, next_sweep)
                    self._condition.wait(max(0.001, self._wakes_at - now))
            for process in late:
                process.kill(timed_out=True)
                with self._condition:  # only once; it stays known until it has ended
                    if process in self._deadlines:
                        self._deadlines[process] = float("inf")
            if running_time() >= next_sweep:
                if self._adopting:
                    self._sweep()
                next_sweep = running_time() + _SWEEP_SECONDS

    def _sweep(self) -> bool:
        """End orphans and reap dead ones; return whether there were any alive."""
        with self._sweeping:
            return bool(stop_all(self._orphans, end=True))

    def _sweep_all(self) -> None:
        """Sweep until none is left: each may leave others, and make room for another."""
        patience = time.monotonic() + _LAST_SECONDS
        while self._sweep() and time.monotonic() < patience:
            time.sleep(0.001)

    def _orphans(self) -> list[int]:
        """Return the children that belong to tests that have ended; reap those that are dead."""
        with self._condition:
            # No test starts or ends while the lock is held: a child is a test or it is not.
            if self._starting:
                return []
            tests = {process.pid for process in self._deadlines} | self._not_ours
            running = frozenset(process.mark for process in self._deadlines)
            # The youngest first: a process that starts the next one and ends is hard to catch.
            mine = [pid for pid in reversed(children()) if pid not in tests]
            alive = [pid for pid in mine if not reaped(pid)]
            for pid in self._strangers.keys() - alive:
                del self._strangers[pid]
            return [pid for pid in alive if not running or self._is_orphan(pid, running)]

    def _is_orphan(self, pid: int, running: frozenset[str]) -> bool:
        """Whether a child belongs to a test that has ended, while others are running."""
        mark = mark_of(pid)
        if mark is not None and mark.startswith(f"{self._run}:"):
            return mark not in running
        return not self._strangers.setdefault(pid, running) & running
