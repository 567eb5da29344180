"""Random trees: in the language, of the size asked for, the same for the same seed."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.grammar.generation.generate import Generator
from marrow.grammar.language import Language
from marrow.grammar.model.rules import Grammar, GrammarError
from marrow.grammar.normal.normalize import normalize
from marrow.grammar.notations import read_grammar_text
from marrow.grammar.parser.parser import compile_grammar
from marrow.tree import FOREIGN, SEPARATOR, Branch, Kind, Node, Token, Tree
from tests.grammar.small import recognises, small
from tests.grammar.strategies import grammars

PROGRAMS = """
grammar Programs;
program : statement* EOF ;
statement
    : 'if' '(' expression ')' statement ('else' statement)?
    | 'while' '(' expression ')' statement
    | '{' statement* '}'
    | expression? ';'
    | 'var' NAME ('=' expression)? (',' NAME ('=' expression)?)* ';'
    ;
expression
    : expression '.' NAME
    | expression '(' arguments? ')'
    | expression ('++' | '--')
    | ('-' | '!' | '++') expression
    | expression ('*' | '/') expression
    | expression ('+' | '-') expression
    | <assoc=right> expression '?' expression ':' expression
    | <assoc=right> expression '=' expression
    | NAME | NUMBER | STRING | '(' expression ')'
    ;
arguments : expression (',' expression)* ;
IF_LIKE : 'i' [f-g] ;
NAME : [a-z]+ ;
NUMBER : [0-9]+ ('.' [0-9]+)? ;
STRING : '"' (~["\\\\] | '\\\\' .)* '"' ;
SPACE : [ \\t\\r\\n]+ -> skip ;
COMMENT : ('//' ~[\\n]* | '/*' .*? '*/') -> channel(HIDDEN) ;
"""

LINES = """
grammar Lines;
file : line* ;
line : WORD* NEWLINE ;
WORD : [a-z]+ ;
NEWLINE : [\\r\\n]+ ;
BLANK : ' ' -> skip ;
"""

ELEMENTS = """
grammar Elements;
element : OPEN NAME NAME* CLOSE (TEXT | element)? OPEN SLASH NAME CLOSE ;
"""

TAGS = """
grammar Tags;
unused : TEXT ;
OPEN : '<' -> pushMode(INSIDE) ;
TEXT : ~[<]+ ;
mode INSIDE;
NAME : [a-z]+ ;
SLASH : '/' ;
CLOSE : '>' -> popMode ;
SPACE : [ \\n]+ -> skip ;
"""


def programs() -> Grammar:
    return read_grammar_text(PROGRAMS, "g4")


def shape(node: Node) -> object:
    """A tree without the texts of its tokens."""
    if isinstance(node, Token):
        return node.symbol, node.slot, node.key
    return node.kind, node.symbol, node.slot, node.key, tuple(map(shape, node.children))


def characters(tree: Tree) -> tuple[str, ...]:
    return tuple(tree.text.decode())


@given(grammars(), st.integers(0, 1000))
@settings(max_examples=120)
def test_random_derivations_of_one_form_are_in_the_other(grammar: Grammar, seed: int) -> None:
    forms = [grammar, normalize(grammar)]
    for one in forms:
        word = characters(Generator(one).tree(seed, size=8))
        for other in forms:
            assert recognises(other, word)


@given(st.integers(0, 10_000), st.integers(0, 300))
@settings(max_examples=60)
def test_size_is_a_bound(seed: int, size: int) -> None:
    tree = PROGRAM_GENERATOR.tree(seed, size=size)
    assert tree.token_count <= max(size, 1)


@given(st.integers(0, 10_000))
@settings(max_examples=60)
def test_names_are_never_keywords_nor_other_tokens(seed: int) -> None:
    tree = PROGRAM_GENERATOR.tree(seed, size=200)
    for token in tree.tokens():
        if token.symbol == "NAME":
            assert token.text not in (b"if", b"ig", b"while", b"else", b"var")
        elif token.symbol.startswith("'"):
            assert token.symbol == f"'{token.text.decode()}'"


PROGRAM_GENERATOR = Generator(programs())
PROGRAM_PARSER = compile_grammar(programs())
EXPRESSION_PARSER = compile_grammar(replace(programs(), start="expression"))


@given(st.integers(0, 10_000))
@settings(max_examples=60)
def test_texts_parse_back_to_the_same_tree(seed: int) -> None:
    tree = PROGRAM_GENERATOR.tree(seed, start="expression", size=60)
    assert shape(EXPRESSION_PARSER.parse(tree.text).root) == shape(tree.root)
    tree = PROGRAM_GENERATOR.tree(seed, size=60)
    parsed = PROGRAM_PARSER.parse(tree.text)
    assert [one.text for one in parsed.tokens()] == [one.text for one in tree.tokens()]
    if b"else" not in tree.text:  # which may belong to either of two
        assert shape(parsed.root) == shape(tree.root)


@given(grammars(), st.integers(0, 1000))
@settings(max_examples=100)
def test_random_grammars_parse_what_they_generate(grammar: Grammar, seed: int) -> None:
    tree = Generator(grammar).tree(seed, size=12)
    assert compile_grammar(grammar).parse(tree.text).text == tree.text


def test_same_seed_same_tree() -> None:
    other = Generator(programs())
    for seed in range(20):
        expected = PROGRAM_GENERATOR.tree(seed)
        assert other.tree(seed).text == expected.text
        assert shape(other.tree(Random(seed)).root) == shape(expected.root)
    texts = {PROGRAM_GENERATOR.tree(seed, start="statement").text for seed in range(40)}
    assert len(texts) > 20


def test_every_rule_can_be_the_start() -> None:
    for name in PROGRAM_GENERATOR.grammar.rules:
        tree = PROGRAM_GENERATOR.tree(1, start=name)
        assert isinstance(tree.root, Branch)
        assert tree.root.symbol == name


def test_every_symbol_of_a_tree_can_be_the_start() -> None:
    seen: dict[tuple[str, Kind], Node] = {}
    for seed in range(30):
        for _, node in PROGRAM_PARSER.parse(PROGRAM_GENERATOR.tree(seed).text).walk():
            seen[node.symbol, node.kind] = node
    assert {kind for _, kind in seen} == set(Kind)
    for symbol, kind in seen:
        assert symbol in PROGRAM_GENERATOR.symbols
        nodes = [PROGRAM_GENERATOR.node(seed, symbol, size=10) for seed in range(20)]
        assert all((node.symbol, node.kind, node.slot) == (symbol, kind, symbol) for node in nodes)


def test_generated_nodes_fit_where_their_symbol_stood() -> None:
    for seed in range(20):
        tree = PROGRAM_PARSER.parse(PROGRAM_GENERATOR.tree(seed).text)
        for place, node in tree.walk():
            if place.parent is not None and node.slot != SEPARATOR:
                other = PROGRAM_GENERATOR.node(seed, node.symbol, size=5)
                assert PROGRAM_PARSER.matches(tree.replace(place, other).text)


def test_every_alternative_is_found() -> None:
    seen = {
        token.symbol
        for seed in range(100)
        for token in PROGRAM_GENERATOR.tree(seed, size=100).tokens()
    }
    assert seen >= {"'if'", "'else'", "'while'", "'var'", "'{'", "'?'", "STRING", "NUMBER", "'--'"}


def test_minimal_trees() -> None:
    assert PROGRAM_GENERATOR.minimal("program").token_count == 0
    assert PROGRAM_GENERATOR.minimal("statement").text == b";"
    assert PROGRAM_GENERATOR.minimal("expression").text == b"a"


def test_quantifiers_are_nodes() -> None:
    tree = PROGRAM_GENERATOR.tree(3, size=100)
    kinds = {node.kind for _, node in tree.walk()}
    assert kinds == {Kind.TOKEN, Kind.REGULAR, Kind.STAR, Kind.PLUS, Kind.OPTIONAL}


def test_depth_is_bounded() -> None:
    grammar = small("E ::= ( E ) | [ E E ] | x")
    for seed in range(30):
        tree = Generator(grammar).tree(seed, size=400, depth=10)
        assert max(place.depth for place, _ in tree.walk()) <= 13


def test_deep_trees_need_no_recursion() -> None:
    language = Language(small("E ::= ( E ) | x"))
    model = language.read(b"(" * 20_000 + b"x" + b")" * 20_000)
    generator = language.generator().biased_to(model)
    texts = [generator.tree(seed, size=20_001, depth=100_000).text for seed in range(5)]
    assert max(map(len, texts)) > 10_000
    assert all(text.count(b"(") == text.count(b")") for text in texts)


def test_bias_to_a_tree() -> None:
    model = next(
        tree
        for seed in range(1000)
        if b"while" in (tree := PROGRAM_GENERATOR.tree(seed, size=60)).text
        and b"if" not in tree.text
        and b"?" not in tree.text
    )
    biased = PROGRAM_GENERATOR.biased_to(PROGRAM_PARSER.read(model.text))
    texts = b"\n".join(biased.tree(seed, size=60).text for seed in range(60))
    plain = b"\n".join(PROGRAM_GENERATOR.tree(seed, size=60).text for seed in range(60))
    assert texts.count(b"while") > 5 * texts.count(b"if")
    assert plain.count(b"if") > 5 * texts.count(b"if")


def test_lines_are_kept_apart() -> None:
    generator = Generator(read_grammar_text(LINES, "g4"))
    for seed in range(30):
        tree = generator.tree(seed, size=30)
        tokens = [token.text for token in tree.tokens()]
        joined = b"".join(tokens)
        assert tree.text.replace(b" ", b"") == joined.replace(b" ", b"")
    assert any(b"\n \n" in generator.tree(seed, size=30).text for seed in range(100))


def test_modes_of_the_lexer() -> None:
    tokens = read_grammar_text(TAGS, "g4", start="unused").tokens
    rules = read_grammar_text(ELEMENTS, "g4").rules
    generator = Generator(Grammar("tags", "element", rules, tokens))
    for seed in range(30):
        text = generator.tree(seed, size=40).text
        assert text.startswith(b"<")
        assert text.endswith(b">")
        assert text.count(b"<") == text.count(b">") == 2 * text.count(b"/")


def test_nodes_for_other_trees_have_no_neighbours() -> None:
    node = PROGRAM_GENERATOR.node(5, "statement", size=30)
    assert isinstance(node, Branch)
    assert all(token.serial == FOREIGN for token in Tree(node).tokens())
    assert shape(node) == shape(PROGRAM_GENERATOR.tree(5, start="statement", size=30).root)


def test_tokens_that_no_rule_makes_are_avoided() -> None:
    text = "grammar B; block : 'x' | ':' INDENT block+ DEDENT ; NAME : [a-z]+ ;"
    grammar = read_grammar_text(text, "g4")
    assert all(Generator(grammar).tree(seed).text == b"x" for seed in range(20))
    assert "INDENT" in str(normalize(grammar).rules["block"].body)
    with pytest.raises(GrammarError, match="no text as END, INDENT, DEDENT"):
        Generator(read_grammar_text(text.replace("'x' | ", "'x' END | "), "g4"))


def test_what_cannot_be_generated_is_an_error() -> None:
    with pytest.raises(GrammarError, match="derives no text"):
        Generator(small("A ::= a A"))
    with pytest.raises(GrammarError, match="is not defined"):
        Generator(small("A ::= Missing"))
    with pytest.raises(GrammarError, match="no rule 'other'"):
        PROGRAM_GENERATOR.tree(0, start="other")
    shadowed = read_grammar_text("grammar S; s : B; A : [a-z]+ ; B : 'b' [a-z] ;", "g4")
    with pytest.raises(GrammarError, match="the lexer reads no text as B"):
        Generator(shadowed)
