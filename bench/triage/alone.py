"""What it takes to reduce crash files one by one, each by itself: what a triage is compared with.

A file is reduced as a triage does it, by as many tests at most, or to the end, with a journal of its
own: nothing is known from other files. What is counted is how often the target is started. The canonical texts of the results say how often two
files of one bug end alike. Rows are saved one by one, in the order of digests of names: that is a
sample that only grows.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

from bench.triage.programs import Program
from marrow.bugs.canonical import canonical
from marrow.bugs.case import MOST_TESTS, CaseReducer
from marrow.bugs.failure_key import FailureKey
from marrow.bugs.target import Target
from marrow.bugs.triage_journal import TriageJournal
from marrow.bugs.triage_plan import plan_triage
from marrow.engine.events import ignore
from marrow.run.options.command_options import TriageOptions
from marrow.run.options.option import read_values


def reduce_alone(
    program: Program, work: Path, files: int, seconds: float, *, to_the_end: bool
) -> list[dict[str, Any]]:
    """Reduce a sample of the crash files, and return a row for each; stops after a while."""
    end = time.monotonic() + seconds
    os.environ["ASAN_OPTIONS"] = "detect_leaks=0"
    command = program.command(program.build(work / program.name / "built"))
    values = read_values(TriageOptions, {"command": command, "jobs": 1}) | {"keep_lines": ()}
    plan = plan_triage("input", None, values)
    saved = work / program.name / ("alone-end.jsonl" if to_the_end else "alone.jsonl")
    lines = saved.read_text().splitlines() if saved.exists() else []
    rows = {row["name"]: row for row in map(json.loads, lines)}
    paths = sorted(
        (work / program.name / "crashes").iterdir(),
        key=lambda path: hashlib.sha256(path.name.encode()).digest(),
    )
    for path in paths[:files]:
        if path.name in rows or time.monotonic() > end:
            continue
        target = Target(plan, TriageJournal(None, "alone"), own_process=True)
        try:
            text = path.read_bytes()
            key = target.key_of(target.observe(text), text)
            if not isinstance(key, FailureKey):
                continue
            most = None if to_the_end else MOST_TESTS
            reducer = CaseReducer(target, plan, values, ignore, most)
            case = reducer.finish(reducer.reduce(path.name, text, key))
        finally:
            target.close()
        row = {"name": path.name, "starts": target.starts, "bytes": len(case.text)}
        row["canonical"] = canonical(case.text).decode("latin-1")
        with saved.open("a") as file:
            file.write(json.dumps(row) + "\n")
        rows[path.name] = row
    return [rows[path.name] for path in paths[:files] if path.name in rows]
