"""Progress: counts, lines and the display, without a terminal."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

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
from marrow.engine.verdict import Verdict
from marrow.reducers.streams.stream import Attempt
from marrow.report import progress as progress_module
from marrow.report.progress import (
    LineProgress,
    PassTally,
    PhaseProgress,
    Progress,
    sparkline,
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
    with LiveProgress(console, "a title", 4, 18) as progress:
        for number in range(12):
            progress(PassBegan(f"pass{number}", number))
        for event in EVENTS:
            progress(event)
        out.truncate(0)
        progress._live.refresh()
    assert "pass11" in out.getvalue()  # it is its turn


def test_the_sparkline_is_logarithmic() -> None:
    assert sparkline([(0, 1000), (1, 100), (2, 10), (3, 1)], 4, 4, "0123456789") == "6300"
    assert sparkline([(0, 7)], 0, 3, "01") == "111"


def drawn(width: int, height: int, **environment: str) -> str:
    """Return what is to be seen on a screen of a size."""
    console = Console(
        file=io.StringIO(), width=width, height=height, force_terminal=True, _environ=environment
    )
    progress = LiveProgress(console, "marrow reduce a.c", 4, 18, seconds=60)
    progress(PassBegan("perses", 0))
    for event in EVENTS:
        progress(event)
    with console.capture() as capture:
        console.print(progress._draw(), end="")
    return capture.get()


def test_small_and_plain_screens() -> None:
    coloured = drawn(60, 15, NO_COLOR="1", TERM="xterm")
    small = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    lines = small.rstrip("\n").split("\n")
    assert len(lines) <= 15
    assert max(map(len, lines)) <= 60
    assert "3 of 4 (75.0%)" in small
    assert "s left at most" in small
    assert re.search(r"perses +2 +1 +1", small)
    assert "+ [red]a[/red] b c" in small
    assert not re.search(r"\x1b\[[0-9;]*3[1-7]", coloured)  # no colour


@pytest.mark.parametrize("width", [60, 80, 109, 110, 111, 130, 200])
@pytest.mark.parametrize("height", [15, 24, 60])
def test_nothing_is_taller_or_wider_than_the_screen(width: int, height: int) -> None:
    lines = drawn(width, height, TERM="dumb").rstrip("\n").split("\n")
    assert len(lines) <= height
    assert max(map(len, lines)) <= width


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
