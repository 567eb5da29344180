"""Parses real files with a grammar that ships: the share that parses, speed, and what fails.

    python -m bench.grammars_languages LANGUAGE PATH... [--most N] [--limit BYTES]

Every file below each PATH that has one of the language's endings is parsed, or a spread of `--most`
of them. A file counts as parsed if the tree gives back its text. Speed is over all files, and for
those that parse in one piece: lexing, parsing and building the tree.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import marrow.grammars
from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.notations import read_file
from marrow.grammar.parser.parser import Parser, compile_grammar

_ENDINGS = {
    "c": (".c", ".i"),
    "go": (".go",),
    "java": (".java",),
    "javascript": (".js", ".mjs", ".cjs"),
}


@dataclass(slots=True)
class Result:
    """What came out for a set of files."""

    parsed: int = 0
    tokens: int = 0
    seconds: float = 0.0
    slowest: tuple[float, str] = (0.0, "")
    failures: list[tuple[str, str]] = field(default_factory=list)


def shipped_parser(language: str) -> Parser:
    """Return the parser of a grammar that ships."""
    directory = Path(marrow.grammars.__file__).parent
    return compile_grammar(read_file(directory / f"{language}.g4").grammar)


def files_below(paths: Sequence[Path], endings: tuple[str, ...]) -> Iterator[Path]:
    """Find the files with one of the endings; paths that are files are taken as they are."""
    for path in paths:
        if path.is_file():
            yield path
        else:
            yield from sorted(
                one for one in path.rglob("*") if one.suffix in endings and one.is_file()
            )


def spread(files: Sequence[Path], most: int) -> list[Path]:
    """Choose at most so many files, evenly spread."""
    if most <= 0 or len(files) <= most:
        return list(files)
    return [files[index * len(files) // most] for index in range(most)]


def measure(parser: Parser, files: Sequence[Path], limit: int) -> Result:
    """Parse the files that are not larger than the limit."""
    result = Result()
    for path in files:
        text = path.read_bytes()
        if limit and len(text) > limit:
            continue
        started = time.process_time()
        try:
            tree = parser.parse(text)
        except ParseError as error:
            result.failures.append((str(path), str(error)))
            continue
        seconds = time.process_time() - started
        if tree.text != text:
            result.failures.append((str(path), "the tree does not give back the text"))
            continue
        result.parsed += 1
        result.tokens += tree.token_count
        result.seconds += seconds
        result.slowest = max(result.slowest, (seconds, str(path)))
    return result


def report(result: Result, shown: int) -> None:
    """Print the figures and the failures, the most frequent messages first."""
    files = result.parsed + len(result.failures)
    share = 100 * result.parsed / files if files else 0.0
    speed = result.tokens / result.seconds if result.seconds else 0.0
    print(f"files {files}  parsed {result.parsed}  share {share:.2f}%")
    print(f"tokens {result.tokens}  seconds {result.seconds:.1f}  tokens/second {speed:.0f}")
    print(f"slowest {result.slowest[0]:.2f} s  {result.slowest[1]}")
    messages = Counter(message.partition(": ")[2] or message for _, message in result.failures)
    for message, count in messages.most_common(shown):
        print(f"{count:5}  {message[:160]}")
    for path, message in result.failures[:shown]:
        print(f"  {path}: {message[:160]}")


def main() -> None:
    """Run from the command line."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    options.add_argument("language", choices=sorted(_ENDINGS))
    options.add_argument("paths", nargs="+", type=Path)
    options.add_argument("--most", type=int, default=0, help="at most so many files")
    options.add_argument("--limit", type=int, default=0, help="leave out larger files (bytes)")
    options.add_argument("--shown", type=int, default=20, help="failures to show")
    chosen = options.parse_args()
    started = time.process_time()
    parser = shipped_parser(chosen.language)
    tables = parser.tables()
    seconds = time.process_time() - started
    print(
        f"compiled in {seconds:.2f} s: {len(tables.actions)} states, {tables.conflicts} conflicts"
    )
    files = list(files_below(chosen.paths, _ENDINGS[chosen.language]))
    report(measure(parser, spread(files, chosen.most), chosen.limit), chosen.shown)


if __name__ == "__main__":
    main()
