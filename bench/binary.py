"""Binary files by their blocks: real files of packages, of each known format and one by trial.

    python -m bench.binary            reduce all of them, and say what is left
    python -m bench.binary NAME...    some of them

Every test runs a tool that reads the format, and wants something that is not at an end of the file,
so blocks before and after it can go. A file or tool that is not there is named.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from bench.cases.case import TOOLS, CannotMakeError, Source
from bench.cases.sources import SOURCES, PythonTool, run_program
from marrow.reducers.binary.reduce_blocks import by_blocks, format_of
from marrow.reducers.streams.stream import Attempts, finish
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.tree.order import smaller

ROOT: Final = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Descriptor:
    """The description of descriptions that the Python package of protocol buffers brings."""

    def make(self) -> bytes:
        """Install the package and ask it."""
        tool = PythonTool("protobuf-4.25.3", ("protobuf==4.25.3",))
        tool.install()
        program = (
            f"import sys; sys.path.insert(0, {str(TOOLS / tool.name)!r})\n"
            "from google.protobuf import descriptor_pb2\n"
            "sys.stdout.buffer.write(descriptor_pb2.DESCRIPTOR.serialized_pb)"
        )
        return run_program([sys.executable, "-I", "-c", program])


@dataclass(frozen=True, slots=True)
class Coverage:
    """The database that coverage.py writes about a run of a module of Python's library."""

    def make(self) -> bytes:
        """Install the package and run it."""
        tool = PythonTool("coverage-7.6.1", ("coverage==7.6.1",))
        tool.install()
        with tempfile.TemporaryDirectory() as place:
            data = Path(place, "data")
            options = f"run --branch --source=argparse,json,re --data-file={data} -m tokenize -h"
            program = (
                f"import sys; sys.path.insert(0, {str(TOOLS / tool.name)!r})\n"
                f"from coverage.cmdline import main\nmain({options.split()!r})"
            )
            run_program([sys.executable, "-I", "-c", program])
            return data.read_bytes()


class Real(NamedTuple):
    """A file, and a script that is content with it: the file is `$1`."""

    name: str
    source: Source
    test: str


_SOURCES: Final = {**SOURCES, "descriptor": Descriptor, "coverage": Coverage}


def _read() -> tuple[Real, ...]:
    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["file"]
    return tuple(
        Real(row["name"], _SOURCES[kind](*given), row["test"])
        for row in rows
        for kind, *given in [row["source"]]
    )


FILES: Final = _read()


def main() -> int:
    """Reduce files; exit with 1 if one cannot be made or is not what it should be."""
    parser = argparse.ArgumentParser(prog="python -m bench.binary")
    parser.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args()
    good = True
    for one in FILES:
        if not given.names or one.name.partition(",")[0] in given.names:
            good &= _row(one)
    return 0 if good else 1


def _row(one: Real) -> bool:
    try:
        data = one.source.make()
    except CannotMakeError as error:
        print(f"{one.name}: {error}")
        return False
    found = format_of(data)
    if found is None or not _good(one, data):
        print(f"{one.name}: {'the test fails' if found else 'no format is found'}")
        return False
    left, tests = _reduced(one, data)
    print(f"{one.name:15} {found[0]:18} {len(data):7,} -> {len(left):6,} bytes in {tests:5,} tests")
    sys.stdout.flush()
    return len(left) < len(data)


def _reduced(one: Real, data: bytes) -> tuple[bytes, int]:
    front = TextFrontEnd("bytes")
    tree = front.parse(data)
    attempts = Attempts(by_blocks(front.parse)(tree, finish))
    known: dict[bytes, bool] = {}
    while (attempt := next(attempts, None)) is not None:
        text = attempt.tree.text
        if not smaller(attempt.tree, attempt.tree.origin or tree):
            continue
        if text not in known:
            known[text] = _good(one, text)
        if known[text]:
            tree, attempts = attempt.tree, Attempts(attempt.then())
    return tree.text, len(known)


def _good(one: Real, data: bytes) -> bool:
    with tempfile.TemporaryDirectory(prefix="binary-") as place:
        file = Path(place) / f"input.{one.name.partition(',')[0]}"
        file.write_bytes(data)
        bash = shutil.which("bash") or "bash"
        command = [bash, "-c", one.test, "test", str(file)]
        try:
            return subprocess.run(command, capture_output=True, timeout=20).returncode == 0
        except subprocess.TimeoutExpired:
            return False


if __name__ == "__main__":
    sys.exit(main())
