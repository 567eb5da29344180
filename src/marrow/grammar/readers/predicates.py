"""Predicates of ANTLR grammars, as far as `--assume` says whether they hold.

A predicate is code, which marrow does not run. It is read as a call, perhaps negated. An assumption
says by the name of a call whether it holds; all other predicates are taken to be true.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

from marrow.grammar.model.rules import Note, Position

#: Which calls hold, by their names.
Assumptions: TypeAlias = Mapping[str, bool]

_CALL: Final = re.compile(
    r"""(?P<not>(?:!|\bnot\b|\s)*)\(?+\s*+(?:[\w$]++\s*+(?:\.|->|::)\s*+)*(?P<name>\w++)
        \s*+(?:\((?:[^()"']|"[^"]*+"|'[^']*+')*\))?\s*+\)?+\s*+;?+\s*+""",
    re.VERBOSE,
)

_VALUES: Final = {"true": True, "false": False}


def parse_assumptions(given: Mapping[str, str] | tuple[str, ...]) -> dict[str, bool]:
    """Read what the user assumes (`NAME=true`); raise `ValueError` if it is something else."""
    if isinstance(given, Mapping):
        given = tuple(f"{name}={value}" for name, value in given.items())
    found: dict[str, bool] = {}
    for one in given:
        name, _, value = (part.strip() for part in one.partition("="))
        if not name or value.lower() not in _VALUES:
            raise ValueError(f"{one!r} is not of the form NAME=true or NAME=false")
        found[name] = _VALUES[value.lower()]
    return found


def holds(text: str, assume: Assumptions) -> bool | None:
    """Whether a predicate holds; None if that is not known, and it is taken to be true."""
    found = _CALL.fullmatch(text.strip())
    known = None if found is None else {"false": False, **assume}.get(found["name"])
    if found is None or known is None:
        return None
    return known != bool(len(re.findall(r"!|not", found["not"])) % 2)


def add_note(
    notes: list[Note], found: bool | None, text: str, rule: str, position: Position
) -> None:
    """Add the note about a predicate, once for each rule."""
    call = " ".join(text.split())
    advice = ""
    if found is None:
        message = f"a predicate in {rule} is taken to be true: {call}."
        advice = "`--assume NAME=true|false` says otherwise, by the name of the call."
    elif found:
        message = f"a predicate in {rule} is read as assumed: {call} (always)."
    else:
        message = f"an alternative of {rule} is left out: {call}."
    note = Note(position, message, advice, predicate=f"{{{call}}}? in {rule}")
    if all(one.message != note.message for one in notes):
        notes.append(note)
