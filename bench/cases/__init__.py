"""The benchmark cases: real failing inputs and the tests that see the failures.

Each group of them is a TOML file here. `[all]` has what all its cases have, `[test.NAME]` a script
that several cases share, with `@word@` where a case says `with.word`. A case has a script of its
own, or the name of a test. `source` and `tools` name a class of `sources` and its arguments.
"""

from __future__ import annotations

import sysconfig
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from bench.cases.case import CannotMakeError, Case, Prepared, Source, Tool, prepare
from bench.cases.sources import SOURCES, TOOL_KINDS, needs_of

__all__ = [
    "BY_HAND",
    "CASES",
    "LARGE",
    "REPORTS",
    "CannotMakeError",
    "Case",
    "Prepared",
    "prepare",
    "select",
]

#: The groups that `all` stands for.
_SMALL: Final = ("c", "javascript", "python", "java", "rust", "go", "data")


def _read(group: str) -> dict[str, Case]:
    path = Path(__file__).with_name(f"{group}.toml")
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    tests, common = data.get("test", {}), data.get("all", {})
    return {
        row["name"]: _case({**common, **tests.get(row.get("test"), {}), **row})
        for row in data["case"]
    }


def _case(row: dict[str, Any]) -> Case:
    script = row.pop("script")
    for word, text in {**row.pop("with", {}), "file": row["file"]}.items():
        script = script.replace(f"@{word}@", text.removesuffix("\n"))
    row.pop("test", None)
    source = _source(*row.pop("source"))
    needs = (*row.pop("needs", ()), *needs_of(source))
    tools = tuple(_tool(*one) for one in row.pop("tools", ()))
    return Case(**row, source=source, script=script, needs=needs, tools=tools)


def _source(kind: str, *given: Any) -> Source:
    library = sysconfig.get_path("stdlib")
    words = (one.replace("$STDLIB", library) if isinstance(one, str) else one for one in given)
    return SOURCES[kind](*words)


def _tool(kind: str, *given: str) -> Tool:
    return TOOL_KINDS[kind](*given)


CASES: Final = {name: case for group in _SMALL for name, case in _read(group).items()}

#: Large cases, which take minutes to hours: chosen by their names or by `large`, not by `all`.
LARGE: Final = _read("large")

#: Cases with a best result by hand (`best/`): chosen by their names or by `by-hand`, not by `all`.
BY_HAND: Final = _read("by-hand")

#: Cases that were kept apart from the work on the passes: chosen by their names or by `held-out`.
HELD_OUT: Final = _read("held-out")

#: Inputs of public bug reports: chosen by their names or by `reports`.
REPORTS: Final = _read("reports")

#: Groups that are chosen by their names; `all` leaves them out.
_APART: Final = {"large": LARGE, "by-hand": BY_HAND, "held-out": HELD_OUT, "reports": REPORTS}


def select(names: Iterable[str]) -> list[Case]:
    """Return cases by name; a language's name stands for all of its cases. LookupError if none."""
    found: dict[str, Case] = {}
    for name in names:
        fitting = [one for one in CASES.values() if name in (one.name, one.language, "all")]
        for group, cases in _APART.items():
            fitting += [one for one in cases.values() if name in (one.name, group)]
        if not fitting:
            raise LookupError(f"there is no case or language called {name!r}")
        found.update((one.name, one) for one in fitting)
    return list(found.values())
