"""The rule that judges first runs, and the inputs of the first runs."""

from __future__ import annotations

import re

import pytest
from bench.first_runs.__main__ import FEWEST_TOKENS, RUNS, load, tokens
from bench.first_runs.rule import Looks, Output, different

LOOKS = Looks(re.compile(r"(?<=: )error.*$", re.MULTILINE), re.compile(r"#\d in (\w+)"))
SOURCE = "int total = count; int size = other;"


def printed(text: str, ended: str = "exit 1", source: str = SOURCE) -> Output:
    return Output(ended, text, source)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a.c:3:5: error: 'total' undeclared", "b.c:12: error: ‘count’   undeclared"),
        ("a.c:3:5: error: 3 of 4 fail", "a.c:3:5: error: 12 of 13 fail"),
        ("a: error: at 0x7f12\n#0 in take", "a: error: at 0x6e\n#0 in take"),
        ("a: error E0277: no\na: warning: old", "a: error E0277: no\na: warning: new"),
        ("a: error: one\na: error: two", "a: error: one"),
    ],
)
def test_the_same_failure(before: str, after: str) -> None:
    assert not different(printed(before), printed(after), LOOKS)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("a: error: 'total' undeclared", "a: error: 'total' redeclared", "not there"),
        ("a: error: a 'NoneType'", "a: error: a 'float'", "not there"),
        ("a: error: one", "a: error: one\na: error: two", "a new error: error: two"),
        ("a: error E0277: no", "a: error E0308: no", "not there"),
        ("a: error: one\na: error E0277", "a: error: one", "other codes"),
        ("a: error: one\n#0 in take", "a: error: one\n#0 in pop", "another frame: pop"),
        ("a: error: one\n#0 in take", "a: error: one", "another frame: none"),
        ("hello", "hello", "names no failure"),
    ],
)
def test_another_failure(before: str, after: str, why: str) -> None:
    assert why in different(printed(before), printed(after), LOOKS)


def test_another_end() -> None:
    one = printed("a: error: one")
    assert "signal" in different(one, printed("a: error: one", "signal SIGSEGV"), LOOKS)


def test_there_are_25_inputs_of_200_tokens() -> None:
    runs = [load(path) for path in RUNS.glob("*.toml")]
    assert len(runs) == 25
    assert len({run.command[0] for run in runs}) == 25
    assert all(tokens(run.text) >= FEWEST_TOKENS for run in runs)
