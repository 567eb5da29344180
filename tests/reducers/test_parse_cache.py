"""Trees that are remembered by their text: the same object again, and not more than allowed."""

from __future__ import annotations

from marrow.reducers.pipeline.pipeline import ParseCache
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.tree import Tree


def test_a_text_that_was_parsed_lately_is_not_parsed_again() -> None:
    made: list[bytes] = []

    def parse(text: bytes) -> Tree:
        made.append(text)
        return TextFrontEnd("lines").parse(text)

    parsed = ParseCache(parse)
    first = parsed(b"a\nb\n")
    assert parsed(b"c\n").text == b"c\n"
    assert parsed(b"a\nb\n") is first
    assert made == [b"a\nb\n", b"c\n"]


def test_what_was_asked_for_longest_ago_is_forgotten() -> None:
    made: list[bytes] = []

    def parse(text: bytes) -> Tree:
        made.append(text[:1])
        return TextFrontEnd("bytes").parse(text[:1])

    parsed = ParseCache(parse)
    third = 100_000  # three of them are more than is kept
    for letter in (b"a", b"b", b"a", b"c", b"a", b"b"):
        parsed(letter * third)
    assert made == [b"a", b"b", b"c", b"b"]
    for _ in range(2):
        parsed(b"d" * 1_000_000)
    assert made[4:] == [b"d", b"d"]
