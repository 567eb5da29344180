"""tmin: 1-maximal for any test and any transformation that makes elements smaller: brute force."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from marrow.reducers.algorithms.tmin import tmin
from marrow.reducers.streams.stream import finish
from marrow.tree import ROOT, Branch, Kind, Place, Token, Tree
from tests.reducers.running import run


def shortened(tree: Tree, place: Place) -> Iterator[Tree]:
    """τ of these tests: a word without its last letter, or without its first, but never empty."""
    node = tree.at(place)
    assert isinstance(node, Token)
    for text in {node.text[:-1]: 0, node.text[1:]: 0}:
        if text:
            yield tree.retext(place, text)


@given(
    st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=6),
    st.integers(0, 2**32),
    st.integers(1, 6),
)
def test_one_maximal_for_any_test(words: list[str], seed: int, rarity: int) -> None:
    tokens = [Token("word", word.encode(), key=key) for key, word in enumerate(words)]
    tree = Tree(Branch(Kind.REGULAR, "words", tokens))
    places = [ROOT.child(token.key) for token in tokens]

    def interesting(candidate: Tree) -> bool:
        key = hashlib.blake2b(candidate.text + str(seed).encode()).digest()
        return candidate.text == tree.text or key[0] % rarity == 0

    end = run(tree, tmin(tree, places, shortened, finish), interesting).tree
    assert interesting(end)
    assert all(not interesting(one) for place in places for one in shortened(end, place))
    if rarity == 1:
        assert all(len(token.text) == 1 for token in end.tokens())
