"""The HTML report: its data, and the page in a real browser."""

from __future__ import annotations

import functools
import json
import random
import re
from pathlib import Path

import pytest

from marrow.engine.events import Accepted, PassBegan
from marrow.engine.journal.journal import Journal, Recorder
from marrow.report.html import NoReportError, html_report, report_data
from tests.report.browser import Browser

NASTY = "</script><script>document.title='bad'</script><img src=http://example.org/x> {{data}}"


def run_of(original: bytes, texts: list[bytes], passes: int = 2, title: str = "a run") -> Journal:
    """Return the journal of a run in which these texts were accepted one after the other."""
    journal = Journal.in_memory()
    tokens = len(original.split())
    details = {"command": "marrow reduce", "test": title}
    about = {"title": title, "tokens": tokens, "length": len(original), "details": details}
    journal.note("about", json.dumps(about))
    journal.put_text("input", original)
    record = Recorder(original, journal, lambda _: None)
    before = original
    for number, text in enumerate(texts):
        name = f"pass {number * passes // len(texts)}"
        if number * passes // len(texts) != (number - 1) * passes // len(texts) or not number:
            record(PassBegan(name, number * 10))
        words = len(text.split())
        record(Accepted(words, len(text), before, text, "deleting", name, number * 10 + 5))
        before = text
    return journal


@functools.cache
def big_run() -> tuple[bytes, list[bytes]]:
    """Return a text of 600 kB and 60 ever smaller ones."""
    draw = random.Random(5)
    lines = [b"int f%d(int a) { return a + %d; } /* caf\xc3\xa9 */" % (n, n) for n in range(14_000)]
    original = b"\n".join(lines)
    texts = []
    for _ in range(60):
        share = draw.random() * 0.05
        lines = [line for line in lines[1:] if draw.random() >= share]
        texts.append(b"\n".join(lines))
    return original, texts


def test_the_passes() -> None:
    journal = run_of(b"a b c d e f", [b"a b c d e", b"a b", b"a"], passes=3)
    journal.note("ended", json.dumps({"state": "Done.", "tests": 40}))
    data = report_data(journal.record)
    assert data["passes"] == [
        {"name": "pass 0", "tests": 10, "successes": 1, "removed": 1},
        {"name": "pass 1", "tests": 10, "successes": 1, "removed": 3},
        {"name": "pass 2", "tests": 20, "successes": 1, "removed": 1},
    ]
    assert data["result"] is None


def test_sizes_that_would_grow_are_in_bytes() -> None:
    """Front ends count differently: lines first, then words."""
    journal = run_of(b"a b c d", [])
    record = Recorder(b"a b c d", journal, lambda _: None)
    record(PassBegan("blocks", 0))
    record(Accepted(1, 5, b"a b c d", b"a b c", "deleting", "blocks", 3))
    record(Accepted(3, 3, b"a b c", b"a b", "deleting", "blocks", 5))
    data = report_data(journal.record)
    assert data["unit"] == "bytes"
    assert data["passes"] == [{"name": "blocks", "tests": 5, "successes": 2, "removed": 4}]
    figures = data["figures"]
    assert isinstance(figures, list)
    assert ["bytes", 7, 3] in figures
    assert all(name != "tokens" for name, _, _ in figures)


def test_a_result_that_the_steps_do_not_lead_to() -> None:
    journal = run_of(b"a b c", [b"a b"])
    journal.put_text("result", b"a")
    assert report_data(journal.record)["result"] == "a"


def test_a_page_is_as_large_as_the_input() -> None:
    original, texts = big_run()
    page = html_report(run_of(original, texts).record)
    assert len(original) > 600_000
    # The input, its places for 14,000 lines that went, and the script; not 60 texts.
    assert len(page) < 2 * len(original)


def test_nothing_ends_the_element_that_the_data_stand_in() -> None:
    journal = run_of(NASTY.encode() + b"\xff", [b"x"], title=NASTY)
    page = html_report(journal.record)
    assert page.count("</script>") == 2
    assert "<img" not in page
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    assert json.loads(found[1]) == report_data(journal.record)


def test_a_journal_that_knows_nothing() -> None:
    with pytest.raises(NoReportError, match="earlier version"):
        html_report(Journal.in_memory().record)


def opened(chromium: Browser, path: Path, journal: Journal) -> Browser:
    path.write_text(html_report(journal.record), encoding="utf-8")
    chromium.open(path)
    assert chromium.run("return document.documentElement.dataset.drawn") == "yes"
    assert chromium.complaints() == []
    return chromium


def move(page: Browser, step: int) -> None:
    page.run(
        f"const s = document.querySelector('#slider'); s.value = {step};"
        "s.dispatchEvent(new Event('input'))"
    )


def test_the_page(chromium: Browser, tmp_path: Path) -> None:
    original = "one();\ntwo();\ncafé();\nfour();\n".encode()
    texts = [b"one();\ntwo();\nfour();\n", b"one();\nfour();\n", b"a();\n"]
    page = opened(chromium, tmp_path / "page.html", run_of(original, texts, passes=3))
    assert page.run("return document.querySelectorAll('#curve path').length") == 3
    assert page.run("return document.querySelectorAll('#passes tr').length") == 4
    assert page.text("#step").startswith("Step 1 of 3 · pass 0: deleting · test 5 · ")
    assert page.text("#diff .gone").strip() == "café();"
    move(page, 2)
    assert page.text("#step").startswith("Step 2 of 3")
    assert page.text("#diff .gone").strip() == "two();"
    page.run("document.querySelector('#forth').click()")
    assert page.text("#step").startswith("Step 3 of 3")
    assert page.text("#diff .come") == "a"
    assert page.text("#original") == original.decode()
    assert page.text("#original [data-step='2']").strip() == "two();"
    page.run("document.querySelector(\"#original [data-step='2']\").click()")
    assert page.text("#step").startswith("Step 2 of 3")
    assert page.text("#result") == "a();\n"
    assert page.requests() == [(tmp_path / "page.html").resolve().as_uri()]


def test_nothing_of_a_text_is_interpreted(chromium: Browser, tmp_path: Path) -> None:
    text = NASTY.encode() + b"\n\x1b[31mred\x1b[0m\x07 \xe2\x80\xae\xff\n"
    page = opened(chromium, tmp_path / "nasty.html", run_of(text, [text[:-1]], title=NASTY))
    assert page.run("return document.title").startswith("</script>")
    assert page.text("h1") == NASTY
    assert page.run("return document.images.length") == 0
    assert page.run("return document.scripts.length") == 2
    shown = page.text("#original")
    assert shown.startswith(NASTY)
    assert "␛[31mred␛[0m␇ ‹U+202E›\ufffd" in shown
    assert page.requests() == [(tmp_path / "nasty.html").resolve().as_uri()]
    # Nor would anything be loaded if it came into the page as markup.
    page.run("document.body.insertAdjacentHTML('beforeend', '<img src=http://127.0.0.1:9/x>')")
    assert "Content Security Policy" in "".join(page.complaints())


def test_a_large_input(chromium: Browser, tmp_path: Path) -> None:
    original, texts = big_run()
    page = opened(chromium, tmp_path / "big.html", run_of(original, texts))
    assert page.run("return document.querySelector('#original').textContent.length") == len(
        original.decode()
    )
    for step in (60, 1, 37):
        move(page, step)
        assert page.text("#step").startswith(f"Step {step} of 60")
        assert page.run("return document.querySelectorAll('#diff .gone').length") > 0
    assert page.text("#result") == texts[-1].decode()
