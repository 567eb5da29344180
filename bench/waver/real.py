"""Slow inputs and flaky failures of real programs: `python -m bench.waver.real slow|flaky [NAME]`.

A slow input is reduced with `--slower-than`, its result is run alone; a flaky failure is reduced
without any option, and its result is run forty times beside the input.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any, Final

_RUNS: Final = 40
_LONGEST: Final = 900


def _seconds(command: list[str], path: Path) -> tuple[int, float]:
    """Run a command on a file; return its exit code and its time of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [word.replace("{}", str(path)) for word in command]
    ended = subprocess.run(words, cwd=path.parent, capture_output=True, check=False, timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.returncode, sum(
        getattr(after, name) - getattr(before, name) for name in ("ru_utime", "ru_stime")
    )


def _reduced(case: dict[str, Any], place: Path, options: list[str]) -> tuple[Path, Path]:
    source = place / case["file"]
    source.write_text(case["text"].lstrip("\n"))
    words = [sys.executable, "-m", "marrow", "reduce", case["file"], "-j1", "-q", *options, "--"]
    ended = subprocess.run(
        [*words, *case["command"]], cwd=place, capture_output=True, check=False, timeout=_LONGEST
    )
    if ended.returncode:
        print(ended.stderr.decode()[-400:])
    return source, source.with_name(f"{source.stem}.reduced{source.suffix}")


def main() -> None:
    """Reduce the cases of a kind, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("slow", "flaky"))
    parser.add_argument("name", nargs="?", default="")
    asked = parser.parse_args()
    text = Path(__file__).with_name(f"{asked.kind}.toml").read_text("utf-8")
    for case in tomllib.loads(text)["case"]:
        if asked.name not in case["name"]:
            continue
        with tempfile.TemporaryDirectory() as place:
            slow = asked.kind == "slow"
            options = ["--slower-than", f"{case['least']}s"] if slow else []
            try:
                source, result = _reduced(case, Path(place), options)
                sizes = f"{os.path.getsize(source)} -> {os.path.getsize(result)} bytes"
                if slow:
                    said = f"{_seconds(case['command'], result)[1]:.2f} s of {case['least']} s"
                else:
                    failed = [
                        sum(bool(_seconds(case["command"], path)[0]) for _ in range(_RUNS))
                        for path in (source, result)
                    ]
                    said = f"fails in {failed[1]} of {_RUNS} runs, the input in {failed[0]}"
            except (subprocess.TimeoutExpired, FileNotFoundError) as error:
                sizes, said = "no result", type(error).__name__
            print(f"{case['name']:34} {sizes:22} {said}", flush=True)


if __name__ == "__main__":
    main()
