"""Reduce small programs by the pipeline with some passes, in memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.reducers.algorithms.settings import Settings
from marrow.reducers.passes.pass_context import PassOptions
from marrow.reducers.pipeline.pass_table import passes_of
from marrow.reducers.pipeline.pipeline import EFFORTS, Pipeline
from marrow.run.output.result import Result
from marrow.run.reduction import Reduction
from marrow.syntax.views import view_of
from marrow.tree.order import ORDERS, Order


def reduced(
    language: str,
    text: str,
    test: Callable[[str], bool],
    passes: str,
    options: PassOptions | None = None,
    *,
    effort: str = "normal",
    workers: int = 1,
    objective: str = "tokens",
) -> Result:
    """Return what perses* and these passes make of a text; check that the test likes it."""
    source = text.encode()
    kept: list[bytes] = []

    def tested(candidate: bytes) -> bool:
        found = test(candidate.decode())
        if found:
            kept.append(candidate)
        return found

    executor = CallableExecutor(tested, workers)
    try:
        reduction = Reduction(
            text=source,
            view=view_of("input", source, language),
            strategy=Pipeline(
                passes_of(passes),
                options or PassOptions(),
                EFFORTS[effort],
                Settings(objective=objective),
            ),
            executor=executor,
            journal=Journal.in_memory(),
        )
        result = reduction.run()
    finally:
        executor.close()
    assert test(result.text.decode())
    if workers == 1:
        _nothing_smaller_was_dropped(language, result.text, kept, ORDERS[objective])
    return result


def _nothing_smaller_was_dropped(
    language: str, result: bytes, kept: list[bytes], smaller: Order
) -> None:
    """Check that no interesting text that was tested is smaller than the result."""
    front = view_of("input", result, language).counter
    left = front.parse(result)
    for text in kept:
        assert not smaller(front.parse(text), left), (text, result)


def minimum(
    language: str,
    text: str,
    test: Callable[[str], bool],
    passes: str,
    options: PassOptions | None = None,
) -> str:
    """Return the text that is left, with single spaces for layout."""
    assert test(text)
    return " ".join(reduced(language, text, test, passes, options).text.decode().split())


def has(*patterns: str) -> Callable[[str], bool]:
    """Return a test: all of these patterns are found, white space counting for little."""
    compiled = [re.compile(pattern) for pattern in patterns]
    return lambda text: all(one.search(text) for one in compiled)


def paired(one: str, other: str) -> Callable[[str], bool]:
    """Return a test: both patterns are found or none, as a definition and its uses."""
    first, second = re.compile(one), re.compile(other)
    return lambda text: bool(first.search(text)) == bool(second.search(text))


def same_length(one: str, other: str) -> Callable[[str], bool]:
    """Return a test: the lists that the groups of two patterns find are equally long."""
    first, second = re.compile(one), re.compile(other)

    def test(text: str) -> bool:
        found = [pattern.search(text) for pattern in (first, second)]
        if None in found:
            return found == [None, None]
        return len({_length(match[1]) for match in found if match is not None}) == 1

    return test


def _length(items: str) -> int:
    return items.count(",") + 1 if items.strip() else 0


def both(*tests: Callable[[str], bool]) -> Callable[[str], bool]:
    """Return a test: all of these hold."""
    return lambda text: all(test(text) for test in tests)


class Case(NamedTuple):
    """A program, a test, and what is left of it."""

    language: str
    text: str
    test: Callable[[str], bool]
    alone: str
    with_pass: str


def check(case: Case, passes: str) -> None:
    assert minimum(case.language, case.text, case.test, "none") == case.alone
    assert minimum(case.language, case.text, case.test, passes) == case.with_pass
    for objective in sorted({*ORDERS} - {"tokens"}):
        reduced(case.language, case.text, case.test, passes, objective=objective)


def ids(case: Case) -> str:
    return case.language
