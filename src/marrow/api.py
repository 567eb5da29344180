"""The library: what `marrow reduce` and `marrow abstract` do, as functions."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from marrow.abstract.ddset import CHECKS, Options
from marrow.abstract.pattern import GrammarSource, Pattern
from marrow.abstracting import find_pattern, grammar_source
from marrow.engine.callable_test import CallableExecutor, TestFunction
from marrow.engine.command import TestCommand
from marrow.engine.events import Event
from marrow.engine.executor import Executor
from marrow.engine.journal import Journal
from marrow.engine.local import CommandExecutor
from marrow.engine.scheduler import Limits
from marrow.grammar.model import Grammar
from marrow.grammars import grammar_names, grammar_path
from marrow.reduce.algorithms import DEFAULT_ALGORITHM, algorithm_of
from marrow.reduce.pipeline import Pipeline
from marrow.reduce.settings import Settings
from marrow.reduction import Reduction, Result, check_test
from marrow.syntax.choose import view_of


def reduce(
    source: bytes | str,
    test: TestFunction | TestCommand | str | os.PathLike[str],
    *,
    name: str = "input",
    language: str | None = None,
    algorithm: str | None = None,
    settings: Settings | None = None,
    workers: int = 1,
    max_tests: int | None = None,
    max_seconds: float | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> Result:
    """Cut a text down to a much smaller one that the test still finds interesting.

    `test` is a function of the candidate (bytes) that returns true or a `Verdict`, or the path of
    an executable as for `marrow reduce`. The language is told by `name`, the text or `language`.
    Without an algorithm the default pipeline runs, as it does for `marrow reduce`.
    `settings` say how the algorithm goes about it.
    Raises `UnfitTestError` if the test does not do for the text itself.

    >>> result = reduce(b"[1, [2, 3], {\\"a\\": 4}]", lambda text: b"3" in text, language="json")
    >>> result.text, result.tokens_before, result.tokens_after
    (b'3', 15, 1)
    """
    text = source.encode("utf-8", "surrogateescape") if isinstance(source, str) else source
    executor = _executor(test, name, workers)
    try:
        check_test(executor, text, allow_empty=True)
        reduction = Reduction(
            text,
            view_of(name, text, language),
            Pipeline(settings=settings or Settings())
            if algorithm is None
            else algorithm_of(algorithm, settings),
            executor,
            Journal(None, {}, resume=False),
            on_event or _ignore,
            Limits(max_tests, max_seconds),
        )
        result = reduction.run(_keep_nothing)
        reduction.verify(result)
        return result
    finally:
        executor.close()


def abstract(
    source: bytes | str,
    test: TestFunction | TestCommand | str | os.PathLike[str],
    *,
    grammar: GrammarSource | Grammar | str | os.PathLike[str] | None = None,
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
    on_event: Callable[[Event], None] | None = None,
) -> Pattern:
    """Look for the pattern of all inputs that fail as a text does (DDSET).

    `test` is as for `reduce`; it returns `Verdict.UNRESOLVED` (exit code 125) for what is not a
    valid input. `grammar` is a file, the name of a grammar that ships, or a grammar; without it the
    one that ships for the language is used. `reducer` None starts from the text as it is.
    Raises `UnfitTestError` if the test does not do for the text itself, `ParseError` if the text
    does not match the grammar, `GrammarError` if that cannot be used, `LookupError` if there is
    none.

    >>> from marrow.abstract.compact import compact
    >>> pattern = abstract("1 + ((2))", lambda text: b"((" in text, grammar="calculator", seed=1)
    >>> compact(pattern)
    '((<expr>))'
    """
    text = source.encode("utf-8", "surrogateescape") if isinstance(source, str) else source
    rules = _grammar_source(grammar, start, name, text, language)
    executor = _executor(test, name, workers)
    try:
        check_test(executor, text, allow_empty=True)
        return find_pattern(
            text,
            rules,
            executor,
            journal or Journal(None, {}, resume=False),
            on_event or _ignore,
            Options(checks, seed, naive),
            None if reducer is None else algorithm_of(reducer),
            Limits(max_tests, max_seconds),
        ).pattern
    finally:
        executor.close()


def _grammar_source(
    grammar: GrammarSource | Grammar | str | os.PathLike[str] | None,
    start: str | None,
    name: str,
    text: bytes,
    language: str | None,
) -> GrammarSource:
    match grammar:
        case None:
            return grammar_source(name, text, language)
        case GrammarSource():
            return grammar
        case Grammar():
            return GrammarSource.of(grammar)
    path = Path(grammar)
    if not path.exists() and str(grammar) in grammar_names():
        path = grammar_path(str(grammar))
    return GrammarSource.of_file(path, start)


def _executor(
    test: TestFunction | TestCommand | str | os.PathLike[str], name: str, workers: int
) -> Executor:
    if isinstance(test, TestCommand):
        return CommandExecutor(test, Path(name).name, workers)
    if isinstance(test, str | os.PathLike):
        return CommandExecutor(TestCommand.executable(os.fspath(test)), Path(name).name, workers)
    return CallableExecutor(test, workers)


def _ignore(_: Event) -> None:
    return


def _keep_nothing(_: bytes) -> None:
    return
