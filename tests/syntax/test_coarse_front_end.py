"""The coarse front end: any text, in any language, in pieces that stand for all of it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.languages.recognition import language_of
from marrow.syntax.coarse_front_end import CoarseFrontEnd
from marrow.tree import Branch, Kind, Token, Tree
from tests.syntax.cases import DIRECTORY, NAMES, deletion, lists, sample


def coarse(name: str, most: int = 20) -> CoarseFrontEnd:
    language = language_of(name, b"")
    assert language is not None
    return CoarseFrontEnd(language, most, pieces=most)


def seen(text: str, name: str, pieces: int) -> Tree:
    tree = CoarseFrontEnd(name, 20).coarse_view(text.encode(), pieces)
    assert tree is not None
    return tree


def texts(tree: Tree) -> list[str]:
    return [token.text.decode() for token in tree.tokens()]


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_a_view_is_the_text(name: str) -> None:
    text = (DIRECTORY / name).read_bytes()
    for pieces in (1, 3, 10, 20):
        tree = coarse(name).coarse_view(text, pieces)
        assert tree is not None
        root = tree.root
        assert tree.framed(root, tree.head, tree.tail).text == text
        assert tree.token_count == sum(token.token_count for token in tree.tokens())


@pytest.mark.parametrize("name", NAMES)
def test_deletions_leave_the_rest_as_it_was(name: str) -> None:
    _, text, _ = sample(name)
    tree = coarse(name).coarse_view(text, 15)
    assert tree is not None
    nodes = lists(tree)
    chance = random.Random(name)
    for _ in range(20 if nodes else 0):
        smaller = tree.edit(deletion(chance, nodes))
        rendered = tree.framed(smaller.root, smaller.head, smaller.tail).text
        assert smaller.text == rendered if smaller.token_count else smaller.text == b""
        assert smaller.token_count < tree.token_count
        assert all(token.text in text for token in smaller.tokens())


@given(st.integers(9, 400), st.integers(1, 60))
def test_a_long_list_has_no_more_pieces_than_asked_for(length: int, pieces: int) -> None:
    tree = seen(f"[{', '.join(map(str, range(length)))}]", "json", min(pieces, 20))
    # Two neighbours are together longer than the grain, and so are two more.
    assert len(list(tree.tokens())) <= 4 * pieces + 4
    elements = [node for _, node in tree.walk() if node.kind is Kind.STAR]
    for node in elements:
        assert all(b"," not in (one.text[:1], one.text[-1:]) for one in node.elements)
    assert tree.token_count == 2 * length + 1


def test_a_list_is_gathered_in_batches_as_if_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"[{', '.join(map(str, range(1000)))}]"
    monkeypatch.setattr("marrow.syntax.coarse_front_end._BATCH", 1_000_000)
    at_once = texts(seen(text, "json", 20))
    for batch in (8, 9, 50, 333):
        monkeypatch.setattr("marrow.syntax.coarse_front_end._BATCH", batch)
        assert texts(seen(text, "json", 20)) == at_once


def test_short_neighbours_are_one_piece_with_the_separators_between_them() -> None:
    tree = seen("[11, 22, 33, [4, 5, 6, 7, 8, 9, 10, 11], 55, 66, 77, 88]", "json", 3)
    assert texts(tree) == [
        *("[", "11, 22, 33", ","),
        *("[", "4, 5, 6, 7, 8, 9", ",", "10, 11", "]"),
        *(",", "55, 66, 77, 88", "]"),
    ]


def test_brackets_stay_apart() -> None:
    statements = " ".join(f"f{number}();" for number in range(12))
    tree = seen(f"int main() {{ {statements} }}", "c", 3)
    (body,) = (node for _, node in tree.walk() if node.symbol == "compound_statement")
    first, inside, last = body.children
    assert isinstance(first, Token)
    assert isinstance(last, Token)
    assert (first.text, last.text) == (b"{", b"}")
    assert isinstance(inside, Branch)
    assert [one.text[:5].decode() for one in inside.elements] == ["f0();", "f5();", "f10()"]


def test_what_does_not_parse_is_a_list() -> None:
    tree = seen("a = ) ( * / ] } # ? ! 1 2 3 4 5 6 " * 10, "c", 10)
    assert any(node.kind is Kind.STAR for _, node in tree.walk())


def test_a_text_that_is_not_large_has_no_far_view() -> None:
    text = b"int a; int b;"
    assert CoarseFrontEnd("c", 13).coarse_view(text, 1) is None
    assert CoarseFrontEnd("c", 12).coarse_view(text, 1) is None  # 9 nodes in 13 bytes
    assert CoarseFrontEnd("c", 8).coarse_view(text, 1) is not None
    # As many pieces as a whole tree may have.
    assert CoarseFrontEnd("c", 8).coarse_view(text, 9) is None
    assert CoarseFrontEnd("c").parse(text).text == text
    assert not CoarseFrontEnd("c").parse(text).token_count
