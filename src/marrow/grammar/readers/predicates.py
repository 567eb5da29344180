"""Predicates of ANTLR grammars, as far as `--assume` says whether they hold.

A predicate is code, which marrow does not run. It is read as a call, perhaps negated, compared
with `true` or `false`, or joined with others by `&&` and `||`. An assumption says by the name of a
call whether it holds; all other calls are taken to be true.
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
        \s*+(?P<call>\((?:[^()"']|"[^"]*+"|'[^']*+')*\))?\s*+\)?+
        (?:\s*+(?P<sign>===?+|!==?+)\s*+(?P<value>true|false|True|False))?\s*+;?+\s*+""",
    re.VERBOSE,
)

_STRINGS_AND_SIGNS: Final = re.compile(r"""("[^"]*"|'[^']*')|(\|\||&&)""")

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
    found = [
        _joined([_call(one.strip(), assume) for one in _split(part, "&&")], False)
        for part in _split(text, "||")
    ]
    return _joined(found, True)


def _joined(found: list[bool | None], deciding: bool) -> bool | None:
    """Return what conditions come to of which a single `deciding` one is enough."""
    if deciding in found:
        return deciding
    return None if None in found else not deciding


def _split(text: str, sign: str) -> list[str]:
    """Cut a text at a sign, but not inside quotes."""
    cuts = [found.span() for found in _STRINGS_AND_SIGNS.finditer(text) if found[2] == sign]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _call(text: str, assume: Assumptions) -> bool | None:
    found = _CALL.fullmatch(text)
    if found is None:
        return None
    negated = bool(len(re.findall(r"!|not", found["not"])) % 2)
    if found["sign"]:
        same = (found["value"].lower() == "true") == found["sign"].startswith("=")
        negated = negated == same
    name = found["name"]
    known = assume.get(name, _VALUES.get(name.lower()) if not found["call"] else None)
    # marrow writes `true` for a predicate that nothing is known about: it is not an answer.
    known = None if name == "true" and not negated and name not in assume else known
    return None if known is None else known != negated


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
