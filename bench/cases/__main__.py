"""List the benchmark cases, or make them.

python -m bench.cases list               what there is
python -m bench.cases prepare            make all of them in bench/.cache/
python -m bench.cases prepare NAME...    make some; a language stands for its cases
python -m bench.cases check NAME...      make some, and see that their tests are interesting
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.cases import CannotMakeError, Case, Prepared, prepare, select
from bench.cases.measure import measure


def main() -> int:
    """Do what the command line asks; exit with 1 if a case cannot be made or does not fail."""
    parser = argparse.ArgumentParser(prog="python -m bench.cases", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("action", choices=("list", "prepare", "check"))
    parser.add_argument("names", nargs="*", default=["all"], metavar="NAME")
    arguments = parser.parse_args()
    try:
        cases = select(arguments.names)
    except LookupError as error:
        parser.error(str(error.args[0]))
    if arguments.action == "list":
        for case in cases:
            print(_line(case))
        return 0
    good = [_make(case, check=arguments.action == "check") for case in cases]
    return 0 if all(good) else 1


def _line(case: Case) -> str:
    missing = case.missing()
    lacks = f"  [missing: {', '.join(missing)}]" if missing else ""
    return f"{case.name:24} {case.language:11} {case.tokens:7,} tokens  {case.about}{lacks}"


def _make(case: Case, *, check: bool) -> bool:
    try:
        made = prepare(case)
    except CannotMakeError as error:
        print(f"{case.name}: {error}", file=sys.stderr)
        return False
    said = f"{case.name}: {made.input} {made.test}"
    if made.changed:
        said += f" (now {made.input.stat().st_size:,} bytes, not {case.size:,})"
    good = True
    if check:
        seconds, good = _interesting(made)
        tokens = measure(made.input.read_bytes(), case.file, case.language).tokens
        said += f", {tokens:,} tokens"
        said += f", {'interesting' if good else 'NOT INTERESTING'} in {seconds:.2f} s"
    print(said)
    return good


def _interesting(made: Prepared) -> tuple[float, bool]:
    with tempfile.TemporaryDirectory() as place:
        shutil.copy(made.input, Path(place) / made.case.file)
        start = time.monotonic()
        code = subprocess.run([made.test], cwd=place, capture_output=True).returncode
        return time.monotonic() - start, code == 0


if __name__ == "__main__":
    sys.exit(main())
