"""Ground truth for `marrow triage`: crash folders whose bugs are known, and how well it does.

    python -m bench.triage crashes ember work/ --afl 60   # build, fuzz, decide which bug each is
    python -m bench.triage folder --crashes d/ --labels d.json --command './target {}'  # any program
    python -m bench.triage measure work/ember/truth.json work/ember/bugs/triage.json

The truth about a file: the bugs whose fix alone makes it pass; where none does, those whose fix alone
changes how it fails. See `crashes`.
"""

from __future__ import annotations

import argparse
import json
import shlex
from pathlib import Path

from bench.triage.crashes import make_crashes
from bench.triage.folders import cases_of, compared, labels_of, learnt, rewritten, triaged
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
    folder = commands.add_parser("folder", help="a triage of labelled files beside stack hashes")
    folder.add_argument("--max-time", type=float, help="seconds")
    folder.add_argument("--output", type=Path, help="the directory of the triage")
    folder.add_argument("--verbose", action="store_true")
    learn = commands.add_parser("learn", help="fit the weights of facts to labelled folders")
    learn.add_argument("weights", type=Path, help="the table, whose weights are replaced")
    learn.add_argument("output", type=Path, nargs="+", help="triages that `folder` has made")
    for one in (folder, learn):
        one.add_argument("--crashes", type=Path, action="append", required=True)
        one.add_argument("--labels", type=Path, action="append", required=True)
        one.add_argument("--command", action="append", required=True, help="with {} for the file")
    given = parser.parse_args()
    if given.what in ("folder", "learn"):
        _folders(given)
        return
    if given.what == "crashes":
        make_crashes(
            *(program(given.program), given.work, given.afl, given.most, given.seconds),
            afl_run=given.afl_run,
            fuzzed_too=not given.afl_only,
        )
        return
    truth = json.loads(given.truth.read_text())
    print(measure(truth, json.loads(given.found.read_text()), verbose=given.verbose))


def _folders(given: argparse.Namespace) -> None:
    """Triage labelled folders, and print figures or fit weights."""
    outputs = given.output if given.what == "learn" else [given.output]
    rows = []
    for crashes, labels, command, output in zip(
        given.crashes, given.labels, given.command, outputs, strict=True
    ):
        seconds = getattr(given, "max_time", None)
        result = triaged(crashes, shlex.split(command), output, max_time=seconds)
        bugs = labels_of(labels)
        rows.append(cases_of(result, bugs))
        print(compared(result, bugs, verbose=getattr(given, "verbose", False)))
    if given.what == "learn":
        given.weights.write_text(rewritten(given.weights.read_text(), learnt(rows)))


if __name__ == "__main__":
    main()
