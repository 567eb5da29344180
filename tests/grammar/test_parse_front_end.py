"""The front end for grammars: trees, what may stand where, and texts that do not match."""

from __future__ import annotations

from marrow.syntax.front import FrontEnd
from marrow.syntax.grammar import GrammarFrontEnd
from marrow.tree import ROOT, SEPARATOR, Kind
from tests.grammar.parsing import NAME, NUMBER, SPACE, alt, grammar, seq, show, star

CALLS = grammar(
    {
        "s": star("call", "';'"),
        "call": seq("NAME", "'('", "arguments", "')'"),
        "arguments": seq("value", star("','", "value")),
        "value": alt("call", "NUMBER", "NAME"),
    },
    NAME,
    NUMBER,
    SPACE,
)


def front() -> GrammarFrontEnd:
    return GrammarFrontEnd(CALLS, cache=None)


def test_it_is_a_front_end() -> None:
    made: FrontEnd = front()
    assert (made.name, made.description) == ("test", "the grammar test from rule s")
    assert made.validity() is None


def test_texts_become_trees_without_chains() -> None:
    tree = front().parse(b"f(1, g(x));")
    expected = "s(*[s_item(call(f ( arguments(+[1 , call(g ( arguments(+[x]) ))]) )) ;)])"
    assert show(tree.root) == expected


def test_nodes_may_stand_where_the_grammar_says() -> None:
    made = front()
    tree = made.parse(b"f(1, g(x));")
    nodes = {node.symbol: node for _, node in tree.walk()}
    assert made.accepts("value", nodes["call"])
    assert made.accepts("call", nodes["call"])
    assert made.accepts("value", nodes["NUMBER"])
    assert not made.accepts("call", nodes["NUMBER"])
    assert not made.accepts(SEPARATOR, nodes["','"])


def test_texts_that_do_not_match_are_lists() -> None:
    made = front()
    tokens = made.parse(b"f(1 ;\n g")
    assert (tokens.root.kind, tokens.token_count) == (Kind.STAR, 5)
    assert tokens.text == b"f(1 ;\n g"
    assert tokens.delete([ROOT.child(1)]).text == b"f 1 ;\n g"
    words = made.parse(b"f ? 1")
    assert (words.root.kind, words.text) == (Kind.STAR, b"f ? 1")


def test_errors_can_be_asked_for() -> None:
    made = front()
    assert made.error(b"f(1);") is None
    error = made.error(b"f(;")
    assert error is not None
    assert str(error) == "line 1, column 3: found ';', expected NAME or NUMBER"
