"""The size of the code: files and lines of `src/marrow`, by package.

    python -m bench.house                this checkout
    python -m bench.house DIR...         other checkouts, side by side
    python -m bench.house --json FILE    keep the figures of the last

What a start costs is measured by `bench/startup.py`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent


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
    names = sorted({name for one in packages for name in one}, key=lambda one: (one == "all", one))
    heads = [f"{what} ({one.name})" for one in places for what in ("files", "lines")]
    nothing = Size(0, 0)
    rows = [
        [name, *(f"{number:,}" for one in packages for number in _pair(one.get(name, nothing)))]
        for name in names
    ]
    print(_table(["package", *heads], rows))
    if arguments.json:
        kept = {"sizes": {name: asdict(one) for name, one in packages[-1].items()}}
        arguments.json.write_text(json.dumps(kept, indent=1) + "\n")
    return 0


def _pair(size: Size) -> tuple[int, int]:
    return size.files, size.lines


if __name__ == "__main__":
    sys.exit(main())
