"""Looking for patterns in tests: in memory, with functions as tests."""

from __future__ import annotations

from collections.abc import Callable

from marrow.abstraction.ddset import DDSet, DDSetOptions
from marrow.abstraction.pattern import Pattern, compact
from marrow.engine.events import ignore
from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.dispatcher import Limits, SearchCounts
from marrow.engine.search.sample_tester import SampleTester
from marrow.engine.verdict import Verdict
from marrow.grammar.language import GrammarSource, Language
from marrow.grammars import grammar_path
from marrow.tree import Tree

CALCULATOR = Language.from_file(grammar_path("calculator"))

#: A little of JavaScript, with the objects on the left of `=` that old parsers let pass.
SCRIPT = Language(
    GrammarSource(
        "script",
        "program",
        "g4",
        r"""
grammar script;
program : statement+ EOF ;
statement
    : 'var' declaration ';'
    | 'while' '(' expression ')' block
    | 'if' '(' expression ')' block
    | 'break' ';'
    | 'continue' ';'
    | block
    | expression ';'
    ;
declaration : assignable '=' expression | Identifier ;
assignable : Identifier | '{' property '}' ;
property : propertyName ':' expression ;
propertyName : Identifier | Number ;
block : '{' statement* '}' ;
expression : expression '+' expression | arrow | '(' expression ')' | Identifier | Number ;
arrow : Identifier ARROW arrowBody ;
arrowBody : '{' statement* '}' | expression ;
ARROW : '=>' ;
Identifier : [a-z] [a-z0-9_]* ;
Number : [0-9]+ ;
WS : [ \n]+ -> skip ;
""",
    )
)

Test = Callable[[bytes], "bool | Verdict"]


def search(
    text: bytes,
    test: Test,
    language: Language = CALCULATOR,
    *,
    options: DDSetOptions | None = None,
    workers: int = 1,
    journal: Journal | None = None,
    limits: Limits | None = None,
    whole: Tree | None = None,
) -> tuple[Pattern, SearchCounts]:
    executor = CallableExecutor(test, workers)
    judge = SampleTester(executor, journal or Journal.in_memory(), ignore, limits)
    try:
        return DDSet(text, language, judge, options, whole).run(), judge.counts
    finally:
        executor.close()


def found(text: bytes, test: Test, language: Language = CALCULATOR) -> str:
    return compact(search(text, test, language)[0])
