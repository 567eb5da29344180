"""How far marrow is from the best that a person makes of the held-out cases.

    python -m bench.held_out check           every test holds for its input and for the best by hand
    python -m bench.held_out                 reduce all of them, and compare
    python -m bench.held_out NAME...         reduce some of them
    python -m bench.held_out --marrow FILE   with another marrow, such as that of another checkout
    python -m bench.held_out --max-time 240  stop a case; the same command goes on where it stopped

Sizes are tokens, and bytes for binary files. The best ones are in `bench/cases/best`. A row is
written to bench/results/ when it is done, and not made again for the same program and version (or
`--label`).
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from bench.cases import CannotMakeError, Case, Prepared, prepare
from bench.cases.held_out import HELD_OUT
from bench.cases.measure import measure

ROOT: Final = Path(__file__).resolve().parent.parent
_BEST: Final = ROOT / "bench" / "cases" / "best"
_RESULTS: Final = ROOT / "bench" / "results"


def main() -> int:
    """Do what the command line asks; exit with 1 if a case cannot be made or a test fails."""
    parser = argparse.ArgumentParser(prog="python -m bench.held_out", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--marrow", default=str(Path(sys.executable).parent / "marrow"))
    parser.add_argument("--max-time", type=int, default=540, help="seconds for a case at a time")
    parser.add_argument("--label", help="the name of the results, in place of the version")
    arguments = parser.parse_args()
    names = arguments.names or list(HELD_OUT)
    if names == ["check"]:
        good = [_check(case) for case in HELD_OUT.values()]
        return 0 if all(good) else 1
    ratios = []
    for name in names:
        label = arguments.label or _version(arguments.marrow)
        found = _row(HELD_OUT[name], arguments.marrow, arguments.max_time, label)
        if found is not None:
            ratios.append(found)
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"geometric mean of {len(ratios)} ratios to the best by hand: {mean:.3f}")
    return 0 if len(ratios) == len(names) else 1


def best_of(case: Case) -> Path:
    """Return the best result of a case that was made by hand; `.txt` is no code of ours."""
    suffix = Path(case.file).suffix
    return _BEST / f"{case.name}{'.txt' if suffix == '.py' else suffix}"


def size_of(case: Case, text: bytes) -> int:
    """Return the tokens of a text, or its bytes if it is none."""
    return len(text) if case.language == "binary" else measure(text, case.file).tokens


def interesting(made: Prepared, text: bytes) -> bool:
    """Run the test of a case on a text."""
    with tempfile.TemporaryDirectory(prefix="held-out-") as place:
        (Path(place) / made.case.file).write_bytes(text)
        return subprocess.run([made.test], cwd=place, capture_output=True).returncode == 0


def _check(case: Case) -> bool:
    try:
        made = prepare(case)
    except CannotMakeError as error:
        print(f"{case.name}: {error}")
        return False
    best = best_of(case).read_bytes()
    good = interesting(made, made.input.read_bytes()), interesting(made, best)
    print(f"{case.name:20} input {good[0]}, best {good[1]}, {size_of(case, best)} of {case.tokens}")
    return all(good)


def _row(case: Case, marrow: str, limit: int, label: str) -> float | None:
    """Reduce a case to its end, unless that was done; print its row and return its ratio."""
    try:
        made = prepare(case)
    except CannotMakeError as error:
        print(f"{case.name}: {error}", file=sys.stderr)
        return None
    kept = _RESULTS / "held-out" / label / case.name
    done = kept / "figures.json"
    if not done.exists() or json.loads(done.read_text())["said"]:
        _reduce(made, marrow, limit, kept)
    figures = json.loads(done.read_text())
    text = (kept / case.file).read_bytes()
    size, best = size_of(case, text), size_of(case, best_of(case).read_bytes())
    print(
        f"{case.name:20} {size:6} tokens {len(text):6} bytes {figures['tests']:6} tests  "
        f"best {best:4}  ratio {size / best:.2f}{figures['said']}",
        flush=True,
    )
    return size / best


def _version(marrow: str) -> str:
    """Return a name for a marrow: the commit of its checkout, and whether that was changed."""
    place = Path(marrow).resolve().parent
    said = subprocess.run(
        ["git", "-C", place, "describe", "--always", "--dirty", "--abbrev=12"],
        capture_output=True,
        text=True,
    )
    return re.sub(r"[^\w.-]", "_", said.stdout.strip() or str(place))


def _reduce(made: Prepared, marrow: str, limit: int, kept: Path) -> None:
    """Reduce a case, or go on with that where a limit stopped it."""
    work = (kept / "run").resolve()
    work.mkdir(parents=True, exist_ok=True)
    shutil.copy(made.input, work)
    command = [marrow, "reduce", made.case.file, str(made.test), "-j", "1"]
    command += ["--max-time", f"{limit}s", "-o", "result", "--json", "-q"]
    if (work / "result.marrow").exists():
        command.append("--resume")
    done = subprocess.run(command, cwd=work, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{made.case.name}: {done.stderr.strip()[-2000:]}")
    summary = json.loads(done.stdout)
    shutil.copy(work / "result", kept / made.case.file)
    said = f" (stopped: {summary['stopped']})" if summary["stopped"] else ""
    (kept / "figures.json").write_text(json.dumps({"tests": summary["tests"], "said": said}))


if __name__ == "__main__":
    sys.exit(main())
