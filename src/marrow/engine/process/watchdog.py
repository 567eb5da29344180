"""The watchdog: a thread that ends tests that take too long, and processes that tests leave.

A test's process group is killed as a whole, but a test may also start processes in groups or
sessions of their own. Their parent dies with the test, and marrow inherits them. By their mark it
knows whose they are; one that has lost the mark (a cleared environment) is ended when every test
that ran when it was first seen has ended.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from typing import Final

from marrow.engine.process.child import TestProcess
from marrow.engine.process.strays import (
    become_subreaper,
    children,
    end,
    end_marked,
    is_zombie,
    mark_of,
    open_inherited,
)

# How often orphans are looked for. They do no harm for a second.
_SWEEP_SECONDS: Final = 1.0

# How often to look for the last orphans at the end: each look may kill a parent and thereby make
# orphans of its children.
_LAST_SWEEPS: Final = 200


class Watchdog:
    """Kills tests that run too long, and orphans that tests left behind.

    With `adopt`, the process inherits the orphans of its tests and ends them: for a program that
    starts no other processes after this.
    """

    def __init__(self, run: str, *, adopt: bool) -> None:
        self._run: Final = run
        self._not_ours: Final = frozenset(children()) if adopt else frozenset()
        self._adopting: Final = adopt and become_subreaper(True)
        self._inherited: Final = open_inherited() if self._adopting else None
        self._condition: Final = threading.Condition()
        self._deadlines: Final[dict[TestProcess, float]] = {}
        # Orphans without a mark, and the tests that ran when each was first seen.
        self._strangers: Final[dict[int, frozenset[str]]] = {}
        self._wakes_at = 0.0
        self._closed = False
        self._starting = 0
        self._thread: Final = threading.Thread(
            target=self._watch, name="marrow-watchdog", daemon=True
        )
        self._thread.start()

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
        deadline = time.monotonic() + seconds
        with self._condition:
            self._deadlines[process] = deadline
            # Most tests end in time: waking the thread for each would cost more than it gains.
            if deadline < self._wakes_at:
                self._condition.notify()

    def forget(self, process: TestProcess) -> None:
        """Forget a process that has ended."""
        with self._condition:
            self._deadlines.pop(process, None)

    def sees_no_orphans(self) -> bool:
        """Whether certainly no process is left of a test that was waited for."""
        if self._inherited is None:
            return False
        pids = os.pread(self._inherited, 4096, 0).split()
        return all(int(pid) in self._not_ours for pid in pids)

    def close(self) -> None:
        """End the thread, and all processes that tests left."""
        with self._condition:
            self._closed = True
            self._condition.notify()
        self._thread.join()
        if self._adopting:
            end_marked(self._run)
            for _ in range(_LAST_SWEEPS):
                if not self._sweep():
                    break
                time.sleep(0.005)
            become_subreaper(False)
        if self._inherited is not None:
            os.close(self._inherited)

    def _watch(self) -> None:
        next_sweep = time.monotonic() + _SWEEP_SECONDS
        while True:
            with self._condition:
                if self._closed:
                    return
                now = time.monotonic()
                late = [process for process, end in self._deadlines.items() if end <= now]
                if not late and now < next_sweep:
                    self._wakes_at = min(self._deadlines.values(), default=next_sweep)
                    self._wakes_at = min(self._wakes_at, next_sweep)
                    self._condition.wait(max(0.001, self._wakes_at - now))
            for process in late:
                process.kill(timed_out=True)
                self._killed(process)
            if time.monotonic() >= next_sweep:
                if self._adopting:
                    self._sweep()
                next_sweep = time.monotonic() + _SWEEP_SECONDS

    def _killed(self, process: TestProcess) -> None:
        """Kill a process only once; it stays known until it has ended."""
        with self._condition:
            if process in self._deadlines:
                self._deadlines[process] = float("inf")

    def _sweep(self) -> bool:
        """Kill orphans and reap dead ones; return whether there were any."""
        found = False
        for pid in children():
            # No test starts or ends while the lock is held: a child is a test or it is not.
            with self._condition:
                if self._starting or pid in self._not_ours:
                    continue
                if any(process.pid == pid for process in self._deadlines):
                    continue
                if self._is_orphan(pid):
                    found = True
                    end(pid)
        return found

    def _is_orphan(self, pid: int) -> bool:
        """Whether a child is dead, or belongs to a test that has ended."""
        mark = mark_of(pid)
        running = frozenset(process.mark for process in self._deadlines)
        if mark is not None and mark.startswith(f"{self._run}:"):
            return mark not in running
        if is_zombie(pid):
            self._strangers.pop(pid, None)
            return True
        return not self._strangers.setdefault(pid, running) & running
