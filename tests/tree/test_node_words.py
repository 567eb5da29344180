"""Names of node types in words that need no knowledge of a grammar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.tree.node_words import node_words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("_r_blk_map_itm", "block mapping item"),
        ("_br_blk_seq_itm", "block sequence item"),
        ("_r_prp", "property"),
        ("string_scalar", "string"),
        ("argument_list", "argument"),
        ("if_statement", "if statement"),
        ("if_statement/block", "block"),
        ("call/'identifier'", "identifier"),
        ("preproc_def", "preprocessor definition"),
        ("exprList", "expression"),
        ("IfStatement", "if statement"),
        ("HTMLElement", "html element"),
        (";", "';'"),
        ("block/';'", "';'"),
        ("do", "do"),
        ("_", "'_'"),
    ],
)
def test_words(name: str, words: str) -> None:
    assert node_words(name) == words


@given(st.from_regex(r"_?[a-zA-Z][a-zA-Z0-9]*(_[a-zA-Z0-9]+)*", fullmatch=True))
def test_there_are_always_words_without_underscores(name: str) -> None:
    words = node_words(name)
    assert words.strip() == words != ""
    assert "_" not in words
