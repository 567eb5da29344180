"""INDENT and DEDENT tokens, and texts in other encodings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import marrow
from marrow.base.errors import UsageError
from marrow.cli.commands.tree import tree_command
from marrow.grammar.language import Language
from marrow.grammar.model.rules import GrammarError
from tests.grammar.snippets import language

PREFIX = "grammar S; s: A '=' A (';' A '=' A)*; A: [a-z]+; WS: [ \\n]+ -> skip;"

BLOCKS = """grammar B; tokens { INDENT, DEDENT } file: stmt* EOF;
    stmt: ID '(' (ID (',' ID)*)? ')' NEWLINE | 'if' ID ':' block;
    block: NEWLINE INDENT stmt+ DEDENT;
    ID: [a-z]+; NEWLINE: '\\r'? '\\n'; WS: [ \\t]+ -> skip; C: '#' ~[\\n]* -> skip;"""

BLOCKS_TEXT = b"""
f(a,

  b)
if x:   # why
    g()

    if y:
        h(
a)
  # less
    i()
j()"""


@pytest.fixture
def blocks(tmp_path: Path) -> Path:
    file = tmp_path / "B.g4"
    file.write_text(BLOCKS)
    return file


def test_indentation_makes_tokens(blocks: Path) -> None:
    one = Language.from_file(blocks, indentation=True)
    for each in (one, one.self_contained):
        assert each.matches(BLOCKS_TEXT)
        assert each.parse(BLOCKS_TEXT).text == BLOCKS_TEXT
        assert not each.matches(b"if x:\nf()\n")
        assert not each.matches(b"f()\n  g()\n")
        assert each.matches(b"if x:\n\tif y:\n\t f()\n")
        drawn = [each.generator().tree(seed, size=20).text for seed in range(10)]
        assert all(each.matches(text) for text in drawn)
    assert not Language.from_file(blocks).matches(BLOCKS_TEXT)
    with pytest.raises(GrammarError, match="INDENT"):
        Language(replace(language(PREFIX).grammar, indentation=True)).parser  # noqa: B018


@pytest.mark.parametrize("line_breaks", [True, False])
def test_blocks_are_drawn(line_breaks: bool) -> None:
    text = BLOCKS
    if not line_breaks:  # no token for them: only the indentation counts
        text = text.replace("NEWLINE |", "|").replace("NEWLINE INDENT", "INDENT")
        text = text.replace("'\\r'? '\\n';", "'\\r'? '\\n' -> skip;")
    one = Language(replace(language(text).grammar, indentation=True), cache=None)
    generator = one.generator()
    drawn = [generator.tree(seed, size=40) for seed in range(40)]
    for tree in drawn:
        assert one.parse(tree.text).text == tree.text
        assert [(n.symbol, n.slot) for n in one.parse(tree.text).nodes()] == [
            (n.symbol, n.slot) for n in tree.nodes()
        ]
    assert any(b"\n        " in tree.text for tree in drawn)  # a block in a block
    block = generator.tree(1, start="block", size=20).text
    assert one.matches(b"if x:" + block)


def test_blocks_are_reduced_to_texts_that_match(blocks: Path) -> None:
    one = Language.from_file(blocks, indentation=True)
    seen: list[bytes] = []

    def test(text: bytes) -> bool:
        seen.append(text)
        return b"h(" in text

    found = marrow.reduce(
        BLOCKS_TEXT, test, grammar=blocks, indentation=True, passes="none", allow_empty=False
    )
    assert all(one.matches(text) for text in seen if text)
    assert found.text.split() == [b"h(", b")"] or found.text.strip() == b"h()"


def test_texts_in_other_encodings(tmp_path: Path) -> None:
    file = tmp_path / "L.g4"
    file.write_text("grammar L; s: W+ EOF; W: [a-z\\u00e9]+; WS: ' ' -> skip;")
    text = "été é".replace("t", "t").encode("latin-1")
    one = Language.from_file(file, encoding="latin-1")
    for each in (one, one.self_contained):
        assert each.matches(text)
        assert each.parse(text).text == text
        drawn = [each.generator().tree(seed, size=20).text for seed in range(10)]
        assert all(each.matches(one) for one in drawn)
    assert not Language.from_file(file).matches(text)
    wide = Language.from_file(file, encoding="shift_jis")
    assert wide.parse(b"a b").text == b"a b"
    (tmp_path / "x").write_bytes(text)
    for name in ("utf-16", "nonsense"):
        done = CliRunner().invoke(
            tree_command, [str(tmp_path / "x"), "--grammar", str(file), "--encoding", name]
        )
        assert isinstance(done.exception, UsageError)


def test_indentation_of_lark_grammars_and_of_spaces_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "b.lark").write_text(
        'start: (_NL | stmt)*\nstmt: NAME _NL | NAME ":" _NL _INDENT stmt+ _DEDENT\n'
        "NAME: /[a-z]+/\n_NL: /(\\r?\\n[\\t ]*)+/\n%declare _INDENT _DEDENT\n%ignore /[ ]+/\n"
    )
    (tmp_path / "S.g4").write_text(
        "grammar S; tokens { INDENT, DEDENT } s: t* EOF;"
        " t: ID+ NEWLINE | ID ':' NEWLINE INDENT t+ DEDENT; ID: [a-z]+;"
        " NEWLINE: ({this.atStartOfInput()}? SP | '\\n' SP?) {more();}; SKIP_: SP -> skip;"
        " fragment SP: [ \\t]+;"
    )
    for name in ("b.lark", "S.g4"):
        one = Language.from_file(tmp_path / name, indentation=True).self_contained
        assert one.matches(b"a:\n  b\n  c:\n    d\n\ne\n"), name
        assert not one.matches(b"a:\nb\n"), name
