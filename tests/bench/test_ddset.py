"""The failures of `bench.ddset` are there: their tests tell failing, passing and invalid inputs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from bench.ddset import judged
from bench.ddset_cases import FAILURES
from bench.ddset_failure import Failure
from bench.ddset_held_out import HELD_OUT
from bench.ddset_looked_at import LOOKED_AT
from bench.ddset_measure import Found, Measured, lower_bound
from bench.ddset_parser_cases import PARSER_FAILURES
from bench.ddset_rows import PrintedRun, Row, Rows, SeedRun

from marrow.abstraction.pattern import Pattern
from marrow.abstraction.producer import Verified
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.verdict import Verdict
from marrow.grammar.notations import read_file
from marrow.grammar.parser.parser import compile_grammar
from marrow.grammars import grammar_path
from marrow.languages.recognition import language_of
from marrow.syntax.treesitter import TreeSitterFrontEnd
from tests.abstraction.finding import CALCULATOR
from tests.abstraction.marking import by_text

#: For each failure a valid input that does not fail.
PASSING = {
    "lua-index-loop": "local a = {} setmetatable(a, {__index = {}}) print(a.x)",
    "lua-for-step": "for i = 1, 3, 1 do end",
    "lua-goto-scope": "goto a local b ::c:: ::a::",
    "mujs-arguments": "function f(x) { x = 2; if (x !== 2) throw 'not the same'; } f(1);",
    "mujs-holes": "if ([1, 2].hasOwnProperty(2)) throw 'holes counted';",
    "duk-break-in-finally": "try { 1; } finally { 2; }",
    "guile-export": "(define a 1) (export a)",
    "guile-include": "(define a 1)",
    "sqlite-match": "SELECT 'a' LIKE 'b';",
    "jq-implode": "[72, 105]",
    "find-prune": "find . -name pruned -prune -o -type d -print",
    "grep-backtracking": "echo ab | grep -P 'a+b'",
    "grep-two-patterns": "echo ab | grep -P -e 'a' -i",
    "python-json-keys": '{"a": {"a": 1}, "b": 2}',
    "python-xml-namespace": '<a xmlns="urn:x"><b/></a>',
    "go-internal-error": "package main\n\nfunc main() {}\n",
    "node-dead-zone": "let a = 1; typeof a;",
    "python-unbound-local": "a = 1\ndef f():\n    return a\nf()\n",
    "perl-freed-value": "my @a = (1); foreach (@a) { @a = (2); }",
    "bash-circular-reference": "f() { local -n a=$1; a=3; }; f b",
    "tcl-not-an-array": "set a(1) 2",
    "toml-overwritten": "a.b = 1\na.c = 2\n",
    "c-switch-into-scope": "void f(int n) { int a[n]; switch (n) { case 1: ; } }",
    "node-strict-parameters": "function f(a) { 'use strict'; }",
    "xmllint-entity-loop": '<!DOCTYPE a [<!ENTITY e "&e;">]><a/>',
    "z3-two-sorts": "(declare-const x Int)(declare-const x Bool)(check-sat)",
    "sqlite-window-in-where": "SELECT row_number() OVER ();",
    "python-class-scope": "class A:\n    a = 1\n    b = [c for c in range(a)]\n",
    "ruby-hash-iteration": "h = {1 => 2}\nh.each { |k, v| h[k] = 3 }\n",
    "php-recursive-arrays": "<?php $a = []; $a[0] = &$a; var_dump($a == $a);",
    "ocaml-generalized": "let r = ref [1]",
    "make-self-reference": "A := $(A) b\nall:\n\techo $(A)\n",
    "go-initialization-loop": "package main\nvar start = 1\nfunc main() { println(start) }\n",
    "c-flexible-array": "struct packet { int length; char data[]; };\n",
    "rust-infinite-size": "pub struct Tree { value: i32, left: Option<Box<Tree>> }\n",
    "proto-field-number": 'syntax = "proto3";\nmessage Order { bool gift = 3; }\n',
}

#: Inputs that no program may take; for command lines also what must never be run.
INVALID = {
    "find-prune": "find . -depth -delete",
    "grep-backtracking": "echo a | grep -r a /",
    "grep-two-patterns": "echo a | grep -r a /",
    "guile-export": "(export",
    "guile-include": "(include",
    "php-recursive-arrays": "<?php (]",
    "tcl-not-an-array": "set a [",
}


@pytest.mark.parametrize(
    "failure",
    [*FAILURES, *PARSER_FAILURES, *LOOKED_AT, *HELD_OUT],
    ids=lambda failure: failure.name,
)
def test_what_the_test_says(failure: Failure) -> None:
    if failure.grammar:
        parser = compile_grammar(read_file(grammar_path(failure.grammar)).grammar)
        assert parser.matches(failure.text.encode())
        assert parser.matches(PASSING[failure.name].encode())
    else:
        language = language_of(failure.file, failure.text.encode())
        assert language is not None
        assert not TreeSitterFrontEnd(language).errors(failure.text.encode())
    if missing := failure.missing():
        pytest.skip(f"{', '.join(missing)} not installed")
    texts = (failure.text, PASSING[failure.name], INVALID.get(failure.name, "(]"))
    executor = CommandExecutor(failure.command(), failure.file, 2)
    try:
        jobs = [executor.submit(text.encode()) for text in texts]
        said = [job.future.result().verdict for job in jobs]
    finally:
        executor.close()
    assert said == [Verdict.INTERESTING, Verdict.NOT_INTERESTING, Verdict.UNRESOLVED]


def test_there_are_enough_failures() -> None:
    every = (*FAILURES, *PARSER_FAILURES, *LOOKED_AT, *HELD_OUT)
    assert len(HELD_OUT) == 10
    assert len(every) >= 25
    assert sum(not failure.grammar for failure in every) >= 10
    assert len({failure.file.rpartition(".")[2] for failure in every}) >= 8


def test_targets_are_judged(tmp_path: Path) -> None:
    pattern: Pattern = by_text(CALCULATOR, b"1+2", {("op", b"+"): 0})
    other: Pattern = by_text(CALCULATOR, b"1+2", {})
    fails, passes, invalid = Verdict.INTERESTING, Verdict.NOT_INTERESTING, Verdict.UNRESOLVED
    first, second = FAILURES[:2]
    kept = Rows(tmp_path / "rows")
    for failure, tests, second_seed, produced, near, printed in (
        (first, 100, pattern, (fails, fails), (fails,), 1000),
        (second, 300, other, (fails, passes, invalid), (fails, passes), 200),
    ):
        one = Measured(failure, Found(pattern, tests), Verified(produced), Verified(near))
        kept.keep(Row.of(one, "old"))
        kept.keep(SeedRun.of(failure.name, 1, Found(second_seed, 90), "old"))
        # A seed that was tried with other code does not count.
        kept.keep(SeedRun.of(failure.name, 2, Found(other, 80), "older"))
        kept.keep(PrintedRun.of(failure.name, Found(pattern, printed)))
    rows = [row for failure in (first, second) if (row := kept.row(failure.name)) is not None]
    valid, failing, near_said, steady, tested = judged(rows)
    assert valid.startswith("valid: 83.3% in the mean (target 95%), 67% at worst")
    assert failing.startswith("failing: 3 of 4 valid inputs; least: lua-for-step, 50.0%")
    assert near_said.startswith("near: 2 of 3 valid samples fail; least: lua-for-step, 50.0%")
    assert steady.startswith("steady: 1 of 2 failures")
    assert tested.startswith("tests: 400 of ours, 1,200 as printed, 33.3%")
    assert tested.endswith("more in: lua-for-step")
    assert [row.cells()[11] for row in rows] == ["2 of 2", "1 of 2"]
    assert rows[0].cells()[1:8] == ["3", "1/0", "0", "2", "100", "1,000", "100% of 2"]
    again = Rows.read(tmp_path / "rows")
    assert [again.row(row.name) for row in rows] == rows
    newer = replace(rows[1], version="new")
    assert judged([*rows, newer])[-1].endswith("than the rest: lua-for-step")


@pytest.mark.parametrize(
    ("failing", "valid", "bound"), [(300, 300, 0.990), (299, 300, 0.984), (1, 1, 0.05), (0, 5, 0.0)]
)
def test_lower_bounds(failing: int, valid: int, bound: float) -> None:
    assert lower_bound(failing, valid) == pytest.approx(bound, abs=0.001)
