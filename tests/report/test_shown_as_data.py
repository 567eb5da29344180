"""Whatever is shown is data: no text, name or output is obeyed by a terminal, rich or a browser."""

from __future__ import annotations

import html
import io
import json
import re
import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console

from marrow.engine.events import Accepted, PassBegan, PhaseBegan, Warned
from marrow.report.page import page
from marrow.report.plain import plain, printable
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
    progress = LiveProgress(console, title, 10, 10)
    for event in (
        PassBegan("perses", 1),
        PhaseBegan(words),
        Warned(words),
        Accepted(1, 1, content, content + b"x", words, "perses", 1),
    ):
        progress(event)
    for showing in (False, True):
        progress.showing_result = showing
        console.print(progress._draw())
    said = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())
    assert obeyed(said) == []
    if title == EVIL:
        assert said.count("[red]x[/red][link=http://x]") >= 2
