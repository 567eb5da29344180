"""Find the pattern of each case, and tell how well it says which random inputs fail.

    python -m bench.conditions                all of them
    python -m bench.conditions NAME...        those of them whose names have one of these words
    python -m bench.conditions --held-out     those that the work did not look at
    python -m bench.conditions --count 200    so many random inputs instead of 1,000

Precision is the share of the matching inputs that fail, recall the share of the failing inputs that
match. To measure another version, let `PYTHONPATH` name its sources before this one's.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean

import marrow
from bench.conditions.cases import CASES, HELD_OUT, Case
from marrow import Verdict
from marrow.abstraction.pattern import Pattern, compact
from marrow.abstraction.recogniser import Recogniser
from marrow.grammar.language import Language
from marrow.grammars import grammar_path

_VERDICTS: dict[bool | None, Verdict] = {
    True: Verdict.INTERESTING,
    False: Verdict.NOT_INTERESTING,
    None: Verdict.UNRESOLVED,
}


def pattern_of(case: Case) -> Pattern:
    """Return the pattern of a case's input."""
    grammar = None
    if case.grammar:
        own = Path(__file__).with_name(f"{case.grammar}.g4")
        grammar = Language.from_file(own if own.exists() else grammar_path(case.grammar))
    with tempfile.TemporaryDirectory(prefix="conditions-") as place:
        path = Path(place) / case.file
        path.write_text(case.text)

        def test(text: bytes) -> Verdict:
            return _VERDICTS[case.fails(text.decode("utf-8", "replace"))]

        if grammar is None:
            return marrow.abstract(path, test)
        return marrow.abstract(path, test, grammar=grammar)


def shares(case: Case, pattern: Pattern, count: int) -> tuple[float, float]:
    """Return precision and recall on random inputs."""
    recogniser = Recogniser(pattern)
    found = [
        (bool(recogniser.match(text.encode())), fails)
        for text in dict.fromkeys((case.text, *case.inputs(count)))
        if (fails := case.fails(text)) is not None
    ]
    right = sum(match and fails for match, fails in found)
    matching, failing = sum(match for match, _ in found), sum(fails for _, fails in found)
    return (right / matching if matching else 0.0), right / failing


def main() -> int:
    """Run the cases that are named."""
    parser = argparse.ArgumentParser(prog="python -m bench.conditions", description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--count", type=int, default=1000)
    given = parser.parse_args()
    rows: list[tuple[float, float, int]] = []
    for case in HELD_OUT if given.held_out else CASES:
        named = any(word in f"{case.file} {case.condition}" for word in given.names)
        if given.names and not named:
            continue
        started = time.process_time()
        pattern = pattern_of(case)
        seconds = time.process_time() - started
        precision, recall = shares(case, pattern, given.count)
        rows.append((precision, recall, pattern.counts.tests))
        print(
            f"{case.name:52} {precision:6.1%} {recall:6.1%} {pattern.counts.tests:5} tests "
            f"{seconds:5.1f} s  {compact(pattern).strip()!r}",
            flush=True,
        )
    if rows:
        precision, recall, tests = (mean(one[at] for one in rows) for at in range(3))
        print(
            f"{len(rows)} cases: precision {precision:.1%}, recall {recall:.1%}, {tests:.0f} tests"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
