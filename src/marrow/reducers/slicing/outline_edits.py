"""Edits of an outline: elements deleted, and bodies replaced by what the language has for none."""

from __future__ import annotations

from collections.abc import Container
from itertools import islice

from marrow.languages.language_facts import facts_of
from marrow.reducers.slicing.declaration_graph import Deleted, Unit
from marrow.tree import Delete, Edit, Replace, Token, Tree
from marrow.tree.outline import DeclarationOutline


def body_form(language: str) -> Token:
    """Return what takes the place of a body in a language."""
    form = facts_of(language).definitions.body
    return Token(form, form.encode())


def without_units(
    outline: DeclarationOutline,
    form: Token,
    deleted: Deleted,
    tree: Tree | None = None,
    before: Deleted = frozenset(),
) -> Tree | None:
    """Return an outline without some units; None if that changes nothing.

    Of a `tree` in which the units `before` are deleted already, the others are deleted.
    """
    edits: list[Edit] = []
    for unit in sorted(deleted - before):
        element = outline.elements[unit.at]
        if not unit.body:
            if Unit(element.owner) not in deleted:
                edits.append(Delete(element.place))
        elif Unit(unit.at) not in deleted and element.body is not None:
            edits.append(Replace(element.body, form))
    edits += _filled_lists(outline, {one.at for one in deleted if not one.body}, form)
    return (outline.tree if tree is None else tree).edit(edits) if edits else None


def _filled_lists(outline: DeclarationOutline, deleted: Container[int], form: Token) -> list[Edit]:
    """Return edits that fill lists which lose all elements, in languages that indent blocks."""
    if not outline.tree.indented:
        return []
    last: dict[int, int] = {}
    left: set[int] = set()
    for index, element in enumerate(outline.elements):
        last[element.owner] = index
        if index not in deleted:
            left.add(element.owner)
    filled = (
        outline.elements[index].place
        for owner, index in last.items()
        if owner >= 0 and owner not in deleted and owner not in left
    )
    # The element is in a list, and that is in its block.
    blocks = (above for place in filled if (above := next(islice(place.upwards(), 2, 3), None)))
    return [Replace(place, form) for place in blocks]
