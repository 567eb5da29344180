"""Every grammar that ships: generated texts parse back, and both normal forms have its language."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest

from marrow.grammar.generation.generate import Generator
from marrow.grammar.model.rules import Grammar, GrammarError
from marrow.grammar.normal.flat import FlatGrammar
from marrow.grammar.normal.normalize import normalize
from marrow.grammar.notations import read_file
from marrow.grammar.parser.parser import Parser, compile_grammar
from marrow.tree import Tree
from marrow.tree.node import render
from tests.grammar.normal_form import violations

FOLDER = Path(str(files("marrow.grammars")))
SHIPPED = sorted(path.stem for path in FOLDER.glob("*.g4"))

#: Trees drawn for each check: enough to meet most alternatives of the larger grammars.
COUNT = 25


@cache
def shipped(name: str) -> Grammar:
    return read_file(FOLDER / f"{name}.g4").grammar


@cache
def generator(name: str) -> Generator:
    return Generator(shipped(name))


@cache
def parser(name: str) -> Parser:
    return compile_grammar(shipped(name))


def is_small(name: str) -> bool:
    """Whether substitution is worth the time of a test."""
    return FlatGrammar(shipped(name)).symbols() < 600


def words(tree: Tree) -> list[tuple[str, bytes]]:
    return [(token.symbol, token.text) for token in tree.tokens()]


@pytest.mark.parametrize("name", SHIPPED)
def test_generated_texts_parse_back_to_the_same_tokens(name: str) -> None:
    for seed in range(COUNT):
        tree = generator(name).tree(seed, size=80)
        assert words(parser(name).parse(tree.text)) == words(tree)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_tree_of_an_input_biases(name: str) -> None:
    tree = max((generator(name).tree(seed) for seed in range(5)), key=lambda one: one.token_count)
    parsed = parser(name).read(tree.text)
    biased = generator(name).biased_to(parsed, unseen=0.001)
    known = {token.symbol for token in tree.tokens()}
    drawn = [token.symbol for seed in range(5) for token in biased.tree(seed).tokens()]
    # What was not seen is not ruled out: it is what the cheapest way to an end needs.
    assert sum(symbol in known for symbol in drawn) >= 0.6 * len(drawn)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_normal_form_has_the_same_language(name: str) -> None:
    if not is_small(name):
        pytest.skip("takes long by substitution")
    try:
        normal = normalize(shipped(name))
    except GrammarError:
        return  # real languages may grow beyond all use
    assert not violations(normal)
    other = Generator(normal)
    for seed in range(COUNT):
        assert parser(name).matches(other.tree(seed, size=50).text)


@pytest.mark.parametrize(
    ("preceding", "start"),
    [("x = ", "expression"), ("function ", "IDENTIFIER"), ("x = {", "property")],
)
def test_trees_for_a_place_where_the_lexer_reads_differently(preceding: str, start: str) -> None:
    generator = Generator(shipped("javascript"))
    for seed in range(5):
        assert generator.tree(seed, start=start, size=5, preceding=preceding).text


@pytest.mark.parametrize("start", ["identifier", "IDENTIFIER", "statement"])
def test_what_begins_at_the_first_byte_is_drawn(start: str) -> None:
    """JavaScript's lexer adds a semicolon at the end of a text: here that is none."""
    generator = Generator(shipped("javascript"))
    assert len({generator.tree(seed, start=start, size=5).text for seed in range(30)}) > 10


def test_keywords_are_seldom_names() -> None:
    generator = Generator(shipped("javascript"))
    words = [generator.tree(seed, start="identifier", size=1).text for seed in range(300)]
    known = (b"async", b"get", b"set", b"static", b"of", b"from", b"as")
    assert 0 < sum(word in known for word in words) < 45


def test_forms_are_the_alternatives_of_a_rule() -> None:
    """Through rules that hold nothing but another one, small, and always the same."""
    generator = Generator(shipped("json"))
    forms = [render((node,)) for node in generator.forms("value")]
    assert {text[:1] for text in forms} >= {b'"', b"t", b"f", b"n", b"{", b"["}
    assert b"[]" in forms
    assert any(text.startswith(b"[") and text != b"[]" for text in forms)
    assert forms == [render((node,)) for node in generator.forms("value")]
