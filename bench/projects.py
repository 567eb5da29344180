"""Runs on projects of several files: tokens and files after so many tests.

    python -m bench.projects                       name the projects
    python -m bench.projects c-lua --max-time 250  run one, with a line for each step that took much

Figures in docs/lab/large.md.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import marrow
from bench.cases.projects import PROJECTS, Project
from marrow.engine.events import Accepted, Answer, Event, Tried


class Steps:
    """Prints a line for each step that removed a fiftieth or more."""

    def __init__(self) -> None:
        self._tests = 0
        self._tokens = 0

    def __call__(self, event: Event) -> None:
        """Take in an event."""
        if isinstance(event, Tried) and event.answer is Answer.TEST:
            self._tests += 1
        elif isinstance(event, Accepted) and not event.tokens > 0.98 * self._tokens > 0:
            print(f"{self._tests:6} {event.tokens:9,} {event.phase}", flush=True)
            self._tokens = event.tokens


def run(project: Project, seconds: float, tests: int | None) -> None:
    """Reduce a project and print what came of it."""
    files: dict[str, bytes | str] = dict(project.source.files())
    with tempfile.TemporaryDirectory() as place:
        test = Path(place, "test.sh")
        test.write_text(f'#!/bin/bash\ncd "$1" || exit 1\n{project.script}')
        test.chmod(0o755)
        result = marrow.reduce(
            files, str(test), jobs=1, max_time=seconds, max_tests=tests, on_event=Steps()
        )
    print(
        f"{project.name}: {len(files)} -> {len(result.files)} files, {result.tokens_before:,} -> "
        f"{result.tokens_after:,} tokens, {result.tests} tests; {result.stopped or 'finished'}"
    )


def main() -> None:
    """Name the projects, or run some."""
    parser = argparse.ArgumentParser(prog="python -m bench.projects", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("projects", nargs="*")
    parser.add_argument("--max-time", type=float, default=250.0)
    parser.add_argument("--tests", type=int)
    arguments = parser.parse_args()
    for project in PROJECTS:
        if not arguments.projects:
            print(f"{project.name:10} {project.about}")
        elif project.name in arguments.projects:
            run(project, arguments.max_time, arguments.tests)


if __name__ == "__main__":
    main()
