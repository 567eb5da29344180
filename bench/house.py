"""The size of the code and the cost of the start: lines, files, modules, seconds.

    python -m bench.house                this checkout
    python -m bench.house DIR...         other checkouts with a .venv, side by side
    python -m bench.house --json FILE    keep the figures

Lines and files are those of `src/marrow`, by package. Modules are those of marrow that are loaded
at the end of a command; seconds are of the processor, marrow's own without the processes of tests,
the least of several runs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent

# The least of so many runs: other work on the machine only ever adds to processor time.
_RUNS: Final = 7

# Runs a command in this process and says on the last line what it took. `process_time` counts from
# the start of the process, so the interpreter's own start is in it.
_PROBE: Final = """\
import sys, time
words = sys.argv[1:]
try:
    if words:
        sys.argv = ["marrow", *words]
        from marrow.cli.main import run
        run()
    else:
        import marrow
except SystemExit:
    pass
ours = sum(name.split(".")[0] == "marrow" for name in sys.modules)
print("\\n" + str(ours), time.process_time(), flush=True)
"""

#: What is started: `{}` is a directory with a small JSON file and a test.
STARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "import marrow": (),
    "marrow --version": ("--version",),
    "marrow --help": ("--help",),
    "marrow reduce --help": ("reduce", "--help"),
    "marrow reduce small.json": (
        *("reduce", "small.json", "--shell", 'grep -q null "$1"'),
        *("-j", "1", "-q", "-o", "small.reduced.json"),
    ),
}
SMALL_JSON: Final = b'{"a": [1, 2, {"k": 1, "l": true}], "b": null}\n'


@dataclass(frozen=True, slots=True)
class Start:
    """What a start takes: modules of marrow, and seconds of the processor."""

    modules: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Size:
    """Python files and their lines."""

    files: int
    lines: int


def sizes(checkout: Path) -> dict[str, Size]:
    """Return files and lines by package, modules of the root as `.`, and the sum as `all`."""
    source = checkout / "src" / "marrow"
    found: dict[str, Size] = {}
    for file in sorted(source.rglob("*.py")):
        inside = file.relative_to(source).parts
        package = inside[0] if len(inside) > 1 else "."
        lines = len(file.read_text(encoding="utf-8").splitlines())
        for name in (package, "all"):
            before = found.get(name, Size(0, 0))
            found[name] = Size(before.files + 1, before.lines + lines)
    return dict(sorted(found.items(), key=lambda one: (one[0] == "all", one[0])))


def start(checkout: Path, words: Sequence[str]) -> Start:
    """Run a command and say what its start took."""
    python = checkout / ".venv" / "bin" / "python"
    found = []
    for _ in range(_RUNS):
        with tempfile.TemporaryDirectory() as place:
            Path(place, "small.json").write_bytes(SMALL_JSON)
            done = subprocess.run(
                [python, "-c", _PROBE, *words], cwd=place, capture_output=True, text=True
            )
        modules, seconds = done.stdout.splitlines()[-1].split()
        found.append(Start(int(modules), round(float(seconds), 3)))
    return min(found, key=lambda one: one.seconds)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"| --- |{' ---: |' * (len(heads) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.house", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("checkouts", nargs="*", type=Path, default=[ROOT], metavar="DIR")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the figures of the last")
    arguments = parser.parse_args()
    places = [one.resolve() for one in arguments.checkouts]
    packages = [sizes(one) for one in places]
    starts = [{name: start(one, words) for name, words in STARTS.items()} for one in places]
    names = sorted({name for one in packages for name in one}, key=lambda one: (one == "all", one))
    heads = [f"{what} ({one.name})" for one in places for what in ("files", "lines")]
    nothing = Size(0, 0)
    rows = [
        [name, *(f"{number:,}" for one in packages for number in _pair(one.get(name, nothing)))]
        for name in names
    ]
    print(_table(["package", *heads], rows), end="\n\n")
    heads = [f"{what} ({one.name})" for one in places for what in ("modules", "seconds")]
    rows = [
        [
            name,
            *(
                word
                for one in starts
                for word in (f"{one[name].modules}", f"{one[name].seconds:.2f}")
            ),
        ]
        for name in STARTS
    ]
    print(_table(["start", *heads], rows))
    if arguments.json:
        kept = {
            "sizes": {name: asdict(one) for name, one in packages[-1].items()},
            "starts": {name: asdict(one) for name, one in starts[-1].items()},
        }
        arguments.json.write_text(json.dumps(kept, indent=1) + "\n")
    return 0


def _pair(size: Size) -> tuple[int, int]:
    return size.files, size.lines


if __name__ == "__main__":
    sys.exit(main())
