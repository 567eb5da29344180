"""Reading ABNF."""

from __future__ import annotations

import pytest

from marrow.grammar.model.rules import GrammarError
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
        ("a = 3*", "a name, a number"),
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
