"""One abstraction from start to end: reduce the input, then look for its pattern (DDSET).

Knows nothing of the terminal: the command line and the library both stand on it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from marrow.abstraction.ddset import DDSet, Options
from marrow.abstraction.pattern import Counts, Pattern
from marrow.engine.events import Listener
from marrow.engine.executors.executor import Executor
from marrow.engine.executors.quorum import Quorum, Runs
from marrow.engine.journal.journal import Journal
from marrow.engine.search.dispatcher import Limits
from marrow.engine.search.sample_tester import SampleTester
from marrow.grammar.language import Language
from marrow.grammars import grammar_names, grammar_path
from marrow.reducers.strategy import Strategy
from marrow.run.reduction import Ending, Reduction
from marrow.syntax.language_table import canonical_name, language_of
from marrow.syntax.views import view_by_grammar

#: Languages of which the grammar that ships has another name.
_SHIPPED: Final = {
    "sql": "sqlite",
    "scheme": "sexpr",
    "racket": "sexpr",
    "commonlisp": "sexpr",
    "elisp": "sexpr",
    "smt2": "smtlib",
}


@dataclass(frozen=True, slots=True)
class Abstracted:
    """A pattern, and how the search for it ended."""

    pattern: Pattern
    ending: Ending


def find_pattern(
    text: bytes,
    language: Language,
    executor: Executor,
    journal: Journal,
    listener: Listener,
    options: Options,
    reducer: Strategy | None = None,
    limits: Limits | None = None,
    quorum: Quorum | None = None,
) -> Abstracted:
    """Reduce an input, if there is a reducer, and look for its pattern.

    The test must be interesting on the text. Raises `ParseError` if the text does not match the
    grammar. With a quorum every verdict is a vote of several runs. When a limit is reached, or on
    Ctrl-C, the pattern so far comes back; it says so.
    """
    limits = limits or Limits()
    language = language.self_contained
    tree = language.parse(text)
    reduced, counts, left = text, Counts(), limits
    if reducer is not None:
        view = view_by_grammar(language, language.name, text)
        reduction = Reduction(
            text=text,
            view=view,
            strategy=reducer,
            executor=executor,
            journal=journal,
            listener=listener,
            limits=limits,
            quorum=quorum,
        )
        result = reduction.run()
        reduced = result.text
        counts = Counts(result.tests, result.tests, result.cached)
        left = _left(limits, reduction.scheduler.counts.needed, result.seconds)
        if result.stopped is not None:
            tester = SampleTester(executor, journal, listener)
            pattern = DDSet(reduced, language, tester, options).nothing()
            pattern = replace(pattern, counts=counts, stopped=result.stopped)
            return Abstracted(pattern, result.ending)
    runs = Runs(executor, quorum)
    tester = SampleTester(runs.executor, journal, listener, left)
    search = DDSet(reduced, language, tester, options, whole=tree)
    ending = Ending.FINISHED
    pattern = search.run()
    if pattern.stopped:
        ending = Ending.INTERRUPTED if search.interrupted else Ending.LIMIT
    counts = Counts(
        counts.tests + runs.count(tester.counts.tests),
        counts.reduction,
        counts.cached + tester.counts.cached,
    )
    return Abstracted(replace(pattern, counts=counts), ending)


def shipped_grammar(name: str, text: bytes, language: str | None = None) -> str | None:
    """Return the grammar that ships for the language of a file, if there is one."""
    found = canonical_name(language) if language is not None else language_of(name, text)
    if found is None:
        return None
    grammar = _SHIPPED.get(found, found)
    return grammar if grammar in grammar_names() else None


def shipped_language(name: str, text: bytes, language: str | None = None) -> Language:
    """Return the language, with a grammar that ships, of a file; raise `LookupError` if none is."""
    found = shipped_grammar(name, text, language)
    if found is None:
        known = ", ".join(grammar_names())
        raise LookupError(
            f"no grammar ships for {language or name}\n"
            f"Give one with --grammar: a file, or the name of one that ships ({known})."
        )
    return Language.from_file(grammar_path(found))


def _left(limits: Limits, tests: int, seconds: float) -> Limits:
    return Limits(
        None if limits.tests is None else max(0, limits.tests - tests),
        None if limits.seconds is None else max(0.0, limits.seconds - seconds),
    )
