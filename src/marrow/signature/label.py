"""Short names of failures: the same for the same failure, whatever the input's names and places."""

from __future__ import annotations

from typing import Final

from marrow.diagnostics.message_rules import CRASH_CONTEXT, ERROR, LINE, WEIGHT
from marrow.diagnostics.observation import Observation, ending
from marrow.diagnostics.report import Message, Report, own_functions, report_of
from marrow.diagnostics.texts import InputText
from marrow.signature.template import template_of

# Longer messages are cut: a label is for a line of a list.
_LONGEST: Final = 120


def label_of(seen: Observation, text: bytes, name: str = "") -> str:
    """Return a short name for the failure that a run on a text shows; empty if it shows none."""
    source = InputText(text, name)
    return label_of_report(seen, report_of(seen, source), source)


def label_of_report(seen: Observation, report: Report, source: InputText) -> str:
    """Return the label of a report that is made already."""
    message = main_message(report)
    if seen.status == 0 and not (message and message.sure and message.level == ERROR):
        return ""  # what a command prints beside its success is no failure
    words = [ending(seen.status)]
    if message is not None:
        said = template_of(message.text, source).skeleton
        words = [said[:_LONGEST]] if said.strip(" …") else words
    if not report.overflow:
        words += [f"in {name}" for name in own_functions(report, source)[:1]]
    return " ".join(words)


def main_message(report: Report) -> Message | None:
    """Return the message that tells most, with nothing known but the report."""
    errors = [one for one in report.messages if one.level == ERROR and one.kind != LINE]
    if not errors:
        errors = [one for one in report.messages if one.level != CRASH_CONTEXT]
    return max(errors, key=lambda one: (one.sure, WEIGHT[one.kind]), default=None)
