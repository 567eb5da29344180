"""The page in Chromium: what comes first, copying, the keyboard, phones, dark colours, live."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from marrow.engine.journal.journal import Journal
from marrow.engine.search.control import Control
from marrow.report.html import html_report
from marrow.report.live import LivePage
from marrow.syntax.bundle import BundleEntry, make_bundle
from tests.report.browser import Browser
from tests.report.test_html import run_of


def journal_of(original: bytes, texts: list[bytes], **about: bool) -> Journal:
    journal = run_of(original, texts)
    facts = json.loads(journal.fact("about") or "{}")
    journal.note("about", json.dumps({**facts, **about}))
    failure = {
        "kept": "Kept: it says “boom”.",
        "ending": "It ends with exit code 1.",
        "output": "boom",
    }
    ended = {"state": "Done.", "tests": 40, "run": 44, "cached": 7, "failure": failure}
    journal.note("ended", json.dumps(ended))
    return journal


def shown(chromium: Browser, path: Path, journal: Journal) -> Browser:
    path.write_text(html_report(journal.record), encoding="utf-8")
    chromium.open(path)
    assert chromium.complaints() == []
    return chromium


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_failure_comes_first_on_every_screen(
    chromium: Browser, tmp_path: Path, width: int, dark: bool
) -> None:
    chromium.emulate(width, dark=dark)
    text = b"one();\ntwo();\n" + b"a_very_long_line();" * 40
    journal = journal_of(text, [b"one();\n" + b"x" * 900, b"one(1);\n"])
    journal.put_text("result", b"one(1);\n")
    journal.put_text("pretty", b"one( 1 );\n")
    page = shown(chromium, tmp_path / "page.html", journal)
    order = page.run(
        "return [...document.querySelectorAll('h2')]"
        ".filter((one) => one.offsetParent).map((one) => one.textContent)"
    )
    assert order[:4] == ["The failure", "The small input", "Size over tests", "Steps"]
    assert page.text("#kept") == "Kept: it says “boom”."
    assert page.text("#result") == "one( 1 );\n"
    assert "tests run40" in page.text("#figures")
    assert "runs of the test in all44" in page.text("#figures")
    assert page.faults() == []


def test_the_nearest_inputs_that_pass_are_shown_with_the_difference_marked(
    chromium: Browser, tmp_path: Path
) -> None:
    chromium.emulate(390, dark=True)
    journal = journal_of(b"x = [][0]", [b"[][0]"])
    ended = json.loads(journal.fact("ended") or "{}")
    ended["contrasts"] = [["[", "", "0", "][0]"], ["[][", "0", "</script>", "]"]]
    journal.note("ended", json.dumps(ended))
    page = shown(chromium, tmp_path / "page.html", journal)
    shown_pairs = page.run(
        "return [...document.querySelectorAll('.contrast')].map((pair) => pair.textContent)"
    )
    assert shown_pairs == ["fails[][0]passes[0][0]", "fails[][0]passes[][</script>]"]
    assert page.text("#contrasts ins") == "0"
    assert page.faults() == []


def test_copying_and_the_keyboard(chromium: Browser, tmp_path: Path) -> None:
    chromium.emulate(1280, dark=False)
    page = shown(chromium, tmp_path / "page.html", journal_of(b"a b c", [b"a b", b"a"]))
    page.press("#copy", "\ue007")  # Enter
    page.wait("document.querySelector('#copied').textContent === 'Copied.'")
    assert page.text("#step").startswith("Step 1 of 2")
    page.press("#slider", "\ue014")  # right
    page.wait("document.querySelector('#step').textContent.startsWith('Step 2 of 2')")


def test_the_keyboard_reaches_everything(chromium: Browser, tmp_path: Path) -> None:
    chromium.emulate(390, dark=True)
    page = shown(chromium, tmp_path / "page.html", journal_of(b"a b c", [b"a b", b"a"]))
    reached = []
    page.press("body", "\ue004")  # Tab
    while (now := page.run("return document.activeElement.id")) not in reached:
        reached.append(now)
        page.key("\ue004")
    wanted = page.run(
        "return [...document.querySelectorAll('main button, main input, main summary')]"
        ".filter((one) => one.checkVisibility()).map((one) => one.id)"
    )
    assert set(wanted) <= set(reached)
    assert {"copy", "slider", "save", "original", "result"} <= set(reached)


def test_what_is_known_of_the_pieces_stands_on_the_small_input(
    chromium: Browser, tmp_path: Path
) -> None:
    journal = journal_of(b"f(a); g();", [b"f(a);"])
    journal.put_text("pretty", b"f( a );\n")
    marks = [
        {"start": 0, "end": 2, "mark": "needed", "note": ""},
        {"start": 3, "end": 4, "mark": "any", "note": "name, such as b"},
        {"start": 5, "end": 7, "mark": "needed", "note": ""},
    ]
    journal.note("marks", json.dumps({"pretty": marks, "result": []}))
    page = shown(chromium, tmp_path / "page.html", journal)
    assert page.text("#result") == "f( a );\n"
    assert page.text("#result .known-any") == "a"
    assert page.text("#marks li") == "a may be any name, such as b"
    legend = "[...document.querySelectorAll('#marks-legend span')].filter((one) => !one.hidden)"
    assert page.run(f"return {legend}.length") == 2
    assert page.faults() == []


def test_bytes_and_sets_of_files(chromium: Browser, tmp_path: Path) -> None:
    chromium.emulate(1280, dark=False)
    page = shown(
        chromium, tmp_path / "bytes.html", journal_of(b"\0\1abc\xff", [b"\0abc"], binary=True)
    )
    assert page.text("#result") == f"00000000  {'00 61 62 63':<47}  .abc"
    entries = [BundleEntry("src/a.c", b"int a;\nint b;\n"), BundleEntry("src/x/b.c", b"int c;\n")]
    files = journal_of(make_bundle(entries), [make_bundle(entries[:1])], files=True)
    page = shown(chromium, tmp_path / "files.html", files)
    assert page.text("#tree summary").startswith("a.c: 14 → 14")
    assert page.text("#tree .lost") == "b.c"
    assert "int b;" in page.text("#tree pre")
    blob = [BundleEntry("a.bin", b"\0\xff"), BundleEntry("b.c", b"int b;\n")]
    chromium.emulate(390, dark=False)
    page = shown(
        chromium,
        tmp_path / "blob.html",
        journal_of(make_bundle(blob), [make_bundle([blob[0]])], files=True),
    )
    assert page.text("#tree summary") == "a.bin: 2 → 2 bytes"
    assert page.text("#tree pre").split() == ["00000000", "00", "ff", ".."]
    assert page.text("#original").startswith("── a.bin\n00 ff")
    assert page.text("#diff .where") == "b.c"
    assert page.faults() == []


def test_live(chromium: Browser) -> None:
    journal = journal_of(b"a b c d", [b"a b c"])
    control = Control()
    with LivePage(journal, control, 4, 7) as live:
        chromium.open_address(live.address)
        page = chromium
        page.wait("!document.querySelector('#live-section').hidden")
        page.press("#live-pause", "\ue00d")  # space
        page.wait("document.querySelector('#live-pause').textContent === 'Continue'")
        assert control.paused
        assert page.faults() == []
        later = journal_of(b"a b c d", [b"a b c", b"a"])
        journal.history.steps[:] = later.history.steps
        page.wait("document.querySelector('#result').textContent === 'a'")

        def judge() -> None:
            while (edit := control.take_edit()) is None:
                pass
            edit.reply(f"Taken: {edit.text.decode()}")

        person = threading.Thread(target=judge)
        person.start()
        page.run(
            "document.querySelector('#live-section details').open = true;"
            "document.querySelector('#live-text').value = 'b';"
            "document.querySelector('#live-edit').click()"
        )
        page.wait("document.querySelector('#live-answer').textContent === 'Taken: b'")
        person.join()
        page.run("document.querySelector('#live-stop').click()")
        page.wait("document.querySelector('#live-state') !== null")
    page.wait("document.querySelector('#live-state').textContent === 'The run has ended.'")
    assert control.stopped
