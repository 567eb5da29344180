"""What a name is, by language: odd tokens of a kind are no names, and do not spoil the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.grammar.language import Language
from marrow.grammar.model.literal_tokens import keyword_kinds
from marrow.grammars import grammar_path
from marrow.syntax.grammar_front_end import GrammarFrontEnd
from marrow.syntax.views import view_of
from marrow.tree.names import names_of


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        (
            "a.smt2",
            b"(declare-const x!1 Int)(declare-const |a b| Bool)(declare-fun rule-3 (Int) Int)"
            b'(assert (! (= (rule-3 x!1) (+ (str.len "a") .def_2)) :named small))'
            b"(assert (ite |a b| (< x!1 2) true))",
            "x!1 |a b| rule-3 .def_2 small",
        ),
        ("a.clj", b"(let [ok? (+ x* 1)] (my-fn ok?))", "let ok? x* my-fn"),
        ("a.scm", b"(define (f! x) (list->string x))", "define f! x list->string"),
        ("a.R", b"my.fun <- function(a.b, c) { a.b + c }\n", "my.fun a.b c"),
        ("a.hs", b"module M where\nf :: T -> T\nf' x' = x' + y\n", "M f T f' x' y"),
        ("a.ml", b"let rec f x' = g x' 'a'\nand g' y = f y\n", "f x' g g' y"),
        ("a.rb", b"def ok?(a)\n @b = a.empty?\nend\n", "ok? a @b empty?"),
        ("a.sh", b'for i in *.c; do x=$i; echo "$x" -n; done\n', "i x"),
    ],
)
def test_names_of_languages(file: str, text: bytes, expected: str) -> None:
    found = names_of(view_of(file, text).counter.parse(text)).places
    assert b" ".join(found).decode() == expected


@pytest.mark.parametrize(
    ("grammar", "text", "expected"),
    [
        ("c", b"int main(){while(1)f(x);}", [b"main", b"f", b"x"]),
        ("sqlite", b"select a from b where c=1", [b"a", b"b", b"c"]),
        ("lua", b"local a=1 while a do print(a) end", [b"a", b"print"]),
    ],
)
def test_keywords_of_grammars_are_no_names(
    grammar: str, text: bytes, expected: list[bytes]
) -> None:
    tree = GrammarFrontEnd(Language.from_file(grammar_path(grammar))).parse(text)
    assert list(names_of(tree).places) == expected


def test_keywords_that_have_a_name(tmp_path: Path) -> None:
    file = tmp_path / "g.g4"
    file.write_text(
        "grammar g; s : WHILE IF NAME SUM; WHILE : 'while' ; IF : I F ; SUM : '+' ;"
        " NAME : [a-z]+ ; fragment I : [iI] ; fragment F : [fF] ;"
    )
    grammar = Language.from_file(file).grammar
    assert {"WHILE", "IF"} <= keyword_kinds(grammar)
    assert not {"NAME", "SUM"} & keyword_kinds(grammar)
    tree = GrammarFrontEnd(Language(grammar)).parse(b"whileiFx+")
    assert b"while" not in names_of(tree).places
