"""The failures of `bench.ddset` are there: their tests tell failing, passing and invalid inputs."""

from __future__ import annotations

import pytest
from bench.ddset.failures import FAILURES, Failure

from marrow.engine.executors.local import CommandExecutor
from marrow.engine.verdict import Verdict
from marrow.grammar.notations import read_file
from marrow.grammar.parser.parser import compile_grammar
from marrow.grammars import grammar_path
from marrow.languages.recognition import language_of
from marrow.syntax.treesitter import TreeSitterFrontEnd

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


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.name)
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
    assert sum(failure.group == "held-out" for failure in FAILURES) == 10
    assert len(FAILURES) >= 25
    assert sum(not failure.grammar for failure in FAILURES) >= 10
    assert len({failure.file.rpartition(".")[2] for failure in FAILURES}) >= 8
