"""Conditions on what varies: found, shown, kept, obeyed; refused where nothing can meet them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.abstraction.hole_rules import rules_of
from marrow.abstraction.pattern import Pattern, compact
from marrow.abstraction.pattern_json import PatternError, from_json, to_json
from marrow.abstraction.producer import Producer
from marrow.abstraction.recogniser import Recogniser
from marrow.engine.journal.journal import Journal
from marrow.engine.verdict import Verdict
from marrow.grammar.language import GrammarSource, Language
from marrow.tree import Place
from tests.abstraction.finding import SCRIPT, search
from tests.abstraction.marking import shipped

JSON = shipped("json")


def of_json(holds: Callable[[Any], bool]) -> Callable[[bytes], Verdict]:
    """Return the test whether a JSON value has a property."""

    def test(text: bytes) -> Verdict:
        try:
            value = json.loads(text)
        except ValueError:
            return Verdict.UNRESOLVED
        return Verdict.INTERESTING if holds(value) else Verdict.NOT_INTERESTING

    return test


def is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


#: An input, when it fails, its pattern, and inputs inside and outside.
CASES: dict[str, tuple[str, Callable[[Any], bool], str, list[str], list[str]]] = {
    "at least": (
        "4711",
        lambda v: is_int(v) and v > 1000,
        "<NUMBER ≥ 1001, whole>",
        ["1001", "99999999"],
        ["1000", "-5", "2000.5"],
    ),
    "outside of a range": (
        "-3",
        lambda v: is_int(v) and not 0 <= v <= 99,
        "<NUMBER ≤ -1 or ≥ 100, whole>",
        ["-1", "100"],
        ["0", "99"],
    ),
    "a multiple": (
        "21",
        lambda v: is_int(v) and v % 7 == 0,
        "<NUMBER, a multiple of 7>",
        ["0", "-14", "700"],
        ["20", "22"],
    ),
    "the length of a string": (
        '"gamma delta epsilon"',
        lambda v: isinstance(v, str) and len(v) > 16,
        "<STRING, 17 characters or more>",
        ['"aaaaaaaaaaaaaaaaa"'],
        ['"aaaaaaaaaaaaaaaa"', '""'],
    ),
    "what a string has": (
        '"ab7"',
        lambda v: isinstance(v, str) and re.search("[0-9]", v) is not None,
        "<STRING, has a digit>",
        ['"0"', '"x1y"'],
        ['"abc"'],
    ),
    "an exact length": (
        '"abcde"',
        lambda v: isinstance(v, str) and len(v) == 5,
        "<STRING, 5 characters>",
        ['"zzzzz"'],
        ['"zzzz"', '"zzzzzz"'],
    ),
    "the form of a string": (
        '"ab-12"',
        lambda v: isinstance(v, str) and re.fullmatch("[a-z]+-[0-9]+", v) is not None,
        r"<STRING, like [a-z]+\-[0-9]+>",
        ['"q-7"'],
        ['"q-"', '"q7"', '"-7"'],
    ),
    "neighbours": (
        "500",
        lambda v: is_int(v) and v in (500, 503, 504),
        "<NUMBER, 500 or 503 to 504, whole>",
        ["503"],
        ["501", "505"],
    ),
    "not empty": (
        '{"a": "b"}',
        lambda v: isinstance(v, dict) and isinstance(v.get("a"), str) and v["a"] != "",
        '{"a": <STRING, not empty>}',
        ['{"a": "x"}'],
        ['{"a": ""}'],
    ),
    "a few of a list": (
        "[1, 2, 3, 4]",
        lambda v: isinstance(v, list) and 3 <= len(v) <= 5,
        "[<value*, 3 to 5 elements>]",
        ["[0, 0, 0]", "[1, 2, 3, 4, []]"],
        ["[0, 0]", "[1, 2, 3, 4, 5, 6]"],
    ),
    "two words": (
        '{"on": true}',
        lambda v: isinstance(v, dict) and isinstance(v.get("on"), bool),
        '{"on": <value, false or true>}',
        ['{"on": false}'],
        ['{"on": null}'],
    ),
    "an order": (
        '{"min": 70, "max": 12}',
        lambda v: (
            isinstance(v, dict)
            and is_int(v.get("min"))
            and is_int(v.get("max"))
            and v["min"] > v["max"]
        ),
        '{"min": <NUMBER > a>, "max": <NUMBER a>}',
        ['{"min": 1, "max": 0}', '{"min": -3, "max": -90}'],
        ['{"min": 5, "max": 5}', '{"min": 4, "max": 5}'],
    ),
    "a difference": (
        "[4, 5]",
        lambda v: isinstance(v, list) and len(v) == 2 and all(map(is_int, v)) and v[1] == v[0] + 1,
        "[<NUMBER = a - 1>, <NUMBER a>]",
        ["[0, 1]", "[41, 42]"],
        ["[1, 1]", "[2, 1]"],
    ),
    "a length and a number": (
        '{"length": 9, "data": "abc"}',
        lambda v: (
            isinstance(v, dict)
            and is_int(v.get("length"))
            and isinstance(v.get("data"), str)
            and v["length"] > len(v["data"])
        ),
        '{"length": <NUMBER > the length of a>, "data": <STRING a>}',
        ['{"length": 1, "data": ""}'],
        ['{"length": 2, "data": "ab"}'],
    ),
}


SUMS = Language(
    GrammarSource(
        "sums",
        "sum",
        "g4",
        "grammar sums; sum : NAME ('+' | '-' | '*') NAME EOF ;\n"
        "NAME : [a-z$]+ ;\nWS : ' ' -> skip ;",
    )
)


def matched(regex: bytes) -> Callable[[bytes], Verdict]:
    """Return the test whether a whole text is matched."""

    def test(text: bytes) -> Verdict:
        fails = re.fullmatch(regex, text.strip())
        return Verdict.INTERESTING if fails else Verdict.NOT_INTERESTING

    return test


def test_signs_that_no_rule_names() -> None:
    pattern, _ = search(b"a+b", matched(rb"[a-z$]+\s*[+-].*"), SUMS)
    assert compact(pattern) == "<NAME><part of sum, + or -><NAME>"


def test_one_odd_text_does_not_cost_the_pattern() -> None:
    """Of all names only one is another case; no condition that is known says which."""
    pattern, _ = search(b"aq+aq", matched(rb"(?!xy\+)([a-z$]+)\s*\+\s*\1"), SUMS)
    assert compact(pattern).startswith("<$NAME1")
    narrow, _ = search(b"aq+aq", matched(rb"([a-z$]*[a-z])\s*\+\s*\1"), SUMS)
    assert Recogniser(narrow).match(b"b+b")
    assert not Recogniser(narrow).match(b"b$+b$")


def test_a_few_words_of_the_input() -> None:
    """Which methods there are is only known from the input before it was reduced."""

    def test(text: bytes) -> Verdict:
        found = re.search(rb'"do": *"(PUT|POST|PATCH)"', text)
        return Verdict.INTERESTING if found else Verdict.NOT_INTERESTING

    whole = b'[{"do": "GET"}, {"do": "PUT"}, {"do": "POST"}, {"do": "PATCH"}]'
    pattern, _ = search(b'{"do": "PUT"}', test, JSON, whole=JSON.parse(whole))
    assert compact(pattern) == '{"do": <STRING, "PATCH" or "POST" or "PUT">}'


def test_a_name_that_must_be_long_is_not_just_a_new_one() -> None:
    def test(text: bytes) -> Verdict:
        name = re.fullmatch(rb"var (\w+);", text.strip())
        if name is None:
            return Verdict.UNRESOLVED
        return Verdict.INTERESTING if len(name[1]) > 5 else Verdict.NOT_INTERESTING

    pattern, _ = search(b"var abcdefg;", test, SCRIPT)
    assert compact(pattern) == "var <Identifier, 6 characters or more>;"


def conditions_of(pattern: Pattern) -> dict[Place, object]:
    marks = pattern.marks.items()
    return {place: (one.conditions, one.label, one.open) for place, one in marks}


@pytest.mark.parametrize("name", CASES)
def test_conditions_are_found_and_obeyed(name: str) -> None:
    text, holds, shown, inside, outside = CASES[name]
    test = of_json(holds)
    pattern, counts = search(text.encode(), test, JSON)
    assert compact(pattern).strip() == shown
    again = from_json(to_json(pattern))
    assert conditions_of(again) == conditions_of(pattern)
    recogniser = Recogniser(again)
    assert all(recogniser.match(one.encode()) for one in [text, *inside])
    assert not any(recogniser.match(one.encode()) for one in outside)
    produced = Producer(again).inputs(20)
    assert produced
    assert {test(sample.text) for sample in produced} == {Verdict.INTERESTING}
    assert counts.tests < 320
    assert any("failed inside" in rule for hole in again.holes() for rule in rules_of(again, hole))


@settings(max_examples=25)
@given(st.integers(-3_000, 70_000), st.sampled_from([0, 1, 2, 50]), st.sampled_from([1, -1]))
def test_a_bound_is_found_next_to_it_too(bound: int, away: int, way: int) -> None:
    """A reduced number is often the last that fails."""
    pattern = pattern_of(str(bound + way * away), lambda v: is_int(v) and way * (v - bound) >= 0)
    assert compact(pattern).strip() == f"<NUMBER {'≥' if way > 0 else '≤'} {bound}, whole>"


def test_any_number_of_workers_finds_the_same() -> None:
    text, holds, *_ = CASES["an order"]
    journal = Journal.in_memory()
    one, _ = search(text.encode(), of_json(holds), JSON)
    three, _ = search(text.encode(), of_json(holds), JSON, workers=3, journal=journal)
    resumed, counts = search(text.encode(), of_json(holds), JSON, journal=journal)
    assert to_json(one) == to_json(three) == to_json(resumed)
    assert counts.tests == 0


def test_one_odd_name_does_not_cost_the_pattern() -> None:
    """Names that are the same must not begin with `z`: a sample that does passes."""

    def test(text: bytes) -> Verdict:
        names = re.fullmatch(rb"var (\w+) = (\w+);", text)
        if names is None or names[1] != names[2]:
            return Verdict.NOT_INTERESTING
        odd = names[1].startswith(b"x")
        return Verdict.NOT_INTERESTING if odd else Verdict.INTERESTING

    pattern, _ = search(b"var baz = baz;", test, SCRIPT)
    assert compact(pattern).count("<$Identifier1, not begins with") == 2
    assert Recogniser(pattern).match(b"var ab = ab;")
    assert not Recogniser(pattern).match(b"var xb = xb;")


def tampered(change: Callable[[dict[str, Any]], None]) -> str:
    """Return the JSON of a pattern with a bound in which something is changed."""
    text, holds, *_ = CASES["at least"]
    content = json.loads(to_json(pattern_of(text, holds)))
    for node in content["marks"]:
        for condition in node.get("conditions", ()):
            change(condition)
    return json.dumps(content)


def pattern_of(text: str, holds: Callable[[Any], bool]) -> Pattern:
    return search(text.encode(), of_json(holds), JSON)[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ranges": [["9", "3"]]}, "no number can meet: from 9 to 3"),
        ({"ranges": []}, "it has no values"),
        ({"kind": "spelled", "regex": "(", "said": "", "ranges": None}, "damaged"),
        ({"kind": "unheard of"}, "damaged"),
    ],
)
def test_conditions_that_nothing_can_meet(change: dict[str, Any], said: str) -> None:
    with pytest.raises(PatternError, match=re.escape(said)):
        from_json(tampered(lambda condition: condition.update(change)))


def test_only_this_input_fails_is_said_of_inputs_whose_neighbours_pass() -> None:
    pattern = pattern_of("4711", lambda v: v == 4711)
    assert not pattern.holes()
    assert pattern.passing > 10
