"""Bugs as files: `triage.json`, SARIF for code hosts, JUnit XML for CI, and a page of all bugs."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from marrow import __version__
from marrow.bugs.bug import Bug, BugStatus, TriageResult
from marrow.bugs.canonical import LONGEST_RESULT, canonical, is_bytes
from marrow.bugs.case import Case
from marrow.bugs.crash_files import LeftOut
from marrow.bugs.failure_key import Site
from marrow.bugs.known_bugs import FORM
from marrow.diagnostics.observation import ending
from marrow.report.html import filled, page_part
from marrow.report.plain import counted, plain, printable

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"

# How much of an input a message quotes.
_SHOWN: Final = 400

# What XML 1.0 has no place for.
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def sarif(result: TriageResult, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the bugs as a SARIF log; a bug is at the innermost line of the program it names."""
    rules = [
        {
            "id": bug.id,
            "name": bug.id,
            "shortDescription": {"text": bug.title},
            "fullDescription": {"text": bug.case.signature.sentence},
            "defaultConfiguration": {"level": "error"},
        }
        for bug in result.bugs
    ]
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "marrow triage",
                        "version": __version__,
                        "informationUri": "https://pypi.org/project/marrow/",
                        "rules": rules,
                    }
                },
                "results": [
                    _result(number, bug, names[bug.id]) for number, bug in enumerate(result.bugs)
                ],
            }
        ],
    }


def _result(number: int, bug: Bug, smallest: str) -> dict[str, Any]:
    said = (
        f"{bug.title}. {len(bug.files)} input(s) fail so; the smallest "
        f"({len(bug.case.text)} bytes) is {smallest}:\n{printable(bug.case.text[:_SHOWN])}"
    )
    places = [_location(smallest, None)]
    if site := next((one for one in bug.case.found.sites if one.position.isdigit()), None):
        places.insert(0, _location(site.file, site))
    ignored = bug.status is BugStatus.IGNORED
    return {
        "ruleId": bug.id,
        "ruleIndex": number,
        "level": "error",
        "message": {"text": said},
        "baselineState": "new" if bug.status is BugStatus.NEW else "unchanged",
        "partialFingerprints": {"marrowBug/v1": bug.id},
        "locations": places[:1],
        **({"relatedLocations": places[1:]} if places[1:] else {}),
        **({"suppressions": [{"kind": "external"}]} if ignored else {}),
    }


def _location(name: str, site: Site | None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": name}}
    if site is not None:
        place["region"] = {"startLine": max(1, int(site.position))}
    return {"physicalLocation": place}


def junit(result: TriageResult, names: Mapping[str, str]) -> str:
    """Return the bugs as a JUnit report: a case each; new and known ones fail, fixed ones pass."""
    failing = sum(bug.status is not BugStatus.IGNORED for bug in result.bugs)
    counts = f'tests="{len(result.bugs) + len(result.fixed)}" failures="{failing}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="marrow triage" {counts}>',
        f'  <testsuite name="marrow triage" {counts} skipped="{len(result.bugs) - failing}">',
    ]
    for bug in result.bugs:
        kind, name = _attribute(bug.status.value), _attribute(f"{bug.id}: {bug.title}")
        lines.append(f"    <testcase classname={kind} name={name}>")
        if bug.status is BugStatus.IGNORED:
            lines.append('      <skipped message="ignored by overrules.toml"/>')
        else:
            said = (
                f"{bug.case.signature.sentence}\nsmallest input: {names[bug.id]}\n"
                f"{printable(bug.case.text[:_SHOWN])}\nfiles: "
                + ", ".join(plain(name) for one in bug.files for name in one.names)
            )
            what = f"type={kind} message={_attribute(bug.title)}"
            lines.append(f"      <failure {what}>{escape(_xml(said))}</failure>")
        lines.append("    </testcase>")
    for fixed in result.fixed:
        name = _attribute(f"{fixed.id}: {fixed.title}")
        lines.append(f'    <testcase classname="fixed" name={name}/>')
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


def _attribute(text: str) -> str:
    return quoteattr(_xml(text))


def _xml(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


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
        "certainty": bug.certainty,
        "evidence": [
            {"files": [link.one, link.other], "fact": link.rule, "why": link.why}
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


# How much of a small input the page shows.
_SHOWN_ON_PAGE: Final = 2_000


# The page loads nothing, whatever a crash file says.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

_COLUMNS: Final = ("bug", "status", "failure", "files", "bytes", "smallest input")


def index_page(result: TriageResult, command: str, names: Mapping[str, str]) -> str:
    """Return the page; `names` are the paths of the bugs' smallest inputs."""
    # Where nothing was known before, all of them are new, which nobody needs to be told.
    told = bool(result.fixed) or any(bug.status is not BugStatus.NEW for bug in result.bugs)
    columns = [column for column in _COLUMNS if told or column != "status"]
    parts = {
        "policy": _POLICY,
        "title": f"{len(result.bugs)} bugs",
        "style": page_part(__package__, "index.css"),
        "heading": counted(len(result.bugs), "bug"),
        "counts": _text(", ".join(_counts(result))),
        "command": _text(command),
        "heads": "".join(
            f'<th class="{column.split()[0]}"><button>{column}</button></th>' for column in columns
        ),
        "rows": "\n".join(_row(bug, names[bug.id], told=told) for bug in result.bugs),
        "fixed": _fixed(result),
        "rest": _rest(result),
        "script": page_part(__package__, "index.js"),
    }
    return filled(page_part(__package__, "index.html"), parts)


def _counts(result: TriageResult) -> list[str]:
    failing = sum(len(bug.files) for bug in result.bugs)
    return [
        counted(result.files, "file"),
        f"{result.distinct:,} different",
        f"{failing:,} of them fail",
        f"{result.effort.tests:,} tests",
        *([f"stopped early: {result.stopped}"] if result.stopped else []),
    ]


def _row(bug: Bug, smallest: str, *, told: bool) -> str:
    folder = smallest.rpartition("/")[0]
    status, text = bug.status.value, bug.case.text[:_SHOWN_ON_PAGE]
    shown = text[: _SHOWN_ON_PAGE // 2].hex(" ") if is_bytes(bug.case.text) else printable(text)
    links = [f'<a href="{_text(folder)}/report.html">reduction</a>'] if bug.has_report else []
    links.append(f'<a href="{_text(folder)}/">folder</a>')
    return (
        f'<tr><td class="id"><a href="{_text(smallest)}">{_text(bug.id)}</a></td>'
        + (f'<td class="{status}">{status}</td>' if told else "")
        + f"<td>{_text(bug.title)}{_details(bug, links)}</td>"
        f'<td class="number">{len(bug.files)}</td><td class="number">{len(bug.case.text)}</td>'
        f"<td><pre>{_text(shown)}</pre></td></tr>"
    )


def _details(bug: Bug, links: Sequence[str]) -> str:
    """Return all else about a bug, which takes a line until somebody opens it."""
    stack = "".join(f"<li>{_text(str(site))}</li>" for site in bug.case.found.sites[:8])
    why = [f"{link.rule}: {link.why}" for link in bug.links] + list(bug.notes)
    reasons = "".join(f"<li>{_text(one)}</li>" for one in why)
    names = "".join(
        f"<li>{_text(', '.join(one.names))}{' (flaky)' if one.flaky else ''}</li>"
        for one in bug.files
    )
    return (
        f"<details><summary>{_text(bug.certainty)}</summary>"
        + (f"<h3>Why this is one bug</h3><ul>{reasons}</ul>" if reasons else "")
        + (f"<h3>Stack</h3><ol>{stack}</ol>" if stack else "")
        + f"<h3>Files</h3><ul>{names}</ul><p>{' · '.join(links)}</p></details>"
    )


def _fixed(result: TriageResult) -> str:
    rows = "".join(f"<li>{_text(one.id)}: {_text(one.title)}</li>" for one in result.fixed)
    shown = f'<section><h2 class="fixed">No longer failing</h2><ul>{rows}</ul></section>'
    return shown if rows else ""


def _rest(result: TriageResult) -> str:
    rest = [*result.passing, *result.left_out]
    rows = "".join(f"<li>{_text(one.name)}: {_text(one.why)}</li>" for one in rest)
    shown = f"<section><details><summary>{counted(len(rest), 'file')} not in the list</summary>"
    return f"{shown}<ul>{rows}</ul></details></section>" if rest else ""


def _text(text: str) -> str:
    return html.escape(plain(text))
