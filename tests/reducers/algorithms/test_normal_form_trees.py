"""Perses on the tree of the grammar in Perses Normal Form (`--normal-form`)."""

from __future__ import annotations

import pytest

from marrow.engine.executors.function import CallableExecutor
from marrow.grammar.language import Language
from marrow.grammar.notations import read_grammar_text
from marrow.reducers.algorithms.settings import NormalForm, Settings
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.run.reduction import Reduction
from marrow.syntax.views import view_by_grammar
from marrow.tree import Kind

#: Figure 2 of "Perses: Syntax-Guided Program Reduction": lists are rules of their own.
FIGURE_2 = r"""
grammar figure;
block : '{' stmt_star '}' ;
stmt_star : stmt* ;
stmt : NAME '(' ')' ';' | block | 'if' '(' NAME ')' stmt else_opt ;
else_opt : ('else' stmt)? ;
NAME : [a-z]+ ;
SPACE : [ \n]+ -> skip ;
"""
TEXT = b"{ a(); { b(); c(); } if (x) y(); else z(); }"

#: Indirect recursion, which only substitution makes a list.
INDIRECT = r"""
grammar indirect;
whole : list ;
list : item | more item ;
more : list ',' ;
item : NAME ;
NAME : [a-z]+ ;
SPACE : [ \n]+ -> skip ;
"""


def language(text: str) -> Language:
    return Language(read_grammar_text(text, "g4", "g"))


def reduced(grammar: str, text: bytes, needle: bytes, form: NormalForm) -> bytes:
    own = language(grammar)
    executor = CallableExecutor(lambda candidate: needle in candidate, 1)
    try:
        result = Reduction(
            text=text,
            view=view_by_grammar(own, "input", text),
            strategy=algorithm_of("perses*", Settings(normal_form=form)),
            executor=executor,
        ).run()
    finally:
        executor.close()
    assert own.matches(result.text)
    return result.text


def test_a_rule_that_is_a_list_is_one_node() -> None:
    tree = language(FIGURE_2).normalized().parse(TEXT)
    lists = [node for node in tree.nodes() if node.symbol == "stmt_star"]
    assert [node.kind for node in lists] == [Kind.STAR, Kind.STAR]
    assert [len(node.elements) for node in lists] == [3, 2]


@pytest.mark.parametrize("form", NormalForm)
def test_the_result_is_the_same_in_every_form(form: NormalForm) -> None:
    assert reduced(FIGURE_2, TEXT, b"c", form) == b"{ c(); }"


def test_substitution_makes_lists_of_indirect_recursion() -> None:
    text = b"a, b, c, d"
    assert reduced(INDIRECT, text, b"d", NormalForm.FULL) == b"d"
    tree = language(INDIRECT).normalized().parse(text)
    assert any(node.kind in (Kind.STAR, Kind.PLUS) for node in tree.nodes())


def test_the_signature_of_a_run_names_the_form() -> None:
    names = {algorithm_of("perses*", Settings(normal_form=form)).signature for form in NormalForm}
    assert len(names) == len(NormalForm)
