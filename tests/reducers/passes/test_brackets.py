"""The pass `brackets`: in a text with syntax errors, what is balanced goes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from marrow import reduce
from marrow.reducers.passes.token_runs import bracket_pairs, has_errors
from marrow.syntax.treesitter import TreeSitterFrontEnd


def test_nothing_that_is_balanced_stays_in_a_text_with_errors() -> None:
    text = b"namespace @ %% (a) { int f() { return 1; } }\nint @@ g( { x; } ) {}\nint keep;\n"
    result = reduce(text, lambda one: b"keep" in one, language="cpp", passes="brackets")
    tree = TreeSitterFrontEnd("cpp").parse(result.text)
    assert not bracket_pairs(tree)
    assert b"keep" in result.text


def test_texts_without_errors_are_left_to_the_others() -> None:
    assert not has_errors(TreeSitterFrontEnd("c").parse(b"int f(void) { return (1); }"))


@given(st.lists(st.sampled_from([b"(", b")", b"{", b"}", b"[", b"]", b"a", b";"]), max_size=40))
def test_spans_are_pairs_that_nest(words: list[bytes]) -> None:
    tree = TreeSitterFrontEnd("c").parse(b" ".join(words))
    texts = [token.text for token in tree.tokens()]
    found = bracket_pairs(tree)
    for one in found:
        assert texts[one.start] + texts[one.end] in (b"()", b"[]", b"{}")
        assert one.head <= one.start < one.end
        for other in found:
            apart = other.end < one.start or one.end < other.start
            inside = one.start <= other.start <= other.end <= one.end
            around = other.start <= one.start <= one.end <= other.end
            assert apart or inside or around
