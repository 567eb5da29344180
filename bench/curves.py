"""The size of the best so far over processor time, for marrow and C-Vise on one case, as a picture.

    python -m bench.curves run c-leak --tool cvise --processor 60 --into DIRECTORY
    python -m bench.curves run c-leak --tool marrow --processor 60 --into DIRECTORY
    python -m bench.curves draw c-leak --into DIRECTORY --picture docs/curve-c-leak.svg

Both tools run one test at a time and are stopped when they and their tests have used so many
seconds of the processor: so a busy machine changes little. A run is kept as JSON, so that a
comparison can be made in pieces. Tokens are counted as in the far view of marrow.
"""

from __future__ import annotations

import argparse
import json
import math
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from bench.cases import Case, prepare, select
from bench.papers.picture import scatter
from bench.runs import Limits, wait
from marrow.tree.outline import LINE_MARKER, about_tokens

# The test that keeps the best so far, and counts.
_WRAPPER: Final = """\
#!/bin/sh
echo >> {asked}
{test} || exit 1
size=$(wc -c < {file})
if [ "$size" -lt "$(wc -c < {best})" ]; then cp {file} {best}.new && mv {best}.new {best}; fi
"""

# How often the best so far is looked at, in seconds of the processor.
_EVERY: Final = 0.5

_TOOLS: Final = ("marrow", "cvise")


@dataclass(frozen=True, slots=True)
class Point:
    """The best so far at some time."""

    processor: float
    tests: int
    tokens: int


def main() -> None:
    """Run or draw."""
    parser = argparse.ArgumentParser(prog="python -m bench.curves", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("action", choices=("run", "draw"))
    parser.add_argument("case")
    parser.add_argument("--tool", choices=_TOOLS, default="marrow")
    parser.add_argument("--processor", type=float, default=60.0)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    (case,) = select([arguments.case])
    arguments.into.mkdir(parents=True, exist_ok=True)
    if arguments.action == "draw":
        found = {
            tool: _read(path)
            for tool in _TOOLS
            if (path := arguments.into / f"{case.name}.{tool}.json").exists()
        }
        for tool, known in found.items():
            last = known[-1]
            print(f"{case.name} {tool}: {last.tokens:,} tokens, {last.tests:,} tests, ", end="")
            print(f"{last.processor:.0f} s of the processor")
        arguments.picture.write_text(picture(found))
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the tool is ended too
    path = arguments.into / f"{case.name}.{arguments.tool}.json"
    points: list[Point] = []
    try:
        run(case, arguments.tool, arguments.processor, points)
    finally:
        path.write_text(json.dumps([asdict(one) for one in points]))
    print(f"{case.name} {arguments.tool}: {points[-1]}")


def _read(path: Path) -> list[Point]:
    return [Point(**one) for one in json.loads(path.read_text())]


def run(case: Case, tool: str, seconds: float, points: list[Point]) -> None:
    """Run a tool on a case until it has used so many seconds of the processor, or ends."""
    made = prepare(case)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        text = made.input.read_bytes()
        file, best, asked, test = (place / one for one in (case.file, "best", "asked", "test.sh"))
        file.write_bytes(text)
        best.write_bytes(text)
        asked.write_bytes(b"")
        words = {"asked": asked, "test": made.test, "file": case.file, "best": best}
        test.write_text(_WRAPPER.format(**words))
        test.chmod(0o755)
        command = {
            "marrow": [
                *(sys.executable, "-m", "marrow", "reduce", case.file, str(test)),
                *("-j", "1", "-o", "result", "-q"),
            ],
            "cvise": ["cvise", "--n", "1", "--tidy", str(test), case.file],
        }[tool]
        points.append(Point(0.0, 0, _tokens(text)))
        with (place / "output").open("wb") as output:
            process = subprocess.Popen(
                command, cwd=place, stdout=output, stderr=output, start_new_session=True
            )
            limits = Limits(max_processor=seconds)
            wait(process, limits, asked, lambda used: _note(points, used, asked, best))


def _note(points: list[Point], used: float, asked: Path, best: Path) -> None:
    """Add a point, unless the last one is of this moment."""
    used = max(used, points[-1].processor)
    if len(points) > 1 and used - points[-1].processor < _EVERY:
        return
    try:
        text = best.read_bytes()
    except OSError:  # it is replaced just now
        return
    points.append(Point(round(used, 1), asked.stat().st_size, _tokens(text)))


@lru_cache(maxsize=1)  # the best stays the same most of the time
def _tokens(text: bytes) -> int:
    return about_tokens(LINE_MARKER.sub(b"", text))


def picture(found: dict[str, list[Point]]) -> str:
    """Return an SVG: tokens, by their logarithm, over processor time."""
    series = {}
    for tool, points in found.items():
        name = f"{tool}: {points[-1].tokens:,} tokens after {points[-1].processor:.0f} s"
        series[name] = [(one.processor, math.log10(max(1, one.tokens))) for one in points]
    return scatter("seconds of the processor", "tokens left, as powers of ten", series, joined=True)


if __name__ == "__main__":
    main()
