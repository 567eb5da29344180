"""A node that replaces another takes over the layout of the place."""

from __future__ import annotations

import ast
import contextlib
import random

import pytest

from marrow.tree import Node, Place, Token, Tree
from tests.syntax.cases import front_end, sample


def find(tree: Tree, text: bytes, nth: int = 0) -> tuple[Place, Node]:
    """Return the outermost node with this text."""
    found = [(place, node) for place, node in tree.walk() if Tree(node).text == text]
    return found[nth]


def hoisted(language: str, text: bytes, old: bytes, new: bytes) -> bytes:
    tree = front_end(language).parse(text)
    place, _ = find(tree, old)
    _, node = find(tree, new)
    return tree.replace(place, node).text


def test_a_block_is_indented_as_its_new_place() -> None:
    text = b'if a:\n    for b in c:\n        d = """x\n  y"""\n        # note\n        e\nf\n'
    inner = b'for b in c:\n        d = """x\n  y"""\n        # note\n        e'
    outer = b"if a:\n    " + inner
    after = hoisted("python", text, outer, inner)
    assert after == b'for b in c:\n    d = """x\n  y"""\n    # note\n    e\nf\n'


def test_a_block_moves_to_the_right() -> None:
    text = b"def f():\n    if a:\n        b\n\nif c:\n  d\n  e\n"
    tree = front_end("python").parse(text)
    place, _ = find(tree, b"if a:\n        b")
    _, node = find(tree, b"if c:\n  d\n  e")
    after = tree.replace(place, node).text
    assert after == b"def f():\n    if c:\n      d\n      e\nif c:\n  d\n  e\n"


def test_lines_that_brackets_allowed_are_joined() -> None:
    text = b"x = (a +\n     b)\n"
    assert hoisted("python", text, b"(a +\n     b)", b"a +\n     b") == b"x = a + b\n"


def test_lines_inside_brackets_that_move_along_stay() -> None:
    text = b"if a:\n    x = f(g(1,\n          2))\n"
    assert hoisted("python", text, b"f(g(1,\n          2))", b"g(1,\n          2)") == (
        b"if a:\n    x = g(1,\n          2)\n"
    )


def test_a_value_from_a_line_of_its_own_does_not_tear_the_line() -> None:
    text = b"function f() {\n  return g(\n    x,\n    y\n  )\n}\n"
    after = hoisted("javascript", text, b"g(\n    x,\n    y\n  )", b"x")
    assert after == b"function f() {\n  return x\n}\n"


def test_several_lines_in_the_place_of_a_block_behind_a_colon() -> None:
    text = b"if a: b\nwhile c:\n    d\n    e\n"
    tree = front_end("python").parse(text)
    blocks = [(place, node) for place, node in tree.walk() if node.symbol == "block"]
    assert len(blocks) == 2
    after = tree.replace(blocks[0][0], blocks[1][1]).text
    ast.parse(after)
    assert after.startswith(b"if a:\n    d\n    e\n")


def test_a_block_of_one_line_in_the_place_of_several() -> None:
    text = b"if a: b\nwhile c:\n    d\n    e\n"
    tree = front_end("python").parse(text)
    blocks = [(place, node) for place, node in tree.walk() if node.symbol == "block"]
    after = tree.replace(blocks[1][0], blocks[0][1]).text
    assert after == b"if a: b\nwhile c:\n    b\n"


def test_other_languages_keep_the_inner_layout() -> None:
    text = b"void f() {\n  if (a) {\n    b();\n  }\n}\n"
    inner = b"{\n    b();\n  }"
    _, whole = b"", b"if (a) " + inner
    assert hoisted("c", text, whole, inner) == b"void f() {\n  {\n    b();\n  }\n}\n"


def test_the_same_token_with_another_gap_keeps_its_gap() -> None:
    tree = front_end("c").parse(b"int   a;\n")
    place, token = find(tree, b"a")
    while not isinstance(token, Token):
        place, token = place.child(token.children[0].key), token.children[0]
    assert tree.replace(place, token.changed(before=b" ")).text == b"int a;\n"


@pytest.mark.parametrize("name", ["walk.pyw"])
def test_hoisting_in_python_is_valid_python(name: str) -> None:
    """Any descendant that fits, in the place of its ancestor: the parser and Python agree."""
    front, text, tree = sample(name)
    ast.parse(text)
    validity = front.validity()
    validity.rebase(tree)
    chance = random.Random(1)
    nodes = [(place, node) for place, node in tree.walk() if place.parent and node.token_count > 1]
    several_lines = tried = 0
    for place, node in chance.sample(nodes, 150):
        below = [
            inner
            for _, inner in tree.walk(place)
            if 0 < inner.token_count < node.token_count
            and front.accepts(node.slot, inner)
            and not isinstance(inner, Token)
        ]
        if not below:
            continue
        candidate = tree.replace(place, chance.choice(below))
        if not validity.valid(candidate):
            continue
        tried += 1
        assert candidate.text == Tree(candidate.root, candidate.head, candidate.tail).text
        several_lines += b"\n" in Tree(node).text
        indentation_holds(candidate.text)
    assert tried > 20
    assert several_lines >= 8


def indentation_holds(text: bytes) -> None:
    """Parse as Python; other faults than those of layout (`1 = 2`) are not ours."""
    with contextlib.suppress(SyntaxError):
        ast.parse(text)
        return
    with pytest.raises(SyntaxError) as caught:
        ast.parse(text)
    assert not isinstance(caught.value, IndentationError)
    assert "indent" not in str(caught.value)
