"""The slice of a page: the statements that the output of the test points to, and what they need.

On the outline of the last page of a large text, opened down to its statements. A statement,
declaration or member stays if the output points into it, if it declares a name that something
mentions that stays, or if it stands in such a function; and whatever it stands in stays. Of the
functions that the output points into, only such statements stay. If that does not do, callers of
these functions stay as well, as compilers leave out what nobody calls.

Guarantee: none. Worst case: three tests.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Final

from marrow.deadline import look
from marrow.reducers.needs import Needs
from marrow.reducers.slices import OutlineReducer
from marrow.reducers.stream import Done, Stream, attempt
from marrow.reducers.thinning import empty_form, filled_lists
from marrow.tree import Delete, Edit, Token
from marrow.tree.outline import DeclarationOutline, Element, Mentions


def slice_of_page(language: str) -> OutlineReducer:
    """Return the reducer that tries the slice, then with callers, then with what it returns."""
    form = empty_form(language)

    def run(outline: DeclarationOutline, done: Done) -> Stream | None:
        return _tried(outline, done, form) if outline.pointed else done(outline.tree)

    return run


def _tried(outline: DeclarationOutline, done: Done, form: Token) -> Stream:
    elements = outline.elements
    page = _Page(elements)
    returns = [at for at, one in enumerate(elements) if "return" in one.symbol]
    used = page.used(outline.pointed)
    before = 0
    for roots, extra in ((outline.pointed, ()), (used, ()), (used, returns)):
        kept = page.closed(roots, extra)
        gone = frozenset(range(len(elements))) - kept
        edits: list[Edit] = [
            Delete(elements[at].place) for at in sorted(gone) if elements[at].owner not in gone
        ]
        edits += filled_lists(outline, gone, form)
        if edits and len(kept) != before:
            candidate = outline.tree.edit(edits)
            yield attempt(candidate, "slicing the last page", done, candidate)
        before = len(kept)
    return done(outline.tree)


class _Page:
    """What declares which names on a page, and what stands in what."""

    def __init__(self, elements: Sequence[Element]) -> None:
        self._elements: Final = elements
        needs = Needs(elements)
        self._inside: Final = needs.members
        self._declaring: Final = needs.declaring
        self._functions: Final = frozenset(
            at for at in range(len(elements)) if _has_statements(self._members(at))
        )

    def _members(self, at: int) -> list[Element]:
        return [self._elements[one] for one in self._inside.get(at, ())]

    def _around(self, at: int) -> list[int]:
        """Return an element and all that it stands in."""
        found = []
        while at >= 0:
            found.append(at)
            at = self._elements[at].owner
        return found

    def _declared(self, mentions: Mentions, around: Container[int]) -> Iterator[int]:
        """Yield what declares the names that are mentioned in something.

        The names of a function are seen from inside of it alone, and hide others there.
        """
        qualified = mentions.members.union(name for path in mentions.paths for name in path)
        for name in mentions.words & self._declaring.keys():
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
        """Return some elements, what mentions the functions they stand in, and so on."""
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

    def closed(self, pointed: Iterable[int], extra: Iterable[int]) -> frozenset[int]:
        """Return what stays with some elements; of `extra` ones, those in what they stand in."""
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
            for mentions in (element.mentions, element.inside):
                pending.extend(self._declared(mentions, around))
            if element.scope or at in whole:
                continue
            # All of a function stays; of a class what is mentioned, and what has no name.
            pending.extend(
                one
                for one in self._inside.get(at, ())
                if at in self._functions or not self._elements[one].declares
            )
        return frozenset(kept)


def _has_statements(members: Iterable[Element]) -> bool:
    """Return whether some elements are the body of a function, as their kinds tell."""
    return any(
        "statement" in one.symbol or "expression" in one.symbol or one.symbol == "declaration"
        for one in members
    )
