"""How much of real files lies outside of syntax errors, by language.

    python -m bench.parsed_files DIRECTORY... --sample 200 --seed 1

Of each language that a directory has files of, a sample is parsed as marrow does it. `--show`
prints where errors begin, some lines of each language.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import tree_sitter

from bench.parsed_headers import error_lines
from marrow.base.errors import MarrowError
from marrow.languages.recognition import language_of
from marrow.syntax.load_parser import load_language
from marrow.syntax.masking import masked, needs_masking

# Smaller files say little; larger ones take long.
_SIZES = range(200, 200_000)


def main() -> int:
    """Measure samples; exit with 1 if there is no file of any language."""
    parser = argparse.ArgumentParser(prog="python -m bench.parsed_files", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--sample", type=int, default=200, help="files of a language")
    parser.add_argument("--least", type=int, default=20, help="languages with fewer files are left")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="lines with errors to print")
    arguments = parser.parse_args()
    found: dict[str, list[Path]] = defaultdict(list)
    for directory in arguments.directories:
        for path in _files(directory):
            language = language_of(path.name, path.read_bytes())
            if language is not None:
                found[language].append(path)
    print("| language | files | clean % | lines | outside of errors % |")
    print("| --- | ---: | ---: | ---: | ---: |")
    choose = random.Random(arguments.seed)
    totals = [0, 0, 0, 0]
    for language, paths in sorted(found.items()):
        if len(paths) < arguments.least:
            continue
        row = _row(language, choose.sample(paths, min(len(paths), arguments.sample)), arguments)
        if row is not None:
            totals = [total + one for total, one in zip(totals, row, strict=True)]
            print(_written(language, row), flush=True)
    if totals[0]:
        print(_written("all", totals))
    return 0 if totals[0] else 1


def _files(directory: Path) -> Iterator[Path]:
    """Yield the files below a directory, each link once and none followed, in a fixed order."""
    for place, below, names in os.walk(directory):
        below.sort()
        for name in sorted(names):
            path = Path(place, name)
            if not path.is_symlink() and path.is_file() and path.stat().st_size in _SIZES:
                yield path


def _row(language: str, paths: list[Path], arguments: argparse.Namespace) -> list[int] | None:
    """Return the files, those without an error, lines, and lines in errors."""
    try:
        parser = tree_sitter.Parser(load_language(language))
    except MarrowError as error:
        print(f"{language}: {error}", file=sys.stderr)
        return None
    files = clean = total = bad = shown = 0
    for path in paths:
        text = path.read_bytes()
        lines = text.split(b"\n")
        parsed = parser.parse(text)
        if needs_masking(text, language, errors=parsed.root_node.has_error):
            parsed = parser.parse(masked(text, language).text)
        wrong = {at for at in error_lines(parsed) if lines[at : at + 1] != [b""]}
        files += 1
        clean += not wrong
        total += sum(bool(line.strip()) for line in lines)
        bad += len(wrong)
        if wrong and shown < arguments.show:
            shown += 1
            print(f"    {path}:{min(wrong) + 1}: {lines[min(wrong)].strip()[:100]!r}")
    return [files, clean, total, bad]


def _written(name: str, row: list[int]) -> str:
    files, clean, total, bad = row
    good = 100 - 100 * bad / max(1, total)
    return f"| {name} | {files:,} | {100 * clean / files:.1f} | {total:,} | {good:.3f} |"


if __name__ == "__main__":
    sys.exit(main())
