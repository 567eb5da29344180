"""Predicates of the published tool run as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

import marrow
from marrow.abstraction.pattern import compact
from marrow.base.errors import UsageError
from marrow.run.plan.predicate_runner import main

#: As the published tool's predicates are written: the class of answers comes from the tool.
PREDICATE = """
import hdd

def my_predicate(inp):
    if '7' in inp:
        return hdd.PRes.invalid
    if '((' in inp and '))' in inp:
        return hdd.PRes.success
    return hdd.PRes.failed
"""


@pytest.mark.parametrize(("text", "code"), [("((1))", 0), ("(1)", 1), ("((7))", 125)])
def test_three_answers(tmp_path: Path, text: str, code: int) -> None:
    (tmp_path / "predicate.py").write_text(PREDICATE)
    (tmp_path / "input").write_text(text)
    assert main([str(tmp_path / "predicate.py"), str(tmp_path / "input")]) == code


def test_a_pattern_by_a_predicate(tmp_path: Path) -> None:
    path = tmp_path / "predicate.py"
    path.write_text(PREDICATE)
    pattern = marrow.abstract(
        "((1))", predicate=path, grammar="calculator", reducer=None, checks=3, max_tests=12
    )
    assert pattern.counts.tests
    assert "((" in compact(pattern)


def test_there_is_no_such_file() -> None:
    with pytest.raises(UsageError, match="my_predicate"):
        marrow.abstract("((1))", predicate="nowhere.py", grammar="calculator")
