"""Tests in pools of `concurrent.futures`: threads, processes, broken ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from marrow import Ending, reduce
from marrow.engine.executors.executor import ExecutorLostError
from tests.engine.scripts import script

TEXT = b"[1, [2, 3, [4, 5]], 6, [7, [8, 9]]]"


def has_eight(candidate: bytes) -> bool:
    return b"8" in candidate


def ends_the_process(candidate: bytes) -> bool:
    if candidate != TEXT:
        os._exit(1)
    return True


@pytest.fixture(params=["threads", "processes"])
def pool(request: pytest.FixtureRequest) -> Iterator[Executor]:
    if request.param == "threads":
        with ThreadPoolExecutor(2) as threads:
            yield threads
    else:
        with ProcessPoolExecutor(2, get_context("forkserver")) as processes:
            yield processes


def test_functions(pool: Executor) -> None:
    alone = reduce(TEXT, has_eight, language="json")
    result = reduce(TEXT, has_eight, language="json", executor=pool, workers=4)
    assert result.text == alone.text == b"8"
    assert result.verified
    # The pool is its owner's: it still works.
    assert pool.submit(len, b"abc").result() == 3


def test_commands(temporary: Path, tmp_path: Path, pool: Executor) -> None:
    test = script(tmp_path, 'grep -q 8 "$1"')
    result = reduce(TEXT, test, name="x.json", executor=pool, workers=2)
    assert result.text == b"8"


def test_a_pool_that_breaks_keeps_the_best() -> None:
    with ProcessPoolExecutor(1, get_context("forkserver")) as pool:
        result = reduce(TEXT, ends_the_process, language="json", executor=pool, allow_empty=True)
    assert result.ending is Ending.EXECUTOR_LOST
    assert result.stopped is not None
    assert "the pool does not run the tests: BrokenProcessPool" in result.stopped
    assert result.text == TEXT


def test_what_cannot_be_pickled_is_said_at_once() -> None:
    with (
        ProcessPoolExecutor(1, get_context("forkserver")) as pool,
        pytest.raises(ExecutorLostError, match="top of a module"),
    ):
        reduce(TEXT, lambda text: b"8" in text, language="json", executor=pool)


def test_a_pool_that_is_shut_down() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(ExecutorLostError, match="the pool does not run the tests"):
        reduce(TEXT, has_eight, language="json", executor=pool)
