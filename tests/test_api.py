"""The library function."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import marrow
import marrow.api
from marrow.engine.events import Accepted, Event


def test_examples_in_the_docstrings() -> None:
    failures, tests = doctest.testmod(marrow.api)
    assert tests > 0
    assert failures == 0


def test_a_function_as_the_test() -> None:
    events: list[Event] = []
    result = marrow.reduce(
        "int f() { return 1; }\nint g() { h(2); return 3; }\n",
        lambda text: b"h(2)" in text,
        name="x.c",
        workers=2,
        on_event=events.append,
    )
    assert result.language == "c"
    assert b"h(2)" in result.text
    assert b"f()" not in result.text
    assert result.verified
    assert result.stopped is None
    sizes = [event.tokens for event in events if isinstance(event, Accepted)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes


def test_verdicts_and_limits() -> None:
    def test(text: bytes) -> marrow.Verdict:
        return marrow.Verdict.INTERESTING if b"7" in text else marrow.Verdict.UNRESOLVED

    result = marrow.reduce(b"[1, 2, 7]", test, language="json", max_tests=1)
    assert result.stopped is not None
    assert b"7" in result.text


def test_an_executable_as_the_test(tmp_path: Path) -> None:
    script = tmp_path / "test.sh"
    script.write_text('#!/bin/sh\ngrep -q needle "$1"\n')
    script.chmod(0o755)
    result = marrow.reduce(b"hay\nhay needle\nhay\n", script, name="stack.txt", workers=2)
    assert result.text.strip() == b"needle"


def test_a_test_that_does_not_do() -> None:
    with pytest.raises(marrow.UnfitTestError, match="not interesting"):
        marrow.reduce(b"x", lambda _: False)
