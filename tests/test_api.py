"""The library function."""

from __future__ import annotations

import asyncio
import doctest
import itertools
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import marrow
import marrow.api
from marrow.engine.events import Accepted, Event


def test_examples_in_the_docstrings() -> None:
    failures, tests = doctest.testmod(marrow.api)
    assert tests > 0
    assert failures == 0


def test_a_function_as_the_test() -> None:
    events: list[Event] = []
    result = marrow.reduce(
        "int f() { return 1; }\nint g() { h(2); return 3; }\n",
        lambda text: b"h(2)" in text,
        name="x.c",
        workers=2,
        on_event=events.append,
    )
    assert result.language == "c"
    assert b"h(2)" in result.text
    assert b"f()" not in result.text
    assert result.verified
    assert result.stopped is None
    sizes = [event.tokens for event in events if isinstance(event, Accepted)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes


def test_verdicts_and_limits() -> None:
    def test(text: bytes) -> marrow.Verdict:
        return marrow.Verdict.INTERESTING if b"7" in text else marrow.Verdict.UNRESOLVED

    result = marrow.reduce(b"[1, 2, 7]", test, language="json", max_tests=1)
    assert result.stopped is not None
    assert b"7" in result.text


def test_an_executable_as_the_test(tmp_path: Path) -> None:
    script = tmp_path / "test.sh"
    script.write_text('#!/bin/sh\ngrep -q needle "$1"\n')
    script.chmod(0o755)
    result = marrow.reduce(b"hay\nhay needle\nhay\n", script, name="stack.txt", workers=2)
    assert result.text.strip() == b"needle"


def test_a_test_that_does_not_do() -> None:
    with pytest.raises(marrow.UnfitTestError, match="not interesting") as caught:
        marrow.reduce(b"x", lambda _: False)
    assert "must say yes" in caught.value.__notes__[0]
    answers = itertools.chain([True, True], itertools.repeat(False))
    with pytest.raises(marrow.UnfitTestError, match="changes over time"):
        marrow.reduce(b"x", lambda _: next(answers))
    with pytest.raises(TypeError, match="a path"):
        marrow.reduce(7, lambda _: True)  # type: ignore[arg-type]
    with pytest.raises(marrow.UnfitTestError, match="empty"):
        marrow.reduce(b"x", lambda _: True)
    assert marrow.reduce(b"x", lambda _: True, allow_empty=True).text == b""
    with pytest.raises(marrow.TestCommandError, match=r"TestCommand\.shell"):
        marrow.reduce("x", "grep -q x")


def test_a_test_that_raises() -> None:
    def broken(text: bytes) -> bool:
        if b"1" not in text:
            sys.exit("no one")
        return True

    result = marrow.reduce(b"[1, 2, 3]", broken, language="json")
    assert result.ending is marrow.Ending.TEST_FAILED
    assert result.stopped is not None
    assert "SystemExit: no one" in result.stopped
    assert b"1" in result.text
    with pytest.raises(marrow.TestFailureError, match="ZeroDivisionError"):
        marrow.reduce(b"x", lambda _: bool(1 // 0))


def test_a_grammar() -> None:
    result = marrow.reduce("1 + ((2))", lambda text: b"((" in text, grammar="calculator")
    assert result.text.startswith(b"((")
    assert result.text.endswith(b"))")


def test_resumed_from_the_journal(tmp_path: Path) -> None:
    asked: list[bytes] = []

    def test(text: bytes) -> bool:
        asked.append(text)
        return b"7" in text

    source, journal = b"[1, 2, 7, 3, 4, 5, [6]]", tmp_path / "journal"
    first = marrow.reduce(source, test, language="json", journal=journal, max_tests=3)
    assert first.ending is marrow.Ending.LIMIT
    before = len(asked)
    second = marrow.reduce(source, test, language="json", journal=journal)
    # Nothing twice, but for the last check of each result.
    assert set(asked[before:-3]).isdisjoint(asked[: before - 3])
    assert second.text == marrow.reduce(source, test, language="json").text == b"7"
    with pytest.raises(marrow.JournalError, match="test is not the one"):
        marrow.reduce(source, lambda _: True, language="json", journal=journal)


def test_ctrl_c_is_passed_on_with_the_best_so_far() -> None:
    def listen(event: Event) -> None:
        if isinstance(event, Accepted):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        marrow.reduce(b"[1, 2, [7]]", lambda text: b"7" in text, language="json", on_event=listen)
    assert isinstance(caught.value, marrow.InterruptedReduction)
    assert b"7" in caught.value.result.text


def test_any_thread_and_no_state_of_the_process() -> None:
    source = b"[" + b", ".join(b"%d" % number for number in range(60)) + b"]"
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    def run(number: int) -> bytes:
        word = b"%d" % number
        return marrow.reduce(source, lambda text: word in text, language="json", workers=2).text

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(run, range(10, 60, 6)))
    assert found == [run(number) for number in range(10, 60, 6)]
    assert before == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


def test_inside_a_running_event_loop() -> None:
    async def both() -> tuple[bytes, bytes]:
        awaited = await marrow.areduce(b"[1, 2, 7]", lambda text: b"7" in text, language="json")
        blocking = marrow.reduce(b"[1, 2, 7]", lambda text: b"7" in text, language="json")
        return awaited.text, blocking.text

    assert asyncio.run(both()) == (b"7", b"7")


def test_a_coroutine_function_runs_in_the_loop_of_its_caller() -> None:
    source = b"int f() { return 1; }\nint g() { h(2); return 3; }\n"
    loops = set()
    most = now = 0

    async def test(text: bytes) -> bool:
        nonlocal most, now
        loops.add(asyncio.get_running_loop())
        now += 1
        most = max(most, now)
        try:
            await asyncio.sleep(0.001)
        finally:
            now -= 1
        return b"h(2)" in text

    async def main() -> tuple[marrow.Result, marrow.Result]:
        return await asyncio.gather(
            marrow.areduce(source, test, name="x.c", workers=3),
            marrow.areduce(source, test, name="x.c"),
        )

    first, second = asyncio.run(main())
    assert first.text == second.text
    assert first.verified
    assert 1 < most <= 4
    assert len(loops) == 1
    with pytest.raises(marrow.TestFailureError, match="areduce"):
        marrow.reduce(source, test)


def test_a_task_that_is_cancelled_leaves_nothing_behind(tmp_path: Path) -> None:
    script = tmp_path / "test.sh"
    script.write_text(
        '#!/bin/sh\ncmp -s "$1" ' + f"{tmp_path}/all || {{ : > {tmp_path}/began; sleep 60; }}\n"
    )
    script.chmod(0o755)
    (tmp_path / "all").write_bytes(b"[1, 2, 7]")
    began: list[bytes] = []
    ended: list[bytes] = []

    async def slow(text: bytes) -> bool:
        if text == b"[1, 2, 7]":
            return True
        began.append(text)
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(text)
        return False

    async def main(test: Any, under_way: Callable[[], bool]) -> None:
        task = asyncio.ensure_future(marrow.areduce(b"[1, 2, 7]", test, language="json"))
        await asyncio.sleep(0)
        while not under_way():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    for test, under_way in (
        (slow, lambda: bool(began)),
        (script, (tmp_path / "began").exists),
        (script, lambda: True),  # before there is anything to stop
    ):
        asyncio.run(main(test, under_way))
        assert not [one for one in threading.enumerate() if one.name.startswith("marrow")]
    assert ended == began
