"""Grammars that are large or ambiguous: the same results as small tables give, with less work."""

from __future__ import annotations

from pathlib import Path

import marrow
from marrow.grammar.language import Language
from marrow.grammar.notations import read_grammar_text
from tests.grammar.large_grammars import large_grammar


def test_a_large_grammar_has_only_the_states_it_needs() -> None:
    language = Language(read_grammar_text(large_grammar(rules=60, keywords=60), "g4", "large"))
    text = language.generator().tree(1, size=40).text
    assert language.matches(text)
    tables = language.parser.tables
    filled = sum(type(row) is dict for row in tables.actions)
    assert filled > 10
    for state, _ in enumerate(tables.actions):
        tables.fill(state)
    assert 2 * filled < len(tables.actions)


def test_what_begins_everywhere_does_not_stay_open() -> None:
    grammar = read_grammar_text(
        "grammar X; file: xelem* EOF; xelem: ws? ('\"' .*? '\"' | '<' .*? '>' | .); ws: WS+;"
        "Q: '\"'; LT: '<'; GT: '>'; WS: ' '; A: [a-z];",
        "g4",
        "x",
    )
    language = Language(grammar)
    text = b'"a b" < "c > " a < b' * 5
    assert language.matches(text)
    grammar = read_grammar_text(
        "grammar Y; s: '<' .*? '>' ';' EOF; LT: '<'; GT: '>'; A: [a-z];", "g4", "y"
    )
    assert Language(grammar).matches(b"<a>b>;")


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
