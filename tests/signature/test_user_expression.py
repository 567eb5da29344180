"""A user's own expressions are matched within a time limit."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.diagnostics.observation import Observation
from marrow.signature import user_expression
from marrow.signature.signature import Signature
from marrow.signature.user_expression import SlowExpressionError, matches_line

HARD = b"before\n" + b"x" * 60 + b"!\n"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_expression, "LIMIT", 1.0)


@pytest.mark.usefixtures("impatient")
def test_an_expression_that_backtracks_is_given_up() -> None:
    with pytest.raises(SlowExpressionError, match=r"matching \(x\|xx\)\+\$ takes longer than 1 s"):
        matches_line("(x|xx)+$", HARD)
    kept = Signature(ends=False, stderr=("(x|xx)+$",))
    why = kept.judge(Observation(1, b"", HARD), b"").why
    assert why == "matching (x|xx)+$ takes longer than 1 s on what the command prints"


def test_expressions_are_matched_line_by_line() -> None:
    assert matches_line("^b.*e$", HARD)
    assert matches_line("(x+)+!", HARD)
    assert not matches_line("(y+)+!", HARD)
    assert not matches_line("e\nx", HARD)
    assert matches_line("\udcff", b"a\xff")
    assert matches_line("(?:\udcff+)+", b"a\xff")


@given(
    st.sampled_from(["(a|b)+c", "^a", "b$", "a*b*c*", "(a*)*b", "[^a]"]),
    st.text("abc\n", max_size=20),
)
def test_python_s_matcher_agrees(expression: str, text: str) -> None:
    found = any(re.search(expression, line) for line in text.split("\n"))
    assert matches_line(expression, text.encode()) == found
