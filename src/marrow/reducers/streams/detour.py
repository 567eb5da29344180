"""Detours: a change that may grow the tree, and a short local reduction of what it touched.

A function that is inlined where it is called twice makes a text larger, and what is left of it may
be far smaller than before. A detour tries such a change, and if the test still holds, reduces the
changed part within a small budget. It is committed as one step, when it has become smaller than the
tree it began with, and dropped otherwise: no larger tree is ever a result.

Guarantee: a detour ends, as its budget does, and a committed one decreases the total order. Which
attempts it makes depends on verdicts in stream order alone, so it is the same for any number of
workers, and when a run is resumed. Worst case: `Budget.most` tests after the first one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from marrow.reducers.streams.elements import delete_all, ladder
from marrow.reducers.streams.spans import has_errors, spans
from marrow.reducers.streams.stream import Attempt, Done, Stream, attempt
from marrow.tree import QUANTIFIED, SEPARATOR, Node, Place, Tree
from marrow.tree.edit import difference
from marrow.tree.order import ORDERS, Order


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a local reduction may take: attempts in all, and failures in a row."""

    most: int = 24
    in_a_row: int = 8


#: A few dozen tests at most; most detours that lead nowhere show it after the first few.
BUDGET: Final = Budget()

#: That of a kind of changes that has not paid yet: a change that keeps what a program does is
#: always interesting, and leads nowhere if nothing can be deleted from it. With four failures in a
#: row, a body that was inlined twice kept what had been its result (docs/lab/economy.md).
FIRST_BUDGET: Final = Budget(12, 6)


#: A change that grew the tree by more tokens than this, or to three times its size, is not tried:
#: the budget could not make up for it.
_MOST_GROWTH: Final = 40

_BRACKETS: Final = frozenset({b"(", b"{", b"["})


def worth_a_detour(before: Tree, first: Tree) -> bool:
    """Whether a changed tree is small enough for a local reduction to make up for its growth."""
    growth = first.token_count - before.token_count
    return growth <= min(_MOST_GROWTH, 2 * before.token_count) and first.text != before.text


def detour(
    before: Tree,
    first: Tree,
    phase: str,
    parse: Callable[[bytes], Tree],
    arrived: Done,
    given_up: Callable[[], Stream | None],
    budget: Budget = BUDGET,
    smaller: Order = ORDERS["tokens"],
) -> Attempt:
    """Return the first attempt of a detour from `before` over `first`, which may be larger.

    `arrived` follows with a tree smaller than `before`, `given_up` follows if the way leads
    nowhere. If `first` itself fails, nothing has happened.
    """
    way = _Way(before, phase, parse, arrived, given_up, smaller)
    return way.attempt(first, touched(before.text, first.text), budget, budget)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a text, in bytes from its start and from its end: it outlives changes inside."""

    start: int
    from_end: int

    def meets(self, start: int, end: int, length: int) -> bool:
        """Whether it has something in common with the bytes from start to end."""
        return start <= length - self.from_end and end >= self.start


def touched(before: bytes, after: bytes) -> Stretch:
    """Return the stretch of a text outside of which it is as it was before."""
    start, end, _ = difference(before, after)
    return Stretch(start, len(before) - end)


@dataclass(frozen=True, slots=True)
class _Way:
    """A detour under way."""

    before: Tree
    phase: str
    parse: Callable[[bytes], Tree]
    arrived: Done
    given_up: Callable[[], Stream | None]
    smaller: Order

    def attempt(self, tree: Tree, where: Stretch, budget: Budget, left: Budget) -> Attempt:
        """Return an attempt on the way, of a tree whose changed stretch is known."""
        if self.smaller(tree, self.before):
            # Made from `before`, as far as the engine is concerned.
            there = tree.framed(tree.root, tree.head, tree.tail)
            return attempt(there, self.phase, self.arrived, there)

        def then() -> Stream | None:
            parsed = self.parse(tree.text)
            return self._reduce(_local(self.before, parsed, where), where, budget, left)

        return Attempt(tree, then, self.phase, detour=True)

    def _reduce(
        self, candidates: Iterator[Tree], where: Stretch, budget: Budget, left: Budget
    ) -> Stream:
        """Try what makes the tree smaller where it was touched, and does not break its syntax."""
        sound = not has_errors(self.before)
        for candidate in candidates:
            if not left.most or not left.in_a_row:
                break
            if sound and has_errors(self.parse(candidate.text)):
                continue
            left = replace(left, most=left.most - 1)
            yield self.attempt(candidate, where, budget, replace(left, in_a_row=budget.in_a_row))
            left = replace(left, in_a_row=left.in_a_row - 1)
        return self.given_up()


def _local(before: Tree, tree: Tree, where: Stretch) -> Iterator[Tree]:
    """Yield candidates that delete or unwrap what a change has made: new texts, largest first.

    What occurs as often as before was tried before; and deleting all that was touched is the same
    as deleting it from the tree before.
    """
    length = len(tree.text)
    known = Counter(span.node.text for span in spans(before))
    now = Counter(span.node.text for span in spans(tree))
    found = [
        span
        for span in spans(tree)
        if span.node.slot != SEPARATOR
        and span.node.kind not in QUANTIFIED
        and where.meets(span.start, span.end, length)
        and not (span.start < where.start and span.end > length - where.from_end)
        and now[span.node.text] > known[span.node.text]
    ]
    # A second copy of what had to stay is less likely to go than what is new.
    found.sort(key=lambda span: (span.node.text in known, -span.node.token_count, span.start))
    seen: set[bytes] = {tree.text}
    for span in found:
        for candidate in _less(tree, span.place, span.node):
            if candidate.token_count and candidate.text not in seen:
                seen.add(candidate.text)
                yield candidate


def _less(tree: Tree, place: Place, node: Node) -> Iterator[Tree]:
    rungs = ladder(tree, place)
    if rungs and rungs[0] == place:
        smaller = delete_all(tree, [place])
        if smaller is not None:
            yield smaller
    for part in _parts(node):
        if _bracketed(node) or part.symbol == node.symbol:
            yield tree.replace(place, part)
        elif _bracketed(part):  # a call by its argument
            yield from (tree.replace(place, inner) for inner in _parts(part))


def _bracketed(node: Node) -> bool:
    return node.first is not None and node.first.text in _BRACKETS


def _parts(node: Node) -> list[Node]:
    """Return the parts of a node, those of its lists too, that are more than a token."""
    lists = (one.elements if one.kind in QUANTIFIED else (one,) for one in node.children)
    return [part for part in chain.from_iterable(lists) if part.token_count > 1]
