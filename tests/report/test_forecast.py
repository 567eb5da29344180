"""The forecast: how many tests are left, and what people see of it."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import marrow
from marrow.engine.events import Accepted, Answer, Event, PassBegan, PhaseBegan, Tried
from marrow.engine.verdict import Verdict
from marrow.reducers.pipeline.pass_table import PASSES
from marrow.reducers.streams.stream import Attempt
from marrow.report import progress, screen
from marrow.report.forecast import Forecast, about
from marrow.report.progress import LineProgress, Progress
from marrow.report.screen import LiveProgress
from marrow.tree import Token, Tree

FAILED = Tried(
    Answer.TEST, Verdict.NOT_INTERESTING, Attempt(Tree(Token("number", b"1")), lambda: None)
)


def halving() -> Forecast:
    """A run of 640 tokens that is halved by every tenth test, down to 80."""
    forecast = Forecast(["less"], 640)
    forecast.began("perses", 0)
    for number, tokens in enumerate((320, 160, 80), 1):
        forecast.accepted(tokens, 10 * number)
    return forecast


def test_nothing_is_said_before_the_size_has_halved() -> None:
    forecast = Forecast(["less"], 640)
    forecast.began("perses", 0)
    assert forecast.tests_left(50) is None
    forecast.accepted(400, 50)
    assert forecast.tests_left(60) is None
    forecast.accepted(300, 70)
    assert forecast.tests_left(70) is not None


def test_nothing_is_said_of_far_more_tests_than_were_made() -> None:
    forecast = Forecast(["less"], 1_000_000)
    forecast.began("perses", 0)
    forecast.accepted(400_000, 100)
    assert forecast.tests_left(1_100) is None
    forecast.accepted(200, 1_200)
    assert forecast.tests_left(1_200) is not None


def test_halvings_to_come_take_as_long_as_the_last_one() -> None:
    forecast = halving()
    # Two more, to 20 tokens, and then five tests for each of them.
    assert forecast.tests_left(30) == 100
    assert forecast.tests_left(40) == 10 * 2 + 100  # the last one is ten tests ago
    assert forecast.tests_left(35) == 5 * 2 + 100


def test_the_passes_have_their_price() -> None:
    forecast = halving()
    forecast.began("less", 40)
    assert forecast.tests_left(40) == 4 * 80
    forecast.accepted(10, 60)
    assert forecast.tests_left(60) == 20  # 20 of 40 are done; as many must fail at the end
    assert forecast.tests_left(75) == 5
    assert forecast.tests_left(100) == 0


def test_where_it_would_be_a_guess() -> None:
    alone = Forecast(["less"], 640)
    alone.began("perses*", 0)
    alone.accepted(80, 20)
    assert alone.tests_left(30) is None
    other = Forecast([], 640)
    other.began("hddr*", 0)
    other.accepted(80, 20)
    assert other.tests_left(30) is None


def test_a_limit_of_tests_is_never_exceeded() -> None:
    forecast = Forecast([], 640, most_tests=50)
    assert [forecast.tests_left(tests) for tests in (0, 30, 60)] == [50, 20, 0]
    forecast = Forecast(["less"], 640, most_tests=50)
    forecast.began("less", 0)
    assert forecast.tests_left(30) == 20


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 1000), st.booleans())))
def test_it_is_never_negative(steps: list[tuple[int, int, bool]]) -> None:
    forecast, tests = Forecast(["less"], 1000), 0
    for more, tokens, later in steps:
        tests += more
        forecast.began("less" if later else "perses", tests)
        forecast.accepted(tokens, tests)
        left = forecast.tests_left(tests)
        assert left is None or left >= 0


def test_a_real_run_has_one_and_comes_to_its_end() -> None:
    text = "".join(f"def f{n}(x):\n    return x + {n}\n\n" for n in range(40))
    events: list[Event] = []
    result = marrow.reduce(
        text, lambda one: b"+ 17" in one, language="python", on_event=events.append
    )
    forecast = Forecast([one.name for one in PASSES if not one.opening], result.tokens_before)
    tests, said = 0, []
    for event in events:
        if isinstance(event, PassBegan):
            forecast.began(event.name, tests)
        elif isinstance(event, Accepted):
            forecast.accepted(event.tokens, tests)
        elif isinstance(event, Tried) and event.answer is Answer.TEST:
            tests += 1
            said.append(forecast.tests_left(tests))
    assert said[0] is None
    assert said[-1] is not None
    assert said[-1] <= 2 * result.tokens_after


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "a few seconds"),
        (9.9, "a few seconds"),
        (12, "about 10 s"),
        (54, "about 50 s"),
        (58, "about 1 min"),
        (440, "about 7 min"),
        (23 * 60, "about 25 min"),
        (58 * 60, "about 1 h"),
        (5.6 * 3600, "about 6 h"),
    ],
)
def test_no_words_look_exact(seconds: float, words: str) -> None:
    assert about(seconds) == words


class Clock:
    """A clock that tests wind."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        for module in (progress, screen):
            monkeypatch.setattr(module, "running_time", lambda: self.now)


def follow(shown: Progress, clock: Clock) -> None:
    """Fifty tests, a second each; an eighth is left after the tenth, and a tenth in the end."""
    shown(PassBegan("perses", 0))
    shown(PhaseBegan("deleting in block"))
    for number in range(1, 51):
        clock.now += 1
        shown(FAILED)
        if number % 10 == 0:
            tokens = 60 - number // 5 * 2
            shown(Accepted(tokens, 80, b"a b", b"a", "deleting in block"))


def test_lines_say_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, lines = Clock(monkeypatch), list[str]()
    lined = LineProgress(lines.append, 400, 800, verbose=False, forecast=Forecast(["less"], 400))
    follow(lined, clock)
    assert [one.partition("block")[2] for one in lines] == ["", "", *[" (about 2 min left)"] * 3]
    # A minute later somebody wants to know whether it is still at work.
    clock.now += 61
    lined(FAILED)
    assert re.search(
        r"51 tests  deleting in block, nothing for a while \(about \d+ min left\)", lines[-1]
    )
    count = len(lines)
    lined(FAILED)
    assert len(lines) == count


def test_what_is_left_is_hidden_until_it_is_steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that get three times as fast make the forecast three times as short."""
    clock = Clock(monkeypatch)
    shown = Progress(400, 800, forecast=Forecast([], 400, most_tests=1_000))
    for _ in range(70):
        clock.now += 3
        shown(FAILED)
    assert shown.seconds_left is not None
    for _ in range(100):
        clock.now += 1
        shown(FAILED)
    assert shown.seconds_left is None
    for _ in range(400):
        clock.now += 1
        shown(FAILED)
    assert shown.seconds_left == pytest.approx(430, rel=0.05)


def test_one_long_gap_is_no_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large text is parsed once, between two tests."""
    clock = Clock(monkeypatch)
    shown = Progress(400, 800, forecast=Forecast([], 400, most_tests=32))
    for seconds in (1, 1, 1, 90, 1, 1):
        assert shown.seconds_left is None or shown.seconds_left < 40
        clock.now += seconds
        shown(FAILED)
    assert shown.seconds_left == 26 * 4 / 5  # the last test has only just ended


def test_the_screen_says_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    for seconds, words in (
        (None, "last success 0 s ago, about 2 min left"),
        (60, "last success 0 s ago, 10 s left at most"),
        (900, "last success 0 s ago, about 2 min left, 850 s left at most"),
    ):
        clock.now = 100.0
        console = Console(file=io.StringIO(), width=80, height=24, force_terminal=True)
        live = LiveProgress(
            console, "a", 400, 800, seconds=seconds, forecast=Forecast(["less"], 400)
        )
        follow(live, clock)
        with console.capture() as capture:
            console.print(live._draw(), end="")
        assert words in re.sub(r"\x1b\[[0-9;]*m", "", capture.get())
