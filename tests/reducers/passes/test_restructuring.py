"""Restructuring: where an object is made is found as a regular expression would, in linear time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.reducers.passes.restructuring import _made

#: What `_made` finds, as a regular expression that is quadratic in the length of a word.
MADE = re.compile(rb"[^=]*?([$@]?\w+)\s*:?=\s*[^=]*?([\[{(])(.*)[\]})]\s*;?", re.DOTALL)


@given(st.lists(st.sampled_from("a b =:;[]{}()$@,"), max_size=14).map(lambda some: "".join(some)))
def test_as_a_regular_expression(text: str) -> None:
    made, expected = _made(text.encode()), MADE.fullmatch(text.encode())
    ranges = None if expected is None else (expected[1], expected.start(3), expected.end(3))
    assert made == ranges


@pytest.mark.parametrize("text", [b"a" * 200_000, b"a " * 100_000, b"a=[" * 70_000, b"=" * 200_000])
def test_long_words_take_no_longer(text: bytes) -> None:
    assert _made(text) is None
