"""`triage.json`: everything that a triage found, for programs and for the next triage."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from marrow.bugs.bug import Bug, TriageResult
from marrow.bugs.canonical import LONGEST_RESULT, canonical
from marrow.bugs.case import Case
from marrow.bugs.crash_files import LeftOut
from marrow.bugs.known_bugs import FORM
from marrow.diagnostics.observation import ending
from marrow.report.plain import plain


def triage_data(result: TriageResult, command: str, names: dict[str, str]) -> dict[str, Any]:
    """Return the data; `names` are the paths of the bugs' smallest inputs in the directory."""
    return {
        "form": FORM,
        "command": plain(command),
        "files": result.files,
        "distinct": result.distinct,
        "failing": sum(len(bug.files) for bug in result.bugs),
        "stopped": result.stopped,
        "bugs": [bug_data(bug, names[bug.id]) for bug in result.bugs],
        "fixed": [
            {"id": one.id, "title": one.title, "smallest": names[one.id]} for one in result.fixed
        ],
        "passing": _listed(result.passing),
        "left_out": _listed(result.left_out),
        "notes": list(result.notes),
    }


def bug_data(bug: Bug, smallest: str) -> dict[str, Any]:
    """Return a bug as data."""
    key = bug.case.found
    same, of = bug.agreeing
    return {
        "id": bug.id,
        "status": bug.status.value,
        "title": bug.title,
        "smallest": smallest,
        "bytes": len(bug.case.text),
        "reduced_from": bug.case.file,
        "canonical": shown(canonical(bug.case.text)),
        "failure": {
            "ending": ending(key.status),
            "kind": key.kind,
            "message": key.message,
            "stack": [str(site) for site in key.sites],
            "sentence": bug.case.signature.sentence,
        },
        "files": [
            {
                "digest": one.file.key,
                "names": [plain(name) for name in one.names],
                "bytes": len(one.file.text),
                "failure": one.key.words,
                "fails": f"{one.shown} of {one.runs} runs",
            }
            for one in bug.files
        ],
        "reduced": [_case(case) for case in bug.cases],
        "same_canonical_result": [same, of],
        "evidence": [
            {"files": [link.one, link.other], "rule": link.rule, "why": link.why}
            for link in bug.links
        ],
        "notes": list(bug.notes),
        "also_called": list(bug.also),
    }


def _case(case: Case) -> dict[str, Any]:
    return {
        "file": case.file,
        "canonical": shown(canonical(case.text)),
        "failure": case.found.words,
        "finished": case.finished,
        "helped_by": case.helped_by,
    }


def _listed(some: Iterable[LeftOut]) -> list[dict[str, str]]:
    return [{"name": plain(one.name), "why": one.why} for one in some]


def shown(text: bytes) -> str:
    """Return a text that JSON can hold: bytes that are not UTF-8 are escaped."""
    more = "…" if len(text) > LONGEST_RESULT else ""
    return text[:LONGEST_RESULT].decode("utf-8", "backslashreplace") + more


def as_json(data: object) -> bytes:
    """Return data as a file."""
    return json.dumps(data, indent=1).encode() + b"\n"
