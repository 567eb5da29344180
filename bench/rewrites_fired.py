"""How often the rewrites that ship fire on real files, and how often that makes a file smaller.

    python -m bench.rewrites_fired               all languages
    python -m bench.rewrites_fired LANGUAGE...   some of them

Files are what a machine has: packages of Python and Node, sources of Go, Rust and the JDK; SMT-LIB
scripts are made. Of each language
up to 20 are taken, the shortest of at least 1,000 bytes first. A rewrite *fires* where it makes a
text that the parser accepts; that is *smaller* where the pass `rewrites` would try it, else it is a
detour.
"""

from __future__ import annotations

import argparse
import zipfile
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from bench.cases.random_constraints import mixed_constraints
from bench.smtlib import SCRIPTS
from marrow.reducers.passes.inline_calls import inlined
from marrow.reducers.passes.pass_context import PassContext, PassOptions
from marrow.reducers.passes.rewrites import rewritten
from marrow.reducers.passes.small_nodes import Stock
from marrow.reducers.pipeline.pipeline import ParseCache, rewrites_of
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.views import view_of
from marrow.tree import Tree, smaller

_MODULES: Final = "/usr/lib/node_modules"
_JDK: Final = "/usr/lib/jvm/temurin-25-jdk-amd64/lib/src.zip"

#: The suffix of each language, and where its files are looked for: directories, and archives.
PLACES: Final = {
    "c": (".c", ("/usr/share/doc", "/usr/lib/go-1.19", "/usr/share", "/usr/include", "/usr/src")),
    "cpp": (".cpp", ("/usr/share", "/usr/lib", "/usr/src", "~/.pyenv")),
    "javascript": (".js", ("/usr/share/nodejs", _MODULES)),
    "typescript": (".ts", ("/usr/share/nodejs", _MODULES)),
    "python": (".py", ("/usr/lib/python3", "/usr/lib/python3.11")),
    "java": (".java", (_JDK, "/usr/share", "/usr/lib", "tests")),
    "go": (".go", ("/usr/share/go-1.19", "/usr/lib/go-1.19")),
    "rust": (".rs", ("~/.cargo", "/usr/src", "tests")),
    "lua": (".lua", ("/usr/share", "/usr/lib")),
    "ruby": (".rb", ("/usr/lib/ruby", "/var/lib/gems")),
    "php": (".php", ("/usr/share", "/usr/lib", "tests")),
    "sql": (".sql", ("/usr/share", "/usr/lib", "tests")),
    "smtlib": (".smt2", ("/usr/share", "bench", "tests")),
}
_FILES: Final = 20
_LEAST_BYTES: Final = 1_000
_MOST_BYTES: Final = 8_000
#: A rewrite is counted so often on a file and no more.
_MOST_MATCHES: Final = 5


def main() -> int:
    """Print a table for every language."""
    parser = argparse.ArgumentParser(prog="python -m bench.rewrites_fired", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE")
    for language in parser.parse_args().languages or PLACES:
        files = list(islice(_texts(language), _FILES))
        fired: Counter[str] = Counter()
        less: Counter[str] = Counter()
        for file in files:
            for name, is_smaller in _matches(language, file):
                fired[name] += 1
                less[name] += is_smaller
        print(f"\n{language}: {len(files)} files\n\n| rewrite | fired | smaller |")
        print("| --- | ---: | ---: |")
        for name in dict.fromkeys(one.name for one in rewrites_of(language)):
            print(f"| {name} | {fired[name]} | {less[name]} |", flush=True)
    return 0


def _texts(language: str) -> Iterator[bytes]:
    """Yield texts of a language, from one place after the other, the shortest of each first."""
    suffix, places = PLACES[language]
    for place in (Path(one).expanduser() for one in places):
        if place.suffix == ".zip" and place.is_file():
            yield from _members(place, suffix)
            continue
        found = []
        for path in place.rglob(f"*{suffix}") if place.is_dir() else ():
            try:
                if (
                    path.is_file()
                    and not path.name.endswith(".d.ts")
                    and _fits(path.stat().st_size)
                ):
                    found.append((path.stat().st_size, path))
            except OSError:
                continue
        yield from (path.read_bytes() for _, path in sorted(found))
    if language == "smtlib":
        yield from (text.encode() for text, _ in SCRIPTS.values())
        yield from (mixed_constraints(seed).encode() for seed in range(_FILES))


def _members(archive: Path, suffix: str) -> Iterator[bytes]:
    with zipfile.ZipFile(archive) as opened:
        fitting = [
            (one.file_size, one.filename)
            for one in opened.infolist()
            if one.filename.endswith(suffix) and _fits(one.file_size)
        ]
        yield from (opened.read(name) for _, name in sorted(fitting))


def _fits(size: int) -> bool:
    return _LEAST_BYTES <= size <= _MOST_BYTES


def _matches(language: str, text: bytes) -> Iterator[tuple[str, bool]]:
    """Yield the rewrites that fire on a text, and whether what they make is smaller."""
    front: FrontEnd = view_of("input", text, language).counter
    tree = front.parse(text)
    options = PassOptions(rewrites=rewrites_of(language), language=language)
    parse = ParseCache(front.parse)
    context = PassContext(front, parse, front.compact, Stock(tree, front), options)
    validity = front.validity()
    if validity is not None:
        validity.rebase(tree)

    def fine(candidate: Tree) -> bool:
        return validity is None or validity.valid(candidate)

    for rewrite in options.rewrites:
        made = (
            rewritten(context, tree, rewrite)
            if rewrite.calls is None
            else (parse(one) for one in inlined(tree, rewrite))
        )
        for candidate in islice(made, _MOST_MATCHES):
            if fine(candidate):
                yield rewrite.name, smaller(candidate, tree)


if __name__ == "__main__":
    raise SystemExit(main())
