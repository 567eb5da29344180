"""The parser against a reference, on random grammars and texts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.model.rules import Grammar, GrammarError
from marrow.grammar.parser.parser import Parser, compile_grammar
from tests.grammar.parsing import check_tree, deletions, derives, grammars

TEXTS = st.text("abc", max_size=7)


def compiled(one: Grammar) -> Parser | None:
    """Compile a grammar; None if its start rule derives nothing, which is refused."""
    try:
        made = compile_grammar(one)
        _ = made.tables
    except GrammarError:
        return None
    return made


@settings(max_examples=200)
@given(grammars(), st.lists(TEXTS, min_size=1, max_size=8))
def test_membership_agrees_with_the_reference(one: Grammar, texts: list[str]) -> None:
    made = compiled(one)
    for text in texts:
        assert (made is not None and made.matches(text.encode())) == derives(one, text), text


@settings(max_examples=200)
@given(grammars(), st.lists(TEXTS, min_size=1, max_size=8))
def test_trees_conform_and_render_the_input(one: Grammar, texts: list[str]) -> None:
    made = compiled(one)
    for text in texts:
        if made is None or not derives(one, text):
            continue
        for chains in (True, False):
            tree = made.parse(text.encode(), chains=chains)
            assert tree.text == text.encode()
            check_tree(tree, one, made, bodies=chains)


@settings(max_examples=120)
@given(grammars(), st.lists(TEXTS, min_size=1, max_size=5))
def test_deletions_and_accepted_replacements_stay_in_the_language(
    one: Grammar, texts: list[str]
) -> None:
    made = compiled(one)
    for text in texts:
        if made is None or not derives(one, text):
            continue
        tree = made.parse(text.encode())
        for place in deletions(tree):
            assert made.matches(tree.delete([place]).text)
        for place, node in tree.walk():
            for below, other in tree.walk(place):
                if below != place and made.accepts(node.slot, other.symbol):
                    assert made.matches(tree.replace(place, other).text)


@settings(max_examples=80)
@given(grammars(), TEXTS)
def test_rejected_texts_say_what_could_have_followed(one: Grammar, text: str) -> None:
    made = compiled(one)
    if made is None or derives(one, text):
        return
    with pytest.raises(ParseError) as caught:
        made.parse(text.encode())
    assert caught.value.line == 1
    assert 1 <= caught.value.column <= len(text) + 1
