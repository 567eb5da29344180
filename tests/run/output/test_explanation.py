"""What a reduced input needs, part by part."""

from __future__ import annotations

import re
from itertools import pairwise

import marrow
from marrow.cli.messages import explained_lines
from marrow.engine.verdict import Verdict
from marrow.run.output.explanation import budget_of, explained_parts, marked_pieces


def explained(source: str, name: str, needed: bytes) -> dict[str, str]:
    """Reduce a text to what matches an expression; return the mark of each part."""

    def test(text: bytes) -> Verdict:
        found = re.search(needed, text)
        return Verdict.INTERESTING if found else Verdict.NOT_INTERESTING

    result = marrow.reduce(source, test, name=name, explain=True)
    assert result.explanation is not None
    return {part.text.strip(): part.mark for part in explained_parts(result.explanation)}


def test_a_language_with_a_parser() -> None:
    source = "def f(a):\n    return [a, 2]\n\nx = f(1)\nprint(x, f(3))\n"
    marks = explained(source, "x.py", rb"print\(.+\)")
    assert marks["print"] == "needed"
    assert "any" in marks.values()


def test_any_text() -> None:
    marks = explained("one two three\nfour five\n", "x.unknown", rb"two \w+")
    assert marks["two"] == "needed"


def test_parts_that_are_the_same() -> None:
    marks = explained("b = 1\na = 2\nprint(a)\nprint(b)\n", "x.py", rb"(\w+) = \d+\nprint\(\1\)")
    assert "same" in marks.values()


def test_parts_that_must_differ() -> None:
    def two_differ(text: bytes) -> bool:
        found = re.fullmatch(rb"\[(\d+), (\d+)\]\s*", text)
        return found is not None and found[1] != found[2]

    result = marrow.reduce("[1, 2]", two_differ, name="x.json", explain=True)
    assert result.explanation is not None
    rules = [rule for part in explained_parts(result.explanation) for rule in part.rules]
    assert rules
    assert all(rule.startswith("never the same as") for rule in rules)
    shown = [line for line in explained_lines(result) if rules[0] in line]
    assert shown
    assert shown[0].startswith("  <")
    pieces = marked_pieces(result.explanation, result.text)
    assert any(rules[0] in piece.note for piece in pieces)


def test_a_number_of_which_only_a_bound_matters() -> None:
    def large(text: bytes) -> bool:
        found = re.fullmatch(rb"print\((\d+)\)\s*", text)
        return found is not None and int(found[1]) >= 200

    result = marrow.reduce("print(250)\n", large, name="x.py", explain=True)
    assert result.text.strip() == b"print(200)"
    assert any("≥ 200" in line for line in explained_lines(result))


def test_the_budget() -> None:
    assert budget_of(20) == 150
    assert budget_of(3_000) == 300
    assert marrow.reduce("[1, 2]", lambda text: b"2" in text, language="json").explanation is None


def test_marks_stand_on_the_text_itself_however_it_is_laid_out() -> None:
    result = marrow.reduce(
        "b = 1\na = 2\nprint(a)\n",
        lambda text: re.search(rb"(\w+) = \d+\nprint\(\1\)", text) is not None,
        name="x.py",
        explain=True,
    )
    assert result.explanation is not None
    for text in (result.text, b"\n" + result.text.replace(b"(", b"( ").replace(b")", b" , ) #")):
        pieces = marked_pieces(result.explanation, text)
        assert all(one.end <= two.start for one, two in pairwise(pieces))
        assert {text[one.start : one.end] for one in pieces if one.mark == "same"} == {
            result.text[:1]
        }
    pieces = marked_pieces(result.explanation, result.text)
    marked = b"".join(result.text[one.start : one.end] for one in pieces)
    assert b"".join(marked.split()) == b"".join(result.text.split())
