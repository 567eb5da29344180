"""Patterns without a grammar: samples are pieces of texts, and the parser says what is valid."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from marrow.abstraction.ddset import DDSet, DDSetOptions
from marrow.abstraction.fragments import corpus_texts, shipped_text
from marrow.abstraction.parser_language import ParserLanguage, plain_name
from marrow.abstraction.pattern import Mark, Pattern, compact
from marrow.abstraction.pattern_json import from_json, to_json
from marrow.abstraction.producer import Producer
from marrow.abstraction.recogniser import Recogniser
from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.sample_tester import SampleTester
from marrow.engine.verdict import Verdict
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import Token

#: The twelve commonest languages, which a small stock ships for.
STOCKED = (
    *("bash", "c", "cpp", "csharp", "go", "java", "javascript", "php", "python", "ruby", "rust"),
    "typescript",
)

WHOLE = b"""\
import os

def first(a, b=1):
    return a + b

def second(items):
    for one in items:
        print(one, first(one, 2))
    total = [n * 2 for n in items]
    return total

second([1, 2, 3])
"""


def assigned_and_used(text: bytes) -> Verdict:
    """Fails if a name is assigned in the first line and printed in the second."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return Verdict.UNRESOLVED
    found = re.match(rb"(\w+) = [^\n]*\nprint\((\w+)\)", text)
    if found is None:
        return Verdict.NOT_INTERESTING
    same = found[1] == found[2]
    return Verdict.INTERESTING if same else Verdict.NOT_INTERESTING


def searched(
    text: bytes,
    seed: int = 0,
    *,
    whole: bytes = WHOLE,
    name: str = "python",
    test: Callable[[bytes], Verdict] = assigned_and_used,
) -> Pattern:
    language = ParserLanguage(TreeSitterFrontEnd(name), whole, lenient=False)
    executor = CallableExecutor(test, 1)
    judge = SampleTester(executor, Journal.in_memory())
    try:
        return DDSet(text, language, judge, DDSetOptions(checks=40, seed=seed)).run()
    finally:
        executor.close()


def test_a_pattern_without_a_grammar() -> None:
    pattern = searched(b"total = 1\nprint(total)\n")
    assert compact(pattern).strip() == ("<$identifier1> = <right hand side>\nprint(<$identifier1>)")
    assert pattern.joint.failing >= 40
    marks = [hole.marked.mark for hole in pattern.holes()]
    assert marks == [Mark.CONTEXT_SENSITIVE, Mark.ABSTRACT]
    # A word is nothing else, whatever its place would take.
    assert Recogniser(pattern).match(b"n = 1\nprint(n)\n")
    assert not Recogniser(pattern).match(b"n[0] = 1\nprint(n[0])\n")


def test_it_can_be_written_matched_and_produced() -> None:
    pattern = from_json(to_json(searched(b"total = 1\nprint(total)\n")))
    recogniser = Recogniser(pattern)
    assert recogniser.match(b"x = [1, 2]\nprint(x)\n")
    assert recogniser.match(b"x = f(y) + 1\nprint(x)\n")
    assert "same" in recogniser.match(b"x = 1\nprint(y)\n").reason
    assert "no further" in recogniser.match(b"x = 1\nreturn_(x)\n").reason
    assert "not read" in recogniser.match(b"x = (\n").reason
    produced = Producer(pattern, 5).inputs(40)
    assert len({sample.text for sample in produced}) == 40
    said = [assigned_and_used(sample.text) for sample in produced]
    assert said.count(Verdict.NOT_INTERESTING) == 0
    assert said.count(Verdict.INTERESTING) > 35


def test_an_empty_list_may_be_any_list() -> None:
    def test(text: bytes) -> Verdict:
        fails = re.match(rb"x = \[[^\n]*\]\n", text)
        return Verdict.INTERESTING if fails else Verdict.NOT_INTERESTING

    pattern = searched(b"x = []\n", test=test)
    assert compact(pattern).strip() == "x = <right hand side, list>"


def test_seeds_agree() -> None:
    found = {compact(searched(b"total = 1\nprint(total)\n", seed)) for seed in range(3)}
    assert len(found) == 1


@pytest.mark.parametrize("language", STOCKED)
def test_stocks_are_read_without_errors(language: str) -> None:
    text = shipped_text(language)
    assert text is not None
    front = TreeSitterFrontEnd(language)
    assert not front.errors(text)
    assert ParserLanguage(front, b"", lenient=False).stock


def test_files_of_a_directory(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "deep" / "b.py").write_text("y = 2\n")
    (tmp_path / "c.txt").write_text("no")
    assert list(corpus_texts(tmp_path, (".py",))) == [b"x = 1\n", b"y = 2\n"]
    assert shipped_text("no such language") is None


def test_names_are_plain_words() -> None:
    token = Token("identifier", b"x")
    assert plain_name("_right_hand_side", token) == "right hand side"
    assert plain_name("argument_list item", token) == "argument"
    assert plain_name("_parameters item", token) == "parameter"


def test_words_of_any_text() -> None:
    """A text of no language is a list of words, and any word may be another."""
    language = ParserLanguage(TextFrontEnd("words"), b"one two three\nfour two\n", lenient=False)

    def fails(text: bytes) -> bool:
        return b"two" in text

    executor = CallableExecutor(fails, 1)
    judge = SampleTester(executor, Journal.in_memory())
    try:
        pattern = DDSet(b"one two\n", language, judge, DDSetOptions(checks=20)).run()
    finally:
        executor.close()
    assert "two" in compact(pattern)
    assert "one" not in compact(pattern)


OCAML = b"""\
type shape = Circle of float | Point

let area shape = match shape with Circle r -> r | Point -> 0.

let (first, second) = (1, 2)

let pending = ref []
"""


def test_a_word_whose_slot_takes_other_things_may_be_any_of_its_kind() -> None:
    """With two names in brackets it passes, with any one name it does not."""

    def test(text: bytes) -> Verdict:
        fails = re.fullmatch(rb"let \w+ = ref \[\]\n", text)
        return Verdict.INTERESTING if fails else Verdict.NOT_INTERESTING

    pattern = searched(b"let pending = ref []\n", whole=OCAML, name="ocaml", test=test)
    assert compact(pattern).strip() == "let <value name> = ref []"
    again = from_json(to_json(pattern))
    assert Recogniser(again).match(b"let other = ref []\n")
    assert all(test(one.text) is Verdict.INTERESTING for one in Producer(again).inputs(20))


def test_a_word_keeps_the_gaps_of_the_word_it_replaces() -> None:
    """In a makefile `$( .o)` is another variable than `.o`."""
    whole = b"A = $(A)\n.PHONY = x\n.o = y\nall:\n\techo $(A)\n"

    def test(text: bytes) -> Verdict:
        found = re.match(rb"(\S+) = \$\((.+)\)\n", text)
        same = found is not None and found[1] == found[2]
        return Verdict.INTERESTING if same else Verdict.NOT_INTERESTING

    pattern = searched(b"A = $(A)\n", whole=whole, name="make", test=test)
    assert compact(pattern).strip() == "<$word1> = $(<$word1>)"
