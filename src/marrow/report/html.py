"""The HTML report of a run: what its journal knows, as the data of one page.

Steps are given as changes to the text before them, so that the page is about as large as the input
and what the steps put in. Texts are strings where they are UTF-8, else `{"base64": ...}`; places in
them are counted in bytes.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from importlib import resources
from itertools import pairwise
from typing import Any, Final

from marrow.base.errors import MarrowError, error_text
from marrow.engine.journal.journal_file import History, Record, text_after
from marrow.engine.search.control import BY_HAND
from marrow.report.plain import printable
from marrow.report.progress import PassTally

#: The version of the data in the page.
FORMAT = 2

# Figures of the terminal's summary, by their names in the journal.
_COUNTS: Final = {
    "repeats": "on the input and the result",
    "run": "runs of the test in all",
    "cached": "answered from the cache",
    "invalid": "invalid candidates skipped",
    "seconds": "seconds",
}


class NoReportError(MarrowError, ValueError):
    """There is nothing to report; the message says why."""


def html_report(
    record: Record,
    pattern: dict[str, object] | None = None,
    *,
    live: dict[str, object] | None = None,
) -> str:
    """Return the page for a run; raise `NoReportError` if its journal does not know enough.

    `live` is the state of a run that has not ended: the page then asks for more.
    """
    try:
        data = report_data(record, pattern)
    except NoReportError:
        raise
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise NoReportError(f"what it says about the run is damaged ({error})") from error
    if live is not None:
        data["live"] = live
    title = printable(str(data["title"]).encode("utf-8", "replace"))
    return page(title, data, live=live is not None)


def report_data(record: Record, pattern: dict[str, object] | None = None) -> dict[str, object]:
    """Return the data of the page."""
    original = record.texts.get("input")
    if original is None or "about" not in record.facts:
        raise NoReportError(error_text("journal_too_old"))
    about: dict[str, Any] = json.loads(record.facts["about"])
    ended: dict[str, Any] = json.loads(record.facts.get("ended", "{}"))
    history = record.history
    unit = unit_of(about, history)
    size = about["length"] if unit == "bytes" else about["tokens"]
    last = history.steps[-1] if history.steps else None
    # Where a run goes back from its last step, its result is another one.
    tokens, length = (last.tokens, last.length) if last else (about["tokens"], about["length"])
    tests = max(ended.get("tests", 0), last.tests if last else 0)
    result = record.texts.get("result")
    script = record.texts.get("test")
    pretty = record.texts.get("pretty") or None
    return {
        "format": FORMAT,
        "title": about["title"],
        "state": ended.get("state", "The run has not ended: this is how far it came."),
        "ended": "state" in ended,
        "figures": [
            *(
                [["tokens", about["tokens"], ended.get("tokens", tokens)]]
                if unit == "tokens" or "tokens" in ended
                else []
            ),
            ["bytes", about["length"], ended.get("length", length)],
            ["tests run", tests, None],
            *([name, ended[key], None] for key, name in _COUNTS.items() if key in ended),
            ["steps", len(history.steps), None],
        ],
        "input": {"tokens": about["tokens"], "length": about["length"], "text": _text(original)},
        "steps": [
            {
                "tests": step.tests,
                "tokens": step.tokens,
                "bytes": step.length,
                "pass": step.pass_name,
                "phase": step.phase,
                "changes": [[one.start, one.end, _text(one.new)] for one in step.delta],
            }
            for step in history.steps
        ],
        "turns": [[turn.tests, turn.pass_name] for turn in history.turns],
        "tests": tests,
        "unit": unit,
        "passes": [asdict(one) for one in passes_of(history, size, tests, unit)],
        # Only where the steps do not lead there: a run that was resumed with other settings.
        "result": None
        if result in (None, text_after(original, history.steps))
        else _text(result or b""),
        "about": [[name, str(value)] for name, value in about["details"].items()]
        + ([["skipped", f"{len(history.skips)} times a pass"]] if history.skips else []),
        "script": None if script is None else _text(script),
        "pattern": pattern,
        # Until the run ends, what it keeps is known, and the output that it was inferred from.
        "failure": ended.get("failure", about.get("failure")),
        "also": ended.get("also", []),
        # The nearest inputs that do not fail: the text before, what fails, what passes, after.
        "contrasts": ended.get("contrasts", []),
        "pretty": None if pretty is None or pretty == result else _text(pretty),
        # What `--explain` found out about pieces of the result, and of its pleasant form.
        "marks": json.loads(record.facts.get("marks", "{}")),
        "binary": about.get("binary", False),
        "files": about.get("files", False),
    }


def unit_of(about: dict[str, Any], history: History) -> str:
    """Return what the sizes of a run are shown in: what the run makes small, tokens if it can be.

    Where front ends count differently, tokens may grow from step to step; bytes do not.
    """
    if about.get("unit", "tokens") == "bytes":
        return "bytes"
    steps = [step for step in history.steps if step.pass_name != BY_HAND]
    sizes = [about["tokens"], *(step.tokens for step in steps)]
    return "bytes" if any(one < two for one, two in pairwise(sizes)) else "tokens"


def passes_of(history: History, size: int, tests: int, unit: str = "tokens") -> list[PassTally]:
    """Return what each pass did, in the order of their first turns.

    `size` is that of the input, in the `unit`.
    """
    passes: dict[str, PassTally] = {}
    ends = [*((turn.tests, turn.pass_name) for turn in history.turns), (tests, "")]
    for (start, name), (end, _) in pairwise(ends):
        passes.setdefault(name, PassTally(name)).tests += max(0, end - start)
    for step in history.steps:
        tally = passes.setdefault(step.pass_name, PassTally(step.pass_name))
        now = step.length if unit == "bytes" else step.tokens
        tally.successes, tally.removed = tally.successes + 1, tally.removed + size - now
        size = now
    return list(passes.values())


def _text(text: bytes) -> str | dict[str, str]:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(text).decode()}


def page(title: str, data: dict[str, object], *, live: bool = False) -> str:
    """Return the page that shows some data.

    The policy in the page allows its own style and script only, known by their hashes: whatever the
    data holds, nothing else is run, and nothing is loaded. A `live` page may ask its own server.
    """
    style, script = page_part(__package__, "page.css"), page_part(__package__, "page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = {
        "title": html.escape(title),
        "style": style,
        "script": script,
        "data": _json(data),
        "policy": (
            # Styles of single elements are set by the script, which a hash does not cover.
            "default-src 'none'; style-src 'unsafe-inline'; "
            f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
            + ("; connect-src 'self'" if live else "")
        ),
    }
    return filled(page_part(__package__, "page.html"), parts)


def page_part(package: str, name: str) -> str:
    """Return a part of a package's page, which is a file of its own."""
    return resources.files(package).joinpath("page", name).read_text(encoding="utf-8")


def filled(page: str, parts: Mapping[str, str]) -> str:
    """Return a page with its parts in their places, `{{name}}`."""
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], page)


def _json(data: dict[str, object]) -> str:
    """Return data as JSON that cannot end the element that holds it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
