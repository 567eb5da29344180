"""What is known of predicates without running their code: what the user says, and what is usual.

A predicate is a call, perhaps negated, compared with `true` or `false`, or several of them with
`&&` and `||`. `assume` says of calls by their names whether they hold. Without it only what is
usual is known: a text is not in strict mode, and nearly all of it is not the start of the input.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_CALL: Final = re.compile(
    r"""(?P<not>(?:!|\bnot\b|\s)*)\(?\s*(?:[\w$]+\s*(?:\.|->|::)\s*)*(?P<name>\w+)
        \s*(?:\((?P<inside>[^()]*)\))?\s*\)?
        (?:\s*(?P<sign>===?|!==?)\s*(?P<value>true|false|True|False))?\s*;?\s*""",
    re.VERBOSE,
)

#: Names of predicates that have a usual answer.
_USUAL: Final = (
    (re.compile(r"strict", re.IGNORECASE), False),
    (re.compile(r"start_?of_?(?:input|file)", re.IGNORECASE), False),
)

_VALUES: Final = {"true": True, "false": False}


def parse_assumptions(given: Mapping[str, str] | tuple[str, ...]) -> dict[str, bool]:
    """Read what the user assumes (`NAME=true`); raise `ValueError` if it is something else."""
    if isinstance(given, Mapping):
        given = tuple(f"{name}={value}" for name, value in given.items())
    found: dict[str, bool] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name.strip() or value.strip().lower() not in _VALUES:
            raise ValueError(f"{one!r} is not of the form NAME=true or NAME=false")
        found[name.strip()] = _VALUES[value.strip().lower()]
    return found


def holds(text: str, assume: Mapping[str, bool]) -> bool | None:
    """Return whether a predicate holds; None if nobody knows."""
    several = [_all([_call(one, assume) for one in part.split("&&")]) for part in text.split("||")]
    if True in several:
        return True
    return None if None in several else False


def _all(values: list[bool | None]) -> bool | None:
    if False in values:
        return False
    return None if None in values else True


def _call(text: str, assume: Mapping[str, bool]) -> bool | None:
    found = _CALL.fullmatch(text.strip())
    if found is None:
        return None
    name = found["name"]
    value: bool | None
    if name in ("true", "false", "True", "False") and found["inside"] is None:
        # What marrow writes for a predicate that it does not know is `true`: not an answer.
        value = None if name in ("true", "True") else False
    elif name in assume:
        value = assume[name]
    else:
        value = next((usual for pattern, usual in _USUAL if pattern.search(name)), None)
    if value is None:
        return None
    if found["sign"]:
        same = found["value"].lower() == "true"
        value = (value == same) == found["sign"].startswith("=")
    negated = len(re.findall(r"!|not", found["not"])) % 2
    return not value if negated else value
