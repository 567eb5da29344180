"""Failures of real forms with neighbours that must be told apart; see `told_apart.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from marrow.diagnostics.observation import Observation
from marrow.signature.inference import infer_signature

CASES: list[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("told_apart.toml").read_text(encoding="utf-8")
)["case"]

#: How many lines a log has: more than are kept as messages.
LINES = 500


def seen(case: dict[str, Any], output: str) -> Observation:
    log = "".join(case.get("repeat", "").replace("{n}", str(n)) + "\n" for n in range(LINES))
    said = f"{log if 'repeat' in case else ''}{output}\n"
    if output.startswith("MIDDLE: "):
        quiet = "all is well\n" * 3 * LINES
        said = f"{quiet}{output.removeprefix('MIDDLE: ')}\n{quiet}"
    return Observation(1, b"", said.encode())


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["what"]))
def test_neighbours_are_told_apart(case: dict[str, Any]) -> None:
    text, command = case["text"].encode(), case.get("command", ())
    runs = [seen(case, case["output"])] * 3
    kept = infer_signature(runs, text, "input.c", command=command).best
    assert kept.judge(runs[0], text).matches
    for output in case["same"]:
        assert kept.judge(seen(case, output), text).matches, (kept.sentence, output)
    for output in case["others"]:
        assert not kept.judge(seen(case, output), text).matches, (kept.sentence, output)
    assert kept.kind == case.get("kind", kept.kind)


def test_findings_that_are_not_kept_are_named() -> None:
    lines = [f"input.c:{n}:1: W{n}00 finding {'abcd'[n - 1] * 3} is bad" for n in range(1, 5)]
    runs = [Observation(1, "\n".join(lines).encode())] * 3
    found = infer_signature(runs, b"", "input.c")
    assert len(found.best.facts) == 1
    assert len(found.left_out) == 3
    two = infer_signature([Observation(1, "\n".join(lines[:2]).encode())] * 3, b"", "input.c")
    assert len(two.best.facts) == 2
    assert not two.left_out
