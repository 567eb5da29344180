"""Ground truth for `marrow triage`: crash folders whose bugs are known, and how well it does.

    python -m bench.triage labels ...     make such a folder: see `labels`
    python -m bench.triage folder --crashes d/ --labels d.json --command './target {}'
    python -m bench.triage learn WEIGHTS OUTPUT... --crashes ... --labels ... --command ...

The labels are a JSON object: file to bugs.
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from bench.triage.folders import cases_of, compared, labels_of, learnt, rewritten, triaged
from bench.triage.labels import Build, label, make_folder


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.triage", description=__doc__)
    commands = parser.add_subparsers(dest="what", required=True)
    labels = commands.add_parser("labels", help="crash files with the fixes that end them")
    labels.add_argument("--seeds", type=Path, required=True)
    labels.add_argument("--fixed", type=Path, required=True, help="builds, each with one fix")
    labels.add_argument("--source", type=Path, required=True, help="what the builds are made of")
    labels.add_argument("--most", type=int, default=300, help="files")
    labels.add_argument("--texts", type=int, default=10_000, help="mutations that are tried")
    folder = commands.add_parser("folder", help="a triage of labelled files beside stack hashes")
    folder.add_argument("--max-time", type=float, help="seconds")
    folder.add_argument("--output", type=Path, help="the directory of the triage")
    folder.add_argument("--verbose", action="store_true")
    learn = commands.add_parser("learn", help="fit the weights of facts to labelled folders")
    learn.add_argument("weights", type=Path, help="the table, whose weights are replaced")
    learn.add_argument("output", type=Path, nargs="+", help="triages that `folder` has made")
    for one in (labels, folder, learn):
        one.add_argument("--crashes", type=Path, action="append", required=True)
        one.add_argument("--labels", type=Path, action="append", required=True)
        one.add_argument("--command", action="append", required=True, help="with {} for the file")
    given = parser.parse_args()
    if given.what == "labels":
        build = Build(shlex.split(given.command[0]), given.source.resolve())
        make_folder(given.seeds, given.crashes[0], build, given.most, given.texts)
        label(given.crashes[0], given.labels[0], build, given.fixed)
        return
    _folders(given)


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
