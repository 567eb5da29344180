"""The index of names: where they stand, and which nodes introduce one that is used behind them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import Node, Token
from marrow.tree.names import names_of


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
    names = names_of(tree)
    everything = words(tree.root)
    before: list[bytes] = []
    for child in tree.root.elements or tree.root.children:
        for statement in child.elements:
            inside = words(statement)
            behind = everything[len(before) + len(inside) :]
            expected = any(name in behind and name not in before for name in inside)
            assert names.used_behind(statement) == expected
            assert names.introduced_in(statement) == {one for one in inside if one not in before}
            before += inside
    assert before == everything


JAVA = b"""
import net.http;
class Bank { Bank other; String http = "net/http"; int total() { return total; } }
"""


def test_where_names_are_mentioned() -> None:
    tree = TreeSitterFrontEnd("java").parse(JAVA)
    names = names_of(tree)
    texts = [token.text for token in tree.tokens()]
    assert list(names.places) == sorted(names.places, key=texts.index)
    for name, places in names.places.items():
        assert [tree.at(place) for place in places] == [
            token for token in tree.tokens() if token.text == name
        ]
        assert names.spans[name].times == len(places)
    # A class is one name, whatever the grammar calls it where it is declared and where it is used.
    assert len(names.kinds[b"Bank"]) == 2
    assert b"class" not in names.places
    (quoted,) = names.quoted[b"http"]
    assert names.mentions(b"http") == (*names.places[b"http"], quoted)


def test_mentions_below_a_place() -> None:
    tree = TreeSitterFrontEnd("java").parse(JAVA)
    names = names_of(tree)
    for place, _ in tree.walk():
        below = {one for one, _ in tree.walk(place)}
        assert {one for one, _ in names.mentioned_below(place)} <= below
