"""Reduces a text with its relations: what is deleted takes its count along, as one attempt.

The schema is found in the input, once. Then the dimensions lose indices, the outermost first, all
of them coarsely before one is looked at closely (`list_runs`). Values follow (`values`). All is
repeated as long as something goes. A text without a schema may have a body whose length is said
before it. Guarantee: none by itself; the whole pipeline follows. Worst case of a round: that of
`list_runs` for each dimension, and of `values`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from marrow.reducers.relations.byte_lengths import Body, body_of
from marrow.reducers.relations.dimensions import dimensions, lists_of, uncounted
from marrow.reducers.relations.document import Document, settled
from marrow.reducers.relations.list_runs import COARSE, MOST_RUNS, Elements, ListRuns
from marrow.reducers.relations.schema_search import document_of, schema_of
from marrow.reducers.relations.values import ValueChange, changes
from marrow.reducers.relations.word_lines import tidied
from marrow.reducers.streams.stream import Done, Reducer, Stream, attempt
from marrow.tree import Tree
from marrow.tree.outline import as_one_piece

# At most this number of groups is looked at one by one.
_MOST_GROUPS: Final = 12


#: The schema of the input is found once, and of what is left if spaces are tidied.
schema: Final = lru_cache(maxsize=4)(schema_of)

_BYTES: Final[Elements[Body]] = Elements(
    "bytes", lambda one: len(one.body), (("", lambda one, kept: one.keep(kept)),)
)


def relations(first: bytes) -> Reducer:
    """Return the reducer by the relations that a text has; it is for what is left of that text."""

    def run(tree: Tree, done: Done) -> Stream | None:
        found = schema(first)
        document = None if found is None else document_of(tree.text, *found)
        if document is not None and document.text == tree.text:
            return _Run(done).round(document)
        body = body_of(tree.text) if found is None else None
        if body is not None:
            return ListRuns(_BYTES, lambda after: done(as_one_piece(after.text))).start(body)
        tidy = tidied(tree.text)
        if found is None and tidy != tree.text and schema(tidy) is not None:
            return _tidied(tree, as_one_piece(tidy), done)
        return done(tree)

    return run


def _tidied(tree: Tree, tidy: Tree, done: Done) -> Stream:
    """Try single spaces between words, by which relations can be seen."""
    yield attempt(tidy, "tidying spaces", relations(tidy.text), tidy, done)
    return done(tree)


@dataclass(frozen=True, slots=True)
class _Place:
    """How far a round has come: a dimension, a group, a list of it."""

    name: int = 0
    group: int = 0
    list: int = 0


@dataclass(frozen=True, slots=True)
class _Run:
    done: Done
    #: A list is left once it is cut into this number of runs, and none of them could go.
    most_runs: int = COARSE

    def round(self, document: Document) -> Stream | None:
        """Delete elements of all lists, then lower values."""
        return self._lists(document, document.text, _Place(-1))

    def _lists(self, document: Document, before: bytes, place: _Place) -> Stream | None:
        """Minimise the list at a place of the round, and those that follow."""
        if place.name < 0:
            lists = list(uncounted(document))
            if place.list < len(lists):
                following = _Place(-1, 0, place.list + 1)
                return self._minimised(document, before, lists[place.list], following)
            place = _Place()
        names = dimensions(document)
        while place.name < len(names):
            name = names[place.name]
            paths = list(document.scopes(name[0][:-1]))[:_MOST_GROUPS]
            if place.group >= len(paths):
                place = _Place(place.name + 1)
                continue
            lists = list(lists_of(document, name, paths[place.group]))
            if place.list >= len(lists):
                place = _Place(place.name, place.group + 1)
                continue
            following = _Place(place.name, place.group, place.list + 1)
            return self._minimised(document, before, lists[place.list], following)
        return self._changes(document, before, changes(document))

    def _minimised(
        self, document: Document, before: bytes, elements: Elements[Document], following: _Place
    ) -> Stream | None:
        def ended(after: Document) -> Stream | None:
            return self._lists(after, before, following)

        return ListRuns(elements, ended, self.most_runs).start(document)

    def _changes(self, document: Document, before: bytes, todo: Iterator[ValueChange]) -> Stream:
        seen = {document.text}
        for change in todo:
            candidate = settled(change.document)
            if candidate.text in seen:
                continue
            seen.add(candidate.text)
            tree = as_one_piece(candidate.text)
            yield attempt(tree, change.label, self._changed, candidate, before, change)
        if document.text != before:
            return _Run(self.done).round(document)
        if self.most_runs < MOST_RUNS:
            return _Run(self.done, MOST_RUNS).round(document)
        return self.done(as_one_piece(document.text))

    def _changed(self, document: Document, before: bytes, change: ValueChange) -> Stream | None:
        return self._changes(document, before, changes(document, change.number))
