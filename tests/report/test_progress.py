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
    PhaseProgress,
    Progress,
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
    assert progress.tests == 2
    assert (progress.size, progress.length, progress.phase) == (3, 16, "deleting in block")


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


def shown_on(console: Console) -> LiveProgress:
    """Return a display after some events."""
    progress = LiveProgress(
        lambda words: console.print(words, markup=False), 4, 18, console=console, seconds=60
    )
    for event in EVENTS:
        progress(event)
    return progress


def test_the_display_shows_text_as_it_is() -> None:
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system=None)
    with shown_on(console) as progress:
        progress(PhaseBegan("[bold]x\x1b[2J"))
        progress._live.refresh()
    shown = out.getvalue()
    assert "3 tokens (75.0%), 2 tests, " in shown
    assert " s left at most, [bold]x\\x1b[2J" in shown
    assert "3 tokens         16 bytes       2 tests  deleting in block" in shown
    assert "warning: [bold]the disk is full" in shown


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_the_last_line_is_one_line_of_the_screen(width: int) -> None:
    console = Console(file=io.StringIO(), width=width, height=15, force_terminal=True)
    with console.capture() as capture:
        console.print(shown_on(console)._draw(), end="")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", capture.get())
    (line,) = [one for one in plain.split("\n") if "75.0%" in one]
    assert len(line) <= width
    assert "3 tokens (75.0%)" in line


def test_sizes_are_in_what_the_run_makes_small() -> None:
    lines: list[str] = []
    progress = LineProgress(lines.append, 9, 18, verbose=False, unit="bytes")
    for event in (PassBegan("perses", 0), *EVENTS):
        progress(event)
    assert lines[0].endswith("s         16 bytes       2 tests  deleting in block")
    assert (progress.size, progress.size_before) == (16, 18)
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
