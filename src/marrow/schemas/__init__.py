"""JSON Schemas of what programs read: one file for each kind of record.

A record names its schema (`marrow-result-1`). Within a version keys are only added, so a program
ignores those it does not know; another version is another name.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Final

#: What each schema describes, by its name.
SCHEMAS: Final = {
    "result": "marrow reduce --json",
    "error": "any command with --json that fails",
    "event": "a line of --events",
    "pattern": "marrow abstract --json",
    "inputs": "marrow produce --json",
    "matches": "marrow match --json",
    "triage": "marrow triage --json",
    "signature": "the failure that is kept, as in a result and in the file of --signature",
    "languages": "marrow languages --json",
    "options": "marrow config --json",
}


def schema_text(name: str) -> str:
    """Return a schema as JSON."""
    return (files(__package__) / f"{name}.json").read_text()


def tag(name: str) -> str:
    """Return the name by which records of a schema are known."""
    return f"marrow-{name}-1"
