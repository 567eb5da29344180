"""The HDD family on inputs that are very long or very deep: does it end, and in how much memory?

    python -m tests.reducers.algorithms.hdd_scale     200,000 tokens, and 5,000 levels
    python -m tests.reducers.algorithms.hdd_scale --tokens 20000 --depth 500

Every run is a process of its own, whose greatest memory the operating system tells. The test is a
function that looks for a word, so that the time is marrow's own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from marrow import reduce

#: One variant of each kind: by level and by siblings, coarse and not, with and without hoisting.
VARIANTS: Final = ("hdd*", "hddr*", "hddhr*", "coarse-hdd*", "coarse-hddr*", "coarse-hoistr*+hddr*")


def long_text(tokens: int) -> bytes:
    """Return a JSON text of about so many tokens: a list of small objects, one with a needle."""
    # `{"a": N, "b": [N]},` has twelve tokens.
    count = tokens // 12
    parts = [f'{{"a": {n}, "b": [{n}]}}' for n in range(count)]
    parts[count // 3] = '{"a": "needle", "b": [0]}'
    return f"[{', '.join(parts)}]\n".encode()


def deep_text(depth: int) -> bytes:
    """Return a JSON text that nests so deep, with a needle at the bottom."""
    return b"[1, " * depth + b'"needle"' + b"]" * depth + b"\n"


INPUTS: Final[dict[str, Callable[[int], bytes]]] = {"long": long_text, "deep": deep_text}


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run took. `megabytes` is the greatest memory of the process."""

    shape: str
    variant: str
    tokens: int
    left: int
    tests: int
    seconds: float
    megabytes: int
    stopped: str


def greatest_memory() -> int:
    """Return the greatest memory of this process in MB.

    From /proc where there is one: what `getrusage` says is, in a process that another one has
    started, at least the memory of that other one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (one for one in status.read_text().splitlines() if one.startswith("VmHWM:"))
        return int(line.split()[1]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def measure(shape: str, size: int, variant: str) -> Measured:
    """Reduce one input in this process."""
    started = time.monotonic()
    text = INPUTS[shape](size)
    result = reduce(text, lambda one: b"needle" in one, language="json", algorithm=variant)
    memory = greatest_memory()
    return Measured(
        shape,
        variant,
        result.tokens_before,
        result.tokens_after,
        result.tests,
        time.monotonic() - started,
        memory,
        result.stopped or "",
    )


def measured_apart(shape: str, size: int, variant: str) -> Measured:
    """Reduce one input in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "tests.reducers.algorithms.hdd_scale",
        "--one",
        shape,
        str(size),
        variant,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return Measured(**json.loads(done.stdout))


def main() -> None:
    """Measure, and print a Markdown table."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.reducers.algorithms.hdd_scale", description=__doc__
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--tokens", type=int, default=200_000)
    parser.add_argument("--depth", type=int, default=5_000)
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--one", nargs=3, metavar=("SHAPE", "SIZE", "VARIANT"))
    arguments = parser.parse_args()
    if arguments.one:
        shape, size, variant = arguments.one
        print(json.dumps(asdict(measure(shape, int(size), variant))))
        return
    print("| input | tokens | variant | tokens left | tests | seconds | MB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for shape, size in (("long", arguments.tokens), ("deep", arguments.depth)):
        for variant in arguments.variants.split(","):
            one = measured_apart(shape, size, variant)
            print(
                f"| {one.shape} | {one.tokens:,} | {one.variant} | {one.left} | {one.tests:,} | "
                f"{one.seconds:.0f} | {one.megabytes:,} |{' ' + one.stopped}",
                flush=True,
            )


if __name__ == "__main__":
    main()
