"""Ground truth for `marrow triage`: crash folders whose bugs are known, and how well it does.

    python -m bench.triage crashes ember work/ --afl 60   # build, fuzz, decide which bug each is
    python -m bench.triage measure work/ember/truth.json work/ember/bugs/triage.json

The truth about a file: the bugs whose fix alone makes it pass; where none does, those whose fix alone
changes how it fails. See `crashes`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bench.triage.crashes import make_crashes
from bench.triage.measuring import measure
from bench.triage.programs import NAMES, program


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.triage", description=__doc__)
    commands = parser.add_subparsers(dest="what", required=True)
    crashes = commands.add_parser("crashes")
    crashes.add_argument("program", choices=NAMES)
    crashes.add_argument("work", type=Path)
    crashes.add_argument("--afl", type=int, default=0, help="seconds of afl-fuzz, before")
    crashes.add_argument("--afl-run", default="", metavar="NAME", help="another run of afl-fuzz")
    crashes.add_argument("--afl-only", action="store_true", help="the generator makes seeds alone")
    crashes.add_argument("--most", type=int, default=24, help="files of one bug at most")
    crashes.add_argument("--seconds", type=float, default=500, help="then stop; run again to go on")
    told = commands.add_parser("measure")
    told.add_argument("truth", type=Path)
    told.add_argument("found", type=Path)
    told.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    if given.what == "crashes":
        make_crashes(
            *(program(given.program), given.work, given.afl, given.most, given.seconds),
            afl_run=given.afl_run,
            fuzzed_too=not given.afl_only,
        )
        return
    truth = json.loads(given.truth.read_text())
    print(measure(truth, json.loads(given.found.read_text()), verbose=given.verbose))


if __name__ == "__main__":
    main()
