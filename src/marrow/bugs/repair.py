"""Causes by repair: the one part of a small result whose neutralisation stops its failure.

A result is small, so that nearly all of it is needed, and nearly any change stops the failure. What
tells about the cause is the change that leaves most of the run as it was: of all bytes (of a text
in words: numbers, names, strings) after which the target passes when they are made plain, the one
after which it prints what it printed before the failure, as far as possible, and most besides.
Two failures have one cause, as far as a test can say, if the same change at the same place stops
both, and what is at the place in the one makes the other fail again once that is repaired
(`Transplants`). Each result takes `MOST_TESTS` at most, each pair four.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from marrow.bugs.canonical import BYTE, NAME, NUMBER, STRING, is_bytes, lexemes
from marrow.bugs.case import Case
from marrow.bugs.evidence import Facts, quoted
from marrow.bugs.failure_key import FailureKey, NoFailure
from marrow.bugs.target import Target
from marrow.diagnostics.observation import Observation, signal_of
from marrow.reducers.binary.reduce_blocks import place_in_blocks
from marrow.report.plain import printable

#: How many tests the repair of a result takes at most, its range of values among them.
MOST_TESTS: Final = 60

# Longer results were not made small; their repairs say little, and cost much.
_LONGEST: Final = 2_000

# How much of a result names a place in it.
_CONTEXT: Final = 4

# A run that comes to its end and has leaked memory by then did not fail as the result does.
_LEAKS: Final = "LeakSanitizer"

# What replaces each kind of lexeme: nothing in particular, or another one if it is that already.
_PLAIN: Final = {
    BYTE: (b"\0", b"\1"),
    NUMBER: (b"0", b"1"),
    NAME: (b"a", b"b"),
    STRING: (b'""', b"''"),
}


@dataclass(frozen=True, slots=True)
class Repair:
    """A change of a result that stops its failure: what is at a place, and what to put there."""

    start: int
    old: bytes
    new: bytes
    tests: int = 0
    #: The values at the place that fail, as far as that was tried: the smallest one, and the found.
    failing: tuple[int, int] | None = None

    def applied(self, text: bytes, start: int | None = None) -> bytes:
        """Return a text with the change at its place, or at another one."""
        at = self.start if start is None else start
        return text[:at] + self.new + text[at + len(self.old) :]

    def words(self, text: bytes) -> str:
        """Return the change in words: the place by what is before it, and its values."""
        before = text[max(0, self.start - _CONTEXT) : self.start]
        if is_bytes(text):
            where = place_in_blocks(text, self.start) or f"byte {self.start} of {len(text)}"
            where += f" (after {before.hex(' ')})" if before else ""
            old, new = self.old.hex(), self.new.hex()
        else:
            line = text.count(b"\n", 0, self.start) + 1
            where = f"line {line}" + (f", after `{printable(before).strip()}`" if before else "")
            old, new = printable(self.old), printable(self.new)
        said = f"{where}: {old} fails, {new} passes"
        if self.failing is not None and self.failing[0] < self.failing[1]:
            said += f"; all from {self.failing[0]} to {self.failing[1]} seem to fail"
            rest = len(text) - self.start - len(self.old)
            said += f", and {rest} bytes follow" if self.failing[0] == rest + 1 else ""
        return said


def _repair_of(case: Case, target: Target) -> Repair | None:
    """Return the change that stops the failure of a result; None if no single one does."""
    text = case.text
    if not case.reduced or len(text) > _LONGEST or case.found.overflow or not case.found.tells:
        return None
    places = list(_places(text))
    step = -(-len(places) // (MOST_TESTS // 2))
    trial = _Trial(case.found, target)
    before = target.observe(text)
    best: tuple[tuple[int, int], int] | None = None  # how good it is, and which place
    at = 0
    while at < len(places) and trial.tests < MOST_TESTS - 10:
        start, old, new = places[at]
        said = trial.passes(Repair(start, old, new).applied(text))
        if said is not None:
            outputs = (before.stdout, said.stdout), (before.stderr, said.stderr)
            good = sum(_shared(*pair) for pair in outputs), len(said.stdout)
            best = (good, at) if best is None else max(best, (good, at))
        at += step
    if best is None:
        return None
    start, old, new = places[best[1]]
    found = Repair(start, old, new)
    failing = _least_failing(found, text, trial)
    return Repair(start, old, new, trial.tests, failing)


def _shared(one: bytes, other: bytes) -> int:
    """Return how many bytes two outputs have in common from their beginning."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


class Transplants:
    """Applies the repair of one result to another, then puts the one's field into the other.

    The first has to stop the failure, the second to bring it back. `facts` has what was seen of
    pairs of cases, by their files.
    """

    def __init__(self, target: Target) -> None:
        self._target: Final = target
        self.facts: Final[dict[frozenset[str], Facts]] = {}
        self.tests = 0
        self._repairs: Final[dict[str, Repair | None]] = {}
        self._said: Final = defaultdict[str, list[str]](list)

    def compare(self, one: Case, other: Case) -> None:
        """Try it both ways, if the results have such a place in common."""
        ways = []
        for here, there in ((one, other), (other, one)):
            repair = self._repair(here)
            at = None if repair is None else _same_place(here.text, there.text, repair)
            if repair is None or at is None:
                return
            ways.append((repair, here, there, at))
        tried = agreed = 0
        for repair, here, there, at in ways:
            trial = _Trial(there.found, self._target)
            agreed += trial.passes(repair.applied(there.text, at)) is not None
            planted = replace(repair, new=repair.old).applied(there.text, at)
            if planted != there.text:
                agreed += trial.fails(planted, here.found)
            tried += trial.tests
        self.tests += tried
        value = "same" if agreed == tried else "other"
        self.facts[frozenset((one.file, other.file))] = {"repair": value}
        said = f"{agreed} of {tried} transplants agree with {quoted(other.text)}"
        self._said[one.file].append(said)

    def notes(self, case: Case) -> list[str]:
        """Return what was found out about a case, in words."""
        done = self._repairs.get(case.file)
        stops = [] if done is None else [f"what stops it: {done.words(case.text)}"]
        return stops + self._said.get(case.file, [])

    def _repair(self, case: Case) -> Repair | None:
        if case.file not in self._repairs:
            found = self._repairs[case.file] = _repair_of(case, self._target)
            self.tests += found.tests if found is not None else 0
        return self._repairs[case.file]


@dataclass(slots=True)
class _Trial:
    """Runs changed results, and counts them."""

    found: FailureKey
    target: Target
    tests: int = 0

    def passes(self, text: bytes) -> Observation | None:
        """Return what is seen of the target on a text that it ends by itself on; None if it fails.

        It may say then that it does not like the text, with an exit code.
        """
        seen, key = self._run(text)
        fails = isinstance(key, FailureKey) and (key.tells or signal_of(key.status) > 0)
        leaks = isinstance(key, FailureKey) and key.message.startswith(_LEAKS)
        return seen if leaks or not (fails or seen.status is None) else None

    def fails(self, text: bytes, *others: FailureKey) -> bool:
        """Whether the target fails on a text at the same place, or at that of other failures."""
        key = self._run(text)[1]
        tops = [one.top for one in (self.found, *others)]
        return isinstance(key, FailureKey) and key.top in tops

    def _run(self, text: bytes) -> tuple[Observation, FailureKey | NoFailure]:
        self.tests += 1
        seen = self.target.observe(text)
        return seen, self.target.key_of(seen, text)


def _places(text: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the places of a text that can be made plain, with what is there and what is plain."""
    at = 0
    for piece in lexemes(text):
        plain = _PLAIN.get(piece.kind)
        if plain is not None:
            yield at, piece.text, plain[piece.text == plain[0]]
        at += len(piece.text)


def _least_failing(repair: Repair, text: bytes, trial: _Trial) -> tuple[int, int] | None:
    """Bisect for the smallest value of a byte that fails, between the plain one and the found."""
    if not is_bytes(text) or repair.new > repair.old:
        return None
    passing, failing = repair.new[0], repair.old[0]
    while failing - passing > 1 and trial.tests < MOST_TESTS:
        middle = (passing + failing) // 2
        changed = Repair(repair.start, repair.old, bytes([middle])).applied(text)
        if trial.fails(changed):
            failing = middle
        else:
            passing = middle
    return failing, repair.old[0]


def _same_place(text: bytes, other: bytes, repair: Repair) -> int | None:
    """Return where in another text the place of a repair is: at its offset, or after its context.

    What merely looks alike is not such a place: a number is in many parts of a format.
    """
    before = text[max(0, repair.start - _CONTEXT) : repair.start]
    places = [found.end() for found in re.finditer(re.escape(before), other)] if before else []
    near = min(places, key=lambda at: abs(at - repair.start), default=repair.start)
    alone = len(before) < _CONTEXT or near == len(other)
    at = repair.start if alone else near
    return at if at < len(other) else None
