"""A scheduler that is killed: waited for, used again when it is back, given up in good order."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import CancelledError
from contextlib import closing
from pathlib import Path

import pytest

from marrow import Ending, Result, reduce
from marrow.engine.executors.dask.shipment import ShippedCommand
from marrow.engine.executors.executor import ExecutorLostError, outcome_of
from marrow.engine.journal.journal import Journal
from marrow.engine.process.command import TestCommand as Command
from marrow.engine.process.placement import OneFile
from marrow.engine.verdict import Outcome
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.run.reduction import Reduction
from marrow.syntax.views import view_of
from tests.engine.scripts import soon

pytest.importorskip("distributed", reason="dask.distributed is not installed")

from distributed import Future as Task
from distributed.comm import CommClosedError

from marrow.engine.executors.dask import cluster
from marrow.engine.executors.dask.cluster import ClusterExecutor

PROGRAM = b"int a; int b; int needle(void) { int c = 1; return c; } int d; int e; int f;"

# A cluster that can be killed as one: the scheduler, and two workers as threads.
CLUSTER = """
import sys, time
from distributed import LocalCluster

with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None,
                  protocol="tcp", host="127.0.0.1", scheduler_port=int(sys.argv[1]),
                  silence_logs=50):
    print("ready", flush=True)
    time.sleep(1000)
"""


def started(port: int) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-c", CLUSTER, str(port)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def killed(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        found: int = free.getsockname()[1]
        return found


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where tests note that they run. What killed workers leave is for the next run to clear."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path / "log"


def reduced(executor: ClusterExecutor, journal: Journal) -> Result:
    return Reduction(
        text=PROGRAM,
        view=view_of("input.c", PROGRAM, None),
        strategy=algorithm_of("perses*"),
        executor=executor,
        journal=journal,
    ).run()


def shipped(log: Path) -> ShippedCommand:
    body = f'echo x >> {log}; sleep 0.2; grep -q "needle.*return" "$1"'
    return ShippedCommand.of(Command.shell(body), OneFile("input.c"))


def runs(log: Path) -> int:
    return log.stat().st_size // 2 if log.exists() else 0


@pytest.fixture(scope="module")
def expected() -> bytes:
    def test(text: bytes) -> bool:
        _, found, after = text.partition(b"needle")
        return bool(found) and b"return" in after.partition(b"\n")[0]

    return reduce(PROGRAM, test, language="c", algorithm="perses*").text


def test_it_is_used_again_when_it_is_back(
    monkeypatch: pytest.MonkeyPatch, port: int, log: Path, expected: bytes
) -> None:
    """Also where it is killed while results are on their way; the next test has the other case."""
    real = cluster._result

    async def closed(task: Task) -> Outcome:
        try:
            return await real(task)
        except CancelledError as error:
            raise CommClosedError("the stream is closed") from error

    monkeypatch.setattr(cluster, "_result", closed)
    clusters = [started(port)]
    over = threading.Event()

    def kill() -> None:
        assert soon(lambda: runs(log) >= 4 or over.is_set())
        killed(clusters[-1])
        clusters.append(started(port))

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        address = f"tcp://127.0.0.1:{port}"
        with closing(ClusterExecutor(shipped(log), PROGRAM, address)) as executor:
            result = reduced(executor, Journal.in_memory())
        assert result.ending is Ending.FINISHED
        assert result.text == expected
        assert len(clusters) == 2
    finally:
        over.set()
        thread.join()
        killed(clusters[-1])


def test_it_is_given_up_in_good_order(
    port: int, log: Path, tmp_path: Path, expected: bytes
) -> None:
    process = started(port)
    over = threading.Event()

    def kill() -> None:
        assert soon(lambda: runs(log) >= 4 or over.is_set())
        os.kill(process.pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        journal = Journal(tmp_path / "journal", {}, resume=False)
        address = f"tcp://127.0.0.1:{port}"
        with closing(ClusterExecutor(shipped(log), PROGRAM, address, patience=2.0)) as executor:
            result = reduced(executor, journal)
            with pytest.raises(ExecutorLostError):
                outcome_of(executor.submit(b"x"))
        journal.close()
    finally:
        over.set()
        thread.join()
        killed(process)
    assert result.ending is Ending.EXECUTOR_LOST
    assert result.stopped is not None
    assert result.stopped.startswith("the scheduler is lost, for 2 seconds")
    # What was learnt is in the journal: the run goes on elsewhere.
    journal = Journal(tmp_path / "journal", {}, resume=True)
    assert journal.size
    with closing(ClusterExecutor(shipped(log), PROGRAM, None, 2)) as executor:
        assert reduced(executor, journal).text == expected
    journal.close()
