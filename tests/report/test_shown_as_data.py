"""Whatever is shown is data: no text, name or output is obeyed by a terminal, rich or a browser."""

from __future__ import annotations

import html
import io
import json
import re
import unicodedata
from concurrent.futures import Future

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console

from marrow.cli.commands.reduce import _lines
from marrow.cli.keys import VIEWS
from marrow.cli.messages import _on_the_result
from marrow.engine.events import Accepted, PassBegan, PhaseBegan, Warned
from marrow.engine.executors.function import FunctionJob
from marrow.engine.search.dispatcher import TestUnderWay
from marrow.engine.verdict import Outcome, Verdict
from marrow.languages.recognition import is_binary
from marrow.report.html import page
from marrow.report.plain import hexadecimal, plain, printable
from marrow.report.screen import LiveProgress

#: Clear the screen, set the title, turn the direction round, markup of rich, ends of elements.
EVIL = (
    "\x1b[2J\x1b]0;x\x07\x9b2J\u202e\u2066\u200f\r[red]x[/red][link=http://x]</script><!--<b>&amp;"
)

texts = st.text(st.characters(exclude_categories=())) | st.just(EVIL)


def obeyed(text: str) -> list[str]:
    """Return the characters that do something: controls, formats, separators of lines."""
    return [
        one
        for one in text
        if one != "\n" and unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    ]


@given(texts)
@example(EVIL)
def test_words_for_people(text: str) -> None:
    assert obeyed(plain(text)) == []
    assert plain(plain(text)) == plain(text)
    if text.isprintable():
        assert plain(text) == text


@given(st.binary() | texts.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_texts_to_look_at(text: bytes) -> None:
    assert obeyed(printable(text)) == []


@given(texts, st.lists(texts, max_size=3))
@example(EVIL, [EVIL, "\u2028</SCRIPT>"])
def test_the_page(title: str, content: list[str]) -> None:
    data: dict[str, object] = {"title": title, "content": content, title: title}
    made = page(printable(title.encode("utf-8", "replace")), data)
    inside = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', made, re.DOTALL)
    assert inside is not None
    assert json.loads(inside[1]) == data
    assert "<" not in inside[1]
    shown = re.search("<title>(.*?)</title>", made, re.DOTALL)
    assert shown is not None
    assert obeyed(html.unescape(shown[1])) == []


@given(texts, texts, st.binary())
@example(EVIL, EVIL, EVIL.encode())
def test_the_display(title: str, words: str, content: bytes) -> None:
    """Rich gets texts, never markup, and adds its own colours alone."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=300, height=60)
    at_work = [TestUnderWay(words, 1, 0.0, FunctionJob(Future()))]
    progress = LiveProgress(console, title, 10, 10, busy=lambda: (at_work, 1), keys=True)
    for event in (
        PassBegan("perses", 1),
        PhaseBegan(words),
        Warned(words),
        Accepted(1, 1, content, content + b"x", words, "perses", 1, content),
    ):
        progress(event)
    for view in ("", *VIEWS.values()):
        progress.show(view)
        console.print(progress._draw())
    said = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())
    assert obeyed(said) == []
    if title == EVIL:
        assert said.count("[red]x[/red][link=http://x]") >= 2


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_what_is_shown_of_a_text_is_its_beginning(text: bytes) -> None:
    """Nothing but what is shown is looked at; it is the same as if all of it were."""
    lines = printable(text.replace(b"\r\n", b"\n")).split("\n")
    if lines[-1] == "":
        lines.pop()
    if is_binary(text):
        lines = list(hexadecimal(text))
    shown = _lines(text, 3)
    assert shown[:3] == lines[:3]
    assert shown[3:] == ([f"... and {len(lines) - 3:,} more lines"] if len(lines) > 3 else [])


def test_both_ends_of_a_long_output_are_shown() -> None:
    """A traceback of Python says at its end what was wrong."""
    said = b"".join(b"line %d\n" % number for number in range(30)) + b"KeyError: 'x'\n"
    shown = _on_the_result(
        Outcome(Verdict.INTERESTING, exit_code=1, output=said), "command", (12, 4)
    )
    assert shown[1] == "  | line 0"
    assert shown[-1] == "  | KeyError: 'x'"
    assert "  | ... 19 more lines ..." in shown
    assert len(shown) == 1 + 12 + 1


def test_a_line_of_megabytes_is_cut_before_it_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def counted(text: bytes) -> str:
        looked.append(len(text))
        return printable(text)

    monkeypatch.setattr("marrow.cli.commands.reduce.printable", counted)
    (line,) = _lines("é".encode() * 1_000_000, 40)
    assert (len(line), line[-4:]) == (403, "é...")
    assert sum(looked) < 2000
