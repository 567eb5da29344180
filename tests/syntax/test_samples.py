"""Real-looking files in many languages: round trip, deletions, layout."""

from __future__ import annotations

import random

import pytest

from marrow.syntax.compact_text import compact_text, joined_tokens
from marrow.tree import Tree, minimum
from tests.syntax.cases import NAMES, deletion, gone_ranges, lists, sample, shape, texts

# In these white space is a part of the text, or a part of the text becomes another token when what
# stood beside it goes; elsewhere a deletion must not change any other token.
TEXTUAL = {"index.html", "feed.xml", "deploy.yaml", "page.php"}
# In these what is left of a node may be another kind of node (`(1, 2)` and `(1)` in Python), or
# lines without a terminator may run on.
SHAPELESS = TEXTUAL | {
    "backup.sh",
    "cart.js",
    "Makefile",
    "query.sql",
    "Shape.hs",
    "style.css",
    "walk.pyw",
}


@pytest.mark.parametrize("name", NAMES)
def test_the_text_comes_back(name: str) -> None:
    front, text, tree = sample(name)
    assert not front.errors(text)
    assert tree.text == text
    assert Tree(tree.root, tree.head, tree.tail).text == text
    assert joined_tokens((token.text, token.glue) for token in tree.tokens()) == texts(front, text)


@pytest.mark.parametrize("name", NAMES)
def test_there_is_something_to_delete(name: str) -> None:
    _, _, tree = sample(name)
    assert len(lists(tree)) > 4


@pytest.mark.parametrize("name", NAMES)
def test_deletions_keep_what_is_left(name: str) -> None:
    front, text, tree = sample(name)
    nodes = lists(tree)
    chance = random.Random(name)
    validity = front.validity()
    validity.rebase(tree)
    valid = 0
    for _ in range(40):
        candidate = tree.edit(deletion(chance, nodes))
        assert candidate.text == Tree(candidate.root, candidate.head, candidate.tail).text
        if not validity.valid(candidate):
            continue
        valid += 1
        tokens = joined_tokens((token.text, token.glue) for token in candidate.tokens())
        if name not in TEXTUAL:
            assert texts(front, candidate.text) == tokens
        if name not in SHAPELESS:
            assert shape(front, candidate.text) == shape(front, text, gone_ranges(tree, candidate))
    assert valid >= 36


@pytest.mark.parametrize("name", NAMES)
def test_every_single_element_of_a_list_can_go(name: str) -> None:
    """Elements of lists, not optionals: their separators go with them."""
    front, _, tree = sample(name)
    validity = front.validity()
    validity.rebase(tree)
    chance = random.Random(name)
    nodes = [(place, node) for place, node in lists(tree) if len(node.elements) > 1]
    tried = valid = 0
    for place, node in chance.sample(nodes, min(12, len(nodes))):
        for element in chance.sample(node.elements, min(3, len(node.elements))):
            tried += 1
            valid += validity.valid(tree.delete([place.child(element.key)]))
    assert valid >= 0.9 * tried


@pytest.mark.parametrize("lines", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_compact_text_has_the_same_tokens(name: str, lines: bool) -> None:
    front, text, tree = sample(name)
    short = compact_text(front.readings, tree, lines=lines)
    assert len(short) <= len(text)
    assert texts(front, short) == texts(front, text)
    assert shape(front, short) == shape(front, text)


def test_compact_text_drops_comments_and_blank_lines() -> None:
    front, text, tree = sample("ring.c")
    short = compact_text(front.readings, tree)
    assert b"/*" not in short
    assert b"//" not in short
    assert b"\n\n" not in short
    assert len(short) < len(text)


@pytest.mark.parametrize("name", NAMES)
def test_everything_can_go(name: str) -> None:
    """A tree without tokens has no text, not even comments."""
    _, _, tree = sample(name)
    for place, node in lists(tree):
        if node.token_count == tree.token_count and minimum(node) == 0:
            empty = tree.delete([place.child(child.key) for child in node.elements])
            assert empty.token_count == 0
            assert empty.text == b""
            return
