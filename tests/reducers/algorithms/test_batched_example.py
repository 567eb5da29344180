"""The example of section 2 of the paper on type batching: Listing 1 and Table 1.

The nodes of its Figure 1 that may vanish are those of the grammar below; the number of each is that
of the figure.
"""

from __future__ import annotations

import math
import re

import pytest

from marrow.grammar.language import Language
from marrow.grammar.notations import read_grammar_text
from marrow.learn.model import Curve, Model
from marrow.learn.types import removals
from marrow.reducers.algorithms.joint_reduction import JointReduction
from marrow.reducers.algorithms.type_batching import (
    Batching,
    BatchReduction,
    Schedule,
    by_pardis,
    type_batched_reduction,
)
from marrow.reducers.streams.stream import Reducer, finish
from marrow.syntax.grammar_front_end import GrammarFrontEnd
from marrow.tree import Tree
from tests.reducers.running import run

GRAMMAR = r"""
grammar Listing1;
file : translation_unit? EOF ;
translation_unit : (external_declaration | function_definition)+ ;
external_declaration : 'struct' Name '{' member member '}' ';' ;
member : 'int' Name ';' ;
function_definition : type Name '(' ')' compound_statement? ;
compound_statement : '{' items '}' | '{' items 'return' Number ';' '}' ;
items : (declaration | selection_statement | expression_statement)* ;
declaration : type Name '=' initializer ';' ;
initializer : '{' Number ',' Number '}' | 'true' | Number ;
selection_statement : 'if' '(' Name ')' '{' items '}' ;
expression_statement : expression ';' ;
expression : Name '+=' Number '*' Name '+' Name '+' Number | Name '.' Name '=' Number '/' Name
           | Name '(' String ')' | Name '(' ')' ;
type : 'int' | 'void' | 'bool' | 'struct' Name ;
Name : [a-zA-Z] [a-zA-Z0-9]* ;
Number : [0-9]+ ;
String : '"' ~'"'* '"' ;
Space : [ \t\r\n]+ -> skip ;
"""

LISTING_1 = rb"""struct S {
    int f1;
    int f2;
};
void foo() {
    struct S s1 = {1, 2};
    int i = 0;
    bool increment = true;
    if (increment) {
       i += 2*i + i + 1;
    }
    s1.f1 = 1/i;
    printf("Hello World!\n");
}
int main() {
   foo();
   return 0;
}
"""

#: What makes each node of Figure 1, by its number there.
NODES = {
    2: b"struct S {",
    3: b"void foo",
    4: b"int main",
    7: b"struct S s1 =",
    8: b"int i =",
    9: b"bool increment =",
    10: b"if (",
    11: b"s1.f1 =",
    12: b"printf(",
    13: b"foo();",
    14: b"i += 2",
}


def prints_hello_world(tree: Tree) -> bool:
    """What compiling and running the program would show."""
    text = tree.text
    has = {number: part in text for number, part in NODES.items()}
    bodies = len(re.findall(rb"\(\) \{", text))
    if not (has[3] and has[4] and has[12] and has[13] and bodies == 2):
        return False
    uses = {7: [11], 8: [14, 11], 9: [10], 2: [7]}
    if any(not has[what] and any(has[one] for one in by) for what, by in uses.items()):
        return False
    # The increment keeps the division from being one by zero.
    return not has[11] or has[14]


@pytest.fixture(scope="module")
def front() -> GrammarFrontEnd:
    return GrammarFrontEnd(Language(read_grammar_text(GRAMMAR, "g4", "Listing1.g4")))


#: The order of types that section 2 supposes.
ORDER = (
    "expression_statement",
    "selection_statement",
    "declaration",
    "compound_statement",
    "function_definition",
    "external_declaration",
    "translation_unit",
)

#: Beliefs under which chunks are those of Table 1, which says nothing of them: statements likely to
#: go at first (0.70) and less so when there are fewer (0.50), declarations very likely (0.9), all
#: else not (0.3).
MODEL = Model(
    "",
    {
        **dict.fromkeys(ORDER, Curve(math.log(3 / 7), 0.0)),
        "expression_statement": Curve(-2.87, 3.72),
        "declaration": Curve(math.log(9.0), 0.0),
    },
)


def in_order(names: tuple[str, ...]) -> Schedule:
    """Choose the types in a given order, whatever their rates."""
    return lambda rates, _: next((name for name in names if name in rates.types), None)


def type_batched(traversal: BatchReduction, *, typed: bool = True) -> Reducer:
    parts = Batching(lambda _, __: in_order(ORDER), traversal, typed=typed)
    return type_batched_reduction(parts, MODEL if typed else EVEN, online=False, plain=True)


#: For the traversal by size: what is larger is tried first, whatever its type.
EVEN = Model("")

TABLE_1 = {
    "traversal based": (type_batched(by_pardis, typed=False), 1, 14, 8),
    "type batched": (type_batched(by_pardis), 6, 14, 55),
    "type batched joint": (type_batched(JointReduction.start), 4, 11, 55),
}


@pytest.mark.parametrize("row", TABLE_1)
def test_table_1(front: GrammarFrontEnd, row: str) -> None:
    reducer, successes, queries, removed = TABLE_1[row]
    tree = front.parse(LISTING_1)
    assert front.error(LISTING_1) is None
    assert prints_hello_world(tree)
    result = run(tree, reducer(tree, finish), prints_hello_world)
    assert len(result.accepted) == successes
    assert len(result.tried) == queries
    assert tree.token_count - result.tree.token_count == removed


def test_nodes_are_those_of_figure_1(front: GrammarFrontEnd) -> None:
    found = sorted(
        (one.node.token_count for _, one in removals(front.parse(LISTING_1))), reverse=True
    )
    assert found == [79, 55, 51, 16, 13, 11, 10, 10, 9, 8, 5, 5, 5, 4]


def test_listing_3(front: GrammarFrontEnd) -> None:
    # Table 1 removes the `if` too, which the paper's Listing 3 still shows.
    tree = front.parse(LISTING_1)
    result = run(tree, type_batched(JointReduction.start)(tree, finish), prints_hello_world)
    wanted = rb'void foo() { printf("Hello World!\n"); } int main() { foo(); return 0; }'
    assert result.tree.text.split() == wanted.split()
