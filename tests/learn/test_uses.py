"""Uses: a node is used if a name that is mentioned first in it is mentioned behind it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from marrow.learn.uses import uses_of
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import Node, Token


def words(node: Node) -> list[bytes]:
    """Return the names below a node, in the order of the text."""
    found = []
    pending = [node]
    while pending:
        one = pending.pop()
        if isinstance(one, Token) and one.text.isalpha():
            found.append(one.text)
        pending.extend(reversed(one.children))
    return found


@given(st.lists(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=3), max_size=6))
def test_by_brute_force(statements: list[list[str]]) -> None:
    text = "\n".join(f"{' + '.join(names)};" for names in statements)
    tree = TreeSitterFrontEnd("javascript").parse(text.encode())
    uses = uses_of(tree)
    everything = words(tree.root)
    before: list[bytes] = []
    for child in tree.root.elements or tree.root.children:
        for statement in child.elements:
            inside = words(statement)
            behind = everything[len(before) + len(inside) :]
            expected = any(name in behind and name not in before for name in inside)
            assert uses.behind(statement) == expected
            before += inside
    assert before == everything
