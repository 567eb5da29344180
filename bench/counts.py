"""A guard for changes that must not change behaviour: counts of fixed small reductions.

Every case is an input of this repository, a test that looks for some text, and options of
`marrow reduce` or `marrow abstract`. They run through the command line with one worker, so the
counts are those of the stream of attempts: tests needed, answers from the cache, candidates that
do not parse, tokens and bytes before and after, and a hash of the result. All are exact; a change
that is meant to leave behaviour alone leaves every figure alone.

    python -m bench.counts                     run all cases and print a table
    python -m bench.counts NAME...             run some of them
    python -m bench.counts --json FILE         keep the figures
    python -m bench.counts --with FILE         compare with figures kept earlier
    python -m bench.counts --against DIR       compare with the marrow of another checkout
    python -m bench.counts --heavy             add nine cases of `bench.cases` with real tools

With `--with` or `--against` the exit code is 1 if a figure differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from bench.cases import CannotMakeError, prepare, select

ROOT: Final = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Small:
    """One run: files by name (a text, or `@` and a path), words that name the test, options."""

    name: str
    files: Mapping[str, str]
    test: tuple[str, ...]
    options: tuple[str, ...]
    command: str


def _case(row: dict[str, Any]) -> Small:
    """Read a case of the table."""
    test = _TABLE["test"].get(row.get("test"), row)
    if "script" in test:
        words: tuple[str, ...] = (str(ROOT / test["script"]),)
    else:
        every = " && ".join(f"grep -qe '{text}' \"$1\"" for text in test.get("lines", ()))
        words = ("--shell", test.get("shell", every))
    options = tuple(row.get("options", ()))
    return Small(row["name"], row["files"], words, options, row.get("command", "reduce"))


_TABLE: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
CASES: Final = tuple(map(_case, _TABLE["case"]))
HEAVY: Final = tuple(_TABLE["heavy"])


@dataclass(frozen=True, slots=True)
class Counts:
    """The figures of one run. For `marrow abstract` `tokens` and `bytes` are the pattern's.

    `result` is the beginning of a hash of the reduced input, or of the pattern.
    """

    tests: int
    cached: int
    invalid: int
    tokens: int
    bytes: int
    result: str


class UnreadableRunError(Exception):
    """A run failed, or did not say its figures; the message holds what it said."""


def count(case: Small, marrow: Path) -> Counts:
    """Run a case with one worker by this program, and return its figures."""
    with tempfile.TemporaryDirectory(prefix="counts-") as place:
        work = Path(place) / "work"
        for name, content in case.files.items():
            file = work / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content_of(content))
        (Path(place) / "notes.g4").write_text(_TABLE["grammar"]["notes"])
        whole = "." if len(case.files) > 1 else next(iter(case.files))
        options = [one.replace("notes.g4", "../notes.g4") for one in case.options]
        command = [str(marrow), case.command, whole, *case.test, *options]
        return _run([*command, "-j", "1", "-o", "../output"], work, case.command)


def content_of(content: str) -> bytes:
    """Return the content of a file of a case: a text, or what is somewhere here."""
    return (ROOT / content[1:]).read_bytes() if content[0] == "@" else content.encode()


def count_heavy(name: str, marrow: Path) -> Counts:
    """Run marrow as it comes on a case of `bench.cases`."""
    (case,) = select([name])
    made = prepare(case)
    with tempfile.TemporaryDirectory(prefix="counts-") as place:
        work = Path(place) / "work"
        work.mkdir()
        shutil.copy(made.input, work / case.file)
        command = [str(marrow), "reduce", case.file, str(made.test), "-l", case.language]
        return _run([*command, "-j", "1", "-o", "../output"], work, "reduce")


def _run(command: Sequence[str], work: Path, kind: str) -> Counts:
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "COLUMNS": "200"}
    more = ["--json", "-q"] if kind == "abstract" else []
    done = subprocess.run(
        [*command, *more], cwd=work, capture_output=True, text=True, env=environment
    )
    said = done.stdout + done.stderr
    if done.returncode != 0:
        raise UnreadableRunError(
            f"{' '.join(command)}: exit code {done.returncode}\n{said[-2000:]}"
        )
    output = work.parent / "output"
    if kind == "abstract":
        summary = json.loads(done.stdout)
        pattern = summary["pattern"].encode()
        words = len(re.findall(r"\w+|[^\w\s]", summary["pattern"]))
        return Counts(summary["tests"], summary["cached"], 0, words, len(pattern), _digest(pattern))
    return Counts(
        _figure(r"([\d,]+)(?: of them| tests run) to reduce", said),
        _figure(r"([\d,]+) answered from the cache", said),
        _figure(r"([\d,]+) invalid candidates?", said),
        _figure(r"-> ([\d,]+) tokens", said),
        _figure(r"-> ([\d,]+) bytes", said),
        _digest(_texts(output)),
    )


def _figure(pattern: str, said: str) -> int:
    found = re.search(pattern, said)
    if found is None:
        raise UnreadableRunError(f"no {pattern!r} in:\n{said[-2000:]}")
    return int(found[1].replace(",", ""))


def _texts(output: Path) -> bytes:
    """Return the result: a file, or all files of a directory with their names."""
    if output.is_file():
        return output.read_bytes()
    files = sorted(one for one in output.rglob("*") if one.is_file())
    return b"\0".join(
        b"%b\0%b" % (bytes(one.relative_to(output)), one.read_bytes()) for one in files
    )


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:10]


def measure(names: Sequence[str], marrow: Path, *, heavy: bool) -> dict[str, Counts]:
    """Run the named cases, or all; say on standard error which one runs."""
    figures = {}
    for case in CASES:
        if not names or case.name in names:
            print(f"{case.name} ...", file=sys.stderr)
            figures[case.name] = count(case, marrow)
    for name in HEAVY:
        if name in names or (heavy and not names):
            print(f"{name} ...", file=sys.stderr)
            try:
                figures[name] = count_heavy(name, marrow)
            except CannotMakeError as error:
                print(f"  left out: {error}", file=sys.stderr)
    return figures


def table(figures: Mapping[str, Counts]) -> str:
    """Return the figures as a table in Markdown."""
    lines = [
        "| case | tests | cached | invalid | tokens | bytes | result |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for name, one in figures.items():
        numbers = (one.tests, one.cached, one.invalid, one.tokens, one.bytes)
        shown = " | ".join(f"{number:,}" for number in numbers)
        lines.append(f"| {name} | {shown} | `{one.result}` |")
    total = sum(one.tests for one in figures.values())
    return "\n".join([*lines, f"| all {len(figures)} | {total:,} | | | | | |"])


def differences(now: Mapping[str, Counts], before: Mapping[str, Counts]) -> list[str]:
    """Return a line for every figure that differs, of the cases that both have."""
    lines = []
    for name in now:
        if name not in before:
            lines.append(f"{name}: new")
            continue
        old, new = asdict(before[name]), asdict(now[name])
        changed = [
            f"{field} {old[field]} -> {new[field]}" for field in old if old[field] != new[field]
        ]
        if changed:
            lines.append(f"{name}: {', '.join(changed)}")
    return lines


def load(file: Path) -> dict[str, Counts]:
    """Read figures that `--json` wrote."""
    kept: dict[str, Any] = json.loads(file.read_text())["counts"]
    return {name: Counts(**one) for name, one in kept.items()}


def _program(checkout: Path) -> Path:
    return checkout.resolve() / ".venv" / "bin" / "marrow"


def _names() -> Iterable[str]:
    return (*(case.name for case in CASES), *HEAVY)


def main() -> int:
    """Run the benchmark; exit with 1 if figures differ from those that they are compared with."""
    parser = argparse.ArgumentParser(prog="python -m bench.counts", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("names", nargs="*", metavar="NAME", help="cases to run; default: all")
    parser.add_argument("--heavy", action="store_true", help="add cases of bench.cases")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the figures here")
    parser.add_argument("--with", type=Path, metavar="FILE", dest="earlier", help="compare")
    parser.add_argument("--against", type=Path, metavar="DIR", help="another checkout's marrow")
    parser.add_argument("--of", type=Path, metavar="DIR", default=ROOT, help="default: this one's")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(_names())
    if unknown:
        parser.error(f"no such case: {', '.join(sorted(unknown))}; there are {', '.join(_names())}")
    figures = measure(arguments.names, _program(arguments.of), heavy=arguments.heavy)
    print(table(figures))
    if arguments.json:
        kept = {"counts": {name: asdict(one) for name, one in figures.items()}}
        arguments.json.write_text(json.dumps(kept, indent=1) + "\n")
    before: dict[str, Counts] = {}
    if arguments.earlier:
        before = load(arguments.earlier)
    elif arguments.against:
        before = measure(arguments.names, _program(arguments.against), heavy=arguments.heavy)
    else:
        return 0
    found = differences(figures, before)
    print("\n".join(found) if found else f"all figures of {len(figures)} cases are the same")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
