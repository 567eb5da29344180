"""Long and deep inputs: no recursion, and memory that grows with the input alone.

`python -m tests.reducers.algorithms.hdd_scale` does the same with 200,000 tokens and 5,000 levels.
"""

from __future__ import annotations

import sys

import pytest

from marrow import reduce
from marrow.reducers.algorithms.settings import Settings
from tests.reducers.algorithms.hdd_scale import deep_text, measured_apart

# Twice as deep as Python lets functions call each other.
DEPTH = 2 * sys.getrecursionlimit()


def test_deep_inputs() -> None:
    text = deep_text(DEPTH)
    result = reduce(text, lambda one: b"needle" in one, language="json", algorithm="hddhr*")
    assert result.text.strip() == b'"needle"'


@pytest.mark.parametrize("variant", ["hdd*", "hddr*"])
def test_deep_inputs_without_hoisting(variant: str) -> None:
    result = reduce(
        deep_text(DEPTH), lambda one: b"needle" in one, language="json", algorithm=variant
    )
    # The smallest array of the input stands for the outermost; nothing goes level by level.
    assert result.text.strip() == b'["needle"]'
    assert result.tests < 20


@pytest.mark.parametrize("variant", ["hoistr*+hddr*", "coarse-hoist*+hdd*", "coarse-hddhr*"])
def test_chains_are_not_hoisted_link_by_link(variant: str) -> None:
    depth = 300
    text = deep_text(depth)
    result = reduce(text, lambda one: b"needle" in one, language="json", algorithm=variant)
    assert result.text.strip() in (b'"needle"', b'["needle"]')
    assert result.tests < depth / 3


@pytest.mark.parametrize("variant", ["coarse-hdd*", "coarse-hddr*"])
def test_deep_inputs_one_level_at_a_time(variant: str) -> None:
    # The coarse variants take a test or more for each level, so that fewer levels have to do.
    text = b"[" * DEPTH + b"1, " + deep_text(3).strip() + b"]" * DEPTH
    result = reduce(
        text,
        lambda one: one.count(b"[") > DEPTH,
        language="json",
        algorithm=variant,
        settings=Settings(once=True),
    )
    assert result.text.count(b"[") == DEPTH + 1


def test_memory_of_a_long_input() -> None:
    one = measured_apart("long", 20_000, "hddr*")
    assert (one.stopped, one.left) == ("", 7)
    # A tenth of the largest input that has to be possible, and a tenth of its memory, and a process
    # of Python with a parser to begin with.
    assert one.megabytes < 200 + 50
