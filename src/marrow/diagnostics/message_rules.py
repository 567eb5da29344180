"""Kinds and levels of messages, the rules in `messages.toml` that tell them, and what they find
before a message: its place, its severity, its code.

Patterns read lines as `texts.lines_of` returns them, with one kind of quotation mark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from marrow.diagnostics.rule_files import rules_in
from marrow.diagnostics.texts import InputText

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
        word = found.groupdict().get("level", "error")
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

_BRACKETED: Final = re.compile(
    r"^\[(?P<level>error|fatal|critical|warning|warn|info|debug|note)\]:?\s+", re.IGNORECASE
)


def message_prefix(line: str, source: InputText) -> tuple[str, str, str | None, str]:
    """Return a line without what comes before its message; the place, severity and code."""
    rest = PREFIX.sub("", line.strip())
    place, severity, code = "", None, ""
    bracketed = _BRACKETED.match(rest)
    if bracketed is not None:
        severity, rest = bracketed["level"], rest[bracketed.end() :]
    for _ in range(5):
        found = SEVERITY.match(rest) if severity is None else None
        if found is not None and _ends_head(found, rest):
            severity = found["error"] or found["warning"] or found["note"]
            code = re.sub(r"^#?(?=\d)", "CODE-", (found["code"] or "").strip(" -"))
            place = place or (found["where"] or "").strip()
            rest = rest[found.end() :]
            continue
        for rule in PLACES if not place else ():
            found = rule.pattern.match(rest)
            if found is not None and _is_file(found["file"], source):
                place, rest = found[0].strip(), rest[found.end() :].removeprefix("- ")
                break
        else:
            program = PROGRAM.match(rest)
            if program is None or severity is not None or place:
                break
            after = rest[program.end() :]
            word = SEVERITY.match(after)
            if not (word is not None and _ends_head(word, after)) and not any(
                (at := one.pattern.match(after)) and _is_file(at["file"], source) for one in PLACES
            ):
                if not source.is_named(program[0].strip().rstrip(":").rpartition("/")[2]):
                    break
                place = program[0].strip()
            rest = after
        rest = PREFIX.sub("", rest)
    return rest.strip(), place, severity, code


def _ends_head(found: re.Match[str], rest: str) -> bool:
    """Return whether a word for a level comes before a message, and is not part of it."""
    if found["end"].strip() in (":", "::", "-", ":::", "!") or found["code"]:
        return True
    if found["where"] and found.end() == len(rest):
        return True  # `ERROR in x.js 3:4`, and the message below
    word = found["all"]
    # `ERROR  message` in columns, or a line that only says `error`.
    return word.isupper() and bool(found["end"]) and len(rest) > found.end()


def _is_file(file: str | None, source: InputText) -> bool:
    """Return whether what comes before a line number looks like a file."""
    file = (file or "").strip()
    if " " not in file or source.is_named(file.replace("\\", "/").rpartition("/")[2]):
        return True
    return len(file) < 200 and re.search(r"\.\w{1,5}$", file) is not None


# `a.cc:12:5: error`, `File "a.py", line 12`, `Input.cs:line 3`, `a.cc(12)`.
_REPORTED: Final = re.compile(
    rb'(?<![^\s:"\'()\[\]<>|])([^\s:"\'()\[\]<>|]+)(?:", line |:line |:|\()(\d{1,8})\b'
)


def reported_places(output: bytes) -> dict[bytes, set[int]]:
    """Return the numbers of the lines that an output names, by file as it is written there."""
    places: dict[bytes, set[int]] = {}
    for found in _REPORTED.finditer(output):
        places.setdefault(found[1], set()).add(int(found[2]))
    return places
