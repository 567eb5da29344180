"""Runs of tokens, and texts with syntax errors, which are reduced by their parts."""

from __future__ import annotations

from marrow import reduce
from marrow.reducers.streams.spans import has_errors
from marrow.syntax.treesitter import TreeSitterFrontEnd


def test_nothing_that_is_balanced_stays_in_a_text_with_errors() -> None:
    text = b"namespace @ %% (a) { int f() { return 1; } }\nint @@ g( { x; } ) {}\nint keep;\n"
    result = reduce(text, lambda one: b"keep" in one, language="cpp")
    assert result.text.strip() == b"keep"


def test_errors_are_seen() -> None:
    front = TreeSitterFrontEnd("c")
    assert has_errors(front.parse(b"int f(void) { @@ return 1; }"))
    assert not has_errors(front.parse(b"int f(void) { return (1); }"))
