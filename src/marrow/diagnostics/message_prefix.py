"""What comes before a message: its place, its severity, its code; and which places are named."""

from __future__ import annotations

import re
from typing import Final

from marrow.diagnostics.message_rules import PLACES, PREFIX, PROGRAM, SEVERITY
from marrow.diagnostics.texts import InputText

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
        found = SEVERITY.match(rest)
        if found is not None and severity is None and _ends_head(found, rest):
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
                named = source.is_named(program[0].strip().rstrip(":").rpartition("/")[2])
                if not named:
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
    if not file:
        return True
    file = file.strip()
    if source.is_named(file.replace("\\", "/").rpartition("/")[2]):
        return True
    return " " not in file or bool(
        re.search(r"\.\w{1,5}$", file.split(" ")[-1]) and len(file) < 200
    )


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
