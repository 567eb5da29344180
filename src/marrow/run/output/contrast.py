"""Contrasts: the inputs nearest to the result that do not fail, one for each part of it.

The last attempts of a reduction change the result by little, and fail: they are contrasts that no
test was spent on. With `--contrast` every token is also changed by a character or a number, which
comes nearer. In a run of a failing command only inputs count on which it does not fail in any way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marrow.engine.delta import changed_region
from marrow.engine.events import Accepted, Event, Tried
from marrow.engine.journal.journal import Journal, digest
from marrow.engine.search.sample_tester import SampleText
from marrow.engine.verdict import Verdict

if TYPE_CHECKING:
    from marrow.run.output.finished_run import FinishedRun
    from marrow.run.output.result import Result

# Nobody reads a contrast to a longer text, and its candidates would fill the memory.
_LONGEST: Final = 4_096

# How many candidates are remembered: more than a fixpoint makes of a text of that length.
_MOST: Final = 20_000

# How many contrasts are told, and how many tests `--contrast` may take for each token.
_MOST_TOLD: Final = 12
_TESTS: Final = 4

_EMPTY: Final = re.compile(rb"\(\)|\[\]|\{\}|\"\"|''")
_PIECE: Final = re.compile(rb"\d+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Contrast:
    """A text that passes: the bytes from `start` to `end` of the result are `new` there."""

    start: int
    end: int
    new: bytes
    text: bytes

    @property
    def distance(self) -> tuple[int, int]:
        """How far it is from the result: what goes and comes, in bytes."""
        return self.end - self.start + len(self.new), self.start


class Contrasts:
    """Remembers the candidates that failed since the last success."""

    def __init__(self) -> None:
        self._failed: dict[bytes, None] = {}
        self._near = False

    def hear(self, event: Event) -> None:
        """Remember an attempt that passes, or forget all after a success."""
        if isinstance(event, Accepted):
            self._near = event.length <= _LONGEST
            self._failed = {}
        elif not self._near or len(self._failed) >= _MOST:
            return
        elif isinstance(event, Tried) and event.verdict is Verdict.NOT_INTERESTING:
            self._failed[event.attempt.tree.text] = None

    def find(self, run: FinishedRun, result: Result) -> None:
        """Find the nearest inputs that do not fail; `--contrast` spends tests on it."""
        plan, text = run.plan, result.text
        if plan.source.several or plan.good is not None or plan.anonymize:
            return  # what is nearest may have words of the input
        result.contrasts = self._nearest(text, run.journal)
        if plan.contrast and result.verified and len(text) <= _LONGEST:
            tester = run.tester()
            tester.phase("looking for contrasts")
            for one, verdict in tester.verdicts(map(SampleText, changes(text))):
                if verdict is Verdict.NOT_INTERESTING:
                    self._failed[one.text] = None
            result.contrasts = self._nearest(text, run.journal)
            result.tests += tester.counts.tests

    def _nearest(self, result: bytes, journal: Journal) -> list[Contrast]:
        return chosen(result, (one for one in self._failed if not journal.label(digest(one))))


def chosen(result: bytes, texts: Iterator[bytes]) -> list[Contrast]:
    """Return contrasts that share no byte of the result, the nearest first."""
    found = []
    for text in texts:
        start, end, new_end = changed_region(result, text)
        found.append(Contrast(start, end, text[start:new_end], text))
    told: list[Contrast] = []
    for one in sorted(found, key=lambda one: one.distance):
        if one.text.strip() and all(
            one.end <= other.start or other.end <= one.start for other in told
        ):
            told.append(one)
    return told[:_MOST_TOLD]


def changes(text: bytes) -> Iterator[bytes]:
    """Yield the text with every token changed by little; empty brackets get a number."""
    for empty in _EMPTY.finditer(text):
        yield text[: empty.end() - 1] + b"0" + text[empty.end() - 1 :]
    for piece in _PIECE.finditer(text):
        word = piece[0]
        if word.isdigit():
            number = int(word)
            others = [b"%d" % (number + 1), b"%d" % max(0, number - 1), b"0"]
        elif len(word) > 1:
            others = [word + b"x", word[:-1], b""]
        else:
            others = [b""]
        for new in list(dict.fromkeys(others))[:_TESTS]:
            if new != word:
                yield text[: piece.start()] + new + text[piece.end() :]
