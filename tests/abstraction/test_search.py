"""Properties of patterns that do not depend on the example."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow import UnfitTestError, abstract
from marrow.abstraction.ddset import DDSet, DDSetOptions
from marrow.abstraction.pattern import Evidence, Mark, compact
from marrow.abstraction.pattern_json import from_json, to_json
from marrow.abstraction.pattern_language import GrammarFragments
from marrow.abstraction.sampling import Sampler
from marrow.base.errors import UsageError
from marrow.engine.events import Event, PhaseAdvanced, PhaseBegan
from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.dispatcher import Limits
from marrow.engine.search.sample_tester import SampleTester
from marrow.engine.verdict import Verdict
from marrow.grammar.model.parse_error import ParseError
from tests.abstraction.finding import CALCULATOR, SCRIPT, search

#: Quick to decide, in which different things matter.
CONDITIONS: dict[str, Callable[[bytes], bool | Verdict]] = {
    "a star": lambda text: b"*" in text,
    "parentheses": lambda text: b"(" in text,
    "two digits": lambda text: len(re.findall(rb"[0-9]", text)) >= 2,
    "no division": lambda text: b"/" not in text,
    "a division is not valid": lambda text: Verdict.UNRESOLVED if b"/" in text else b"*" in text,
}

EXPRESSIONS = st.recursive(
    st.sampled_from(["1", "22", "a", "bc"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map("".join),
        inner.map(lambda one: f"({one})"),
    ),
    max_leaves=5,
).map(str.encode)


@settings(max_examples=12)
@given(EXPRESSIONS, st.sampled_from(sorted(CONDITIONS)), st.integers(0, 3))
def test_patterns(text: bytes, name: str, seed: int) -> None:
    test = CONDITIONS[name]
    if test(text) is not True:
        return
    options = DDSetOptions(checks=20, seed=seed)
    pattern, counts = search(text, test, options=options)
    # Samples parse, and fail if they are valid.
    parser = CALCULATOR.parser
    sampler = Sampler(GrammarFragments(CALCULATOR, pattern.tree), seed, pattern.tree)
    for sample in islice(sampler.joint(pattern.tree, pattern.holes(), "other samples"), 30):
        assert parser.matches(sample.text)
    if pattern.holes():
        assert pattern.joint.failing
        assert not pattern.joint.passing
    assert pattern.tree.text == text
    # Any number of workers, and a run that is resumed, find the same.
    journal = Journal.in_memory()
    parallel, more = search(text, test, options=options, workers=3, journal=journal)
    assert to_json(parallel) == to_json(pattern)
    assert more.needed == counts.needed
    again, none = search(text, test, options=options, journal=journal)
    assert to_json(again) == to_json(pattern)
    assert none.tests == 0


def test_other_seeds_give_other_samples() -> None:
    def seeded(seed: int) -> set[bytes]:
        pattern, _ = search(
            b"1*2", CONDITIONS["a star"], options=DDSetOptions(checks=10, seed=seed)
        )
        return {sample for hole in pattern.holes() for sample in hole.marked.samples}

    assert seeded(1) != seeded(2)
    assert seeded(1) == seeded(1)


def test_a_budget_is_kept_and_said() -> None:
    limits = Limits(tests=30)
    one, counts = search(b"(1)*(2)", CONDITIONS["a star"], limits=limits)
    two, _ = search(b"(1)*(2)", CONDITIONS["a star"], limits=limits, workers=4)
    assert counts.needed == 30
    assert "30 tests" in one.stopped
    assert not one.joint.samples
    assert to_json(one) == to_json(two)


def test_near_samples_are_fewer_where_asked() -> None:
    """An explanation has a small budget for all parts; a pattern tries all that is near."""

    def fails(text: bytes) -> bool:
        return text.count(b"+") >= 2

    quick, few = search(b"a + b + c;", fails, SCRIPT, options=DDSetOptions(checks=10, thorough=5))
    whole, many = search(b"a + b + c;", fails, SCRIPT, options=DDSetOptions(checks=10))
    assert quick.holes()
    assert whole.holes()
    assert few.needed < many.needed


def test_phases_say_how_far_they_are() -> None:
    events: list[Event] = []
    executor = CallableExecutor(lambda text: b"+" in text, 1)
    try:
        judge = SampleTester(executor, Journal.in_memory(), events.append)
        DDSet(b"a + 1; a;", SCRIPT, judge, DDSetOptions(checks=10)).run()
    finally:
        executor.close()
    shares: dict[str, list[float]] = {}
    words = ""
    for event in events:
        if isinstance(event, PhaseBegan):
            words = event.words
        elif isinstance(event, PhaseAdvanced):
            shares.setdefault(words, []).append(event.share)
    assert {"renaming equal tokens together", "abstracting nodes one by one"} <= shares.keys()
    assert all(0 <= one <= 1 for several in shares.values() for one in several)
    nodes = shares["abstracting nodes one by one"]
    rising = nodes[: nodes.index(max(nodes)) + 1]
    assert rising == sorted(rising)
    assert rising[-1] > 0.5


def test_a_stopped_search_is_resumed() -> None:
    journal = Journal.in_memory()
    whole, counts = search(b"(1)*(2)", CONDITIONS["a star"])
    _, first = search(b"(1)*(2)", CONDITIONS["a star"], journal=journal, limits=Limits(tests=40))
    rest, second = search(b"(1)*(2)", CONDITIONS["a star"], journal=journal)
    assert to_json(rest) == to_json(whole)
    assert first.needed + second.needed == counts.needed


def test_what_is_mostly_invalid_becomes_concrete_soon() -> None:
    """Where nothing but the input itself is valid, few tests show it."""

    def fails(text: bytes) -> Verdict:
        return Verdict.INTERESTING if text == b"(1)*(2)" else Verdict.UNRESOLVED

    pattern, counts = search(b"(1)*(2)", fails)
    assert compact(pattern) == "(1)*(2)"
    assert not pattern.holes()
    assert counts.needed < 200
    reasons = {marked.evidence.reason for marked in pattern.marks.values()}
    assert all("valid" in reason or "no other text" in reason for reason in reasons)


def test_tokens_with_one_text_are_lexical_and_form_no_groups() -> None:
    pattern, _ = search(b"a => {}; b => {};", lambda text: text.count(b"=>") == 2, SCRIPT)
    arrows = [marked for marked in pattern.marks.values() if marked.name == "ARROW"]
    assert arrows
    assert {marked.mark for marked in arrows} == {Mark.LEXICAL}
    assert "$ARROW" not in compact(pattern)


def test_timeouts_say_nothing() -> None:
    def fails(text: bytes) -> Verdict:
        return Verdict.TIMEOUT if b"-" in text else Verdict.INTERESTING

    pattern, _ = search(b"1*2", fails)
    assert pattern.joint.timeouts
    assert not pattern.joint.passing
    assert pattern.holes()


def test_few_texts_are_all_tried() -> None:
    pattern, _ = search(b"1+2", lambda text: re.fullmatch(rb"1 *[-+*/] *2", text) is not None)
    evidence: Evidence = next(
        hole.marked.evidence for hole in pattern.holes() if hole.symbol == "op"
    )
    assert compact(pattern) == "1<op>2"
    assert evidence.confidence > 0.9


def test_json_of_a_found_pattern_is_whole() -> None:
    pattern, _ = search(b"a + a", lambda text: b"a" in text)
    again = from_json(to_json(pattern))
    assert to_json(again) == to_json(pattern)
    assert [hole.places for hole in again.holes()] == [hole.places for hole in pattern.holes()]


class TestLibrary:
    """`marrow.abstract`."""

    def test_a_test_that_does_not_fit(self) -> None:
        with pytest.raises(UnfitTestError):
            abstract("1+1", lambda text: False, grammar="calculator")

    def test_an_input_that_does_not_match(self) -> None:
        with pytest.raises(ParseError):
            abstract("1+", lambda text: True, grammar="calculator")

    def test_no_grammar(self) -> None:
        """Words of the text itself do; the procedure as printed needs a grammar."""
        with pytest.raises(UsageError, match="needs a grammar"):
            abstract("1+", lambda text: True, name="x.unknown", naive=True, allow_empty=True)

    def test_the_grammar_that_ships_for_the_language(self) -> None:
        pattern = abstract('[1, {"a": 2}]', lambda text: b"{" in text, name="x.json", checks=10)
        assert pattern.language.name == "json"

    def test_a_grammar_file_and_no_reduction(self, tmp_path: Path) -> None:
        file = tmp_path / "list.bnf"
        file.write_text("list ::= item | item ',' list\nitem ::= 'a' | 'b'\n")
        pattern = abstract(
            "a,b,a", lambda text: b"b" in text, grammar=file, reducer=None, checks=10
        )
        assert pattern.tree.text == b"a,b,a"
        assert compact(pattern) == "<item>,b,<item>"


def test_a_sampler_from_a_pattern_gives_inputs_that_fail() -> None:
    """Of samples with another seed, drawn from the file alone, nearly all must fail."""

    def fails(text: bytes) -> bool:
        names = re.findall(rb"[a-f]+", text)
        return len(names) > len(set(names))

    pattern, _ = search(b"a + a", fails)
    again = from_json(to_json(pattern))
    sampler = Sampler.of(again, GrammarFragments(CALCULATOR, again.tree), 99)
    samples = list(islice(sampler.joint(again.tree, again.holes(), "produced"), 50))
    assert len({sample.text for sample in samples}) == 50
    assert sum(fails(sample.text) for sample in samples) == 50


def test_names_that_differ_in_the_input_differ_in_samples() -> None:
    """Otherwise no two names could vary: with the same name twice this does not fail."""

    def fails(text: bytes) -> bool:
        names = re.findall(rb"var (\w+)", text)
        return len(names) == 2 and names[0] != names[1]

    pattern, counts = search(b"var x; var y;", fails, SCRIPT)
    assert compact(pattern) == "var <Identifier>; var <Identifier>;"
    assert counts.needed < 300


def test_groups_that_cannot_vary_together_are_given_up() -> None:
    """Two groups that each may vary alone, but not at once: the search ends."""

    def fails(text: bytes) -> bool:
        names = re.findall(rb"[a-z]\w*", text)
        return (
            len(names) == 4 and names[:2] == names[2:] and ("x" in str(names) or "y" in str(names))
        )

    pattern, _ = search(b"x + y + x + y;", fails, SCRIPT)
    assert compact(pattern) == "<$Identifier1> + y + <$Identifier1> + y;"
    assert pattern.joint.failing > 50
    assert not pattern.joint.exhaustive
