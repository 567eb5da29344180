"""Grammars that were written read back as the same grammar, or as one of the same texts."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings

from marrow.grammar.language import GrammarSource
from marrow.grammar.model.rules import (
    Action,
    Characters,
    Choice,
    Command,
    Expression,
    Grammar,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
    TokenRule,
)
from marrow.grammar.notations import read_grammar_text
from marrow.grammar.writer import write_bnf
from tests.grammar.random_grammars import derived, scannerless, shape, with_tokens


def again(grammar: Grammar) -> Grammar:
    """Write a grammar and read it."""
    return read_grammar_text(write_bnf(grammar)[0], "bnf", "again.bnf")


@given(scannerless())
@settings(max_examples=100)
def test_scannerless_grammars(grammar: Grammar) -> None:
    assert shape(again(grammar)) == shape(grammar)


@given(with_tokens(modes=True))
@settings(max_examples=200)
def test_grammars_with_tokens(grammar: Grammar) -> None:
    assert shape(again(grammar)) == shape(grammar)


@given(grammar=scannerless())
@settings(max_examples=50)
def test_the_same_texts(grammar: Grammar) -> None:
    assert derived(again(grammar), 4) == derived(grammar, 4)
    source = GrammarSource.of(grammar)
    found = read_grammar_text(source.text, source.notation, start=source.start)
    assert derived(found, 4) == derived(grammar, 4)


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


def test_text() -> None:
    assert (
        write_bnf(EXPR)[0]
        == r"""<expr> ::= %right <expr> "^" <expr> | <expr> "'\\" <expr> | <NUM>
<list> ::= (<expr> | ())*
%fragment <D> ::= [0-9]
%token <NUM> ::= <D>+
%token <KEY> ::= "Key"i
%skip <WS> ::= [\u0009-\u000A\u0020\]]
%skip %pushMode(M) <S> ::= "/*" [^]*? "*/"
%token %in(M) %guarded %type(NUM) %popMode <X> ::= "x" | "y"
"""
    )


def test_names_that_angle_brackets_do_not_hold() -> None:
    grammar = grammar_of({
        "Expr": Reference("expr"), "expr": Literal("x"), "a  b": Reference("<a b>"),
        "<a b>": Reference("|"), "|": Literal("y"),
    })  # fmt: skip
    found = again(grammar)
    assert list(found.rules) == ["Expr", "expr", "a b", "_a b_", "_"]
    assert derived(replace(found, start="a b"), 2) == {"y"}
