"""Preparing a tree: its text stays, chains become lists, and nothing that could go is lost."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given

from marrow import reduce
from marrow.reducers.algorithms.prepare import flatten, squeeze, unroll
from marrow.reducers.streams.minimal_replacement import Replacements
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import Kind, Tree
from tests.reducers.algorithms.test_hdd import SameSlot
from tests.tree.strategies import trees

# Twice as deep as Python lets functions call each other. What takes the square of it would be seen.
LINKS = 2 * sys.getrecursionlimit()

FRONT = TreeSitterFrontEnd("javascript")


def depth(tree: Tree) -> int:
    return max(place.depth for place, _ in tree.walk())


@pytest.mark.parametrize(
    "text",
    [
        b"x = " + b" + ".join(b"a%d" % n for n in range(LINKS)) + b";\n",
        b"x = a" + b".b" * LINKS + b";\n",
        b"x = a" + b"[1]" * LINKS + b";\n",
        b"x = " + b"!" * LINKS + b"a;\n",
        b"x = " + b"!" * LINKS + b"a" + b"[1]" * LINKS + b";\n",
    ],
    ids=["operators", "members", "left", "right", "both"],
)
def test_recursion_becomes_lists(text: bytes) -> None:
    tree = FRONT.parse(text)
    assert depth(tree) > LINKS
    flat = unroll(flatten(tree, FRONT))
    assert flat.text == text
    assert depth(flat) < 12


def test_what_is_unrolled_stays_as_it_is() -> None:
    once = unroll(FRONT.parse(b"x = !!a[1][2](3)(4);\n"))
    assert unroll(once) is once
    # The innermost of each is what the recursion ends with.
    lists = [node for _, node in once.walk() if node.symbol.endswith("_rest_list")]
    assert [[one.text for one in node.children] for node in lists] == [
        [b"!"],
        [b"[2]"],
        [b"(4)"],
    ]
    assert all(node.kind is Kind.STAR for node in lists)


@pytest.mark.parametrize("variant", ["hdd*", "hddr*", "coarse-hdd*", "coarse-hddr*"])
def test_what_recursion_adds_can_be_pruned(variant: str) -> None:
    result = reduce(
        b"x = !!!f()(1)(needle)(2);\n",
        lambda text: b"f(" in text and b"(needle)" in text and b"x = !" in text,
        language="javascript",
        algorithm=variant,
    )
    assert result.text.split() == [b"x", b"=", b"!f()(needle)"]


@given(trees(12))
def test_the_only_child_of_the_root_is_not_squeezed_away(tree: Tree) -> None:
    squeezed = squeeze(tree, Replacements(tree, SameSlot()))
    assert squeezed.text == tree.text
    assert squeezed.root.symbol == tree.root.symbol
