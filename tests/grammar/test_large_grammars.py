"""Grammars that are large or ambiguous: the same results as small tables give, with less work."""

from __future__ import annotations

from pathlib import Path

import pytest

import marrow
from marrow.grammar.language import Language
from marrow.grammar.model.charset import merged_tokens
from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.model.rules import Characters
from marrow.grammar.notations import read_grammar_text
from marrow.grammar.parser import cache, lalr
from marrow.grammars import grammar_path
from marrow.tree import Token
from tests.grammar.large_grammars import large_grammar


def shown(language: Language, text: bytes) -> object:
    try:
        tree = language.parse(text)
    except ParseError as error:
        return str(error)
    return [
        (node.symbol, node.slot, node.text if isinstance(node, Token) else node.kind)
        for _, node in tree.walk()
    ]


@pytest.mark.parametrize("name", ["c", "lua", "calculator"])
def test_tables_that_grow_give_the_same_trees_and_errors(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    grammar = Language.from_file(grammar_path(name)).grammar
    whole = Language(grammar, cache=None)
    assert whole.parser.tables.actions
    monkeypatch.setattr(lalr, "MOST_MOVES", 0)
    growing = Language(grammar, cache=None)
    assert len(growing.parser.tables.actions) == 1
    generator = whole.generator()
    for seed in range(9):
        text = generator.tree(seed, size=100).text
        if seed % 3 == 2:
            text = text[: len(text) // 2] + b" ) " + text[len(text) // 2 :]
        assert shown(growing, text) == shown(whole, text)


def test_a_large_grammar_has_only_the_states_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    grammar = read_grammar_text(large_grammar(rules=60, keywords=60), "g4", "large")
    whole = Language(grammar, cache=None)
    monkeypatch.setattr(lalr, "MOST_MOVES", 1000)
    language = Language(grammar, cache=None)
    text = whole.generator().tree(1, size=40).text
    assert language.matches(text)
    filled = sum(type(row) is dict for row in language.parser.tables.actions)
    monkeypatch.undo()
    assert 10 < filled < len(whole.parser.tables.actions)


def test_that_tables_are_too_large_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lalr, "MOST_MOVES", 3)
    grammar = read_grammar_text("grammar G; s: 'a' s | 'b' EOF;", "g4", "g")
    assert Language(grammar, cache=tmp_path).matches(b"aab")
    monkeypatch.setattr("marrow.grammar.parser.parser.build_tables", None)  # not called again
    assert Language(grammar, cache=tmp_path).matches(b"aab")
    (tables,) = tmp_path.glob("*.tables")
    tables.write_bytes(tables.read_bytes()[:-2] + b"]]")  # damaged
    monkeypatch.undo()
    assert Language(grammar, cache=tmp_path).matches(b"aab")


def test_the_cache_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_MOST_BYTES", 2000)
    for count in range(20):
        text = f"grammar G; s: {' '.join(['A'] * (count + 1))} EOF; A: 'a';"
        Language(read_grammar_text(text, "g4", "g"), cache=tmp_path).matches(b"a")
    kept = list(tmp_path.glob("*.tables"))
    assert 0 < sum(path.stat().st_size for path in kept) <= 2000


def test_letters_that_are_listed_become_a_set() -> None:
    listed = " | ".join(f"'{chr(code)}'" for code in range(ord("a"), ord("z") + 1))
    rules = " ".join(f"fragment L{n}: '\\u{0x400 + n:04x}';" for n in range(20))
    others = " | ".join(f"L{n}" for n in range(20))
    text = (
        f"grammar A; s: W EOF; W: (L | N)+; fragment L: {listed} | 'xx' | M; fragment M: {others};"
    )
    grammar = read_grammar_text(f"{text} {rules} fragment N: [0-9];", "g4", "a")
    merged = merged_tokens(grammar.tokens)
    assert isinstance(merged["M"].body, Characters)
    language = Language(grammar, cache=None)
    assert language.matches("az09xxЀѓ"[:7].encode())
    assert not language.matches(b"A")


def test_what_begins_everywhere_does_not_stay_open() -> None:
    grammar = read_grammar_text(
        "grammar X; file: xelem* EOF; xelem: ws? ('\"' .*? '\"' | '<' .*? '>' | .); ws: WS+;"
        "Q: '\"'; LT: '<'; GT: '>'; WS: ' '; A: [a-z];",
        "g4",
        "x",
    )
    language = Language(grammar, cache=None)
    text = b'"a b" < "c > " a < b' * 5
    assert language.matches(text)
    first = language.parse(b'"a"b"').root.children[0].children[0]
    assert first.token_count == 3  # the first quoted part ends at the first quote behind it
    # Where nothing else would match the rest, `.*?` still goes on.
    grammar = read_grammar_text(
        "grammar Y; s: '<' .*? '>' ';' EOF; LT: '<'; GT: '>'; A: [a-z];", "g4", "y"
    )
    assert Language(grammar, cache=None).matches(b"<a>b>;")


def test_no_candidate_glues_what_a_line_break_divided(tmp_path: Path) -> None:
    file = tmp_path / "vb.g4"
    file.write_text(
        "grammar vb; unit: part* END EOF; part: ID | NL; END: 'End'; ID: [A-Za-z]+; NL: '\\n';"
    )
    language = Language.from_file(file)
    seen: list[bytes] = []

    def test(text: bytes) -> bool:
        seen.append(text)
        return b"Show" in text

    found = marrow.reduce(b"x\nShow\nEnd", test, grammar=file, passes="none")
    assert found.text == b"Show\nEnd"
    assert b"x\nEnd" in seen or b"\nShow\nEnd" in seen
    assert all(language.matches(text) for text in seen if text)


def test_a_deletion_that_would_glue_is_not_tried_even_if_the_grammar_takes_it() -> None:
    grammar = read_grammar_text(
        "grammar vb; s: (ID | dotted | NL | WS)* EOF; dotted: ID '.' ID; ID: [A-Za-z\u00e4]+;"
        " NL: '\\n'; WS: ' '+;",
        "g4",
        "vb",
    )
    seen: list[bytes] = []

    def test(text: bytes) -> bool:
        seen.append(text)
        return b"Show" in text and b"End" in text

    text = "\u00e4.Show\nEnd Sub\n".encode()
    found = marrow.reduce(text, test, grammar=grammar, passes="none")
    assert found.text == b"Show\nEnd"
    assert not any(b"ShowEnd" in one or b"EndSub" in one for one in seen)
