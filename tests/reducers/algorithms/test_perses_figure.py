"""The walk-through of section 2 of the Perses paper, on the grammar of its Figure 2.

Figure 1 shows the program (a), the first success (b), the second (c) and the result (d).
"""

from __future__ import annotations

import re

import pytest

from marrow.grammar.language import Language
from marrow.grammar.notations import read_grammar_text
from marrow.reducers.algorithms.perses import perses
from marrow.reducers.streams.stream import finish, fixpoint
from marrow.syntax.grammar_front_end import GrammarFrontEnd
from marrow.tree import Tree
from tests.reducers.running import Run, run

FIGURE_2 = r"""
grammar Figure2;
func_def : type Identifier '(' ')' compound_stmt EOF ;
stmt : if_stmt | decl_stmt | expr_stmt | return_stmt | compound_stmt ;
if_stmt : if_cond+ (decl_stmt | expr_stmt | compound_stmt) ;
if_cond : 'if' '(' expr ')' ;
decl_stmt : type Identifier '=' expr ';' ;
expr_stmt : expr ';' ;
return_stmt : 'return' expr ';' ;
compound_stmt : '{' stmt* '}' ;
type : 'int' ;
expr : Identifier '(' expr (',' expr)* ')' | Identifier | Number | String ;
Identifier : [a-z]+ ;
Number : [0-9]+ ;
String : '"' ~'"'* '"' ;
Space : [ \t\r\n]+ -> skip ;
"""

FIGURE_1A = rb"""int main() {
  int a = 1;
  if (a) {
    printf("%d\n", a);
    printf("Hello ");
    printf("world!\n");
    printf("End\n");
  }
  return 0;
}
"""
PRINTS = [
    rb'printf("%d\n", a);',
    rb'printf("Hello ");',
    rb'printf("world!\n");',
    rb'printf("End\n");',
]
FIGURE_1B = b"int main() { int a = 1; { " + b" ".join(PRINTS) + b" } return 0; }"
FIGURE_1C = b"int main() { int a = 1; " + b" ".join(PRINTS) + b" return 0; }"
FIGURE_1D = b"int main() { " + b" ".join(PRINTS[1:3]) + b" return 0; }"
STEP_2 = b"int main() { " + b" ".join(PRINTS) + b" }"


def prints_hello_world(tree: Tree) -> bool:
    """What compiling and running the program would show: 'Hello world!', and exit code 0."""
    text = tree.text
    uses = re.findall(rb"(?<![\w%])a(?!\w)", text.replace(b"int a", b""))
    if uses and b"int a = 1;" not in text:
        return False
    hello, world = text.find(PRINTS[1]), text.find(PRINTS[2])
    between = text[hello:world]
    return 0 <= hello < world and between.count(b"printf") == 1 and b"return 0;" in text


def same(text: bytes) -> bytes:
    """The text without its layout."""
    return b"".join(text.split())


@pytest.fixture
def front() -> GrammarFrontEnd:
    grammar = read_grammar_text(FIGURE_2, "g4", "Figure2.g4", None)
    return GrammarFrontEnd(Language(grammar))


def reduce(front: GrammarFrontEnd, bound: int) -> Run:
    tree = front.parse(FIGURE_1A)
    assert front.error(FIGURE_1A) is None
    one = perses(front, bound=bound)
    result = run(tree, fixpoint(one, front.parse)(tree, finish), prints_hello_world)
    for tried in result.tried:
        assert front.error(tried) is None, tried
    return result


def test_step_by_step(front: GrammarFrontEnd) -> None:
    # With replacements one step down the successes are those of the walk-through.
    result = reduce(front, bound=1)
    accepted = [same(text) for text in result.accepted]
    assert accepted[:2] == [same(FIGURE_1B), same(FIGURE_1C)]
    assert accepted[-1] == same(FIGURE_1D)


def test_with_the_bound_of_the_paper(front: GrammarFrontEnd) -> None:
    # Step 2 tries the inner block as the body, and fails, for `a` is not declared there. Step 4
    # has both the block and its statements to choose from; Algorithm 4 takes the smaller.
    result = reduce(front, bound=4)
    assert same(STEP_2) in [same(text) for text in result.tried]
    accepted = [same(text) for text in result.accepted]
    assert accepted[0] == same(FIGURE_1C)
    assert accepted[-1] == same(FIGURE_1D)
