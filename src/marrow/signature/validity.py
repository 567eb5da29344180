"""Whether a tool understood its input: a file with a syntax error is not a valid input.

Only what tools say when their parser gives up counts, and only about the input. A type error or an
exception while a program runs shows that it was parsed.
"""

from __future__ import annotations

import enum
from typing import Final

from marrow.diagnostics import message_rules as rules
from marrow.diagnostics.observation import Observation, signal_of
from marrow.diagnostics.report import report_of
from marrow.diagnostics.texts import InputText


class InputValidity(enum.Enum):
    """What a run tells about its input."""

    VALID = "valid"
    INVALID = "invalid"
    UNKNOWN = "unknown"


def validity_of(seen: Observation, text: bytes, name: str = "") -> InputValidity:
    """Return what a run on a text tells about it."""
    if seen.status is None:
        return InputValidity.UNKNOWN
    source = InputText(text, name)
    report = report_of(seen, source)
    errors = [one for one in report.messages if one.level in ("error", "summary")]
    if signal_of(seen.status) or any(one.kind in _UNDERSTOOD for one in errors):
        return InputValidity.VALID
    if any(rules.SYNTAX.search(one.line) or rules.SYNTAX.search(one.text) for one in errors):
        return InputValidity.INVALID if seen.status != 0 else InputValidity.UNKNOWN
    if seen.status == 0:
        return InputValidity.VALID
    return InputValidity.VALID if any(one.sure for one in errors) else InputValidity.UNKNOWN


def is_syntax_error(seen: Observation, text: bytes, name: str = "") -> bool:
    """Return whether the tool refuses the text because it cannot be parsed."""
    return validity_of(seen, text, name) is InputValidity.INVALID


_UNDERSTOOD: Final = frozenset(
    {rules.SANITIZER, rules.INTERNAL, rules.ASSERTION, rules.PANIC, rules.ABORT}
)
