"""The front end for grammars: trees, what may stand where, and texts that do not match."""

from __future__ import annotations

from marrow.grammar.language import Language
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.grammar_front_end import GrammarFrontEnd
from marrow.tree import SEPARATOR, Kind, Token
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
    return GrammarFrontEnd(Language(CALLS))


def test_it_is_a_front_end() -> None:
    made: FrontEnd = front()
    assert (made.name, made.description) == ("test", "the grammar test from rule s")


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


def test_the_shortest_of_a_rule_and_of_a_token() -> None:
    made = front()
    (node,) = (node for _, node in made.parse(b"f(1);").walk() if node.symbol == "call")
    found = {name: made.minimal(name, node) for name in ("call", "value", "NAME", "s", "','")}
    texts = {name: None if one is None else one.text for name, one in found.items()}
    assert texts == {"call": b"a(0)", "value": b"0", "NAME": b"a", "s": b"", "','": None}


def test_only_new_text_is_parsed_again() -> None:
    made = front()
    tree = made.parse(b"f(1, g(x));")
    validity = made.validity()
    validity.rebase(tree)
    places = {node.symbol: place for place, node in tree.walk()}
    name = places["NAME"]  # the last one, x
    assert validity.valid(tree.retext(name, b"a"))
    assert not validity.valid(tree.retext(name, b"?"))
    assert not validity.valid(tree.replace(name, Token("NAME", b";")))
    # What comes from the input needs no second look.
    moved = tree.replace(places["arguments"], tree.root)
    assert not moved.has_new_text
    assert validity.valid(moved)


def test_a_text_that_does_not_match_may_become_anything() -> None:
    made = front()
    tree = made.parse(b"f(1 ;\n g")
    validity = made.validity()
    validity.rebase(tree)
    word = next(place for place, node in tree.walk() if isinstance(node, Token))
    assert validity.valid(tree.retext(word, b"?"))


def test_texts_that_do_not_match_are_lists() -> None:
    made = front()
    for text in (b"f(1 ;\n g", b"f ? 1"):
        words = made.parse(text)
        assert (words.root.kind, words.text) == (Kind.STAR, text)


def test_errors_can_be_asked_for() -> None:
    made = front()
    assert made.error(b"f(1);") is None
    error = made.error(b"f(;")
    assert error is not None
    assert str(error) == "line 1, column 3: found ';', expected NAME or NUMBER"
