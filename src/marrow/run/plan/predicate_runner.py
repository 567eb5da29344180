"""Runs a predicate of the published DDSET tool on a file: `my_predicate` of a Python module.

A program of its own: `python predicate_runner.py PREDICATE.py FILE`. The predicate gets the text
and answers success (it fails: exit code 0), failed (it is valid and does not: 1) or invalid (125);
a time-out, its fourth answer, says nothing either. What the module imports of the published tool
and is not there is made up: the class of answers is all that predicates use.
"""

from __future__ import annotations

import enum
import os
import runpy
import sys
import types
from collections.abc import Sequence
from typing import Any, Final

_EXITS: Final = {"success": 0, "failed": 1, "invalid": 125, "timeout": 125}

#: The modules of the published tool that its predicates import.
_MODULES: Final = ("ddset", "hdd", "util", "utils", "src", "Abstract", "Reduce", "Infra", "fuzzer")


class PRes(enum.Enum):
    """The answers of a predicate."""

    success = "SUCCESS"
    failed = "FAILED"
    invalid = "INVALID"
    timeout = "TIMEOUT"


def main(arguments: Sequence[str]) -> int:
    """Run a predicate on a file; return the exit code of a test."""
    path, candidate = arguments
    where = os.path.dirname(os.path.abspath(path))
    sys.path[:0] = [where, os.path.dirname(where)]
    while True:
        try:
            predicate = runpy.run_path(path, run_name="marrow_predicate")["my_predicate"]
            break
        except ModuleNotFoundError as error:
            name = error.name or ""
            if name.partition(".")[0] not in _MODULES or name in sys.modules:
                raise
            made = types.ModuleType(name)
            made.__dict__.update(PRes=PRes, Status=PRes, __path__=[])
            sys.modules[name] = made
    with open(candidate, encoding="utf-8", errors="surrogateescape", newline="") as file:
        answer: Any = predicate(file.read())
    name = str(getattr(answer, "name", answer)).lower()
    if isinstance(answer, bool):
        return 0 if answer else 1
    if name not in _EXITS:
        raise SystemExit(f"my_predicate answers {answer!r}: neither success, failed nor invalid")
    return _EXITS[name]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
