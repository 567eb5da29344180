"""Reduces a text with its relations: what is deleted takes its count along, as one attempt.

The schema is found in the input, once. Then the dimensions lose indices, the outermost first, all
of them coarsely before one is looked at closely (`list_runs`). Values follow (`values`). All is
repeated as long as something goes. A text without a schema may have a body whose length is said
before it, as in HTTP. Guarantee: none by itself; the whole pipeline follows. Worst case of a round:
that of `list_runs` for each dimension, and of `values`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final, TypeAlias

from marrow.reducers.algorithms.ddmin import Configuration, ddmin
from marrow.reducers.relations.dimensions import dimensions, lists_of, uncounted
from marrow.reducers.relations.document import Document, settled
from marrow.reducers.relations.list_runs import COARSE, MOST_RUNS, Elements, ListRuns
from marrow.reducers.relations.schema import written
from marrow.reducers.relations.schema_search import document_of, schema_of
from marrow.reducers.relations.values import changes
from marrow.reducers.streams.stream import Done, Reducer, Stream, attempt
from marrow.tree import Tree
from marrow.tree.outline import as_one_piece

# At most this number of groups is looked at one by one.
_MOST_GROUPS: Final = 12

#: The schema of the input is found once, and of what is left if spaces are tidied.
schema: Final = lru_cache(maxsize=4)(schema_of)


def relations(first: bytes) -> Reducer:
    """Return the reducer by the relations that a text has; it is for what is left of that text."""

    def run(tree: Tree, done: Done) -> Stream | None:
        found = schema(first)
        document = None if found is None else document_of(tree.text, *found)
        if document is not None and document.text == tree.text:
            return _Run(done).round(document)
        body = _body_of(tree) if found is None else None
        if body is not None:
            return ddmin(body, lambda after: done(after.tree))
        # Single spaces between words, and none at the ends of lines.
        tidy = re.sub(rb"[ \t]+(?=\r?\n|\Z)|^[ \t]+", b"", tree.text, flags=re.M)
        tidy = re.sub(rb"[ \t]+", b" ", tidy)
        if found is None and tidy != tree.text and schema(tidy) is not None:
            return with_tidy(tree, as_one_piece(tidy), done)
        return done(tree)

    def with_tidy(tree: Tree, tidy: Tree, done: Done) -> Stream:
        yield attempt(tidy, "tidying spaces", relations(tidy.text), tidy, done)
        return done(tree)

    return run


#: A dimension, a group of it, and a list of that; what no number counts comes first.
_Place: TypeAlias = tuple[int, int, int]


def _lists(document: Document, after: _Place) -> Iterator[tuple[_Place, Elements]]:
    """Yield the lists of a document after a place, in the order of a round."""
    for at, elements in enumerate(uncounted(document)):
        if (-1, 0, at) > after:
            yield (-1, 0, at), elements
    for number, name in enumerate(dimensions(document)):
        if number < after[0]:
            continue
        for group, path in enumerate(document.scopes(name[0][:-1])[:_MOST_GROUPS]):
            if (number, group) >= after[:2]:
                for at, elements in enumerate(lists_of(document, name, path)):
                    if (number, group, at) > after:
                        yield (number, group, at), elements


@dataclass(frozen=True, slots=True)
class _Run:
    done: Done
    #: A list is left once it is cut into this number of runs, and none of them could go.
    most_runs: int = COARSE

    def round(self, document: Document) -> Stream | None:
        """Delete elements of all lists, then lower values."""
        return self._after(document, document.text, (-2, 0, 0))

    def _after(self, document: Document, before: bytes, place: _Place) -> Stream | None:
        """Minimise the list after a place of the round, and those that follow."""
        following = next(_lists(document, place), None)
        if following is None:
            return self._changes(document, before, 0)
        here, elements = following
        ended = partial(self._after, before=before, place=here)
        return ListRuns(elements, ended, self.most_runs).start(document)

    def _changes(self, document: Document, before: bytes, start: int) -> Stream:
        """Lower values, from some change on."""
        seen = {document.text}
        for number, label, changed in changes(document, start):
            candidate = settled(changed)
            if candidate.text not in seen:
                seen.add(candidate.text)
                tree = as_one_piece(candidate.text)
                yield attempt(tree, label, self._changes, candidate, before, number)
        if document.text != before:
            return _Run(self.done).round(document)
        if self.most_runs < MOST_RUNS:
            return _Run(self.done, MOST_RUNS).round(document)
        return self.done(as_one_piece(document.text))


# -- A body whose length is said before it ---------------------------------------------------------

_BLANK: Final = re.compile(rb"\r?\n\r?\n")
_NUMBER: Final = re.compile(rb"(?<![\w.-])\d+(?![\w.-])")

# Shorter bodies are left to plain deletion.
_SHORTEST: Final = 4


def _body_of(tree: Tree) -> Configuration[int] | None:
    """Return the bytes of the body whose length is said before it."""
    blank = _BLANK.search(tree.text)
    start = len(tree.text) if blank is None else blank.end()
    head, body = tree.text[:start], tree.text[start:]
    number = next((one for one in _NUMBER.finditer(head) if one[0] == b"%d" % len(body)), None)
    if number is None or len(body) < _SHORTEST:
        return None

    def without(_: Tree, __: Sequence[int], kept: Sequence[int]) -> Tree:
        count = written(len(kept), number[0])
        left = bytes(body[at] for at in kept)
        return as_one_piece(head[: number.start()] + count + head[number.end() :] + left)

    every = tuple(range(len(body)))
    return Configuration(tree, every, without, phase="deleting bytes with their count")
