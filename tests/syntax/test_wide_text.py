"""Texts in UTF-16 are reduced as the same texts in UTF-8 are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import marrow
from marrow.syntax.view_wrappers import WideTextView, as_narrow, narrowed
from marrow.syntax.views import view_of

TEXT = "// été\r\nfunction total(items) {\r\n  return items.price * 2;\r\n}\r\nother();\r\n"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_the_result_is_the_same_in_either_encoding(encoding: str) -> None:
    def test(text: str) -> bool:
        return "price" in text and "return" in text and "{" in text

    wide = marrow.reduce(
        ("\ufeff" + TEXT).encode(encoding),
        lambda one: one[:2] == "\ufeff".encode(encoding) and test(one[2:].decode(encoding)),
        language="javascript",
    )
    narrow = marrow.reduce(TEXT, lambda one: test(one.decode()), language="javascript")
    assert wide.text == ("\ufeff" + narrow.text.decode()).encode(encoding)
    assert (wide.tokens_before, wide.tokens_after) == (narrow.tokens_before, narrow.tokens_after)


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), st.booleans())
def test_there_and_back(text: str, little: bool) -> None:
    encoding = "utf-16-le" if little else "utf-16-be"
    wide = ("\ufeff" + text).encode(encoding)
    assert narrowed(wide) == text.encode()
    view = WideTextView(view_of("a.txt", b""), wide[:2])
    assert view.wide(text.encode()) == wide


@given(st.binary())
def test_what_is_no_such_text_stays(content: bytes) -> None:
    if narrowed(content) is None:
        assert as_narrow(content) == content
    else:
        assert content[:2] in (b"\xff\xfe", b"\xfe\xff")
