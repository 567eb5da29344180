"""ABNF, the EBNF of the W3C, Wikipedia's BNF, and tree-sitter's grammar.json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from marrow.grammar.language import Language
from marrow.grammar.model.rules import GrammarError
from marrow.grammar.notations import read_grammar_text
from tests.grammar.snippets import language


def test_abnf_has_core_rules_and_ignores_case() -> None:
    one = language(
        """; as in an RFC
          Greeting = "hello" 1*WSP name [ "!" ]
                   / %s"Hi" 2*3DIGIT
          name     = 1*ALPHA ; letters
          NAME     =/ %d65.66 / "(" <any text> ")" / %x30-32
          """,
        "abnf",
    )
    assert one.start == "Greeting"
    for text in (b"HELLO  x", b"hello AB!", b"Hi12", b"Hi123", b"hello (!)", b"hello 1"):
        assert one.matches(text), text
    for text in (b"hello", b"hi12", b"Hi1", b"Hi1234", b"hello 9"):
        assert not one.matches(text), text


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a = ", ""),
        ('a = ( "x"', "never closed"),
        ('a = "x" )', "closes nothing"),
        ("a = 3*", "repetition of nothing"),
        ('a = "x"\na = "y"', "already defined"),
        ("a = %x41-40", "backwards"),
        ("= 1", "name of a rule"),
        ("a = %x110000", "no character"),
        ("a = {b}", "does not belong"),
    ],
)
def test_what_is_wrong_in_abnf_is_said(text: str, what: str) -> None:
    if not what:
        assert language(text, "abnf").matches(b"")
        return
    with pytest.raises(GrammarError, match=what):
        language(text, "abnf")


def test_ebnf_of_the_w3c() -> None:
    one = language(
        """[1] doc ::= (Comment | PI | Data)*
           [2] Char ::= #x9 | #xA | [#x20-#xD7FF]
           [15] Comment ::= '<!--' ((Char - '-') | ('-' (Char - '-')))* '-->'
           [16] PI ::= '<?' Name (' ' (Char* - (Char* '?>' Char*)))? '?>' [ VC: a rule ]
           [5] Name ::= [A-Za-z_:] [-'()+,./:=?;!*#@$_%A-Za-z\\]*
           [14] Data ::= [^<&]+ /* text */""",
        "w3c",
    )
    for text in (b"<!-- a - b -->", b"<?a b? c?>x > \\", b"<?a ??>", b"<?a\\b?>"):
        assert one.matches(text), text
    for text in (b"<!-- -- -->", b"<?a <", b"a & b"):
        assert not one.matches(text), text


def test_a_backslash_in_quotes_is_a_backslash_where_nothing_else_makes_sense() -> None:
    one = language(
        '''<s> ::= <c> <EOL> | <c> <s>
        <c> ::= "a" | "[" | "\\" | "]" | "^"''',
        "bnf",
    )
    assert one.matches(b"a\\]^\n")


TREE_SITTER = {
    "name": "tiny",
    "word": "identifier",
    "rules": {
        "document": {"type": "REPEAT", "content": {"type": "SYMBOL", "name": "_value"}},
        "_value": {
            "type": "CHOICE",
            "members": [
                {"type": "SYMBOL", "name": "list"},
                {"type": "SYMBOL", "name": "string"},
                {"type": "SYMBOL", "name": "identifier"},
            ],
        },
        "list": {
            "type": "PREC_LEFT",
            "value": 1,
            "content": {
                "type": "SEQ",
                "members": [
                    {"type": "STRING", "value": "("},
                    {
                        "type": "REPEAT",
                        "content": {
                            "type": "FIELD",
                            "name": "item",
                            "content": {"type": "SYMBOL", "name": "_value"},
                        },
                    },
                    {"type": "STRING", "value": ")"},
                    {
                        "type": "CHOICE",
                        "members": [
                            {"type": "SYMBOL", "name": "_automatic_semicolon"},
                            {"type": "STRING", "value": ";"},
                        ],
                    },
                ],
            },
        },
        "string": {
            "type": "SEQ",
            "members": [
                {"type": "STRING", "value": '"'},
                {"type": "REPEAT", "content": {"type": "SYMBOL", "name": "content"}},
                {"type": "STRING", "value": '"'},
            ],
        },
        "content": {
            "type": "IMMEDIATE_TOKEN",
            "content": {"type": "PATTERN", "value": '[^"]+'},
        },
        "identifier": {"type": "PATTERN", "value": "\\p{L}[a-z0-9]*"},
        "comment": {"type": "TOKEN", "content": {"type": "PATTERN", "value": "#.*"}},
    },
    "extras": [{"type": "PATTERN", "value": "\\s"}, {"type": "SYMBOL", "name": "comment"}],
    "externals": [{"type": "SYMBOL", "name": "_automatic_semicolon"}],
}


def test_the_grammar_json_of_tree_sitter(tmp_path: Path) -> None:
    file = tmp_path / "grammar.json"
    file.write_text(json.dumps(TREE_SITTER))
    one = Language.from_file(file)
    assert one.name == "tiny"
    assert one.matches(b'(a (b) "x y # (") ; # comment\n c')
    assert not one.matches(b"(a")
    assert [token.symbol for token in one.parser.tokens(b'"x y"')] == ["string"]


def test_a_json_file_that_only_looks_like_one_of_tree_sitter() -> None:
    with pytest.raises(GrammarError, match="not a grammar"):
        read_grammar_text('{"rules": {"a": {"type": "SEQ", "members": [1]}}}', "treesitter")
    with pytest.raises(GrammarError, match="no rules"):
        read_grammar_text("[]", "treesitter")
