"""Random trees and edits."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from marrow.tree import (
    QUANTIFIED,
    SEPARATOR,
    Branch,
    ChangeText,
    Delete,
    Edit,
    Glue,
    Kind,
    Node,
    Replace,
    Token,
    Tree,
)

WORDS = [b"a", b"b1", b"(", b")", b"+", b"++", b",", b";", b'"x y"', b"12", b"{", b"}", b"\xc3\xa9"]
GAPS = [b"", b" ", b"  ", b"\n", b"\n  ", b" /* c */ ", b" // c\n\t", b" \\\n ", b"\r\n"]


class _Leaf:
    pass


Shape = _Leaf | tuple[Kind, bool, list["Shape"]]


def shapes(most: int = 60) -> st.SearchStrategy[Shape]:
    leaf = st.builds(_Leaf)

    def branch(inner: st.SearchStrategy[Shape]) -> st.SearchStrategy[Shape]:
        return st.tuples(
            st.sampled_from([Kind.REGULAR, Kind.STAR, Kind.PLUS, Kind.OPTIONAL]),
            st.booleans(),
            st.lists(inner, max_size=20),
        )

    return st.recursive(leaf, branch, max_leaves=most)


@st.composite
def trees(draw: st.DrawFn, most: int = 60) -> Tree:
    shape = draw(shapes(most))
    # Drawn by a seed: one draw a token would take most of the time of every test.
    dice = random.Random(draw(st.integers(0, 2**32)))
    words = dice.choices(WORDS, k=200)
    gaps = dice.choices(GAPS, k=201)
    indented = draw(st.booleans())
    serial = 0

    def token(slot: str, key: int) -> Token:
        nonlocal serial
        at = serial
        serial += 1
        indent = gaps[at % 200].rpartition(b"\n")[2] if b"\n" in gaps[at % 200] else b""
        return Token(
            "word",
            words[at % 200],
            slot=slot,
            key=key,
            before=gaps[at % 200],
            after=gaps[(at + 1) % 200],
            serial=at,
            indent=indent,
            glue=Glue.LINE if indented and at % 3 == 0 and b"\n" in gaps[at % 200] else 0,
        )

    def build(shape: Shape, slot: str, key: int) -> Node:
        if isinstance(shape, _Leaf):
            return token(slot, key)
        kind, separated, parts = shape
        if kind is Kind.OPTIONAL:
            parts = parts[:1]
        children: list[Node] = []
        for part in parts:
            if separated and children and kind in (Kind.STAR, Kind.PLUS):
                children.append(token(SEPARATOR, 2 * len(children)))
            children.append(build(part, "any", 2 * len(children)))
        return Branch(kind, kind.value, children, slot=slot, key=key)

    root = build(shape, "root", 0)
    head, tail = draw(st.sampled_from(GAPS)), draw(st.sampled_from(GAPS))
    return Tree(root, head, tail, indented=indented)


def rebuilt(node: Node) -> Node:
    """Make the same node again, measuring everything."""
    if isinstance(node, Token):
        return node
    children = [rebuilt(child) for child in node.children]
    return Branch(node.kind, node.symbol, children, slot=node.slot, key=node.key)


def edits(tree: Tree) -> st.SearchStrategy[list[Edit]]:
    """Edits that fit the tree, or that it must refuse."""
    places = list(tree.walk())
    nodes = [node for _, node in places]
    choices: list[st.SearchStrategy[Edit]] = []
    for place, node in places:
        if place.parent is not None:
            choices.append(st.builds(Replace, st.just(place), st.sampled_from(nodes)))
        if isinstance(node, Token):
            choices.append(st.just(ChangeText(place, b"zz")))
        for child in node.elements if node.kind in QUANTIFIED else ():
            choices.append(st.just(Delete(place.child(child.key))))
    return st.lists(st.one_of(choices), max_size=8) if choices else st.just([])
