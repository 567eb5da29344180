"""Line breaks that mean something survive deletions beside them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.syntax.text_front_end import TextFrontEnd
from marrow.tree import Glue, Token, Tree
from tests.syntax.cases import front_end, lists

INCLUDE_LEFT = b"#include <a.h>\nint x;\n"


def without(language: str, text: bytes, gone: bytes) -> bytes:
    """Delete the node whose text is `gone`."""
    tree = front_end(language).parse(text)
    for place, node in lists(tree):
        for child in node.elements:
            if Tree(child).text == gone:
                return tree.delete([place.child(child.key)]).text
    raise AssertionError(f"{gone!r} cannot be deleted from {text!r}")


@pytest.mark.parametrize(
    ("language", "text", "gone", "left"),
    [
        ("javascript", b"a = 1\nb = 2\nc = 3\n", b"b = 2", b"a = 1\nc = 3\n"),
        ("javascript", b"a = 1; b = 2\nc = 3\n", b"b = 2", b"a = 1;\nc = 3\n"),
        ("javascript", b"f(1, // one\n  2, 3)\n", b"2", b"f(1, 3)\n"),
        ("go", b"package a\n\nvar x = 1\nvar y = 2\n", b"var x = 1", b"package a\nvar y = 2\n"),
        ("c", b"#include <a.h>\n#include <b.h>\nint x;\n", b"#include <b.h>", INCLUDE_LEFT),
        ("c", b"int a;\n#define X 1\nint b;\n", b"int b;", b"int a;\n#define X 1\n"),
        ("c", b"int a; // first\n#define X 1\n", b"int a;", b"#define X 1\n"),
        ("python", b"if a:\n    b\n    c\nd\n", b"c", b"if a:\n    b\nd\n"),
        ("python", b"if a:\n    b\n    c\nd\n", b"b", b"if a:\n    c\nd\n"),
        ("python", b"x = [1,\n  2, # two\n  3]\n", b"2", b"x = [1, # two\n  3]\n"),
        ("ruby", b"a = 1\nputs a\nputs 2\n", b"puts a", b"a = 1\nputs 2\n"),
        ("bash", b"echo a\necho b c\necho d\n", b"echo b c", b"echo a\necho d\n"),
        ("bash", b"echo a b c\n", b"b", b"echo a c\n"),
        ("yaml", b"a:\n  - 1\n  - 2\nb: 3\n", b"- 1", b"a:\n  - 2\nb: 3\n"),
    ],
)
def test_deletions_beside_line_breaks(language: str, text: bytes, gone: bytes, left: bytes) -> None:
    found = without(language, text, gone)
    assert not front_end(language).errors(found)
    assert found == left


def test_words_are_not_torn_or_glued() -> None:
    assert without("bash", b"echo a/${b}/c\n", b"${b}") == b"echo a//c\n"
    tree = front_end("bash").parse(b'echo "a $b c"\n')
    texts = [token.text for token in tree.tokens()]
    assert b"".join(texts[1:]) == b'"a $b c"'


def test_a_string_is_one_token_and_its_code_is_not() -> None:
    tree = front_end("javascript").parse(b"x = 'a b' + `c ${d + 1} e`;\n")
    texts = [token.text for token in tree.tokens()]
    assert b"'a b'" in texts
    assert b"d" in texts
    assert b"c " in texts


def test_a_name_that_the_grammar_spells_is_one_token() -> None:
    tree = front_end("cmake").parse(b"set(A lib/${SOME_NAME}/file.c)\n")
    texts = [token.text for token in tree.tokens()]
    assert b"SOME_NAME" in texts
    assert b"lib/" in texts
    assert b"/file.c" in texts


def test_lines_of_python_are_known() -> None:
    tree = front_end("python").parse(b"if a:\n    b = (1 +\n      2)\nc\n")
    assert tree.indented
    starts = [token.text for token in tree.tokens() if token.glue & Glue.LINE]
    assert b"b" in starts
    assert b"c" in starts
    assert b"2" not in starts
    assert all(isinstance(token, Token) for token in tree.tokens())


@given(
    st.lists(st.sampled_from([b"a", b"ab", b" ", b"\t", b"\n", b"\r", b"\x0c", b"+"]), max_size=30)
)
def test_indentation_of_words(pieces: list[bytes]) -> None:
    """Each token knows the white space in front of its line, wherever it stands in it."""
    text = b"".join(pieces)
    for granularity in ("words", "lines"):
        tree = TextFrontEnd(granularity).parse(text)
        at = len(tree.head)
        for _, token in tree.walk():
            if not isinstance(token, Token):
                continue
            at = text.index(token.text, at)
            line = text[text.rfind(b"\n", 0, at) + 1 : at]
            assert token.indent == line[: len(line) - len(line.lstrip(b" \t"))]
            at += len(token.text)


def test_a_line_of_two_megabytes() -> None:
    """Words are found in the time of one look at the line, not of one for every word."""
    assert TextFrontEnd("words").parse(b"ab " * 700_000).token_count == 700_000
