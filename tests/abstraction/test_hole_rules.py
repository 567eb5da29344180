"""Parts that must differ, and names that occur nowhere else: found, said, matched, produced."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.abstraction.abstraction import Board
from marrow.abstraction.checks import CheckResult
from marrow.abstraction.ddset import DDSetOptions
from marrow.abstraction.hole_rules import rules_of
from marrow.abstraction.pattern import Evidence, Mark, Marked, Pattern, compact
from marrow.abstraction.pattern_json import from_json, to_json
from marrow.abstraction.pattern_language import GrammarFragments
from marrow.abstraction.producer import Producer
from marrow.abstraction.recogniser import Recogniser
from marrow.abstraction.samples import name_of, names_in
from marrow.abstraction.sampling import Sampler
from marrow.engine.verdict import Verdict
from marrow.grammar.language import Language
from tests.abstraction.finding import CALCULATOR, SCRIPT, search
from tests.abstraction.marking import by_text


def said_by(found: bool | None) -> Verdict:
    """Return a verdict; None is not a valid input."""
    if found is None:
        return Verdict.UNRESOLVED
    return Verdict.INTERESTING if found else Verdict.NOT_INTERESTING


def two_differ(text: bytes) -> Verdict:
    """Fails if two numbers that are subtracted are not the same."""
    numbers = re.fullmatch(rb"(\w+)-(\w+)", text)
    return said_by(None if numbers is None else numbers[1] != numbers[2])


def undeclared(text: bytes) -> Verdict:
    """Fails on a name that is not built in, as half of the short ones are."""
    name = re.fullmatch(rb"([a-z]\w*)\s*;", text)
    return said_by(None if name is None else len(name[1]) > 4 or sum(name[1]) % 2 == 0)


def kept(pattern: Pattern) -> Pattern:
    return from_json(to_json(pattern))


def test_parts_that_must_differ() -> None:
    found, _ = search(b"1-2", two_differ, options=DDSetOptions(checks=20))
    pattern = kept(found)
    assert compact(pattern) == "<int>-<int>"
    rules = {rule for hole in pattern.holes() for rule in rules_of(pattern, hole)}
    assert "never the same as <int> ('2' in the input)" in rules
    assert any(hole.marked.alike for hole in pattern.holes())
    recogniser = Recogniser(pattern)
    assert recogniser.match(b"31-4")
    assert "must not be the same as <int>" in recogniser.match(b"31-31").reason
    texts = [sample.text for sample in Producer(pattern).inputs(40)]
    assert len(texts) == 40
    assert all(two_differ(text) is Verdict.INTERESTING for text in texts)
    # Whoever leaves out half of the changes of a sample must not make them the same.
    first, second = pattern.holes()
    sampler = Sampler(GrammarFragments(CALCULATOR, pattern.tree), 0, pattern.tree)
    for hole in (first, second):
        for sample in sampler.near(pattern.tree, hole, pattern.holes()):
            assert two_differ(sample.text) is not Verdict.NOT_INTERESTING


def test_a_part_that_needs_its_text_needs_it_whatever_stands_elsewhere() -> None:
    def two(text: bytes) -> Verdict:
        return said_by(text.endswith(b"-2"))

    pattern, _ = search(b"1-2", two, options=DDSetOptions(checks=20))
    assert compact(pattern) in ("<expr>-2", "<int>-2")
    assert not any(hole.marked.differs for hole in pattern.holes())


def test_a_text_that_is_wrong_by_itself_is_no_matter_of_differing() -> None:
    """With 1 on the right the input passes, whatever stands on the left."""

    def not_one(text: bytes) -> Verdict:
        numbers = re.fullmatch(rb"(\d+)-(\d+)", text)
        return said_by(None if numbers is None else numbers[2] != b"1")

    pattern, _ = search(b"1-2", not_one, options=DDSetOptions(checks=20))
    assert not any(hole.marked.differs for hole in pattern.holes())


def test_a_name_that_stands_nowhere_else() -> None:
    found, _ = search(b"limit;", undeclared, SCRIPT, options=DDSetOptions(checks=20))
    pattern = kept(found)
    assert compact(pattern) == "<new Identifier>;"
    (hole,) = pattern.holes()
    assert rules_of(pattern, hole)[0].startswith("a name that occurs nowhere else")
    recogniser = Recogniser(pattern)
    assert recogniser.match(b"total;")
    assert "total means something" in recogniser.match(b"total;").doubt
    assert not recogniser.match(hole.marked.samples[0] + b";").doubt
    passing = hole.marked.passing[0]
    assert "inputs pass" in recogniser.match(passing + b";").reason
    texts = [sample.text for sample in Producer(pattern).inputs(20)]
    assert len(texts) == 20
    assert all(undeclared(text) is Verdict.INTERESTING for text in texts)


def new_and_any(language: Language, text: bytes) -> Pattern:
    """Let the name `first` be new, and an expression anything."""
    pattern = by_text(language, text, {("Identifier", b"first"): 0, ("expression", b"second"): 0})
    marks = {
        place: Marked(one.mark, one.name, key="new Identifier") if one.name == "Identifier" else one
        for place, one in pattern.marks.items()
    }
    return Pattern(pattern.tree, marks, language)


def test_a_new_name_is_no_name_of_other_parts() -> None:
    pattern = new_and_any(SCRIPT, b"var first; second; third;")
    recogniser = Recogniser(pattern)
    assert recogniser.match(b"var one; two + 3; third;")
    for text in (b"var one; one + 3; third;", b"var third; two; third;"):
        assert "must occur nowhere else" in recogniser.match(text).reason


@settings(max_examples=5)
@given(st.integers(0, 1000))
def test_names_that_are_drawn_are_not_in_other_parts(seed: int) -> None:
    pattern = by_text(
        SCRIPT,
        b"var first; while (second) { }",
        {("Identifier", b"first"): 0, ("block", b"{ }"): 0},
    )
    sampler = Sampler(GrammarFragments(SCRIPT, pattern.tree), seed, pattern.tree)
    samples = sampler.joint(pattern.tree, pattern.holes(), "test")
    for sample, _ in zip(samples, range(30), strict=False):
        name, block = sample.fills
        new = name_of(name.node) - names_in(pattern.tree.root)
        assert not new & names_in(block.node)


def test_members_of_a_group_keep_their_own_evidence() -> None:
    pattern = by_text(SCRIPT, b"a + a;", {("Identifier", b"a"): 1})
    first, second = pattern.marks
    known = Marked(Mark.CONTEXT_SENSITIVE, "Identifier", 1, apart=b"a + b;")
    doubted = Marked(Mark.CONTEXT_SENSITIVE, "Identifier", 1, doubtful=True)
    helpers: Any = None  # it needs none of them
    marks = {first: known, second: doubted}
    board = Board(pattern.tree, helpers, helpers, helpers, helpers, marks)
    board.credit(board.holes(), CheckResult(holds=True, evidence=Evidence(failing=3)))
    assert board.marks[first].apart
    assert board.marks[second].doubtful
    assert not board.marks[second].apart
