"""`index.html`: the list of bugs as one page that works offline, to search and to sort."""

from __future__ import annotations

import html
from collections.abc import Mapping
from importlib.resources import files
from typing import Final

from marrow.bugs.bug import Bug, TriageResult
from marrow.report.plain import plain, printable

# How much of a small input the page shows.
_SHOWN: Final = 2_000


# The page loads nothing, whatever a crash file says.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

_COLUMNS: Final = ("bug", "status", "failure", "files", "bytes", "smallest input")


def index_page(result: TriageResult, command: str, names: Mapping[str, str]) -> str:
    """Return the page; `names` are the paths of the bugs' smallest inputs."""
    counts = ", ".join(_counts(result))
    heads = "".join(f"<th><button>{column}</button></th>" for column in _COLUMNS)
    rows = "\n".join(_row(bug, names[bug.id]) for bug in result.bugs)
    style, script = (_part(name) for name in ("index.css", "index.js"))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{len(result.bugs)} bugs - marrow triage</title><style>{style}</style></head><body>
<h1>{_plural(len(result.bugs), "bug")}</h1>
<p class="figures">{_text(counts)}<br><code>{_text(command)}</code></p>
<input id="search" type="search" aria-label="Search"
 placeholder="Search: a function, a message, a file, new">
<span id="shown"></span>
<table id="bugs"><thead><tr>{heads}</tr></thead><tbody>
{rows}
</tbody></table>
{_fixed(result)}{_rest(result)}
<script>{script}</script></body></html>
"""


def _counts(result: TriageResult) -> list[str]:
    failing = sum(len(bug.files) for bug in result.bugs)
    found = [
        _plural(result.files, "file"),
        f"{result.distinct:,} different",
        f"{failing:,} of them fail",
        f"{result.effort.tests:,} tests",
    ]
    return [*found, *([f"stopped early: {result.stopped}"] if result.stopped else [])]


def _row(bug: Bug, smallest: str) -> str:
    folder = smallest.rpartition("/")[0]
    status = bug.status.value
    links = [f'<a href="{_text(folder)}/report.html">reduction</a>'] if bug.has_report else []
    links.append(f'<a href="{_text(folder)}/">folder</a>')
    shown = bug.formatted if bug.formatted is not None else bug.case.text
    return (
        f'<tr><td class="id"><a href="{_text(smallest)}">{_text(bug.id)}</a></td>'
        f'<td class="{status}">{status}</td>'
        f"<td>{_text(bug.title)}{_details(bug)}<p>{' · '.join(links)}</p></td>"
        f'<td class="number">{len(bug.files)}</td><td class="number">{len(bug.case.text)}</td>'
        f"<td><pre>{_text(printable(shown[:_SHOWN]))}</pre></td></tr>"
    )


def _details(bug: Bug) -> str:
    stack = "".join(f"<li>{_text(str(site))}</li>" for site in bug.case.found.sites[:8])
    why = [f"{link.rule}: {link.why}" for link in bug.links] + list(bug.notes)
    same, of = bug.agreeing
    why.append(f"{same} of {of} reduced files end in the same canonical text")
    reasons = "".join(f"<li>{_text(one)}</li>" for one in why)
    names = "".join(
        f"<li>{_text(', '.join(one.names))}{' (flaky)' if one.flaky else ''}</li>"
        for one in bug.files
    )
    return (
        (f"<details><summary>stack</summary><ol>{stack}</ol></details>" if stack else "")
        + f"<details><summary>why this is one bug</summary><ul>{reasons}</ul></details>"
        + f"<details><summary>{_plural(len(bug.files), 'file')}</summary><ul>{names}</ul></details>"
    )


def _fixed(result: TriageResult) -> str:
    if not result.fixed:
        return ""
    rows = "".join(f"<li>{_text(one.id)}: {_text(one.title)}</li>" for one in result.fixed)
    return f'<section><h2 class="fixed">No longer failing</h2><ul>{rows}</ul></section>'


def _rest(result: TriageResult) -> str:
    rest = [*result.passing, *result.left_out]
    if not rest:
        return ""
    rows = "".join(f"<li>{_text(one.name)}: {_text(one.why)}</li>" for one in rest)
    return (
        f"<section><details><summary>{_plural(len(rest), 'file')} not in the list</summary>"
        f"<ul>{rows}</ul></details></section>"
    )


def _part(name: str) -> str:
    """Return a part of the page that is a file of its own."""
    return files(__package__).joinpath("page", name).read_text("utf-8")


def _plural(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _text(text: str) -> str:
    return html.escape(plain(text))
