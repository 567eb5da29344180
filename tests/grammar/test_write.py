"""Grammars that were written read back as the same grammar, or as one of the same texts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from marrow.grammar.language import GrammarSource
from marrow.grammar.model.rules import (
    Action,
    Characters,
    Choice,
    Command,
    Expression,
    Grammar,
    GrammarError,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
    TokenRule,
)
from marrow.grammar.notations import read_grammar_text, write_grammar
from tests.grammar.random_grammars import derived, scannerless, shape, with_tokens


def again(grammar: Grammar, format: str) -> Grammar:
    """Write a grammar and read it; the start rule stands first where it cannot be named."""
    found = read_grammar_text(write_grammar(grammar, format).text, format, f"again.{format}")
    return found if format != "g4" else replace(found, start=next(iter(found.rules)))


def start_first(grammar: Grammar) -> Grammar:
    order = sorted(grammar.rules, key=lambda name: name != grammar.start)
    return replace(grammar, rules={name: grammar.rules[name] for name in order})


@given(scannerless())
@settings(max_examples=100)
def test_bnf_keeps_scannerless_grammars(grammar: Grammar) -> None:
    assert shape(again(grammar, "bnf")) == shape(grammar)


@given(with_tokens())
@settings(max_examples=100)
def test_bnf_keeps_grammars_with_tokens(grammar: Grammar) -> None:
    assert shape(again(grammar, "bnf")) == shape(grammar)


@given(with_tokens(modes=True))
@settings(max_examples=100)
def test_g4_written_again_is_the_same(grammar: Grammar) -> None:
    once = write_grammar(start_first(grammar), "g4").text
    found = read_grammar_text(once, "g4", "again.g4")
    found = replace(found, start=next(iter(found.rules)))
    assert len(found.rules) == len(grammar.rules)
    twice = write_grammar(found, "g4").text
    assert write_grammar(read_first(twice), "g4").text == twice


def read_first(text: str) -> Grammar:
    found = read_grammar_text(text, "g4", "again.g4")
    return replace(found, start=next(iter(found.rules)))


@given(grammar=scannerless())
@settings(max_examples=50)
def test_the_same_texts(grammar: Grammar) -> None:
    source = GrammarSource.of(grammar)
    assert derived(again(grammar, source.notation), 4) == derived(grammar, 4)
    found = read_grammar_text(source.text, source.notation, start=source.start)
    assert derived(found, 4) == derived(grammar, 4)


def test_characters_without_tokens_are_not_written_as_g4() -> None:
    grammar = grammar_of({"a": Characters(((48, 57),))})
    with pytest.raises(GrammarError, match="Write it as bnf"):
        write_grammar(grammar, "g4")
    assert GrammarSource.of(grammar).notation == "bnf"
    plain = grammar_of({"a": Literal("x")})
    assert GrammarSource.of(plain).notation == "g4"


def grammar_of(rules: dict[str, Expression], tokens: list[TokenRule] | None = None) -> Grammar:
    found = {name: Rule(name, body) for name, body in rules.items()}
    return Grammar("g", next(iter(rules)), found, {one.name: one for one in tokens or []})


EXPR = grammar_of(
    {
        "expr": Choice((
            Sequence((Reference("expr"), Literal("^"), Reference("expr")), True),
            Sequence((Reference("expr"), Literal("'\\"), Reference("expr"))),
            Sequence((Reference("NUM"),)),
        )),
        "list": Repeat(Choice((Reference("expr"), Sequence(()))), Quantifier.STAR),
    },
    [
        TokenRule("D", Characters(((48, 57),)), fragment=True),
        TokenRule("NUM", Repeat(Reference("D"), Quantifier.PLUS)),
        TokenRule("KEY", Literal("Key", True)),
        TokenRule("WS", Characters(((9, 10), (32, 32), (93, 93))),
                  commands=(Command(Action.SKIP),)),
        TokenRule("S", Sequence((
            Literal("/*"), Repeat(Characters(((0, 0x10FFFF),)), Quantifier.STAR, False),
            Literal("*/"),
        )), commands=(Command(Action.CHANNEL, "HIDDEN"), Command(Action.PUSH_MODE, "M"))),
        TokenRule("X", Choice((Literal("x"), Literal("y"))), mode="M", guarded=True,
                  commands=(Command(Action.TYPE, "NUM"), Command(Action.POP_MODE))),
    ],
)  # fmt: skip


def test_g4() -> None:
    written = write_grammar(EXPR, "g4")
    assert (
        written.text
        == r"""grammar g;

expr : <assoc=right> expr '^' expr | expr '\'\\' expr | NUM ;

list : (expr | ())* ;

fragment D : [0-9] ;
NUM : D+ ;
KEY : ([Kk] [Ee] [Yy]) ;
WS : [\t\n\u0020\]] -> skip ;
S : '/*' .*? '*/' -> channel(HIDDEN), pushMode(M) ;

mode M;

X : {true}? ('x' | 'y') -> type(NUM), popMode ;
"""
    )
    assert "--start expr" in written.notes[0].message


def test_bnf_refuses_modes() -> None:
    with pytest.raises(GrammarError, match="BNF has no word for `pushMode` of the token S"):
        write_grammar(EXPR, "bnf")
    plain = replace(EXPR, tokens={name: EXPR.tokens[name] for name in ("D", "NUM", "KEY", "WS")})
    assert (
        write_grammar(plain, "bnf").text
        == r"""<expr> ::= <expr> "^" <expr> | <expr> "'\\" <expr> | <NUM>
<list> ::= (<expr> | ())*
%fragment <D> ::= [0-9]
%token <NUM> ::= <D>+
%token <KEY> ::= "Key"i
%skip <WS> ::= [\u0009-\u000A\u0020\]]
"""
    )


def test_case_insensitive_grammars_say_so_once() -> None:
    grammar = grammar_of(
        {"a": Sequence((Literal("select", True), Reference("ID")))},
        [TokenRule("ID", Characters(((65, 90), (97, 122), (0x17F, 0x17F), (0x212A, 0x212A))))],
    )
    text = write_grammar(grammar, "g4").text
    assert "options { caseInsensitive = true; }" in text
    assert "'select' ID" in text


def test_names_that_a_notation_does_not_allow() -> None:
    grammar = grammar_of({
        "Expr": Reference("if stmt"), "expr": Literal("x"), "if stmt": Reference("options"),
        "options": Reference("1"), "1": Literal("y"),
    })  # fmt: skip
    found = again(grammar, "g4")
    assert list(found.rules) == ["expr", "expr_2", "if_stmt", "options_2", "r1"]
    assert derived(found, 2) == {"y"}


def test_unknown_notation() -> None:
    with pytest.raises(GrammarError, match="not written as 'lark'"):
        write_grammar(EXPR, "lark")
