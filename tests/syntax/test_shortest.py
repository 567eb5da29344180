"""The shortest token of a kind, by its looks."""

from __future__ import annotations

import pytest

from marrow.syntax.treesitter import shortest_text


@pytest.mark.parametrize(
    ("symbol", "text", "expected"),
    [
        ("identifier", "intPart", "a"),
        ("type_identifier", "Exception", "A"),
        ("variable_name", "$count", "$a"),
        ("decimal_integer_literal", "4711", "0"),
        ("number_literal", "0x1Fu", "0"),
        ("number", ".5e10", "0"),
        ("string_literal", '"Unsupported locale"', '""'),
        ("string", "'x'", "''"),
        ("string", 'b"x"', 'b""'),
        ("string", '''"""x\ny"""''', '""'),
        ("char_literal", r"'\n'", "'a'"),
        ("return", "return", None),
        ("+=", "+=", None),
        ("comment", "// x", None),
    ],
)
def test_by_looks(symbol: str, text: str, expected: str | None) -> None:
    found = shortest_text(symbol, text.encode())
    assert (None if found is None else found.decode()) == expected
