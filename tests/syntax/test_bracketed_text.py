"""Texts seen by their brackets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import marrow
from marrow.engine.events import Accepted
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.tree import Branch, Kind, Node
from marrow.tree.node import tokens_of


@given(st.text("ab0(){}[],;'\\n ", max_size=40).map(str.encode))
def test_the_tree_is_the_text(text: bytes) -> None:
    assert TextFrontEnd("brackets").parse(text).text == text


def nodes(tree: Node) -> list[Node]:
    found, left = [], [tree]
    while left:
        node = left.pop()
        found.append(node)
        if isinstance(node, Branch):
            left += node.children
    return found


def test_a_bracket_goes_with_its_partner() -> None:
    root = TextFrontEnd("brackets").parse(b"f(a, [0; b]) {\n c ')'\n} ( d").root
    lists = [one for one in nodes(root) if isinstance(one, Branch) and one.kind is Kind.STAR]
    for part in (child for one in lists for child in one.children):
        text = b" ".join(token.text for token in tokens_of([part]))
        lonely = text.endswith((b"(", b"( d"))  # the last one has no partner
        text = text.replace(b"')'", b"")
        pairs = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
        assert lonely or all(text.count(one) == text.count(two) for one, two in pairs)
    entries = [one for one in lists if one.symbol == "entry"]
    spelled = {b"".join(token.text for token in tokens_of([one])) for one in entries}
    assert {b"a,", b"[0;b]", b"0;", b"b", b"c')'"} <= spelled


def test_nesting_has_no_limit() -> None:
    deep = b"(" * 20_000 + b")" * 20_000
    assert TextFrontEnd("brackets").parse(deep).text == deep


def test_a_huge_text_is_left_to_other_front_ends() -> None:
    huge = b"f(x);\n" * 100_000
    tree = TextFrontEnd("brackets").parse(huge)
    assert (tree.text, tree.token_count) == (huge, 0)


def test_reduce_uses_brackets_and_counts_alike() -> None:
    """A group goes with its partner in one test, and the tokens of every step fall."""
    text = b"(define (f x) (let ((a 1)) (if x (cons a b) (boom a))))\n" * 6
    steps: list[int] = []

    def listen(event: object) -> None:
        if isinstance(event, Accepted):
            steps.append(event.tokens)

    found = marrow.reduce(
        text, lambda one: b"(let" in one and one.count(b"(") == one.count(b")"), on_event=listen
    )
    assert found.text == b"(let)"
    assert steps == sorted(steps, reverse=True)
    assert steps[0] <= found.tokens_before
