"""What a start of marrow costs: seconds of the processor and modules of marrow.

Measured are `marrow --version`, `marrow --help` and a whole `marrow reduce` of a small JSON file
with one test at a time. The seconds are user and system time of marrow's own process; the tests'
processes do not count. Modules are compiled before, as they are where marrow is installed. Runs of
two checkouts alternate, so that a busy machine slows both.

    python bench/startup.py                     this checkout
    python bench/startup.py --against ../other  this one and another
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent

#: What issue 15 asks for.
TARGETS = {"--version": 0.15, "--help": 0.15, "reduce": 0.3}

# A process can tell its own time from that of its children; whoever waits for it cannot.
MEASURED = """
import json, resource, sys
from marrow.cli.main import run
try:
    run()
finally:
    used = resource.getrusage(resource.RUSAGE_SELF)
    modules = sum(name.partition(".")[0] == "marrow" for name in sys.modules)
    print(json.dumps([used.ru_utime + used.ru_stime, modules]), file=open("used.json", "w"))
"""

#: 10 objects of a few fields each, 0.7 kB; the test keeps one word of them, which takes 30 tests.
SMALL = json.dumps(
    [{"id": number, "name": f"item{number}", "tags": ["a", "b"]} for number in range(10)], indent=1
).replace("item7", "needle")


@dataclass(frozen=True, slots=True)
class Start:
    """One start."""

    seconds: float
    modules: int


def measure(checkout: Path, words: list[str], compiled: Path) -> Start:
    """Run a command line by the code of a checkout; `compiled` keeps its bytecode."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(checkout / "src"),
        "PYTHONPYCACHEPREFIX": str(compiled),
        "PYTHONDONTWRITEBYTECODE": "",
    }
    folder = Path(tempfile.mkdtemp(prefix="marrow-startup-"))
    try:
        (folder / "small.json").write_text(SMALL)
        subprocess.run(
            [sys.executable, "-c", MEASURED, *words],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return Start(*json.loads((folder / "used.json").read_text()))
    finally:
        shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--against", type=Path, help="another checkout of marrow")
    parser.add_argument("--runs", type=int, default=7, help="of each command line")
    arguments = parser.parse_args()
    checkouts = [HERE, *([arguments.against.resolve()] if arguments.against else [])]
    reduce = ["reduce", "small.json", "--shell", 'grep -q needle "$1"', "-q", "-j", "1"]
    print(f"{'':30}  {'least':>7}  {'median':>7}  {'target':>6}  modules of marrow")
    for words in (["--version"], ["--help"], reduce):
        runs: dict[Path, list[Start]] = {checkout: [] for checkout in checkouts}
        with tempfile.TemporaryDirectory(prefix="marrow-startup-") as compiled:
            for checkout in checkouts:
                measure(checkout, words, Path(compiled))
            for _ in range(arguments.runs):
                for checkout in checkouts:
                    runs[checkout].append(measure(checkout, words, Path(compiled)))
        for checkout, starts in runs.items():
            seconds = [start.seconds for start in starts]
            print(
                f"{words[0]:9} {checkout.name:20.20}  {min(seconds):5.3f} s  "
                f"{statistics.median(seconds):5.3f} s  {TARGETS[words[0]]:4.2f} s  "
                f"{starts[-1].modules:>4}"
            )


if __name__ == "__main__":
    main()
