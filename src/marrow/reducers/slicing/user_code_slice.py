"""The slice of the user's code: the statements that the output points to, and what they need.

On the outline of the last page of a large text, opened down to its statements. A statement,
declaration or member stays if the output points into it, if it declares a name that is mentioned by
what stays, or if it is in such a function; and its containers stay. Of the functions that the
output points into, only such statements stay. If that fails, what they return stays too; then all
of each
class that stays, as some members are called by no name (those of coroutines and ranges); then
callers of these functions, as compilers leave out what nobody calls. Of a slice that succeeds, the
functions that the output does not point into become empty, if that works.

Guarantee: none. Worst case: six tests.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Final

from marrow.base.deadline import look
from marrow.reducers.slicing.declaration_graph import DeclarationGraph, Unit
from marrow.reducers.slicing.dependents import body_form, without_units
from marrow.reducers.slicing.slices import OutlineReducer
from marrow.reducers.streams.stream import Done, Stream, attempt
from marrow.tree import Token, Tree
from marrow.tree.outline import DeclarationOutline, Element, Mentions

_PHASE: Final = "slicing the last page"


def slice_user_code(language: str) -> OutlineReducer:
    """Return the reducer that tries the slices, those that are likely to be small first."""
    form = body_form(language)

    def run(outline: DeclarationOutline, done: Done) -> Stream | None:
        return _tried(outline, done, form) if outline.pointed else done(outline.tree)

    return run


def _tried(outline: DeclarationOutline, done: Done, form: Token) -> Stream:
    elements, pointed = outline.elements, outline.pointed
    page = _Page(outline)
    returns = [at for at, one in enumerate(elements) if "return" in one.symbol]
    used = page.used(pointed)
    tried = {frozenset(range(len(elements)))}
    for roots, extra, whole in (
        (pointed, (), False),
        (pointed, returns, False),
        (pointed, returns, True),
        (used, (), False),
        (used, returns, True),
    ):
        kept = page.closed(roots, extra, whole_classes=whole)
        if kept not in tried:
            tried.add(kept)
            candidate = _edited(outline, kept, form)
            fewer = page.closed(roots, extra, whole_classes=whole, bodies=False)
            smaller = None if fewer == kept else _edited(outline, fewer, form)
            yield attempt(candidate, _PHASE, _emptied, candidate, smaller, done)
    return done(outline.tree)


def _emptied(tree: Tree, smaller: Tree | None, done: Done) -> Stream:
    """Try to empty the functions of a slice that nothing points into."""
    if smaller is not None:
        yield attempt(smaller, _PHASE, done, smaller)
    return done(tree)


def _edited(outline: DeclarationOutline, kept: frozenset[int], form: Token) -> Tree:
    """Return the tree of a page with nothing but some elements."""
    deleted = frozenset(Unit(at) for at in range(len(outline.elements)) if at not in kept)
    return without_units(outline, form, deleted) or outline.tree


class _Page:
    """What declares which names on a page, and what contains what."""

    def __init__(self, outline: DeclarationOutline) -> None:
        elements = self._elements = outline.elements
        graph = DeclarationGraph(outline)
        self._inside: Final = graph.members
        self._declaring: Final = graph.declaring
        self._functions: Final = frozenset(
            at for at in range(len(elements)) if _has_statements(self._members(at))
        )

    def _members(self, at: int) -> list[Element]:
        return [self._elements[one] for one in self._inside.get(at, ())]

    def _around(self, at: int) -> list[int]:
        """Return an element and all its containers."""
        found = []
        while at >= 0:
            found.append(at)
            at = self._elements[at].owner
        return found

    def _declared(
        self, mentions: Mentions, around: Container[int], own: frozenset[bytes] = frozenset()
    ) -> Iterator[int]:
        """Yield what declares the names that are mentioned in something, its own left out.

        The names of a function are seen from inside of it alone, and hide others there.
        """
        qualified = mentions.members.union(name for path in mentions.paths for name in path)
        for name in (mentions.words - (own - qualified)) & self._declaring.keys():
            found = self._declaring[name]
            local = [at for at in found if self._owner(at) in around]
            hidden = any(self._owner(at) in self._functions for at in local)
            if name in mentions.free and hidden:
                yield from local
            if name in qualified or not hidden:
                yield from (at for at in found if self._owner(at) not in self._functions)

    def _owner(self, at: int) -> int:
        return self._elements[at].owner

    def used(self, pointed: Iterable[int]) -> frozenset[int]:
        """Return some elements, what mentions the functions around them, and so on."""
        found = set(pointed)
        pending = list(found)
        while pending:
            look()
            functions = self._functions.intersection(self._around(pending.pop()))
            names = {name for at in functions for name in self._elements[at].declares}
            for at, element in enumerate(self._elements):
                words = element.mentions.words | element.inside.words
                if at not in found and at not in functions and names & words:
                    found.add(at)
                    pending.append(at)
        return frozenset(found)

    def closed(
        self,
        pointed: Iterable[int],
        extra: Iterable[int],
        *,
        whole_classes: bool,
        bodies: bool = True,
    ) -> frozenset[int]:
        """Return what stays with some elements; of `extra` ones, those in the same containers.

        Of a class, what is mentioned stays, and what has no name, or all of it. A function without
        any of the elements stays whole, or without its body if not `bodies`.
        """
        whole = {above for at in pointed for above in self._around(at)}
        pending = [*pointed, *(at for at in extra if self._elements[at].owner in whole)]
        kept: set[int] = set()
        while pending:
            look()
            at = pending.pop()
            if at in kept:
                continue
            kept.add(at)
            element, around = self._elements[at], self._around(at)
            pending.extend(around[1:2])
            # The head of a function does not mention others of its name.
            pending.extend(self._declared(element.mentions, around, element.declares))
            pending.extend(self._declared(element.inside, around))
            function = at in self._functions
            if element.scope or (function and (at in whole or not bodies)):
                continue
            all_of_it = whole_classes or function
            pending.extend(
                one
                for one in self._inside.get(at, ())
                if all_of_it or not self._elements[one].declares
            )
        return frozenset(kept)


def _has_statements(members: Iterable[Element]) -> bool:
    """Return whether some elements are the body of a function, as their kinds tell."""
    return any(
        "statement" in one.symbol or "expression" in one.symbol or one.symbol == "declaration"
        for one in members
    )
