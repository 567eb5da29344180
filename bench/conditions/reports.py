"""How `marrow match` tells reports of a bug from other files: `python -m bench.conditions.reports`.

Seven bugs in seven languages. For each there is an input that the pattern is found for, five other
inputs with the same bug, written as people would report it, and five without it that look alike.
All were written before the first run. Whether an input fails is a function of its text.
"""

from __future__ import annotations

import re
import tempfile
import tomllib
from pathlib import Path

import marrow
from marrow import Verdict
from marrow.abstraction.pattern import compact
from marrow.abstraction.recogniser import Recogniser


def main() -> None:
    """Find each pattern, and print how many of the inputs match."""
    totals = [0, 0, 0, 0]
    cases = tomllib.loads(Path(__file__).with_name("reports.toml").read_text("utf-8"))
    for case in cases["case"]:
        fails = re.compile(case["fails"].encode(), re.DOTALL)

        def test(text: bytes, fails: re.Pattern[bytes] = fails) -> Verdict:
            return Verdict.INTERESTING if fails.search(text) else Verdict.NOT_INTERESTING

        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / case["file"]
            path.write_text(case["text"])
            pattern = marrow.abstract(path, test)
        recogniser = Recogniser(pattern)
        row = []
        for kind, wanted in (("with", True), ("without", False)):
            for text in case[kind]:
                right = test(text.encode()) is Verdict.INTERESTING
                assert right is wanted, f"{case['file']}: not what it should be: {text}"
            row += [sum(bool(recogniser.match(one.encode())) for one in case[kind])]
            row += [len(case[kind])]
        own = bool(recogniser.match(case["text"].encode()))
        totals = [one + more for one, more in zip(totals, row, strict=True)]
        print(
            f"{case['file']:12} with the bug {row[0]} of {row[1]}, without {row[2]} of {row[3]}, "
            f"the input itself: {own}  {compact(pattern).strip()!r}",
            flush=True,
        )
    print(f"with {totals[0]} of {totals[1]}, without {totals[2]} of {totals[3]}")


if __name__ == "__main__":
    main()
