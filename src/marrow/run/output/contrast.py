"""Contrasts: the inputs nearest to the result that do not fail, one for each part of it.

The last attempts of a reduction change the result by little, and fail: they are contrasts that no
test was spent on. With `--contrast` every token is also changed by a character or a number, which
comes nearer. Where the syntax is known they are valid. In a run of a failing command only inputs
count on which it does not fail in any way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from marrow.engine.delta import changed_region
from marrow.engine.events import Accepted, Event, Tried
from marrow.engine.journal.journal import Journal, digest
from marrow.engine.search.sample_tester import SampleText
from marrow.engine.verdict import Verdict
from marrow.syntax.views import FileView, View

if TYPE_CHECKING:
    from marrow.run.output.result import Result
    from marrow.run.run import Run

# Nobody reads a contrast to a longer text, and its candidates would fill the memory.
_LONGEST: Final = 4_096

# How many candidates are remembered: more than a fixpoint makes of a text of that length.
_MOST: Final = 20_000

# How many contrasts are told, and how many texts are parsed for them: some grammars take long.
_MOST_TOLD: Final = 12
_MOST_PARSED: Final = 200

_Valid: TypeAlias = Callable[[bytes], bool]

_EMPTY: Final = re.compile(rb"\(\)|\[\]|\{\}|\"\"|''")
_PIECE: Final = re.compile(rb"\d+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Contrast:
    """A text that passes: the bytes from `start` to `end` of the result are `new` there."""

    start: int
    end: int
    new: bytes
    text: bytes


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

    def find(self, run: Run, result: Result) -> None:
        """Find the nearest inputs that do not fail; `--contrast` spends tests on it."""
        plan, text = run.plan, result.text
        if plan.source.several or plan.good is not None or plan.anonymize:
            return  # what is nearest may have words of the input
        valid = _valid_beside(plan.view, text)
        result.contrasts = self._nearest(text, run.journal, valid)
        if plan.contrast and result.verified and len(text) <= _LONGEST:
            tester = run.tester()
            tester.phase("looking for contrasts")
            for one, verdict in tester.verdicts(map(SampleText, filter(valid, changes(text)))):
                if verdict is Verdict.NOT_INTERESTING:
                    self._failed[one.text] = None
            result.contrasts = self._nearest(text, run.journal, valid)
            result.tests += tester.counts.tests

    def _nearest(self, result: bytes, journal: Journal, valid: _Valid) -> list[Contrast]:
        texts = [one for one in self._failed if not journal.label(digest(one))]
        return chosen(result, texts, valid) or chosen(result, texts)


def _valid_beside(view: View | None, text: bytes) -> _Valid:
    """Return what says whether a text is valid: all are where that of the result is not known."""
    if not isinstance(view, FileView) or view.counter.errors(text):
        return lambda _: True
    return lambda one: not view.counter.errors(one)


def chosen(result: bytes, texts: Iterable[bytes], valid: _Valid = lambda _: True) -> list[Contrast]:
    """Return contrasts that share no byte of the result, the nearest first."""
    found = []
    for text in texts:
        start, end, new_end = changed_region(result, text)
        found.append(Contrast(start, end, text[start:new_end], text))

    def distance(one: Contrast) -> tuple[int, int, int, int]:
        """Bytes that change, those that one text lacks, by how much; of a number the last digit."""
        old, new = result[one.start : one.end], one.new
        longer = abs(len(old) - len(new))
        by = sum(abs(was - now) for was, now in zip(old, new, strict=False))
        return max(len(old), len(new)), longer, by, one.start if longer else -one.start

    told: list[Contrast] = []
    parsed = 0
    for one in sorted(found, key=distance):
        apart = all(one.end <= other.start or other.end <= one.start for other in told)
        if parsed < _MOST_PARSED and len(told) < _MOST_TOLD and apart and one.text.strip():
            parsed += 1
            told += [one] if valid(one.text) else []
    return told


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
        for new in dict.fromkeys(others):
            if new != word:
                yield text[: piece.start()] + new + text[piece.end() :]
