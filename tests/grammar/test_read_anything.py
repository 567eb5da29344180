"""Whatever is thrown at the readers, they answer with a grammar or with their own error."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.grammar.check import check
from marrow.grammar.model.rules import Grammar, GrammarError
from marrow.grammar.notations import NOTATIONS, read_file, read_grammar_text
from marrow.grammar.writer import write_bnf

SEEDS = {
    "g4": r"""
        grammar G; options { caseInsensitive = true; tokenVocab = X; } import Y; tokens { A, B }
        @header { x "}" } a[int x] returns [int y] : b=B* (c+=C | ~'x' .)+? {p()}? # label
        | <assoc=right> a '^' a ; catch [E e] { }
        fragment F : [a-z\p{Lu}\u{1F600}\]-]+ ; T : 'a'..'z' ~[x] F -> skip, pushMode(M) ;
        mode M ; U : . -> popMode, type(T) | EOF ;""",
    "bnf": r"""
        %start <a>
        <a> ::= "x\n" <b>* | ('y'i)+ [ <a> "q" ] { <c> } [a-z\x20] [^"] (* c *) ε #x41 "a".."z"
        %token <c> ::= [#x20-#x7E]? ; bare = b , c | -1 .""",
    "lark": r"""
        ?start.2: _list{item, ","} | "a"i~2..3 [b] -> alias
        !b: /[^\d\w]+?(?:x|(?i:y)){1,3}(?!z)\1/ims | "a".."f"
        _list{x, sep}: x (sep x)*
        item: NUMBER
        T.1: "t" | /\p{Lu}/
        %import common (NUMBER, WS)
        %import .other.name -> n
        %ignore WS
        %declare X
        %extend b: "more" """,
    "json": r"""{"[start]": "<a>", "[grammar]": {"<a>": [["<b>", "+\n", "<c>"], "x<b>\u0041", []],
        "<b>": ["1", ["2", {"prob": 0.5}]]}}""",
    "abnf": r"""
        rule = *2DIGIT / 1*( ALPHA [ %x41-5A ] ) %d13.10 ; comment
        other =/ %s"Case" %i"less" <prose> 3rule
        list = 1#item""",
}

SIGNS = st.sampled_from([*"'\"[]{}()<>|:;,.=*+?~#@%/\\-\n\t aZ09εé😀\0", "->", "\\p{", "(?", "::="])


def survives(text: str, format: str) -> bool:
    """Read, check, write and read again: nothing but `GrammarError` may come out."""
    try:
        grammar = read_grammar_text(text, format, "any")
    except GrammarError as error:
        return str(error) != ""
    assert isinstance(grammar, Grammar)
    check(grammar)
    assert isinstance(read_grammar_text(write_bnf(grammar)[0], "bnf", "again"), Grammar)
    return True


@pytest.mark.parametrize("format", [one.name for one in NOTATIONS])
@given(data=st.data())
@settings(max_examples=100)
def test_changed_grammars(format: str, data: st.DataObject) -> None:
    text = SEEDS[format]
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.sampled_from([0, 0, 1, 5, 40])))
        inserted = data.draw(st.one_of(SIGNS, st.just("")))
        text = text[:start] + inserted + text[end:]
    assert survives(text, format)


@pytest.mark.parametrize("format", [one.name for one in NOTATIONS])
@given(text=st.one_of(st.text(max_size=40), st.lists(SIGNS, max_size=40).map("".join)))
@settings(max_examples=60)
def test_random_texts(format: str, text: str) -> None:
    assert survives(text, format)


@given(content=st.binary(max_size=200))
@settings(max_examples=60)
def test_random_bytes(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    for suffix in (".g4", ".bnf", ".lark", ".json", ".txt"):
        path = Path(folder, f"any{suffix}")
        path.write_bytes(content)
        with contextlib.suppress(GrammarError):
            assert isinstance(read_file(path).grammar, Grammar)


#: Python gives up at 1,000 levels of calls, so that anything recursive fails here.
DEPTH = 1_200


@pytest.mark.parametrize(
    ("format", "before", "inside", "after", "end"),
    [
        ("g4", "grammar G; a : ", "(", ")", "'x' ;"),
        ("g4", "grammar G; a : ", "('x' ", ")*", "'x' ;"),
        ("g4", "grammar G; a : T ; T : ", "('x' ", ")*", "'x' ;"),
        ("g4", "grammar G; a : T ; T : ", "~(", ")", "'x' ;"),
        ("g4", "grammar G; a : 'x' ", "{", "}", " ;"),
        ("bnf", "<a> ::= ", "(", ")", "'x'"),
        ("bnf", "<a> ::= ", "[ 'x' ", "]", "'x'"),
        ("bnf", "<a> ::= ", "{ 'x' ", "}", "'x'"),
        ("lark", "start: ", '("x" ', ")*", '"x"'),
        ("lark", "start: /", "(x", ")*", "/"),
        ("lark", "a{x}: x\nstart: ", "a{", "}", '"x"'),
        ("json", '{"<a>": ', "[", "]", "}"),
    ],
)
def test_deep_nesting(format: str, before: str, inside: str, after: str, end: str) -> None:
    middle, closing = (end[:-2], " ;") if end.endswith(" ;") else (end, "")
    if end in ("/", "}"):
        middle, closing = "", end
    assert survives(before + inside * DEPTH + middle + after * DEPTH + closing, format)
    assert survives(before + inside * DEPTH, format)
