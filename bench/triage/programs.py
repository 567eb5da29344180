"""The programs of the ground truth: their sources, the bugs put into them, and how they are built.

`bugs.toml` of a program is its list of patches: `good` is what the source says, `bad` what it says
with the bug. The target has all bugs; for every bug there is a variant with its fix alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent

#: ASan reports with lines, and every frame on the stack.
CFLAGS = (
    "-g1",
    "-O1",
    "-fno-omit-frame-pointer",
    "-fno-inline",
    "-fsanitize=address",
    "-w",
)


@dataclass(frozen=True)
class Program:
    """A program: its name, its source, and the bugs that are put into it."""

    name: str
    source: Path
    bugs: dict[str, tuple[str, str]]

    def text(self, without: str = "") -> str:
        """Return the source with all bugs, or with all but one."""
        text = self.source.read_text()
        for bug, (good, bad) in self.bugs.items():
            assert text.count(good) == 1, f"{self.name}: {bug}: {text.count(good)} places"
            # All variants have the same lines, so that stacks can be compared.
            lines = max(good.count("\n"), bad.count("\n"))
            text = text.replace(good, _padded(good if bug == without else bad, lines))
        return text

    def changed(self, bug: str) -> frozenset[str]:
        """Return the numbers of the lines that differ between the target and a variant."""
        lines = zip(self.text().split("\n"), self.text(bug).split("\n"), strict=True)
        return frozenset(str(at) for at, (one, other) in enumerate(lines, 1) if one != other)

    def build(self, where: Path, without: str = "", compiler: str = "gcc") -> Path:
        """Build the target, or the variant without one bug."""
        where.mkdir(parents=True, exist_ok=True)
        stem = f"without-{without}" if without else "target"
        # A program in Python is none of the checked code here, so its suffix is another one.
        suffix = Path(self.source.name.removesuffix(".source")).suffix
        source = where / f"{stem}{suffix}"
        text = self.text(without)
        binary = source if suffix == ".py" else where / stem
        if source.exists() and binary.exists() and source.read_text() == text:
            return binary
        source.write_text(text)
        if suffix == ".py":
            return source
        static = ("-static-libasan",) if compiler == "gcc" else ()  # as it is with clang
        words = [compiler, *CFLAGS, *static, "-o", str(binary), str(source)]
        subprocess.run(words, check=True)
        return binary

    def command(self, built: Path) -> list[str]:
        """Return the command that runs it on the file `{}`."""
        if built.suffix == ".py":
            return [os.path.realpath(sys.executable), "-SEI", str(built), "{}"]
        return [str(built), "{}"]


def _padded(text: str, lines: int) -> str:
    return "\n" * (lines - text.count("\n")) + text


def program(name: str) -> Program:
    """Return a program by its name."""
    folder = HERE / name
    source = next(path for path in folder.iterdir() if path.suffix in (".c", ".source"))
    bugs = tomllib.loads((folder / "bugs.toml").read_text())["bug"]
    return Program(name, source, {bug["id"]: (bug["good"], bug["bad"]) for bug in bugs})


#: The programs; the last one is held out: nothing is tuned on it. jot was, before it was seen.
NAMES = ("ember", "tiles", "query", "jot", "post")
