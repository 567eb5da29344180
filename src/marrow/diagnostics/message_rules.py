"""Kinds and levels of messages, and the rules in `messages.toml` that tell them.

Patterns read lines as `texts.lines_of` returns them, with one kind of quotation mark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from marrow.diagnostics.rule_files import rules_in

SANITIZER: Final = "sanitizer report"
INTERNAL: Final = "internal error"
ASSERTION: Final = "assertion"
PANIC: Final = "panic"
ABORT: Final = "abort"
EXCEPTION: Final = "exception"
DIAGNOSTIC: Final = "diagnostic"
LINT: Final = "lint"
#: A line that has a word for failures, and one that has none.
REMARK: Final = "remark"
LINE: Final = "line"

#: How much each kind says about a failure: the higher, the more.
WEIGHT: Final = {
    SANITIZER: 90,
    INTERNAL: 80,
    ASSERTION: 75,
    PANIC: 70,
    ABORT: 65,
    EXCEPTION: 60,
    DIAGNOSTIC: 50,
    LINT: 40,
    REMARK: 20,
    LINE: 10,
}

#: Kinds of messages that a program never prints on purpose about its input.
CRASHES: Final = frozenset({SANITIZER, INTERNAL, ASSERTION, ABORT, PANIC})

#: Levels of messages. Only errors are failures; a summary comes with any failure of a tool.
ERROR: Final = "error"
WARNING: Final = "warning"
NOTE: Final = "note"
SUMMARY: Final = "summary"
#: What tells crashes at one place apart.
CRASH_CONTEXT: Final = "context"


@dataclass(frozen=True, slots=True)
class MessageRule:
    """How a tool writes messages; `messages.toml` explains the fields."""

    tool: str
    pattern: re.Pattern[str]
    kind: str = DIAGNOSTIC
    level: str = ""
    levels: Mapping[str, str] = field(default_factory=dict)
    form: str = "{message}"
    joined: bool = True
    skip: bool = False
    stripped: bool = False
    example: str = ""
    text: str = ""

    def level_of(self, found: re.Match[str]) -> str:
        """Return the level of what was found: a word of the tool, if it has one."""
        word = found.groupdict().get("level")
        if word is None:
            return self.level or ERROR
        return self.level or self.levels.get(word) or level_of(word)


@dataclass(frozen=True, slots=True)
class Continuation:
    """A message of several lines: how it begins, and what its further lines look like.

    `between` are lines that do not count, `most` how many further lines there are at most.
    """

    begins: re.Pattern[str]
    further: re.Pattern[str]
    between: re.Pattern[str]
    most: int


def level_of(severity: str) -> str:
    """Return the level of a tool's word for how bad something is."""
    found = SEVERITY.match(f"{severity}:")
    if found is None or found["error"]:
        return ERROR
    return WARNING if found["warning"] else NOTE


def _rules(table: str) -> tuple[MessageRule, ...]:
    return tuple(
        MessageRule(**{**entry, "pattern": re.compile(entry["pattern"])})
        for entry in _TABLES[table]
    )


_TABLES: Final[dict[str, Any]] = rules_in("messages")
_EXPRESSIONS: Final[dict[str, str]] = _TABLES["expressions"]

ANY_MESSAGE: Final = re.compile(_EXPRESSIONS["any_message"])
SEVERITY: Final = re.compile(_EXPRESSIONS["severity"])
PREFIX: Final = re.compile(_EXPRESSIONS["prefix"])
PROGRAM: Final = re.compile(_EXPRESSIONS["program"])
SUMMARIES: Final = re.compile(_EXPRESSIONS["summary"])
CONTEXTS: Final = re.compile(_EXPRESSIONS["context"])
CONTEXT_OF_CRASH: Final = re.compile(_EXPRESSIONS["crash_context"])
ERROR_WORDS: Final = re.compile(_EXPRESSIONS["error_words"])
SYNTAX: Final = re.compile(_EXPRESSIONS["syntax"])
PERL_ERRORS: Final = re.compile(_EXPRESSIONS["perl_errors"])
OPEN_WORDS: Final = frozenset(_TABLES["expressions"]["open_words"].split())

PLACES: Final = _rules("place")
CODED: Final = _rules("coded")
MESSAGES: Final = _rules("message")
AFTER_PLACE: Final = _rules("after_place")
AFTER_SEVERITY: Final = _rules("after_severity")
WORDED: Final = _rules("worded")
CONTINUED: Final = tuple(
    Continuation(
        re.compile(one["begins"]),
        re.compile(one["further"]),
        re.compile(one.get("between", "(?!)")),
        one.get("most", 8),
    )
    for one in _TABLES["continued"]
)

#: What Perl prints, whether it is a warning or the error that ends a program.
PERL: Final = next(one.pattern for one in MESSAGES if one.tool == "Perl")
