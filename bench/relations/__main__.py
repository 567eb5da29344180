"""Run the cases of relations and tell tokens, bytes and tests beside the best by hand.

    python -m bench.relations                    all of them
    python -m bench.relations NAME...            some of them
    python -m bench.relations --most-tests 3000  stop each run after so many tests
    python -m bench.relations --json FILE        keep the figures

To measure another version, let `PYTHONPATH` name its sources before this one's.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.compare import geometric_mean
from bench.relations.case import Case
from bench.relations.contests import CONTESTS
from bench.relations.formats import FORMATS

CASES = (*CONTESTS, *FORMATS)


def measure(case: Case, most_tests: int, most_seconds: float) -> dict[str, Any]:
    """Reduce a case, and return its figures."""
    import marrow

    text, started = case.text, time.process_time()
    with tempfile.TemporaryDirectory(prefix="relations-") as place:
        file = Path(place) / f"input{case.suffix}"
        file.write_bytes(text)
        result = marrow.reduce(file, case.fails, max_tests=most_tests, max_time=most_seconds)
    return {
        "name": case.name,
        "tokens": len(text.split()),
        "bytes": len(text),
        "hand": len(case.hand),
        "left": len(result.text),
        "left_tokens": len(result.text.split()),
        "hand_tokens": len(case.hand.split()),
        "tests": result.tests,
        "seconds": round(time.process_time() - started, 1),
        "text": result.text[:80].decode("utf-8", "replace"),
    }


def main() -> int:
    """Run the cases that are named."""
    parser = argparse.ArgumentParser(prog="python -m bench.relations", description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--most-tests", type=int, default=5000)
    parser.add_argument("--most-seconds", type=float, default=300)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    chosen = [one for one in CASES if not given.names or one.name in given.names]
    found = []
    for case in chosen:
        found.append(one := measure(case, given.most_tests, given.most_seconds))
        rate = 1000 * one["tests"] / one["tokens"]
        print(
            f"{one['name']:16} {one['tokens']:7,} tokens {one['bytes']:9,} B → {one['left']:6,} B "
            f"(hand {one['hand']:3}) in {one['tests']:5,} tests, {rate:6.0f} for 1,000 tokens, "
            f"{one['seconds']:6.1f} s  {one['text']!r}",
            flush=True,
        )
    if found:
        sizes = geometric_mean([max(one["left"], 1) / one["hand"] for one in found])
        words = geometric_mean([max(one["left_tokens"], 1) / one["hand_tokens"] for one in found])
        rates = geometric_mean([1000 * one["tests"] / one["tokens"] for one in found])
        print(f"{len(found)} cases: {sizes:.2f} times the bytes and {words:.2f} times the tokens")
        print(f"of the best by hand, {rates:.0f} tests for 1,000 tokens (geometric means)")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
