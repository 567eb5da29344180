"""Tests on a Dask cluster: the same result whatever happens to the workers."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from marrow import Ending, reduce
from marrow.engine.executors.dask.shipment import ShippedCommand
from marrow.engine.executors.executor import (
    ClusterError,
    Executor,
    ExecutorLostError,
    outcome_of,
)
from marrow.engine.executors.registry import ExecutorOptions, open_executor
from marrow.engine.journal.journal import Journal
from marrow.engine.process.command import TestCommand as Command
from marrow.engine.process.command import TestCommandError
from marrow.engine.process.placement import OneFile
from marrow.engine.process.sandbox import Sandbox
from marrow.engine.process.workspace import Workspace
from marrow.engine.verdict import Verdict
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.reducers.pipeline.pipeline import Pipeline
from marrow.run.output.result import Result
from marrow.run.reduction import Reduction
from marrow.syntax.views import view_of
from tests.engine.scripts import alive, command, pid_in, quoted, soon

dask = pytest.importorskip("dask", reason="dask.distributed is not installed")
distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")

from marrow.engine.executors.dask.cluster import ClusterExecutor  # noqa: E402
from marrow.engine.executors.dask.connection import differences  # noqa: E402

PROGRAM = b"""
int helper(int first, int second) { return first + second; }
int other(int a) { if (a > 1) { return 22; } return helper(a, 7); }
int needle(int value) { while (value > 10) { value = other(value) - 1; } return value; }
int main(void) { return needle(3) + other(4); }
"""

Make = Callable[..., Any]

TEST = 'grep -q needle "$1" && grep -q return "$1" && grep -q other "$1"'


def needle(text: bytes) -> bool:
    return b"needle" in text and b"return" in text and b"other" in text


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[None]:
    """Where Dask puts its own files."""
    with dask.config.set({"temporary-directory": str(tmp_path / "dask")}):
        yield


@pytest.fixture
def in_threads(elsewhere: None) -> Make:
    """Makes clusters of threads of this process."""
    return partial(
        distributed.LocalCluster,
        threads_per_worker=1,
        processes=False,
        dashboard_address=None,
        silence_logs=50,
    )


def shipped(body: str) -> ShippedCommand:
    return ShippedCommand.of(Command.shell(body), OneFile("input.c"))


def reduced(
    executor: ClusterExecutor, journal: Journal | None = None, algorithm: str | None = None
) -> Result:
    journal = journal or Journal.in_memory()
    view = view_of("input.c", PROGRAM, None)
    chosen = Pipeline() if algorithm is None else algorithm_of(algorithm)
    reduction = Reduction(
        text=PROGRAM,
        view=view,
        strategy=chosen,
        executor=executor,
        journal=journal,
    )
    return reduction.run()


@pytest.fixture(scope="module")
def expected() -> bytes:
    return reduce(PROGRAM, needle, language="c").text


@pytest.mark.parametrize("workers", [1, 4, 16])
def test_the_same_result_as_alone(temporary: Path, expected: bytes, workers: int) -> None:
    with closing(ClusterExecutor(needle, PROGRAM, None, workers)) as executor:
        assert executor.workers == workers
        assert reduced(executor).text == expected


def test_by_the_address_of_a_scheduler(expected: bytes, in_threads: Make) -> None:
    with in_threads(n_workers=2) as cluster:
        address = cluster.scheduler_address
        assert reduce(PROGRAM, needle, language="c", executor=address).text == expected


def test_the_script_and_its_files_are_shipped(temporary: Path, tmp_path: Path) -> None:
    beside = tmp_path / "data"
    (beside / "deep").mkdir(parents=True)
    (beside / "deep" / "word").write_text("needle")
    test = command(tmp_path, 'here=$(dirname "$0"); grep -q "$(cat "$here/data/deep/word")" "$1"')
    shipment = ShippedCommand.of(test, OneFile("input.c"), (beside,))
    assert test.script is not None
    test.script.unlink()
    (beside / "deep" / "word").unlink()
    with closing(ClusterExecutor(shipment, PROGRAM, None, 2)) as executor:
        yes, no = executor.submit(b"a needle"), executor.submit(b"hay")
        assert outcome_of(yes).verdict is Verdict.INTERESTING
        assert outcome_of(no).verdict is Verdict.NOT_INTERESTING


def test_a_shell_command_has_nothing_beside_it(tmp_path: Path) -> None:
    with pytest.raises(TestCommandError, match="ship puts files beside the script"):
        ShippedCommand.of(Command.shell("exit 0"), OneFile("input.c"), (tmp_path,))


def test_a_sandbox_shows_the_script_where_it_lies(tmp_path: Path) -> None:
    here = command(tmp_path, "exit 0")
    moved = replace(here, sandbox=Sandbox(("/tmp/other",))).moved(str(here.script))
    assert moved.sandbox is not None
    assert moved.sandbox.visible[0] == "/tmp/other"
    assert len(moved.sandbox.visible) == (2 if Path("/tmp") in tmp_path.parents else 1)


def test_cancelling_ends_the_test_on_its_worker(temporary: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    body = f"echo $$ > {quoted(pid)}; sleep 1000"
    with closing(ClusterExecutor(shipped(body), PROGRAM, None, 1)) as executor:
        job = executor.submit(b"x")
        number = pid_in(pid)
        job.cancel()
        assert soon(lambda: not alive(number))
        assert job.future.done()


def test_closing_ends_what_runs(temporary: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    body = f"echo $$ > {quoted(pid)}; sleep 1000"
    with closing(ClusterExecutor(shipped(body), PROGRAM, None, 2)) as executor:
        jobs = [executor.submit(b"x") for _ in range(5)]
        number = pid_in(pid)
    assert soon(lambda: not alive(number))
    assert all(job.future.done() for job in jobs)
    assert executor.submit(b"x").future.cancelled()


def test_time_limit_and_output(temporary: Path) -> None:
    with closing(ClusterExecutor(shipped("echo said; sleep 1000"), PROGRAM, None, 1)) as executor:
        executor.allow(0.3)
        outcome = outcome_of(executor.submit(b"x", capture=True))
    assert outcome.verdict is Verdict.TIMEOUT
    assert outcome.output == b"said\n"


def test_a_worker_that_hangs_does_not_stall_the_rest(temporary: Path, tmp_path: Path) -> None:
    """The first two tests to come by hang; another worker does it again."""
    locks = [quoted(tmp_path / name) for name in ("one", "two")]
    hang = f"{{ mkdir {locks[0]} || mkdir {locks[1]}; }} 2>/dev/null && sleep 1000"
    body = f'grep -q slow "$1" && {hang}; exit 0'
    with closing(ClusterExecutor(shipped(body), PROGRAM, None, 3)) as executor:
        assert outcome_of(executor.submit(b"quick")).verdict is Verdict.INTERESTING
        assert outcome_of(executor.submit(b"slow")).verdict is Verdict.INTERESTING
    assert (tmp_path / "two").exists()


@contextmanager
def meanwhile(work: Callable[[threading.Event], None]) -> Iterator[None]:
    """Do something in another thread until the end of the block."""
    over = threading.Event()
    thread = threading.Thread(target=work, args=(over,))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_workers_that_leave_and_join_at_random(
    temporary: Path, expected: bytes, in_threads: Make
) -> None:
    lots = random.Random(1)
    with in_threads(n_workers=16) as cluster:

        def disturb(over: threading.Event) -> None:
            while not over.wait(0.1):
                # The workers themselves: one may leave by itself before its name is looked up.
                workers = list(cluster.workers.values())
                for worker in lots.sample(workers, min(len(workers), lots.randint(1, 3))):
                    cluster.sync(worker.close, executor_wait=False, nanny=False)
                cluster.scale(lots.randint(4, 16))

        def slow(text: bytes) -> bool:
            time.sleep(0.02)
            return needle(text)

        with (
            closing(ClusterExecutor(slow, PROGRAM, cluster.scheduler_address)) as executor,
            meanwhile(disturb),
        ):
            assert reduced(executor).text == expected


@pytest.mark.skipif(sys.platform != "linux", reason="processes are killed by their ids")
def test_workers_that_are_killed(
    temporary: Path, elsewhere: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = reduce(PROGRAM, needle, language="c", algorithm="perses*").text
    lots = random.Random(2)
    killed = 0
    monkeypatch.setenv("TMPDIR", str(temporary))
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=None,
        silence_logs=50,
    ) as cluster:

        def disturb(over: threading.Event) -> None:
            nonlocal killed
            # Not more often: a worker takes a second and more to start.
            while killed < 3 and not over.wait(0.5):
                pids = [worker.pid for worker in cluster.workers.values() if worker.pid]
                if len(cluster.scheduler.workers) == len(pids) == 2:
                    os.kill(lots.choice(pids), signal.SIGKILL)
                    killed += 1

        test = shipped(f"sleep 0.1; {TEST}")
        with (
            closing(ClusterExecutor(test, PROGRAM, cluster.scheduler_address)) as executor,
            meanwhile(disturb),
        ):
            assert reduced(executor, algorithm="perses*").text == expected
    assert killed
    # What killed workers left is cleared away by the next run on the machine.
    Workspace().close()


def test_without_workers_the_run_ends_and_goes_on_later(
    temporary: Path, tmp_path: Path, expected: bytes, in_threads: Make
) -> None:
    path = tmp_path / "journal"
    with in_threads(n_workers=2) as cluster:

        def leave(over: threading.Event) -> None:
            over.wait(1.0)
            cluster.scale(0)

        def slow(text: bytes) -> bool:
            time.sleep(0.05)
            return needle(text)

        address = cluster.scheduler_address
        journal = Journal(path, {}, resume=False)
        with (
            closing(ClusterExecutor(slow, PROGRAM, address, patience=1.5)) as executor,
            meanwhile(leave),
        ):
            result = reduced(executor, journal)
            with pytest.raises(ExecutorLostError):
                outcome_of(executor.submit(b"x"))
        journal.close()
        assert result.ending is Ending.EXECUTOR_LOST
        assert result.stopped is not None
        assert result.stopped.startswith("all workers of the cluster are lost")
    with closing(ClusterExecutor(needle, PROGRAM, None, 2)) as executor:
        journal = Journal(path, {}, resume=True)
        assert journal.size
        assert reduced(executor, journal).text == expected
        journal.close()


def test_a_test_that_raises(temporary: Path) -> None:
    def broken(_: bytes) -> bool:
        raise RuntimeError("out of order")

    with closing(ClusterExecutor(broken, PROGRAM, None, 1)) as executor:
        outcome = outcome_of(executor.submit(b"x"))
    assert outcome.verdict is Verdict.ERROR
    assert "out of order" in outcome.message


def opened(executor: str) -> Executor:
    options = ExecutorOptions(executor, workers=1, base=PROGRAM)
    return open_executor(needle, OneFile("input.c"), options)


def test_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("marrow.engine.executors.dask.connection._ANSWER_SECONDS", 0.5)
    with pytest.raises(ClusterError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        opened("tcp://127.0.0.1:9")
    with pytest.raises(ClusterError, match="no Dask scheduler answers at nonsense://"):
        opened("nonsense://")
    assert [one.name for one in threading.enumerate() if one.name.startswith("marrow-")] == []


def test_no_workers(monkeypatch: pytest.MonkeyPatch, in_threads: Make) -> None:
    monkeypatch.setattr("marrow.engine.executors.dask.connection._WORKER_SECONDS", 0.5)
    with in_threads(n_workers=0) as cluster, pytest.raises(ClusterError, match="has no workers"):
        opened(cluster.scheduler_address)


def test_no_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "marrow.engine.executors.dask.cluster")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install 'marrow\[cluster\]'"):
        opened("dask")


def test_other_versions_are_named() -> None:
    ours = ("1.0", "3.11")
    assert differences(ours, {"tcp://a": ours, "tcp://b": ours}) == ""
    other = differences(ours, {"tcp://a": ours, "tcp://b": ("0.9", "3.12")})
    assert other == "tcp://b has marrow 0.9 with Python 3.12"
    missing = differences(ours, {"tcp://a": ModuleNotFoundError("No package")})
    assert missing.startswith("tcp://a has no marrow")
