"""Instances of a pattern in larger inputs, and the part of it that fails wherever it is."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from marrow.abstraction.pattern import compact
from marrow.abstraction.pattern_json import from_json, to_json
from marrow.abstraction.recogniser import Recogniser
from marrow.engine.journal.journal import digest
from marrow.engine.verdict import Verdict
from tests.abstraction.finding import search
from tests.abstraction.marking import shipped

JSON = shipped("json")


def twice(text: bytes) -> Verdict:
    """Fails if a key is twice in an object, wherever that is."""
    odd: list[str] = []

    def pairs(given: list[tuple[str, Any]]) -> dict[str, Any]:
        odd.extend(key for key, _ in given if [one for one, _ in given].count(key) > 1)
        return dict(given)

    try:
        json.loads(text, object_pairs_hook=pairs)
    except ValueError:
        return Verdict.UNRESOLVED
    return Verdict.INTERESTING if odd else Verdict.NOT_INTERESTING


def test_a_part_that_fails_anywhere() -> None:
    pattern, _ = search(b'{"k": 1, "k": 2}', twice, JSON)
    pattern = from_json(to_json(pattern))
    assert pattern.core is not None
    recogniser = Recogniser(pattern)
    found = recogniser.match(b'[1,\n  {"x": 1, "y": [2], "x": 3}]')
    assert found
    assert found.inside == "line 2, column 4"
    assert [text for _, text in found.parts] == ['"x"', "1", "3"]
    for text in (b'[{"x": 1}, {"x": 2}]', b'[{"x": {"x": 1}}]', b"[]", b"["):
        assert not recogniser.match(text)


def test_neighbours_stay_neighbours() -> None:
    """Further elements may be around two equal numbers, but not between them."""

    def test(text: bytes) -> Verdict:
        found = re.search(rb"\b([0-9]+), *\1\b", text)
        return Verdict.INTERESTING if found else Verdict.NOT_INTERESTING

    pattern, _ = search(b"[5, 5]", test, JSON)
    recogniser = Recogniser(from_json(to_json(pattern)))
    assert recogniser.match(b'{"a": [1, 7, 7, 2]}')
    assert not recogniser.match(b"[7, 1, 7]")


def test_a_part_that_fails_only_as_the_whole() -> None:
    def whole(text: bytes) -> Verdict:
        try:
            value = json.loads(text)
        except ValueError:
            return Verdict.UNRESOLVED
        odd = isinstance(value, int) and value > 1000
        return Verdict.INTERESTING if odd else Verdict.NOT_INTERESTING

    pattern, _ = search(b"4711", whole, JSON)
    assert compact(pattern) == "<NUMBER ≥ 1001, whole>"
    assert pattern.core is None
    assert Recogniser(pattern).match(b"2000")
    assert not Recogniser(pattern).match(b"[2000]")


def test_the_input_that_the_pattern_was_found_for_matches() -> None:
    pattern, _ = search(b'{"k": 1, "k": 2}', twice, JSON)
    text = b"anything that was reduced to it"
    assert not Recogniser(pattern).match(text)
    assert Recogniser(replace(pattern, origin=digest(text).hex())).match(text)
