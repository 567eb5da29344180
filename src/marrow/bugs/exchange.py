"""Bugs in the forms that others read: SARIF for code hosts, JUnit XML for CI."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from marrow import __version__
from marrow.bugs.bug import Bug, BugStatus, TriageResult
from marrow.bugs.failure_key import Site
from marrow.report.plain import plain, printable

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"

# How much of an input stands in a message.
_SHOWN: Final = 400

# What XML 1.0 has no place for.
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

#: The states of results as SARIF calls them.
_BASELINE: Final = {
    BugStatus.NEW: "new",
    BugStatus.KNOWN: "unchanged",
    BugStatus.IGNORED: "unchanged",
}


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
                    *(
                        _result(number, bug, names[bug.id])
                        for number, bug in enumerate(result.bugs)
                    ),
                ],
            }
        ],
    }


def _result(number: int, bug: Bug, smallest: str) -> dict[str, Any]:
    said = (
        f"{bug.title}. {len(bug.files)} input(s) fail so; the smallest "
        f"({len(bug.case.text)} bytes) is {smallest}:\n{printable(bug.case.text[:_SHOWN])}"
    )
    found: dict[str, Any] = {
        "ruleId": bug.id,
        "ruleIndex": number,
        "level": "error",
        "message": {"text": said},
        "baselineState": _BASELINE[bug.status],
        "partialFingerprints": {"marrowBug/v1": bug.id},
        "locations": [_location(smallest, None)],
    }
    site = next((one for one in bug.case.found.sites if one.position.isdigit()), None)
    if site is not None:
        found["locations"] = [_location(site.file, site)]
        found["relatedLocations"] = [_location(smallest, None)]
    if bug.status is BugStatus.IGNORED:
        found["suppressions"] = [{"kind": "external"}]
    return found


def _location(name: str, site: Site | None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": name}}
    if site is not None:
        place["region"] = {"startLine": max(1, int(site.position))}
    return {"physicalLocation": place}


def junit(result: TriageResult, names: Mapping[str, str]) -> str:
    """Return the bugs as a JUnit report: a case each; new and known ones fail, fixed ones pass."""
    failing = [bug for bug in result.bugs if bug.status is not BugStatus.IGNORED]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="marrow triage" tests="{len(result.bugs) + len(result.fixed)}" '
        f'failures="{len(failing)}">',
        f'  <testsuite name="marrow triage" tests="{len(result.bugs) + len(result.fixed)}" '
        f'failures="{len(failing)}" skipped="{len(result.bugs) - len(failing)}">',
    ]
    for bug in result.bugs:
        lines.append(f"    <testcase classname={_attribute(bug.status.value)} name={_name(bug)}>")
        if bug.status is BugStatus.IGNORED:
            lines.append('      <skipped message="ignored by overrules.toml"/>')
        else:
            said = (
                f"{bug.case.signature.sentence}\nsmallest input: {names[bug.id]}\n"
                f"{printable(bug.case.text[:_SHOWN])}\nfiles: "
                + ", ".join(plain(name) for one in bug.files for name in one.names)
            )
            title = _attribute(bug.title)
            lines.append(
                f"      <failure type={_attribute(bug.status.value)} message={title}>"
                f"{escape(_xml(said))}</failure>"
            )
        lines.append("    </testcase>")
    for fixed in result.fixed:
        name = _attribute(f"{fixed.id}: {fixed.title}")
        lines.append(f'    <testcase classname="fixed" name={name}/>')
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


def _name(bug: Bug) -> str:
    return _attribute(f"{bug.id}: {bug.title}")


def _attribute(text: str) -> str:
    return quoteattr(_xml(text))


def _xml(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
