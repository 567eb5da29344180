"""Progress: counts, lines and the display, without a terminal."""

from __future__ import annotations

import io
import re
from concurrent.futures import Future

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from marrow.cli.keys import pressed, split_keys
from marrow.engine.events import (
    Accepted,
    Answer,
    Event,
    PassBegan,
    PhaseAdvanced,
    PhaseBegan,
    SampleTested,
    Tried,
    Warned,
)
from marrow.engine.executors.function import FunctionJob
from marrow.engine.search.control import Control
from marrow.engine.search.dispatcher import TestUnderWay
from marrow.engine.verdict import Verdict
from marrow.reducers.streams.stream import Attempt
from marrow.report import progress as progress_module
from marrow.report.progress import (
    LineProgress,
    PassTally,
    PhaseProgress,
    Progress,
    chart,
)
from marrow.report.screen import LiveProgress
from marrow.tree import Token, Tree

ATTEMPT = Attempt(Tree(Token("number", b"1")), lambda: None)
EVENTS: list[Event] = [
    PhaseBegan("deleting in block"),
    Tried(Answer.TEST, Verdict.NOT_INTERESTING, ATTEMPT),
    Tried(Answer.CACHE, Verdict.NOT_INTERESTING, ATTEMPT),
    Tried(Answer.INVALID, None, ATTEMPT),
    Tried(Answer.TEST, Verdict.INTERESTING, ATTEMPT),
    Accepted(
        3,
        16,
        b"[red]a[/red] b c d",
        b"[red]a[/red] b c",
        "deleting in block",
        output=b"it failed\n",
    ),
    Warned("[bold]the disk is full"),
]


def test_counts() -> None:
    progress = Progress(4, 18)
    for event in EVENTS:
        progress(event)
    assert (progress.tests, progress.cached, progress.invalid, progress.accepted) == (2, 1, 1, 1)
    assert (progress.tokens, progress.length, progress.phase) == (3, 16, "deleting in block")


def test_samples_and_the_time_left() -> None:
    progress = Progress(4, 18)
    progress(PhaseBegan("abstracting nodes one by one"))
    progress(SampleTested(Answer.TEST, Verdict.INTERESTING))
    assert progress.now == "abstracting nodes one by one"
    progress(PhaseAdvanced(0.25))
    assert re.fullmatch(r"abstracting nodes one by one: 25%, about \d+ s left", progress.now)
    progress(PhaseBegan("varying everything at once", 100))
    assert progress.now == "varying everything at once: 0 of 100 samples"
    for verdict in (Verdict.INTERESTING, Verdict.UNRESOLVED, Verdict.INTERESTING):
        progress(SampleTested(Answer.TEST, verdict))
    assert re.fullmatch(
        r"varying everything at once: 2 of 100 samples, about \d+ s left", progress.now
    )


def said(*, verbose: bool) -> list[str]:
    lines: list[str] = []
    progress = LineProgress(lines.append, 4, 18, verbose=verbose)
    for event in EVENTS:
        progress(event)
    return lines


def test_one_line_for_every_success() -> None:
    lines = said(verbose=False)
    assert len(lines) == 2
    assert lines[0].endswith("3 tokens         16 bytes       2 tests  deleting in block")
    assert lines[1] == "warning: [bold]the disk is full"


def test_everything_when_verbose() -> None:
    lines = said(verbose=True)
    assert "            test: not interesting" in lines
    assert "            cache: not interesting" in lines
    assert "            - [red]a[/red] b c d" in lines
    assert "            + [red]a[/red] b c" in lines


def test_the_display_shows_text_as_it_is() -> None:
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system=None)
    with LiveProgress(console, "marrow reduce [x].c", 4, 18) as progress:
        for event in EVENTS:
            progress(event)
        progress._live.refresh()
    shown = out.getvalue()
    assert "marrow reduce [x].c" in shown
    assert "3 of 4 (75.0%)" in shown
    assert "2 run, 1 cached, 1 invalid" in shown
    assert "- [red]a[/red] b c d" in shown
    assert shown.count("warning: [bold]the disk is full") >= 2  # in the display, and after it


def test_the_passes() -> None:
    progress = Progress(4, 18)
    for event in (PassBegan("perses", 0), *EVENTS, PassBegan("merge", 2), EVENTS[1]):
        progress(event)
    assert list(progress.passes.values()) == [PassTally("perses", 2, 1, 1), PassTally("merge", 1)]


def test_a_small_screen_shows_what_matters_most() -> None:
    out = io.StringIO()
    console = Console(file=out, width=80, height=20, force_terminal=True, color_system=None)
    with LiveProgress(console, "a title", 4, 18, keys=True) as progress:
        for number in range(12):
            progress(PassBegan(f"pass{number}", number))
        for event in EVENTS:
            progress(event)
        out.truncate(0)
        progress._live.refresh()
    assert "pass11" in out.getvalue()  # it is its turn
    assert "q stop and keep" in out.getvalue()


def drawn(width: int, height: int, *keys: bytes, **environment: str) -> str:
    """Return what is to be seen on a screen of a size, after some keys."""
    console = Console(
        file=io.StringIO(), width=width, height=height, force_terminal=True, _environ=environment
    )
    control = Control()
    progress = LiveProgress(
        console,
        "marrow reduce a.c",
        4,
        18,
        keys=True,
        seconds=60,
        busy=lambda: ([TestUnderWay("deleting in list", 12, 0.0, FunctionJob(Future()))], 2),
        names=("perses", "merge"),
    )
    progress(PassBegan("perses", 0))
    for event in EVENTS:
        progress(event)
    for key in keys:
        pressed(progress, control, key, lambda number: b"step %d" % number)
    with console.capture() as capture:
        console.print(progress._draw(), end="")
    edit = control.take_edit()
    return capture.get() + ("" if edit is None else f"back to {edit.text.decode()}: {edit.back}")


def test_small_and_plain_screens() -> None:
    coloured = drawn(60, 15, NO_COLOR="1", TERM="xterm")
    small = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    lines = small.rstrip("\n").split("\n")
    assert len(lines) <= 15
    assert max(map(len, lines)) <= 60
    assert "s skip  p pause  d result  o output  h steps  x off  q stop" in small
    assert "1 of 2 at a test; deleting in list, 12 bytes" in small
    assert "3 of 4 (75.0%)" in small
    assert not re.search(r"\x1b\[[0-9;]*3[1-7]", coloured)  # no colour
    tall = re.sub(r"\x1b\[[0-9;]*m", "", drawn(100, 40, TERM="xterm"))
    assert re.search(r"tokens +0 s +\d+ s", tall)
    assert "1 of 2 at a test" in tall
    assert "deleting in list, 12 bytes, " in tall
    assert "output of the last interesting test" in tall
    assert "it failed" in tall
    assert "s left at most" in tall


def test_history_and_switches() -> None:
    shown = drawn(100, 40, b"h", TERM="xterm")
    assert "accepted steps, the newest first" in shown
    assert re.search(r"3 tokens  deleting in block", shown)
    assert re.search(r"perses +off", drawn(100, 40, b"x", TERM="dumb"))
    assert re.search(r"perses +now", drawn(100, 40, b"x", b"x", TERM="dumb"))
    # Another pass than the one whose turn it is, before it has had one.
    assert re.search(r"> merge +off", drawn(60, 15, b"\x1b[B", b"x", TERM="dumb"))


def test_going_back_to_a_step() -> None:
    assert "back" not in drawn(100, 40, b"g", b"h", b"g", TERM="xterm")  # none is chosen
    assert drawn(60, 15, b"h", b"j", b"g", TERM="xterm").endswith("back to step 1: True")
    assert drawn(60, 15, b"h", *[b"j"] * 9, b"g", TERM="xterm").endswith("back to step 0: True")
    assert re.search(r"> .*the input", drawn(60, 15, b"h", b"j", b"j", b"j", b"k", b"j"))


@pytest.mark.parametrize("width", [60, 80, 109, 110, 111, 130, 200])
@pytest.mark.parametrize("height", [15, 24, 60])
@pytest.mark.parametrize("key", [b"", b"d", b"o", b"h"])
def test_nothing_is_taller_or_wider_than_the_screen(width: int, height: int, key: bytes) -> None:
    lines = drawn(width, height, key, TERM="dumb").rstrip("\n").split("\n")
    assert len(lines) <= height
    assert max(map(len, lines)) <= width
    assert "q stop" in lines[-1]


@given(st.lists(st.sampled_from([b"x", b"\x1b[A", b"\x1bOB", b"p"])), st.data())
def test_keys_come_in_any_pieces(keys: list[bytes], data: st.DataObject) -> None:
    typed, rest, found = b"".join(keys), b"", []
    while typed:
        size = data.draw(st.integers(1, len(typed)))
        now, rest = split_keys(rest + typed[:size])
        found += now
        typed = typed[size:]
    assert (found, rest) == (keys, b"")


def test_the_chart_has_labels() -> None:
    [(_, line), _] = chart([(0.0, 1000), (1.0, 100), (2.0, 10), (3.0, 1)], 4.0, 4, 2, "0123456789")
    assert line == "63  "  # logarithmic
    lines = chart([(0.0, 1000), (5.0, 10), (9.0, 1)], 10.0, 20, 5, "01")
    assert len(lines) == 5
    assert lines[0] == ("1,000", "1" * 9 + " " * 11)
    assert lines[-1] == ("tokens", "0 s" + "10 s".rjust(17))


def test_sizes_are_in_what_the_run_makes_small() -> None:
    lines: list[str] = []
    progress = LineProgress(lines.append, 9, 18, verbose=False, unit="bytes")
    for event in (PassBegan("perses", 0), *EVENTS):
        progress(event)
    assert lines[0].endswith("s         16 bytes       2 tests  deleting in block")
    assert (progress.size, progress.size_before) == (16, 18)
    assert progress.passes["perses"].removed == 2
    lined = Progress(9, 18, unit="lines", size=5)
    lined(EVENTS[5])
    assert (lined.size, lined.size_before) == (1, 5)


def test_one_token_is_one_token() -> None:
    lines: list[str] = []
    LineProgress(lines.append, 9, 18, verbose=False)(Accepted(1, 3, b"a b", b"a", "deleting"))
    assert " 1 token  " in lines[0]


def test_time_is_counted_from_the_start_and_long_phases_are_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr(progress_module, "running_time", lambda: now)
    lines: list[str] = []
    for progress in (
        PhaseProgress(lines.append, 9, 18, started=90.0),
        LineProgress(lines.append, 9, 18, verbose=False, started=90.0),
    ):
        progress(PhaseBegan("running the test on the input"))
        progress(PhaseAdvanced(0.5))
        assert re.match(r" +10\.0 s .*running the test on the input: 50%", lines.pop())
        progress(PhaseAdvanced(0.6))
        assert not lines


def test_differences_are_counted_in_changes() -> None:
    lines: list[str] = []
    progress = LineProgress(lines.append, 4, 18, verbose=False, unit="changes")
    for event in EVENTS:
        progress(event)
    assert " 3 changes " in lines[0]
    assert lines[0].endswith("2 tests  undoing changes")
