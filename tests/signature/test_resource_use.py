"""What a command uses, kept in place of a failure: limits, margins, baselines."""

from __future__ import annotations

import pytest

from marrow.diagnostics.observation import Observation
from marrow.signature.refusals import UnclearFailureError
from marrow.signature.resource_use import ResourceUse


def took(*seconds: float, status: int | None = 0) -> list[Observation]:
    return [Observation(status, processor=one) for one in seconds]


def test_the_margin_adapts_to_the_noise_of_the_input() -> None:
    asked = ResourceUse("time", 10.0)
    assert asked.seen_in(took(30.0, 30.0, 30.0)).least == pytest.approx(10.5)
    assert asked.seen_in(took(30.0, 27.0, 28.0)).least == pytest.approx(12.0)
    # As far as the input itself uses as much.
    assert asked.seen_in(took(10.1, 10.0, 10.1)).least == pytest.approx(10.0)


def test_a_candidate_is_judged_by_what_it_uses() -> None:
    kept = ResourceUse("memory", 1e9)
    assert kept.judge_all([Observation(0, memory=2 * 10**9)], b"").matches
    said = kept.judge_all([Observation(0, memory=10**6)], b"")
    assert (said.matches, said.why) == (False, "it takes 1 MB of memory")
    assert ResourceUse("output", 1e4).judge_all([Observation(1, written=10**5)], b"").matches


def test_a_command_that_did_not_end_has_used_what_it_used() -> None:
    kept = ResourceUse("time", 1.0)
    assert kept.judge_all(took(1.5, status=None), b"").matches
    assert not kept.judge_all(took(0.1, status=None), b"").matches, "it waited"


def test_half_of_the_ratio_to_a_baseline_is_kept() -> None:
    kept = ResourceUse("time", 1.0).seen_in(took(20.0, 20.0), took(2.0, 2.0))
    assert kept.ratio == pytest.approx(5.0)
    assert kept.judge_all([*took(10.0), *took(1.0)], b"").matches
    assert not kept.judge_all([*took(10.0), *took(3.0)], b"").matches
    assert not kept.judge_all([*took(10.0), *took(1.0, status=1)], b"").matches
    assert not kept.judge_all(took(10.0, status=None), b"").matches
    assert ResourceUse.from_dict(kept.to_dict()) == kept


def test_what_cannot_be_kept_is_said() -> None:
    with pytest.raises(UnclearFailureError, match=r"takes 3 s .* and the limit is 10 s"):
        ResourceUse("time", 10.0).seen_in(took(3.0))
    with pytest.raises(UnclearFailureError, match="the baseline fails on the input: exit status 2"):
        ResourceUse("time", 1.0).seen_in(took(3.0), took(1.0, status=2))
