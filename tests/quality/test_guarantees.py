"""What a run claims of its result is so: for any algorithm, list minimiser, language and property.

`python -m tests.quality.guarantees` makes more runs of the same kind.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import marrow
from marrow.reducers.algorithms.list_minimizers import LIST_MINIMIZERS
from tests.quality.guarantees import NAMES, SAMPLES, Trial, false_claims


@pytest.mark.parametrize("algorithm", NAMES)
@settings(max_examples=10)
@given(st.sampled_from([*LIST_MINIMIZERS]), st.sampled_from([*SAMPLES]), st.integers(0, 2**16))
def test_no_claim_is_false(algorithm: str | None, minimizer: str, language: str, seed: int) -> None:
    assert not false_claims(Trial(algorithm, minimizer, language, seed))


@pytest.mark.parametrize("algorithm", [None, "perses*", "batched"])
def test_the_parser_is_asked_again_at_the_fixpoint(algorithm: str | None) -> None:
    """Where the loop had its semicolon, it was needed; in the result it is not."""
    text = b"for (let i = 0; i < 3; i++) { f(i); }\n"
    result = marrow.reduce(
        text, lambda one: b"let i = 0" in one, language="javascript", algorithm=algorithm
    )
    assert result.text.split() == [b"let", b"i", b"=", b"0"]
