"""The title of a bug report."""

from __future__ import annotations

from marrow.engine.verdict import Outcome, Verdict
from marrow.run.output.bug_report import _title


def test_it_is_the_message_on_the_small_input() -> None:
    said = b"a.js:1\n(0).a.a;\n\nTypeError: Cannot read (reading 'a')\n    at x (a.js:1:7)\n"
    outcome = Outcome(Verdict.INTERESTING, exit_code=1, output=said)
    assert _title("TypeError: Cannot read (reading 'price')", outcome) == (
        "TypeError: Cannot read (reading 'a')"
    )
    assert _title("", outcome) == "TypeError: Cannot read (reading 'a')"
    assert _title("something else", outcome) == "something else"
    assert _title("kept", None) == "kept"
    assert _title("", Outcome(Verdict.INTERESTING, output=b"\xff\x1b[31m nothing\n")) == ""
