"""What a run tried, test by test, and a replay of it with some tests left out.

`bench.economy` keeps a row for each test in its results. A replay asks what a rule would have saved
that leaves out what failed before: tests that need not be made, and successes that would be lost.

    python -m bench.replay bench/results/economy/CODE        rules on the rows of one version
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench.cases import Case

#: What was tried: its pass, its phase, the tokens of the best text then, whether it was
#: interesting, and the change: two tokens before it, what was there, what was put there, one after.
Row = list[Any]

_TOKEN: Final = re.compile(rb"\w+|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[^\w\s]")

# Changes of more tokens, in texts of more bytes, are not told apart: nobody repeats them.
_MOST_TOKENS: Final = 40
_LARGEST: Final = 1 << 15


class Trace:
    """Listens to a run and counts."""

    def __init__(self, case: Case, text: bytes) -> None:
        self.tests: Final[Counter[str]] = Counter()
        self.successes: Final[Counter[str]] = Counter()
        self.removed: Final[Counter[str]] = Counter()
        self.rows: Final[list[Row]] = []
        self.after_last = 0
        self._case: Final = case
        self._left = case.tokens
        self._best = self._last = text

    def listen(self, event: Any) -> None:
        """Take in an event of the run."""
        from marrow import Verdict
        from marrow.engine.events import Accepted, Answer, Tried

        if isinstance(event, Tried):
            text = event.attempt.tree.text
            kept = event.verdict is Verdict.INTERESTING
            if event.answer is Answer.TEST:
                name = kind(event.attempt.pass_name, event.attempt.phase)
                self.tests[name] += 1
                self.after_last += 1
                change = change_of(self._best, text)
                self.rows.append([name, event.attempt.phase, self._left, kept, change])
            if kept:
                self._last = text
        elif isinstance(event, Accepted):
            name = kind(event.pass_name, event.phase)
            # The trees of declarations say roughly how many tokens they have.
            rough = event.pass_name == "declarations"
            now = tokens_of(self._case, self._last) if rough else event.tokens
            self.successes[name] += 1
            self.removed[name] += self._left - now
            self._left, self._best, self.after_last = now, self._last, 0


def kind(name: str, phase: str) -> str:
    """Return the name of a pass; the phase of a detour says which kind it is."""
    return phase if phase.startswith("detour") else name or "first"


def tokens_of(case: Case, text: bytes) -> int:
    """Return how many tokens a text of a case has."""
    from bench.cases.measure import measure  # not in every marrow: this one alone counts

    return measure(text, case.file, case.language).tokens


def change_of(before: bytes, after: bytes) -> list[str] | None:
    """Return what was changed, in its context; None if that is too much."""
    if len(before) > _LARGEST:
        return None
    one, two = _TOKEN.findall(before), _TOKEN.findall(after)
    most = min(len(one), len(two))
    start = next((at for at in range(most) if one[at] != two[at]), most)
    end = next((at for at in range(most - start) if one[-1 - at] != two[-1 - at]), most - start)
    old, new = one[start : len(one) - end], two[start : len(two) - end]
    if len(old) > _MOST_TOKENS or len(new) > _MOST_TOKENS:
        return None
    right = one[len(one) - end : len(one) - end + 1]
    parts = (one[max(0, start - 2) : start], old, new, right)
    return [b" ".join(part).decode("latin-1") for part in parts]


#: A rule says what of a row is remembered when it fails; None: nothing.
Rule = Callable[[Row], Hashable]


def _in_context(row: Row) -> Hashable:
    return None if row[4] is None else tuple(row[4])


def _anywhere(row: Row) -> Hashable:
    return None if row[4] is None else (row[4][1], row[4][2])


RULES: Final[Mapping[str, Rule]] = {
    "the same change in its context": _in_context,
    "the same change anywhere": _anywhere,
    "the same change in its context, of one pass": lambda row: (
        None if row[4] is None else (row[0], *row[4])
    ),
    "the same change anywhere, of one pass": lambda row: (
        None if row[4] is None else (row[0], *row[4][1:3])
    ),
}


def replayed(rows: Iterable[Row], rule: Rule) -> tuple[int, int]:
    """Return how many tests a rule saves in a run, and how many successes it loses."""
    failed: set[Hashable] = set()
    saved = lost = 0
    for row in rows:
        known = rule(row)
        if known is None:
            continue
        if known in failed:
            saved += 1
            lost += row[3]
        elif not row[3]:
            failed.add(known)
    return saved, lost


def main(arguments: Sequence[str]) -> int:
    """Print what each rule saves and loses in the rows of a directory."""
    runs = [json.loads(one.read_text()) for one in sorted(Path(arguments[0]).glob("*.json"))]
    print(f"{len(runs)} runs, {sum(one['tests'] for one in runs):,} tests, ", end="")
    print(f"{sum(one['after_last'] for one in runs):,} after the last improvement")
    for name, rule in RULES.items():
        counts = [replayed(one["rows"], rule) for one in runs]
        saved, lost = (sum(column) for column in zip(*counts, strict=True))
        print(f"{name}: {saved:,} tests saved, {lost:,} successes lost")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
