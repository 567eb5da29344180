"""What a caller of the library asks for, put in the terms of the engine."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor as Pool
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from marrow.engine.executors.executor import Executor
from marrow.engine.executors.function import TestFunction
from marrow.engine.executors.quorum import Quorum
from marrow.engine.executors.registry import ExecutorOptions, open_executor
from marrow.engine.journal.journal import Journal, identity_of
from marrow.engine.process.command import TestCommand
from marrow.engine.process.placement import OneFile
from marrow.grammar.language import GrammarSource, Language
from marrow.grammar.model.rules import Grammar
from marrow.grammars import grammar_file
from marrow.run.abstracting import shipped_language
from marrow.syntax.views import FileView, view_by_grammar, view_of

AnyPath: TypeAlias = str | os.PathLike[str]

#: A language, a grammar, the file that it is in, or the name of one that ships.
AnyGrammar: TypeAlias = Language | Grammar | GrammarSource | AnyPath

#: How many of how many runs must be interesting: a quorum, or `K/N` as for `--flaky`.
AnyQuorum: TypeAlias = Quorum | str

#: Where tests run: a pool of `concurrent.futures`, or the address of a Dask scheduler.
AnyExecutor: TypeAlias = Pool | str

#: A test: a function of a candidate, a command, or the path of an executable.
AnyTest: TypeAlias = TestFunction | TestCommand | AnyPath


def text_of(source: bytes | str) -> bytes:
    """Return the text of a source."""
    if not isinstance(source, str | bytes):
        raise TypeError(
            f"the source is the text itself, as str or bytes, not {type(source).__name__}; "
            "for a file, give path.read_bytes() and name=path.name"
        )
    return source.encode("utf-8", "surrogateescape") if isinstance(source, str) else source


def executor_of(
    test: AnyTest,
    name: str,
    workers: int | None = None,
    elsewhere: AnyExecutor | None = None,
    source: bytes | str = b"",
) -> Executor:
    """Return what runs a test: here, or in a pool, or on a cluster that has the source."""
    if isinstance(test, str | os.PathLike):
        test = TestCommand.executable(os.fspath(test))
    options = ExecutorOptions(elsewhere, workers=workers, base=text_of(source))
    return open_executor(test, OneFile(Path(name).name), options)


def chosen_language(
    grammar: AnyGrammar | None,
    start: str | None,
    name: str,
    text: bytes,
    language: str | None,
) -> Language:
    """Return the language of the grammar that was given, or one whose grammar ships."""
    match grammar:
        case None:
            return shipped_language(name, text, language)
        case Language():
            return grammar
        case Grammar() | GrammarSource():
            return Language(grammar if start is None else replace(grammar, start=start))
    return Language.from_file(grammar_file(grammar), start)


def chosen_view(
    text: bytes,
    name: str,
    language: str | None,
    grammar: AnyGrammar | None = None,
    start: str | None = None,
) -> FileView:
    """Return how to see a text: by a grammar, as a language, or as its name and content tell."""
    if grammar is None:
        return view_of(name, text, language)
    return view_by_grammar(chosen_language(grammar, start, name, text, language), name, text)


def chosen_quorum(flaky: AnyQuorum | None) -> Quorum | None:
    """Return the quorum that was given, if there is one."""
    return Quorum.parse(flaky) if isinstance(flaky, str) else flaky


def journal_at(
    path: AnyPath | None, text: bytes, test: Callable[[], str], quorum: Quorum | None = None
) -> Journal:
    """Open the journal of a run on a text; one that is there is gone on with.

    `test` says by what the journal knows the test again.
    """
    if path is None:
        return Journal.in_memory()
    place = Path(path)
    identity = identity_of(text, test(), quorum)
    return Journal(place, identity, resume=place.exists())
