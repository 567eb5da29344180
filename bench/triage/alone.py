"""What it takes to reduce crash files one by one, each by itself: what a triage is compared with."""

from __future__ import annotations

import os
import random
from pathlib import Path

from bench.triage.programs import Program
from marrow.bugs.case import CaseReducer
from marrow.bugs.failure_key import FailureKey
from marrow.bugs.target import Target
from marrow.bugs.triage_journal import TriageJournal
from marrow.bugs.triage_plan import plan_triage
from marrow.engine.events import ignore
from marrow.run.option import read_values
from marrow.run.triage_options import TriageOptions


def reduce_alone(program: Program, work: Path, files: int) -> list[int]:
    """Return the tests that a sample of the crash files takes, each to the end of its reduction."""
    os.environ["ASAN_OPTIONS"] = "detect_leaks=0"
    command = program.command(program.build(work / program.name / "built"))
    values = read_values(TriageOptions, {"command": command, "jobs": 1}) | {"keep_lines": ()}
    plan = plan_triage("input", None, values)
    paths = sorted((work / program.name / "crashes").iterdir())
    found: list[int] = []
    for path in random.Random(1).sample(paths, files):
        # A journal of its own: nothing is known from other files.
        target = Target(plan, TriageJournal(None, "alone"), own_process=True)
        try:
            text = path.read_bytes()
            key = target.key_of(target.observe(text), text)
            if isinstance(key, FailureKey):
                reducer = CaseReducer(target, plan, values, ignore, most_tests=None)
                found.append(reducer.reduce(path.name, text, key).tests)
                print(found[-1], path.name, flush=True)
        finally:
            target.close()
    return found
