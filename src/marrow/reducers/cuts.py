"""Cuts: take one declaration away with all that cannot do without it and all that it alone needs.

On the outline of a large text (`marrow.tree.outline`). What a declaration alone needs is what only
paths through it lead to, in the graph from the last declaration to what that needs, and so on: the
declarations that it *dominates*. The tree of dominators tells them for all declarations at once
(Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001). The cut with most tokens,
those of its users included, comes first. A class of strings may go in one test, with its traits
and all functions of strings. A cut that fails is tried without what its test says is missing.

Guarantee: none by itself. Worst case: a test for each declaration that dominates a given share of
the tokens, with its users.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from marrow.deadline import look
from marrow.reducers.growth import Growth, Missing
from marrow.reducers.needs import Needs
from marrow.reducers.stream import Done, Stream, heard
from marrow.reducers.thinning import Gone, Thinning, Unit
from marrow.tree import Tree
from marrow.tree.outline import DeclarationOutline

# Cuts of less than this share of the tokens are left to later stages, or to the next round.
_LEAST: Final = 0.005

# How often a cut is tried in all, each time without what the test said is needed.
_SMALLER: Final = 3


class Cuts:
    """The cuts of an outline; nodes are its elements, and one more that leads to the roots."""

    def __init__(self, outline: DeclarationOutline, thinning: Thinning, done: Done) -> None:
        self._outline: Final = outline
        self._needs: Final = Needs(outline.elements)
        self._thinning: Final = thinning
        self._growth: Final = Growth(self._needs, outline.usual)
        self._done: Final = done
        self._top: Final = len(outline.elements)

    def run(self) -> Stream:
        """Try the cuts, the largest first."""
        return self._next(self._outline.tree, frozenset(), self._order())

    def _order(self) -> tuple[int, ...]:
        """Return the elements by what would go with them, users included, the most first."""
        weights, sizes = self._weights(), self._thinning.sizes
        least = _LEAST * self._outline.tree.token_count
        tokens: dict[int, int] = {}
        for index in range(self._top):
            look()
            if index not in self._fixed and self._needs.visible[index]:
                users = self._thinning.with_users(frozenset(), (Unit(index),))
                if users is not None:
                    own = sum(sizes[one] for one in users) - sizes[Unit(index)]
                    tokens[index] = own + weights[index]
        chosen = (one for one in tokens if tokens[one] >= least)
        return tuple(sorted(chosen, key=lambda one: (-tokens[one], one)))

    def _next(
        self, tree: Tree, gone: Gone, cuts: tuple[int, ...], needed: frozenset[int] = frozenset()
    ) -> Stream:
        for at, index in enumerate(cuts):
            look()
            if Unit(index) in gone:
                continue
            for _ in range(_SMALLER):
                more = self._cut(gone, index, needed)
                candidate = None if more is None else self._thinning.edited(tree, gone, more)
                if more is None or candidate is None:
                    break
                # What is left of a cut after others may be little.
                if tree.token_count - candidate.token_count < _LEAST * tree.token_count:
                    break
                rest = cuts[at + 1 :]
                one, hearing = heard(
                    candidate, "cutting", self._next, candidate, more, rest, needed
                )
                yield one
                emptied = {unit.at for unit in more if unit.body}
                cut = {unit.at for unit in more if not unit.body}
                missing = self._growth.missing_of(hearing.output, cut, emptied)
                if not missing.elements:
                    break
                needed |= missing.elements
        return self._done(tree)

    def _cut(self, gone: Gone, index: int, needed: frozenset[int]) -> Gone | None:
        """Return what is gone after a cut: the element, its users, and what is of no use then.

        None if the element or its users are needed, as the test of another cut said.
        """
        users = self._thinning.with_users(gone, (Unit(index),))
        if users is None or any(one.at in needed for one in users - gone):
            return None
        kept = self._growth.with_needs(Missing(needed, frozenset()), {at for at, _ in users})
        reached = self._reached(users)
        useless = [
            Unit(one)
            for one in sorted(self._reached_at_first - reached)
            if Unit(one) not in users and one not in kept and not self._outline.elements[one].scope
        ]
        return self._thinning.with_users(users, useless)

    # -- the graph ------------------------------------------------------------------------------

    @cached_property
    def _fixed(self) -> frozenset[int]:
        scopes = (at for at, one in enumerate(self._outline.elements) if one.scope)
        return frozenset((self._top, *scopes)) | self._thinning.inside_root

    @cached_property
    def _followers(self) -> dict[bytes, list[int]]:
        """What no name leads to, such as operators, by the classes that it is about."""
        found: dict[bytes, list[int]] = defaultdict(list)
        for index, element in enumerate(self._outline.elements):
            if self._needs.visible[index] and not element.scope:
                called = [one for one in element.declares if not one.startswith(b"operator")]
                if not called:
                    for name in sorted(element.keys & self._needs.classes):
                        found[name].append(index)
        return found

    @cached_property
    def _heads(self) -> list[list[int]]:
        """What each element leads to without its body: what it mentions, members, its class."""
        return [self._leads(at, body=False) for at in range(self._top)]

    @cached_property
    def _bodies(self) -> list[list[int]]:
        """What the body of each element leads to."""
        return [self._leads(at, body=True) for at in range(self._top)]

    def _leads(self, index: int, *, body: bool) -> list[int]:
        look()
        element = self._outline.elements[index]
        mentions = element.inside if body else element.mentions
        found: dict[int, None] = {}
        if not element.scope:
            for name in sorted(mentions.free):
                for scope in self._needs.meant(name, index):
                    found.update(dict.fromkeys(self._needs.declarations[name][scope]))
            for qualifier, name in sorted(mentions.paths):
                for scope in self._needs.meant_by(qualifier, name) or ():
                    found.update(dict.fromkeys(self._needs.declarations[name][scope]))
        if not body:
            if not element.scope:
                found.update(dict.fromkeys(self._needs.members.get(index, ())))
                for name in sorted(element.declares):
                    found.update(dict.fromkeys(self._followers.get(name, ())))
            if element.owner >= 0:
                found[element.owner] = None
        found.pop(index, None)
        return list(found)

    def _reached(self, gone: Gone, roots: Sequence[int] | None = None) -> set[int]:
        """Return the elements that roots lead to, without what is gone."""
        found: set[int] = set()
        pending = list(self._roots if roots is None else roots)
        while pending:
            index = pending.pop()
            if index in found or Unit(index) in gone:
                continue
            found.add(index)
            pending.extend(self._heads[index])
            if Unit(index, body=True) not in gone:
                pending.extend(self._bodies[index])
        return found

    @cached_property
    def _roots(self) -> list[int]:
        """The last declaration, and what is there without being needed by name."""
        roots = sorted(self._thinning.inside_root)
        reached = self._reached(frozenset(), roots)
        for index in reversed(range(self._top)):
            if index not in reached and not self._outline.elements[index].scope:
                roots.append(index)
                reached |= self._reached(frozenset(), [index])
        return roots

    @cached_property
    def _reached_at_first(self) -> set[int]:
        return self._reached(frozenset())

    # -- dominators -----------------------------------------------------------------------------

    def _weights(self) -> Counter[int]:
        """Return how many tokens each element dominates, its own included."""
        order = self._postorder()
        dominator = self._dominators(order)
        weights: Counter[int] = Counter()
        for index in order:  # what is dominated comes first
            if index != self._top:
                weights[index] += self._thinning.sizes.get(Unit(index), 1)
                weights[dominator[index]] += weights[index]
        return weights

    def _following(self, index: int) -> list[int]:
        return self._roots if index == self._top else [*self._heads[index], *self._bodies[index]]

    def _postorder(self) -> list[int]:
        """Return the nodes from the top, each after all that it first leads to."""
        order: list[int] = []
        seen = {self._top}
        stack: list[tuple[int, Iterator[int]]] = [(self._top, iter(self._following(self._top)))]
        while stack:
            index, following = stack[-1]
            for one in following:
                if one not in seen:
                    seen.add(one)
                    stack.append((one, iter(self._following(one))))
                    break
            else:
                order.append(index)
                stack.pop()
        return order

    def _dominators(self, order: Sequence[int]) -> dict[int, int]:
        """Return the immediate dominator of each node."""
        number = {index: at for at, index in enumerate(order)}
        before: dict[int, list[int]] = defaultdict(list)
        for index in order:
            for one in self._following(index):
                before[one].append(index)
        found = {self._top: self._top}
        changed = True
        while changed:
            look()
            changed = False
            for index in reversed(order[:-1]):
                new = -1
                for one in before[index]:
                    if one in found:
                        new = one if new < 0 else _meeting(found, number, one, new)
                if found.get(index) != new:
                    found[index] = new
                    changed = True
        return found


def _meeting(found: dict[int, int], number: dict[int, int], one: int, other: int) -> int:
    """Return the nearest node that dominates both."""
    while one != other:
        while number[one] < number[other]:
            one = found[one]
        while number[other] < number[one]:
            other = found[other]
    return one
