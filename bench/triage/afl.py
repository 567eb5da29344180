"""The fuzzer's own de-duplication, applied to a crash folder: what afl++ would have left of it.

`afl-fuzz` saves a crash if it goes through an edge that no crash before it went through; `afl-cmin -C`
keeps the fewest files that go through all edges. Neither says which of the others belongs to which
file, so there are no pairs: every file that is left is a report.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from bench.triage.programs import Program

_ENVIRONMENT = {
    "ASAN_OPTIONS": "abort_on_error=1:symbolize=0:detect_leaks=0",
    "AFL_SKIP_CPUFREQ": "1",
    "AFL_ALLOW_TMP": "1",
}
_WORDS = ("-m", "none", "-t", "2000")


def afl_rows(program: Program, work: Path, truth: dict[str, Any]) -> str:
    """Say how many files of a program afl's two ways leave, and which bugs are among them."""
    if program.source.suffix != ".c" or shutil.which("afl-showmap") is None:
        return f"{program.name}: afl is for programs in C, if it is there"
    binary = program.build(work / program.name / "afl", compiler="afl-clang-fast")
    folder = work / program.name / "crashes"
    with tempfile.TemporaryDirectory() as made:
        maps, kept = Path(made) / "maps", Path(made) / "kept"
        _run("afl-showmap", "-q", "-e", "-i", folder, "-o", maps, "--", binary, "@@")
        _run("afl-cmin", "-C", "-i", folder, "-o", kept, "--", binary, "@@")
        ways = {"afl-fuzz": _unique(maps), "afl-cmin -C": sorted(os.listdir(kept))}
    lines = [f"{program.name}: {len(truth['files'])} files"]
    for name, left in ways.items():
        files = [truth["files"][one] for one in left if one in truth["files"]]
        bugs = {bug for one in files for bug in one["bugs"][:1]}
        lines.append(
            f"  {name:14} {len(files):4} files left, {len(bugs)} bugs found, "
            f"{len(files) - len(bugs)} reported twice"
        )
    return "\n".join(lines)


def _run(tool: str, *words: object) -> None:
    command = [tool, *_WORDS, *map(str, words)]
    environment = os.environ | _ENVIRONMENT
    # It ends with a code of its own where files crash, which they all do.
    subprocess.run(command, env=environment, capture_output=True, check=False)


def _unique(maps: Path) -> list[str]:
    """Return the files that go through an edge which no file before them goes through."""
    seen: set[str] = set()
    found = []
    for path in sorted(maps.iterdir()):
        edges = {line.partition(":")[0] for line in path.read_text().splitlines()}
        if edges - seen:
            found.append(path.name)
        seen |= edges
    return found
