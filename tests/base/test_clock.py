"""The clock of a run stands still while the process is stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from marrow.base.clock import RunningClock
from tests.engine.scripts import soon


@dataclass
class Machine:
    """What the clock sees: the time of day, and the use of the processor."""

    wall: float = 1000.0
    used: float = 5.0

    def passes(self, seconds: float, used: float) -> None:
        self.wall += seconds
        self.used += used


class Unattended(RunningClock):
    """A clock without the thread that looks at it."""

    def _start(self) -> threading.Event:
        return threading.Event()


def clock_of(machine: Machine) -> RunningClock:
    return Unattended(lambda: machine.wall, lambda: machine.used)


def test_a_stop_does_not_count_whoever_notices_it() -> None:
    machine = Machine()
    clock = clock_of(machine)
    with clock.ticking():
        start = clock.now()
        machine.passes(0.1, 0.0)
        clock.tick()
        machine.passes(60.0, 0.0)
        assert clock.now() - start < 0.2
        assert clock.stopped >= 59.0


def test_a_long_computation_counts() -> None:
    machine = Machine()
    clock = clock_of(machine)
    with clock.ticking():
        start = clock.now()
        machine.passes(10.0, 4.0)
        assert clock.now() - start == 10.0


def test_where_nobody_looks_everything_counts() -> None:
    machine = Machine()
    clock = clock_of(machine)
    start = clock.now()
    machine.passes(10.0, 0.0)
    assert clock.now() - start == 10.0
    with clock.ticking():
        assert clock.now() - start == 10.0
    machine.passes(10.0, 0.0)
    assert clock.now() - start == 20.0


@given(st.lists(st.tuples(st.floats(0.0, 100.0), st.booleans()), max_size=20))
def test_time_never_runs_backwards_and_never_faster(steps: list[tuple[float, bool]]) -> None:
    machine = Machine()
    clock = clock_of(machine)
    with clock.ticking():
        for seconds, busy in steps:
            before = clock.now()
            machine.passes(seconds, seconds if busy else 0.0)
            passed = clock.now() - before
            # Rounding errors aside.
            assert -1e-6 <= passed <= seconds + 1e-6


# Stops itself in the middle of a reduction, for longer than the run may take.
PROGRAM = """
import os, signal
import marrow

calls = []

def test(text):
    calls.append(1)
    if len(calls) == 8:
        print("stopping", flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)
    return b"3" in text

result = marrow.reduce("[1, [2, 3], 4]", test, language="json", max_time=3.0)
print(result.text, result.ending.name)
"""


def test_a_time_limit_does_not_count_a_stop() -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"stopping\n"
        assert soon(lambda: os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1]))
        time.sleep(3.2)
        process.send_signal(signal.SIGCONT)
        assert process.stdout.read() == b"b'3' FINISHED\n"
