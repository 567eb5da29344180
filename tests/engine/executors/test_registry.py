"""The registry of executors: a kind is a module and a row; nothing else is loaded."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from types import ModuleType

import pytest

from marrow.engine.executors.executor import Executor, outcome_of
from marrow.engine.executors.function import CallableExecutor
from marrow.engine.executors.local import PoolExecutor
from marrow.engine.executors.registry import (
    DASK,
    KINDS,
    LOCAL,
    POOL,
    ExecutableTest,
    ExecutorKind,
    ExecutorOptions,
    open_executor,
)
from marrow.engine.process.placement import OneFile, Placement
from marrow.engine.verdict import Verdict

PLACE = OneFile("input")


def has_b(candidate: bytes) -> bool:
    return b"b" in candidate


def test_what_options_ask_for() -> None:
    assert ExecutorOptions().kind is ExecutorOptions("local").kind is LOCAL
    assert ExecutorOptions("dask").kind is DASK
    assert ExecutorOptions("dask").address is None
    for options in (ExecutorOptions("tcp://a:1"), ExecutorOptions(scheduler="tcp://a:1")):
        assert (options.kind, options.address) == (DASK, "tcp://a:1")
    with ThreadPoolExecutor(1) as pool:
        assert ExecutorOptions(pool).kind is POOL


def test_pools_and_functions_are_opened() -> None:
    with closing(open_executor(has_b, PLACE)) as executor:
        assert isinstance(executor, CallableExecutor)
        assert outcome_of(executor.submit(b"abc")).verdict is Verdict.INTERESTING
    with ThreadPoolExecutor(1) as pool:
        executor = open_executor(has_b, PLACE, ExecutorOptions(pool, workers=3))
        assert isinstance(executor, PoolExecutor)
        assert executor.workers == 3


def test_a_new_kind_is_a_module_and_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("tests_dummy_executor")

    def opened(test: ExecutableTest, place: Placement, options: ExecutorOptions) -> Executor:
        assert (test, place) == (has_b, PLACE)
        return CallableExecutor(has_b, options.workers or 1)

    monkeypatch.setattr(module, "open_executor", opened, raising=False)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(KINDS, "dummy", ExecutorKind("dummy", module.__name__, "nowhere"))
    with closing(open_executor(has_b, PLACE, ExecutorOptions("dummy", workers=2))) as executor:
        assert executor.workers == 2


def test_a_coroutine_has_no_other_executor() -> None:
    async def test(candidate: bytes) -> bool:
        return has_b(candidate)

    with ThreadPoolExecutor(1) as pool, pytest.raises(TypeError, match="loop that awaits it"):
        open_executor(test, PLACE, ExecutorOptions(pool))


def test_only_a_cluster_loads_dask() -> None:
    program = (
        "import sys\n"
        "from marrow.engine.executors.registry import open_executor\n"
        "from marrow.engine.process.command import TestCommand\n"
        "from marrow.engine.process.placement import OneFile\n"
        "open_executor(TestCommand.shell('exit 0'), OneFile('x')).close()\n"
        "open_executor(lambda text: True, OneFile('x')).close()\n"
        "print([name for name in sys.modules if 'dask' in name or name == 'asyncio'])\n"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert said.stdout.decode().strip() == "[]"
