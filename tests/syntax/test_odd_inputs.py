"""Inputs that are no proper files: nothing fails, and the text always comes back."""

from __future__ import annotations

import random

import pytest

from marrow.syntax.text_front_end import TextFrontEnd
from marrow.syntax.views import view_of
from marrow.tree import Kind, Tree
from tests.syntax.cases import NAMES, deletion, front_end, lists, sample

LANGUAGES = ["c", "javascript", "python", "yaml", "html", "haskell", "bash", "json"]

ODD = {
    "empty": b"",
    "blank": b" \n\t\n  ",
    "one byte": b"x",
    "no newline": b"a = 1",
    "only a comment": b"# nothing\n",
    "C comments": b"/* nothing */\n// at all\n",
    "CRLF": b"if (a) {\r\n  b();\r\n}\r\nelse c();\r\n",
    "latin-1": b"x = '\xe9\xe8'\n\xe9t\xe9 = 1\n",
    "byte order mark": b"\xef\xbb\xbfx = 1\n",
    "zero bytes": b"a = 1\n\0\0b = 2\0\n",
    "junk": bytes(random.Random(1).randrange(256) for _ in range(600)),
    "control characters": b"\x01\x02 a \x1b[0m \x7f\n",
    "brackets": b")]}({[<",
    "unclosed string": b'x = "abc\ny = 1\n',
    "one long line": b"f(" + b", ".join(b"x%d" % i for i in range(1500)) + b");",
    "vertical space": b"a\x0bb\x0cc\r\rd\n",
    "lone carriage returns": b"a = 1\rb = 2\r",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ODD)
def test_odd_texts_come_back(language: str, kind: str) -> None:
    text = ODD[kind]
    front = front_end(language)
    tree = front.parse(text)
    assert tree.text == text
    check_deletions(front.parse(text), random.Random(kind))


@pytest.mark.parametrize("granularity", TextFrontEnd.GRANULARITIES)
@pytest.mark.parametrize("kind", ODD)
def test_odd_texts_come_back_without_a_parser(granularity: str, kind: str) -> None:
    tree = TextFrontEnd(granularity).parse(ODD[kind])
    assert tree.text == ODD[kind]
    check_deletions(tree, random.Random(kind))


def check_deletions(tree: Tree, chance: random.Random) -> None:
    nodes = lists(tree)
    for _ in range(5 if nodes else 0):
        candidate = tree.edit(deletion(chance, nodes))
        assert candidate.text == Tree(candidate.root, candidate.head, candidate.tail).text
        assert candidate.token_count == candidate.root.token_count
        assert candidate.token_count < tree.token_count


@pytest.mark.parametrize("name", NAMES)
def test_broken_files_have_something_to_delete(name: str) -> None:
    """A file with pieces cut out of it: what does not parse becomes lists."""
    front, text, _ = sample(name)
    third = len(text) // 3
    broken = text[: third - 7] + text[third : 2 * third] + text[2 * third + 5 :]
    tree = front.parse(broken)
    assert tree.text == broken
    assert lists(tree)


def test_an_error_region_is_a_list_of_its_parts() -> None:
    tree = front_end("c").parse(b"int f(void) { return 1; }\n) ) } ] int int 1 2 x y ) (\n")
    errors = [node for _, node in tree.walk() if node.symbol == "ERROR"]
    assert errors
    assert all(node.kind is Kind.STAR for node in errors)


def test_errors_of_the_input_are_allowed_and_no_more() -> None:
    front = front_end("json")
    tree = front.parse(b'{"a": [1, 2, }, "b": 3}\n')
    validity = front.validity()
    validity.rebase(tree)
    assert validity.valid(tree)


@pytest.mark.parametrize(
    ("language", "opening", "middle", "closing"),
    [("json", b"[", b"", b"]"), ("python", b"(", b"1", b")"), ("c", b"{", b";", b"}")],
)
def test_deep_nests_do_not_overflow(
    language: str, opening: bytes, middle: bytes, closing: bytes
) -> None:
    depth = 5_000
    body = opening * depth + middle + closing * depth + b"\n"
    text = b"void f()" + body if language == "c" else body
    front = front_end(language)
    tree = front.parse(text)
    assert tree.text == text
    assert tree.token_count >= 2 * depth
    if language == "python":
        return  # what stands in brackets cannot go
    place, node = max(lists(tree), key=lambda found: found[0].depth)
    assert place.depth > depth // 2
    candidate = tree.delete([place.child(child.key) for child in node.elements])
    assert candidate.token_count == candidate.root.token_count < tree.token_count


def test_brackets_without_end() -> None:
    text = b"[" * 20_000
    tree = front_end("json").parse(text)
    assert tree.text == text
    assert lists(tree)


def test_a_hundred_thousand_brackets() -> None:
    depth = 50_000
    text = b"[" * depth + b"]" * depth
    tree = front_end("json").parse(text)
    assert tree.token_count == 2 * depth
    assert tree.text == text


def test_long_lists_are_lists() -> None:
    text = b"[" + b",".join(b"%d" % i for i in range(20_000)) + b"]"
    tree = front_end("json").parse(text)
    widest = max(tree.walk(), key=lambda found: len(found[1].children))
    place, node = widest
    assert len(node.elements) == 20_000
    candidate = tree.delete([place.child(child.key) for child in node.elements[1:]])
    assert candidate.text == b"[0]"


def test_binary_input_is_seen_as_bytes() -> None:
    view = view_of("x.c", b"\x7fELF\0\0\1\2")
    assert view.language == "bytes"


def test_input_with_errors_has_text_views_too() -> None:
    view = view_of("x.c", b"int int int ) {\n")
    assert [front.name for front in view.fronts][:3] == ["c", "lines", "words"]
    assert "syntax errors" in view.note
