"""The golden corpus: its format, and how much of it the inference gets right.

Only the recorded outputs are needed; `python -m bench.signatures` runs the tools.
"""

from __future__ import annotations

import pytest

from tests.signature.expert import expression, matches
from tests.signature.golden import (
    CORPUS,
    Tool,
    controls,
    entries,
    held_out,
    problems,
    renamed,
    tools,
)
from tests.signature.rates import Score, Share, score

#: What the inference must get right of the tools that were looked at while it was made.
AIM = 0.97

#: And of all tools, also those held out.
FLOOR = 0.9

TOOLS = tools()


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_entries_agree_with_what_was_recorded(tool: Tool) -> None:
    siblings = entries(tool)
    assert siblings
    wrong = [f"{entry.name}: {line}" for entry in siblings for line in problems(entry, siblings)]
    assert not wrong


def test_nothing_of_the_machine_is_recorded() -> None:
    for path in CORPUS.rglob("*.toml"):
        text = path.read_text(encoding="utf-8")
        assert not any(f"/{place}/" in text for place in ("work", "root", "home")), path


def test_the_rates_do_not_fall(capsys: pytest.CaptureFixture[str]) -> None:
    apart = held_out()
    total, looked_at = Score(), Score()
    for tool in TOOLS:
        siblings = entries(tool)
        for entry in siblings:
            one = score(entry, siblings)
            total += one
            if tool.name not in apart:
                looked_at += one
    with capsys.disabled():
        print(f"\nsignatures: {_said(looked_at)} (without the tools held out)")
    assert min(looked_at.kept.rate, looked_at.told_apart.rate) >= AIM
    assert looked_at.refused == 0
    assert min(total.kept.rate, total.told_apart.rate) >= FLOOR


def _said(one: Score) -> str:
    return (
        f"kept {one.kept.rate:.1%}, told apart {one.told_apart.rate:.1%}, "
        f"{one.refused} of {one.entries} entries refused"
    )


def test_a_template_is_filled_from_the_input() -> None:
    template = "undefined name '{{name}}' at line {{number}}"
    printed = "x: undefined name 'foo' at   line 12"
    assert next(matches(template, printed, "foo + 1"), None)
    assert not next(matches(template, printed, "bar + 1"), None)
    assert not expression(template).search("undefined name 'foo' at lines")


def test_controls_are_made_by_fixed_rules() -> None:
    made = dict(controls(b"one two three four\n", b"ok\n"))
    assert made["the empty file"] == b""
    assert made["a trivial valid file"] == b"ok\n"
    assert made["cut in the middle"] == b"one two t"
    assert made["without token 1"] == b"one  three four\n"


def test_names_are_renamed_at_once() -> None:
    assert renamed("a b ab", {"a": "b", "b": "a"}) == "b a ab"


def test_a_share_of_nothing_is_whole() -> None:
    assert Share().rate == 1.0
    assert str(Share(1, 2) + Share(1, 1)) == "2/3"
