"""The library: what `marrow reduce` and `marrow abstract` do, as functions.

Nothing here touches the state of the process: no signal handlers, no working directory, no
terminal. Any number of calls may run at once, in any threads.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from functools import partial
from typing import TypedDict, Unpack

from marrow.abstraction.ddset import CHECKS, Options
from marrow.abstraction.pattern import Pattern
from marrow.engine.events import Event, ignore
from marrow.engine.executors.executor import Executor
from marrow.engine.executors.function import AsyncTestFunction, is_coroutine_function
from marrow.engine.executors.registry import ExecutorOptions, open_executor
from marrow.engine.journal.journal import Journal
from marrow.engine.process.command import TestCommand
from marrow.engine.process.placement import OneFile
from marrow.engine.search.dispatcher import Limits
from marrow.reducers.algorithms import DEFAULT_ALGORITHM, algorithm_of
from marrow.reducers.choose import strategy_of
from marrow.reducers.settings import Settings
from marrow.run.abstracting import find_pattern
from marrow.run.first_runs import (
    check_test,
    checked_before,
    record_check,
)
from marrow.run.reduction import Ending, Reduction, Result
from marrow.run.task import (
    AnyExecutor,
    AnyGrammar,
    AnyPath,
    AnyQuorum,
    AnyTest,
    chosen_language,
    chosen_quorum,
    chosen_view,
    executor_of,
    journal_at,
    text_of,
)


class InterruptedReduction(KeyboardInterrupt):
    """Ctrl-C during `reduce`; `result` is the best so far."""

    def __init__(self, result: Result) -> None:
        super().__init__("the reduction was interrupted; the result so far is in `result`")
        self.result = result


class ReduceOptions(TypedDict, total=False):
    """The options of `reduce`, for functions that pass them on."""

    name: str
    language: str | None
    grammar: AnyGrammar | None
    start: str | None
    algorithm: str | None
    settings: Settings | None
    workers: int | None
    executor: AnyExecutor | None
    timeout: float | None
    max_tests: int | None
    max_seconds: float | None
    journal: AnyPath | None
    flaky: AnyQuorum | None
    on_event: Callable[[Event], None] | None


def reduce(
    source: bytes | str,
    test: AnyTest,
    *,
    name: str = "input",
    language: str | None = None,
    grammar: AnyGrammar | None = None,
    start: str | None = None,
    algorithm: str | None = None,
    settings: Settings | None = None,
    workers: int | None = None,
    executor: AnyExecutor | None = None,
    timeout: float | None = None,
    max_tests: int | None = None,
    max_seconds: float | None = None,
    journal: AnyPath | None = None,
    flaky: AnyQuorum | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> Result:
    """Cut a text down to a much smaller one that the test still finds interesting.

    `test` is a function of the candidate (bytes) that returns true, false or a `Verdict`; or the
    path of an executable as for `marrow reduce`; or a `TestCommand`. A function is called in other
    threads, up to `workers` of them at once (1, unless you say so). With an `executor` it runs
    there: in a pool of `concurrent.futures`, or on the workers of the Dask scheduler whose address
    that is; then all its workers take part unless `workers` limits them.

    The language is told by `language`, else by `name` and the text; `grammar` (a file, the name of
    one that ships, a `Grammar` or a `Language`) parses by that. Without an algorithm the default
    pipeline runs, as it does for `marrow reduce`; `settings` say how an algorithm goes about it.
    `timeout` is for commands.

    With a `journal` (a path) every verdict is on disk, and the same call goes on where an earlier
    one stopped. With `flaky` (`"2/5"`) a candidate is interesting if two of at most five runs are;
    `result.reliability` then says how often the result is. `on_event` is called with every event,
    in the calling thread; `events.append` makes a list of them.

    Raises `UnfitTestError` if the test does not do for the text itself, `TestFailureError` if it
    cannot be run on it, `InterruptedReduction` (a `KeyboardInterrupt`) on Ctrl-C. A limit, or a
    test that fails later, ends the reduction with the best so far; `result.stopped` says why.

    >>> result = reduce(b"[1, [2, 3], {\\"a\\": 4}]", lambda text: b"3" in text, language="json")
    >>> result.text, result.tokens_before, result.tokens_after
    (b'3', 15, 1)
    """
    options = ReduceOptions(
        name=name,
        language=language,
        grammar=grammar,
        start=start,
        algorithm=algorithm,
        settings=settings,
        timeout=timeout,
        max_tests=max_tests,
        max_seconds=max_seconds,
        journal=journal,
        flaky=flaky,
        on_event=on_event,
    )
    place = executor_of(test, name, workers, executor, source)
    return _reduce(source, place, test, **options)


async def areduce(
    source: bytes | str, test: AnyTest | AsyncTestFunction, **options: Unpack[ReduceOptions]
) -> Result:
    """Do what `reduce` does, without blocking the event loop that awaits it.

    `test` may also be a coroutine function: it runs in this loop, up to `workers` times at once.
    The algorithm runs in another thread, and so does `on_event`. When the task is cancelled, tests
    are stopped (a plain function runs to its end) and nothing is left behind.

    >>> import asyncio
    >>> async def test(candidate: bytes) -> bool:
    ...     await asyncio.sleep(0)
    ...     return b"3" in candidate
    >>> asyncio.run(areduce("[1, [2, 3]]", test, language="json", workers=4)).text
    b'3'
    """
    workers, elsewhere = options.pop("workers", None), options.pop("executor", None)
    place: Executor
    if is_coroutine_function(test):
        where = ExecutorOptions(workers=workers, loop=asyncio.get_running_loop())
        place = open_executor(test, OneFile("input"), where)  # type: ignore[arg-type]
    else:
        name = options.get("name", "input")
        place = executor_of(test, name, workers, elsewhere, source)  # type: ignore[arg-type]
    work = partial(_reduce, source, place, test, **options)
    running = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.to_thread(place.close)
        await asyncio.wait([running])
        if not running.cancelled():
            running.exception()  # seen: that the tests were stopped is no news
        raise


def _reduce(
    source: bytes | str,
    place: Executor,
    test: AnyTest | AsyncTestFunction,
    **options: Unpack[ReduceOptions],
) -> Result:
    """Reduce with an executor of the test, and close it."""
    text = text_of(source)
    kept: Journal | None = None
    try:
        view = chosen_view(
            text,
            options.get("name", "input"),
            options.get("language"),
            options.get("grammar"),
            options.get("start"),
        )
        strategy = strategy_of(options.get("algorithm"), options.get("settings"))
        limits = Limits(options.get("max_tests"), options.get("max_seconds"))
        listener = options.get("on_event") or ignore
        timeout = options.get("timeout")
        quorum = chosen_quorum(options.get("flaky"))
        kept = journal_at(options.get("journal"), text, lambda: _identity(test), quorum)
        first_runs = 0
        if checked_before(place, kept, timeout) is None:
            checked = check_test(place, text, timeout=timeout, allow_empty=True, quorum=quorum)
            record_check(checked, text, kept)
            first_runs = checked.runs
        reduction = Reduction(
            text=text,
            view=view,
            strategy=strategy,
            executor=place,
            journal=kept,
            listener=listener,
            limits=limits,
            quorum=quorum,
        )
        result = reduction.run()
        result.tests += first_runs
        if result.ending is Ending.INTERRUPTED:
            raise InterruptedReduction(result)
        if result.ending not in (Ending.TEST_FAILED, Ending.EXECUTOR_LOST):
            reduction.verify(result)
        return result
    finally:
        place.close()
        if kept is not None:
            kept.close()


def abstract(
    source: bytes | str,
    test: AnyTest,
    *,
    grammar: AnyGrammar | None = None,
    start: str | None = None,
    name: str = "input",
    language: str | None = None,
    reducer: str | None = DEFAULT_ALGORITHM,
    checks: int = CHECKS,
    seed: int = 0,
    naive: bool = False,
    workers: int = 1,
    max_tests: int | None = None,
    max_seconds: float | None = None,
    journal: Journal | None = None,
    flaky: AnyQuorum | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> Pattern:
    """Look for the pattern of all inputs that fail as a text does (DDSET).

    `test` is as for `reduce`; it returns `Verdict.UNRESOLVED` (exit code 125) for what is not a
    valid input. `grammar` is a file, the name of a grammar that ships, a `Grammar` or a `Language`;
    without it the one that ships for the language is used. `reducer` None starts from the text as
    it is. Raises `UnfitTestError` if the test does not do for the text itself, `ParseError` if the
    text does not match the grammar, `GrammarError` if that cannot be used, `LookupError` if there
    is none.

    >>> from marrow.abstraction.compact_form import compact
    >>> pattern = abstract("1 + ((2))", lambda text: b"((" in text, grammar="calculator", seed=1)
    >>> compact(pattern)
    '((<expr>))'
    """
    text = text_of(source)
    chosen = chosen_language(grammar, start, name, text, language)
    executor = executor_of(test, name, workers)
    try:
        quorum = chosen_quorum(flaky)
        check_test(executor, text, allow_empty=True, quorum=quorum)
        return find_pattern(
            text,
            chosen,
            executor,
            journal or Journal.in_memory(),
            on_event or ignore,
            Options(checks, seed, naive),
            None if reducer is None else algorithm_of(reducer),
            Limits(max_tests, max_seconds),
            quorum,
        ).pattern
    finally:
        executor.close()


def _identity(test: AnyTest | AsyncTestFunction) -> str:
    """Return by what a journal knows the test again: a function only by its name."""
    if isinstance(test, TestCommand):
        return test.fingerprint()
    if callable(test):
        return f"{getattr(test, '__module__', '')}.{getattr(test, '__qualname__', '')}"
    return TestCommand.executable(os.fspath(test)).fingerprint()
