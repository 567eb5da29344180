"""What is to become smallest: tokens, bytes or lines, by one order from start to end."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import marrow
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.tree import Tree
from marrow.tree.order import ORDERS

words = TextFrontEnd("words")
trees = st.text("a b\n", max_size=8).map(lambda text: words.parse(text.encode()))


@pytest.mark.parametrize("objective", ORDERS)
@given(one=trees, two=trees, three=trees)
def test_orders_are_total(objective: str, one: Tree, two: Tree, three: Tree) -> None:
    smaller = ORDERS[objective]
    assert smaller(one, two) + smaller(two, one) + (one.text == two.text) == 1
    if smaller(one, two) and smaller(two, three):
        assert smaller(one, three)


def test_fewer_bytes_with_more_tokens() -> None:
    source = "function area(a) {\n  g();\n  h();\n}\n"

    def test(text: bytes) -> bool:
        short = b"".join(text.split())
        return b"{g();h()" in short and (b"=()=>" in short or b"function" in short)

    tokens = marrow.reduce(source, test, language="javascript", passes="-batched")
    few = marrow.reduce(source, test, language="javascript", passes="-batched", objective="bytes")
    assert b"".join(tokens.text.split()) == b"function(){g();h()}"
    assert few.text.strip() == b"a=()=>{g();h()}"
    assert few.tokens_after > tokens.tokens_after
    assert few.bytes_after < tokens.bytes_after


def test_fewer_lines() -> None:
    source = "a = 1\nfor b in c:\n    f(a)\n    g(a)\n"

    def test(text: bytes) -> bool:
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            return False
        return all(one in text for one in (b"for", b"f(", b"g("))

    result = marrow.reduce(source, test, language="python", objective="lines")
    assert b"\n" not in result.text.strip()


def test_an_objective_that_is_none() -> None:
    with pytest.raises(marrow.MarrowError, match="objective"):
        marrow.reduce("a", lambda _: True, objective="beauty")
