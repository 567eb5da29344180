"""python -m bench.papers PAPER TABLE: one table or figure of a paper, on our cases.

    python -m bench.papers hoisting a3                     on the small cases
    python -m bench.papers perses table1 --cases c,small   cases by name or language
    python -m bench.papers hoisting all --write            all tables of a paper, into its page
    python -m bench.papers hoisting confirm                quick rows again; the same: of this code

Papers: hoisting, perses, type-batched, ddset (whose cases are the failures of bench.ddset.cases
that have a grammar; `small` means all). Without TABLE, the tables of the paper are listed. Runs are
kept below bench/.cache/papers, so a table that was stopped is continued. `--write` puts the
tables into docs/papers/PAPER.md, between marks, with the commit and a digest of the modules: a test
fails when those change. After a change that is meant to leave the figures alone, `confirm` makes
the rows of the quickest cases again. If they are the same, the page names the new digest.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from importlib import import_module
from typing import Any, Final

from bench.papers.measure import (
    BLOCK,
    PAGES,
    commit,
    modules_digest,
    modules_of,
    rows_of,
    tables_of,
    with_cases,
)

PAPERS: Final = {
    "hoisting": "bench.papers.hoisting",
    "perses": "bench.papers.perses",
    "type-batched": "bench.papers.type_batched",
    "ddset": "bench.papers.ddset",
}

#: The cases of each paper that are quick, and the tables that have rows of counts for them.
_QUICK: Final = {
    "perses": ("hello,settings,matrix", ("table1", "normal-form")),
    "hoisting": (
        "hello,settings,matrix",
        tuple(f"a{n}{of}" for n in range(2, 6) for of in ("", "-marrow")),
    ),
    "type-batched": ("c-lanai-terminator", ("figure5",)),
    "ddset": ("jq,python-json", ("table1",)),
}
_MADE: Final = re.compile(r"modules\s\w+\s\([^)]*\)(;[^;.]*)?\.", re.S)


def main() -> int:
    """Make the tables that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench.papers", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("paper", choices=PAPERS)
    parser.add_argument("table", nargs="?", help="a table, or all")
    parser.add_argument("--cases", default="small", help="names or languages, with commas")
    parser.add_argument("--write", action="store_true", help="write into the page of the paper")
    given = parser.parse_args()
    module: Any = import_module(PAPERS[given.paper])
    tables: dict[str, Any] = module.TABLES
    prepared = getattr(module, "with_cases", with_cases)
    if given.table is None:
        print("\n".join(tables))
        return 0
    if given.table == "confirm":
        return _confirm(given.paper, tables, prepared)
    names = list(tables) if given.table == "all" else given.table.split(",")
    unknown = [name for name in names if name not in tables]
    if unknown:
        print(f"no table {', '.join(unknown)}: choose {', '.join(tables)}, or all", file=sys.stderr)
        return 2
    for name in names:
        made = prepared(given.cases, tables[name])
        print(f"### {name}\n\n{made}\n", flush=True)
        if given.write:
            picture = getattr(module, "PICTURES", {}).get(name)
            if picture is not None:
                file = f"{given.paper}-{name}.svg"
                (PAGES / file).write_text(prepared(given.cases, picture), encoding="utf-8")
                made = f"![{picture.__doc__}]({file})\n\n{made}"
            _write(given.paper, name, given.cases, made)
    return 0


def _confirm(paper: str, tables: dict[str, Any], prepared: Any) -> int:
    """Make the rows of the quick cases again; if the page has them, it is of this code."""
    page = PAGES / f"{paper}.md"
    text = page.read_text()
    blocks = tables_of(text)
    cases, names = _QUICK[paper]
    for name in names:
        there = rows_of(blocks[name])
        for row in rows_of(prepared(cases, tables[name])):
            common = there[0].keys() & row.keys()
            known = any(all(row[one] == old[one] for one in common) for old in there)
            if row[next(iter(row))].startswith(tuple(cases.split(","))) and not known:
                print(f"{name}: the page has another row than {row}", file=sys.stderr)
                return 1
    by = f"modules {modules_digest(paper)} ({', '.join(_names(paper))})"
    again = f"; rows of {cases} made again at {commit()}." if names else "."

    def renewed(found: re.Match[str]) -> str:
        head, _, rest = found[3].partition("\n\n")
        about = _MADE.sub(f"{by}{again}", head)
        lines = about.strip().split("\n", 1)
        if about != head:
            about = f"\n{lines[0]}\n{_wrapped(' '.join(lines[1].split()))}"
        return f"{found[1]}{about}\n\n{rest}{found[4]}"

    page.write_text(BLOCK.sub(renewed, text))
    return 0


def _names(paper: str) -> list[str]:
    return [name.rpartition(".")[2] for name in modules_of(paper)]


def _write(paper: str, table: str, cases: str, made: str) -> None:
    """Put a table between its marks, or at the end of the page."""
    page = PAGES / f"{paper}.md"
    text = page.read_text() if page.exists() else f"# {paper}\n"
    begin, end = f"<!-- paper: {table} -->", "<!-- end of paper -->"
    command = f"python -m bench.papers {paper} {table} --cases {cases}"
    made_by = f"commit {commit()}, modules {modules_digest(paper)} ({', '.join(_names(paper))})."
    about = _wrapped(f"`{command}`, {made_by}")
    made = "\n".join(map(_wrapped, made.split("\n")))
    block = f"{begin}\n### {table}\n{about}\n\n{made}\n{end}"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if pattern.search(text):
        text = pattern.sub(lambda _: block, text)
    else:
        text = f"{text.rstrip()}\n\n{block}\n"
    page.write_text(text)


def _wrapped(line: str) -> str:
    """Return a line as lines of at most 120 characters; rows of tables stay as they are."""
    return line if line.startswith("|") else textwrap.fill(line, 120, break_on_hyphens=False)


if __name__ == "__main__":
    sys.exit(main())
