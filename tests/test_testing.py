"""The helper for failing tests."""

from __future__ import annotations

import doctest
import json
import unittest
from typing import Any

import pytest

import marrow
import marrow.testing
from marrow.testing import on_parsed, shrink
from tests.docs.test_examples import OLD_DOCTEST

pytest_plugins = ["pytester"]

RECORDS = json.dumps([{"id": number, "tags": ["a", "b" * number]} for number in range(12)])


@pytest.mark.skipif(OLD_DOCTEST, reason="this doctest does not know notes of exceptions")
def test_examples_in_the_docstrings() -> None:
    failures, tests = doctest.testmod(marrow.testing)
    assert tests > 0
    assert failures == 0


def notes_of(error: BaseException) -> str:
    return "\n".join(getattr(error, "__notes__", []))


def test_a_check_that_holds_is_called_once() -> None:
    calls: list[str] = []
    shrink(RECORDS, calls.append, language="json")
    assert calls == [RECORDS]


def test_the_failure_on_the_small_input_is_raised() -> None:
    def check(value: Any) -> None:
        if isinstance(value, list):
            for record in value:
                assert "tags" not in record, record

    with pytest.raises(AssertionError) as caught:
        shrink(RECORDS, check, parse=json.loads, language="json")
    notes = notes_of(caught.value)
    assert "shrunk by marrow from" in notes
    assert notes.splitlines()[-1].strip() == '["tags"]'


def test_a_predicate_that_is_false() -> None:
    with pytest.raises(AssertionError, match="returned False") as caught:
        shrink(b"x = 1\nhay needle hay\n", lambda text: b"needle" not in text, name="hay.txt")
    assert notes_of(caught.value).endswith("    needle")


def test_another_failure_is_not_taken_for_this_one() -> None:
    def check(text: str) -> None:
        if "[" in text:
            raise ValueError("brackets")
        if "{" not in text:
            raise ValueError("no braces")

    with pytest.raises(ValueError, match="brackets") as caught:
        shrink(RECORDS, check, language="json")
    assert notes_of(caught.value).endswith("    []")


def test_the_check_runs_in_the_thread_of_the_test() -> None:
    import threading

    here = threading.get_ident()

    def check(_: bytes) -> None:
        assert threading.get_ident() == here
        raise KeyError("always")

    with pytest.raises(KeyError) as caught:
        shrink(b"a b c", check)
    assert "nothing: an empty input fails" in notes_of(caught.value)


def test_deep_recursion_is_one_failure() -> None:
    def depth(value: object) -> int:
        return 1 + depth(value[0]) if isinstance(value, list) and value else 0

    def check(text: str) -> None:
        if depth(json.loads(text)) > 3:
            raise RecursionError

    with pytest.raises(RecursionError) as caught:
        shrink("[[[[[[7, 8]]]]]]", check, language="json")
    assert notes_of(caught.value).endswith("    [[[[0]]]]")


def test_a_check_that_fails_now_and_then() -> None:
    calls = iter([True, False])

    def check(_: str) -> None:
        assert not next(calls, False)

    with pytest.raises(AssertionError) as caught:
        shrink(RECORDS, check)
    assert "does not always fail" in notes_of(caught.value)


def test_what_is_skipped_stays_skipped() -> None:
    def check(_: str) -> None:
        raise unittest.SkipTest("not here")

    with pytest.raises(unittest.SkipTest):
        shrink(RECORDS, check)


def test_half_characters_are_no_input() -> None:
    seen = []

    def check(text: str) -> None:
        seen.append(text)
        assert "é" not in text

    with pytest.raises(AssertionError):
        shrink("aé\u20ac\x00", check, language="bytes")
    assert all(text.encode() for text in seen if text)


def test_the_report_of_a_failing_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import json
        import pytest
        from marrow.testing import shrink

        TEXT = json.dumps({"users": [{"name": "Ada", "age": None}, {"name": "Bob", "age": 3}]})

        def oldest(data):
            if not isinstance(data, dict) or not isinstance(data.get("users"), list):
                pytest.skip("not our data")
            users = [user for user in data["users"] if isinstance(user, dict) and "age" in user]
            return max(user["age"] + 0 for user in users)

        def test_oldest():
            shrink(TEXT, oldest, parse=json.loads, language="json")

        def test_raises():
            def check(text):
                with pytest.raises(ValueError):
                    int(text)
            shrink("x 1", check)
            shrink("12", check)
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "*TypeError: unsupported operand*",
            '*{"users":*{"age":null}*',
            "*DID NOT RAISE*",
            "*shrunk by marrow*",
        ]
    )
    assert "_failure" not in result.stdout.str()


def test_predicates_on_parsed_values() -> None:
    test = on_parsed(lambda value: "tags" in str(value), json.loads)
    assert test(b"{") is marrow.Verdict.UNRESOLVED
    assert marrow.reduce(RECORDS, test, language="json").text == b'"tags"'


def test_the_message_tells_failures_of_one_line_apart() -> None:
    def check(values: list[dict[str, int]]) -> None:
        for one in values:
            one["x"] + 1

    source = '[{"x": 1}, {"x": 2, "y": 3}, 7, {"x": null}, null, "text"]'
    with pytest.raises(TypeError, match="'int' object is not subscriptable") as raised:
        shrink(source, check, parse=json.loads, language="json")
    assert "[0]" in raised.value.__notes__[0]
    with pytest.raises(TypeError, match="'NoneType' and 'int'"):
        shrink(source.replace("7, ", ""), check, parse=json.loads, language="json")


def test_names_of_the_input_may_change_in_a_message() -> None:
    def check(value: dict[str, int]) -> None:
        raise ValueError(f"no price for {max(value)!r} after {len(value)} tries")

    with pytest.raises(ValueError, match=r"no price for '.?' after 1 tries"):
        shrink('{"plums": 1, "pears": 2}', check, parse=json.loads, language="json")
