"""Whether a tool understood its input: a file with a syntax error is not a valid input.

Only what tools say when their parser gives up counts, and only about the input. A type error or an
exception while a program runs shows that it was parsed.
"""

from __future__ import annotations

from typing import Final

from marrow.diagnostics import message_rules as rules
from marrow.diagnostics.observation import Observation, signal_of
from marrow.diagnostics.report import report_of
from marrow.diagnostics.texts import InputText


def is_syntax_error(seen: Observation, text: bytes, name: str = "") -> bool:
    """Return whether the tool refuses the text because it cannot be parsed."""
    if not seen.status or signal_of(seen.status):
        return False
    report = report_of(seen, InputText(text, name))
    errors = [one for one in report.messages if one.level in (rules.ERROR, rules.SUMMARY)]
    return not any(one.kind in _UNDERSTOOD for one in errors) and any(
        rules.SYNTAX.search(one.line) or rules.SYNTAX.search(one.text) for one in errors
    )


_UNDERSTOOD: Final = frozenset(
    {rules.SANITIZER, rules.INTERNAL, rules.ASSERTION, rules.PANIC, rules.ABORT}
)
