"""The size and shape of the code, by package.

    python -m bench.house                this checkout
    python -m bench.house DIR...         other checkouts, side by side
    python -m bench.house --walks        and how much code a run crosses (takes a minute)
    python -m bench.house --json FILE    keep the figures of the last checkout

A *constant* is a number, or some, under a name in capitals at module level. A module *with one
importer* is imported by one other module of marrow. A *walk* counts the functions and files of
marrow that a run enters, as the interpreter's profiler sees them.
`bench.speed` measures what a start costs.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from tools.constants import constants_of

ROOT: Final = Path(__file__).resolve().parent.parent

#: Words of marrow's old dialect that a reader of the field does not expect.
DIALECT: Final = re.compile(
    r"\b(?:stands?|behind|in front of|(?<!there )(?:is|are) no (?!longer|more)[a-z]+)\b"
)

#: Runs whose walks are counted: what the command line says, in a copy of `examples`.
WALKS: Final = {
    "reduce with a test": ("reduce", "demo/shop.py", "demo/test.sh", "-j", "1"),
    "reduce with a command": ("reduce", "command/crash.js", "-j", "1", "--", "node", "{}"),
    "abstract": ("abstract", "abstract/keys.json", "abstract/keys.py", "-j", "1"),
    "triage": ("triage", "triage/crashes", "--", "python3", "triage/shapes.py", "{}"),
}

_PROFILED: Final = """
import sys, threading
entered = set()
def note(frame, event, _):
    code = frame.f_code
    if event == "call" and "/marrow/" in code.co_filename and code.co_name[0] != "<":
        entered.add((code.co_filename, code.co_firstlineno))
from marrow.cli.main import run
threading.setprofile(note)
sys.setprofile(note)
sys.argv = ["marrow", *sys.argv[1:]]
try:
    run()
except SystemExit:
    pass
finally:
    sys.setprofile(None)
    print("WALK", len(entered), len({file for file, _ in entered}))
"""


@dataclass(frozen=True, slots=True)
class Size:
    """What a package, or all of them, weighs."""

    files: int = 0
    lines: int = 0
    code: int = 0
    constants: int = 0
    single: int = 0
    dialect: int = 0

    def __add__(self, other: Size) -> Size:
        mine, others = asdict(self).values(), asdict(other).values()
        return Size(*(a + b for a, b in zip(mine, others, strict=True)))


def sizes(checkout: Path) -> dict[str, Size]:
    """Return the size of each package, modules of the root as `.`, and the sum as `all`."""
    source = checkout / "src" / "marrow"
    importers = _importers(source)
    found: dict[str, Size] = {}
    for file in sorted(source.rglob("*.py")):
        inside = file.relative_to(source).parts
        package = inside[0] if len(inside) > 1 else "."
        text = file.read_text(encoding="utf-8")
        size = Size(
            1,
            len(text.splitlines()),
            _code_lines(text),
            sum(1 for _ in constants_of(file)),
            int(importers[_module(file, source)] == 1),
            sum(1 for line in text.splitlines() if DIALECT.search(line)),
        )
        for name in (package, "all"):
            found[name] = found.get(name, Size()) + size
    return dict(sorted(found.items(), key=lambda one: (one[0] == "all", one[0])))


def _module(file: Path, source: Path) -> str:
    parts = ("marrow", *file.relative_to(source).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _importers(source: Path) -> Counter[str]:
    """Count how many modules import each module."""
    modules = {_module(file, source): file for file in source.rglob("*.py")}
    counted: Counter[str] = Counter()
    for name, file in modules.items():
        used = set()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                used |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
            elif isinstance(node, ast.Import):
                used |= {one.name for one in node.names}
        counted.update((used & set(modules)) - {name})
    return counted


def _code_lines(text: str) -> int:
    """Count the lines with code on them: without comments, docstrings and blank lines."""
    lines: set[int] = set()
    quiet = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        begins = before in {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
        if token.type not in quiet and not (token.type == tokenize.STRING and begins):
            lines.update(range(token.start[0], token.end[0] + 1))
        if token.type not in {tokenize.NL, tokenize.COMMENT}:
            before = token.type
    return len(lines)


def folders(checkout: Path, most: int = 5) -> list[tuple[str, int]]:
    """Return the folders with the most modules."""
    source = checkout / "src" / "marrow"
    counted = Counter(str(file.parent.relative_to(source)) for file in source.rglob("*.py"))
    return counted.most_common(most)


def walk(checkout: Path, words: Sequence[str]) -> tuple[int, int]:
    """Return how many functions and files of marrow a run enters."""
    python = checkout / ".venv" / "bin" / "python"
    with tempfile.TemporaryDirectory() as place:
        copied = Path(place) / "examples"
        subprocess.run(["cp", "-r", str(checkout / "examples"), str(copied)], check=True)
        done = subprocess.run(
            [str(python), "-c", _PROFILED, *words], cwd=copied, capture_output=True, text=True
        )
    found = re.search(r"^WALK (\d+) (\d+)$", done.stdout, re.MULTILINE)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"| --- |{' ---: |' * (len(heads) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.house", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("checkouts", nargs="*", type=Path, default=[ROOT], metavar="DIR")
    parser.add_argument("--walks", action="store_true", help="count what runs cross")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the figures of the last")
    arguments = parser.parse_args()
    places = [one.resolve() for one in arguments.checkouts]
    kinds = ("files", "lines", "code", "constants", "one importer", "dialect")
    for place in places:
        measured = sizes(place)
        print(f"{place.name}:")
        rows = [
            [name, *(f"{number:,}" for number in asdict(size).values())]
            for name, size in measured.items()
        ]
        print(_table(["package", *kinds], rows))
        print("largest folders:", ", ".join(f"{name} {count}" for name, count in folders(place)))
        if arguments.walks:
            crossed = [
                [name, *(f"{number:,}" for number in walk(place, words))]
                for name, words in WALKS.items()
            ]
            print(_table(["run", "functions", "files"], crossed))
        print()
    if arguments.json:
        kept = {"sizes": {name: asdict(one) for name, one in measured.items()}}
        arguments.json.write_text(json.dumps(kept, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
