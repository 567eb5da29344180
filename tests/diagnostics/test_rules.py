"""Every rule reads its own example as it says."""

from __future__ import annotations

from typing import Any

import pytest

from marrow.diagnostics import message_rules
from marrow.diagnostics.frames import _FRAMES, frame_of
from marrow.diagnostics.message_rules import WEIGHT, MessageRule, message_prefix
from marrow.diagnostics.observation import Observation
from marrow.diagnostics.report import Report, report_of
from marrow.diagnostics.rule_files import RULE_FILES, rules_in
from marrow.diagnostics.texts import InputText, plain

NOTHING = InputText(b"", "input.c")
FRAMES: list[dict[str, Any]] = rules_in("frames")["frame"]

#: The tables whose examples are messages by themselves.
MESSAGES = {
    name: getattr(message_rules, name)
    for name in ("CODED", "MESSAGES", "AFTER_PLACE", "AFTER_SEVERITY", "WORDED")
}


def read(*lines: str) -> Report:
    return report_of(Observation(1, b"", "\n".join(lines).encode()), NOTHING)


@pytest.mark.parametrize("number", range(len(FRAMES)), ids=lambda at: f"{at}-{FRAMES[at]['tool']}")
def test_frames(number: int) -> None:
    entry = FRAMES[number]
    line = plain(entry["example"])
    first = next(at for at, one in enumerate(_FRAMES) if one.match(line))
    assert first == number, "an earlier entry reads its example"
    frame = frame_of(line)
    assert frame is not None
    assert (frame.function, frame.file) == (entry["function"], entry.get("file", ""))


@pytest.mark.parametrize(
    "rule",
    [rule for table in MESSAGES.values() for rule in table],
    ids=lambda rule: f"{rule.tool}: {rule.example[:30]}",
)
def test_messages(rule: MessageRule) -> None:
    found = read(rule.example).messages
    if rule.skip:
        assert not found
        return
    assert [one.text for one in found] == [plain(rule.text)]
    assert found[0].kind == (rule.kind if found[0].level in ("error", "summary") else "lint")
    assert rule.kind in WEIGHT


@pytest.mark.parametrize("name", ["CODED", "MESSAGES"])
def test_the_first_rule_that_matches_is_its_own(name: str) -> None:
    rules = MESSAGES[name]
    for rule in rules:
        line = plain(rule.example)
        line = message_rules.PREFIX.sub("", line.strip()) if rule.stripped else line
        assert next(one for one in rules if one.pattern.search(line)) is rule, rule.example


@pytest.mark.parametrize("rule", message_rules.PLACES, ids=lambda rule: rule.example)
def test_places(rule: MessageRule) -> None:
    line = plain(rule.example)
    assert next(one for one in message_rules.PLACES if one.pattern.match(line)) is rule
    rest, place, severity, code = message_prefix(line, NOTHING)
    assert (rest, severity, code) == (rule.text, None, "")
    assert place == line.removesuffix(rest).strip()


@pytest.mark.parametrize("entry", rules_in("messages")["continued"], ids=lambda one: one["tool"])
def test_messages_of_several_lines(entry: dict[str, Any]) -> None:
    found = read(*entry["example"])
    assert len(found.messages) == 1
    assert found.messages[0].text.split()[-1] == plain(entry["example"][-1]).split()[-1]


def test_every_table_is_tested() -> None:
    tables = {"expressions", "json", "place", "continued", *(name.lower() for name in MESSAGES)}
    assert set(rules_in("messages")) == tables - {"messages"} | {"message"}
    assert set(RULE_FILES) == {"messages", "frames", "vocabulary", "templates"}


def test_an_error_after_many_warnings_is_kept() -> None:
    warnings = [f"a.c:{n}:1: warning: unused variable 'v{n}'" for n in range(450)]
    found = read(*warnings, "a.c:999:1: error: incompatible types")
    assert [one.text for one in found.errors] == ["incompatible types"]
    log = [f"step {n}: cannot say more" for n in range(700)]
    trace = ["Traceback (most recent call last):", '  File "t.py", line 3, in f', "KeyError: 'a'"]
    assert "KeyError: 'a'" in [one.text for one in read(*log, *trace).errors]


def test_a_message_of_r_has_two_lines() -> None:
    found = read(
        "Error in f(x, y) : ", "  non-numeric argument to binary operator", "Execution halted"
    )
    assert [one.text for one in found.errors] == [
        "f(x, y) : non-numeric argument to binary operator"
    ]
