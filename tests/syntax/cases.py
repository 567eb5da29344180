"""The samples: one small file in each language, and random deletions from their trees."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from marrow.languages.recognition import language_of
from marrow.syntax.concrete_tree import visible_nodes
from marrow.syntax.masking.masked_parse import MaskedParser
from marrow.syntax.tokens import is_comment
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import Delete, Edit, Node, Place, Tree, deletable, minimum

DIRECTORY = Path(__file__).parent / "samples"
NAMES = sorted(path.name for path in DIRECTORY.iterdir())


@cache
def front_end(language: str) -> TreeSitterFrontEnd:
    return TreeSitterFrontEnd(language)


@cache
def sample(name: str) -> tuple[TreeSitterFrontEnd, bytes, Tree]:
    text = (DIRECTORY / name).read_bytes()
    language = language_of(name, text)
    assert language is not None
    front = front_end(language)
    return front, text, front.parse(text)


def lists(tree: Tree) -> list[tuple[Place, Node]]:
    """Return the nodes from which something can be deleted."""
    return [(place, node) for place, node in tree.walk() if len(deletable(node)) > minimum(node)]


def deletion(chance: random.Random, nodes: list[tuple[Place, Node]]) -> list[Edit]:
    """Return edits that delete some elements of one list, or an optional."""
    place, node = chance.choice(nodes)
    elements = deletable(node)
    count = chance.randint(1, len(elements) - minimum(node))
    return [Delete(place.child(one.key)) for one in chance.sample(elements, count)]


def gone_ranges(before: Tree, after: Tree) -> list[tuple[int, int]]:
    """Return where in the text of a fresh tree the tokens stand that another has no more."""
    left = {token.serial for token in after.tokens()}
    ranges = []
    position = len(before.head)
    for token in before.tokens():
        position += len(token.before) if token.serial else 0
        end = position + len(token.text)
        if token.serial not in left:
            ranges.append((position, end))
        position = end
    return ranges


def texts(front: TreeSitterFrontEnd, text: bytes) -> list[object]:
    """Return the texts of the tokens of a text."""
    return list([*front.readings(text)][-1])


def shape(
    front: TreeSitterFrontEnd, text: bytes, gone: Sequence[tuple[int, int]] = ()
) -> list[tuple[int, str]]:
    """Return the depths and types of the visible nodes that a text has outside of some ranges."""
    seen = MaskedParser(front.name).see(text)
    left = bytearray(seen.shown)
    for start, end in gone:
        left[start:end] = b" " * (end - start)
    nodes = [
        (node, depth)
        for node, depth in visible_nodes(
            seen.parsed, lambda one: not is_comment(one.type, extra=one.is_extra)
        )
        if not is_comment(node.type, extra=node.is_extra)
    ]
    return [
        (depth, node.type) for node, depth in nodes if left[node.start_byte : node.end_byte].strip()
    ]
