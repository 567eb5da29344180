"""Parse real files with the shipped grammars of data, query and command languages.

    python -m bench.grammars_data [--grammar NAME] [--only NAME] [--failures N] PATH...

Files are found below the paths by their suffix; `--only` takes those of one grammar, `--grammar`
takes all files for that grammar's. For each grammar: how many files there were, how many of them
parse to a tree with the same text, how many tokens, how many tokens a second, and the failures,
most frequent message first.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import marrow.grammars
from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.notations import read_file
from marrow.grammar.parser.parser import Parser, compile_grammar

GRAMMARS: Final = Path(marrow.grammars.__file__).parent

SUFFIXES: Final = {
    ".json": "json",
    ".xml": "xml",
    ".svg": "xml",
    ".xsl": "xml",
    ".ui": "xml",
    ".clj": "clojure",
    ".cljc": "clojure",
    ".cljs": "clojure",
    ".edn": "clojure",
    ".smt2": "smtlib",
    ".sql": "sqlite",
    ".lua": "lua",
    ".nse": "lua",
    ".find": "find",
    ".grep": "grep",
}


@dataclass
class Result:
    """What came out for one grammar."""

    compile_seconds: float = 0.0
    files: int = 0
    parsed: int = 0
    tokens: int = 0
    seconds: float = 0.0
    slowest: tuple[float, int, str] = (0.0, 0, "")
    failures: list[tuple[str, str]] = field(default_factory=list)

    def add(self, parser: Parser, path: Path) -> None:
        """Parse one file."""
        text = path.read_bytes()
        self.files += 1
        began = time.process_time()
        try:
            tree = parser.parse(text)
        except ParseError as error:
            self.failures.append((str(error), str(path)))
            return
        took = time.process_time() - began
        # A tree without tokens has no text: a file of comments is rendered as nothing.
        if tree.token_count and tree.text != text:
            self.failures.append(("the tree has another text", str(path)))
            return
        self.parsed += 1
        self.tokens += tree.token_count
        self.seconds += took
        self.slowest = max(self.slowest, (took, tree.token_count, str(path)))

    def lines(self, name: str, failures: int) -> Iterator[str]:
        """Describe the result."""
        rate = self.tokens / self.seconds if self.seconds else 0.0
        yield (
            f"{name}: {self.parsed} of {self.files} files ({self.parsed / self.files:.2%}), "
            f"{self.tokens} tokens, {rate:.0f} tokens/s, "
            f"compiled in {self.compile_seconds:.2f} s"
        )
        seconds, tokens, path = self.slowest
        yield f"  longest: {seconds:.2f} s for {tokens} tokens ({path})"
        kinds = Counter(re.sub(r"^.*?\d+:\d+: |\d+", "", message) for message, _ in self.failures)
        for kind, count in kinds.most_common(failures):
            yield f"  {count} x {kind[:200]}"
        for message, path in self.failures[:failures]:
            yield f"  {path}: {message[:200]}"


def files_below(paths: Iterable[Path], grammar: str | None) -> Iterator[tuple[str, Path]]:
    """Find the files and say which grammar is for each."""
    for path in paths:
        below = sorted(path.rglob("*")) if path.is_dir() else [path]
        for one in below:
            name = grammar or SUFFIXES.get(one.suffix)
            if name is not None and one.is_file() and one.stat().st_size:
                yield name, one


def main(arguments: list[str]) -> int:
    """Run the benchmark; the exit status is 1 if there were no files."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("paths", nargs="+", type=Path)
    options.add_argument("--grammar", help="parse all files with this grammar")
    options.add_argument("--only", help="parse only the files with a suffix of this grammar")
    options.add_argument("--failures", type=int, default=10, help="how many to show")
    chosen = options.parse_args(arguments)
    parsers: dict[str, Parser] = {}
    results: dict[str, Result] = {}
    for name, path in files_below(chosen.paths, chosen.grammar):
        if chosen.only not in (None, name):
            continue
        if name not in parsers:
            began = time.process_time()
            parsers[name] = compile_grammar(read_file(GRAMMARS / f"{name}.g4").grammar, None)
            parsers[name].tables()
            results[name] = Result(compile_seconds=time.process_time() - began)
        results[name].add(parsers[name], path)
    for name, result in results.items():
        print("\n".join(result.lines(name, chosen.failures)))
    return 0 if results else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
