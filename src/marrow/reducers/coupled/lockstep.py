"""Two files that change together: the same deletion in both, else in one of them alone.

A query and its variant, a program and what it should print: deleting from one alone ends the
failure. The first file of a pair is reduced by perses. What an attempt deletes there goes from the
second file too: the elements that hold the same words, then those at the same places of a list that
is as long; at last nothing. Files of different lengths share what they have in common.

Guarantee: none by itself. Worst case: three tests for each attempt of perses on the first file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Final, Protocol

from marrow.reducers.coupled.file_deletion import FileTrees
from marrow.reducers.streams.elements import delete_all, listed
from marrow.reducers.streams.stream import Attempts, Done, End, Reducer, Stream
from marrow.tree import Place, Token, Tree

# Words of longer files are not compared: that takes the square of their number in the worst case.
_LONGEST: Final = 5_000


class PairedTrees(FileTrees, Protocol):
    """A set of files with the text and the tree of each."""

    def contents(self, text: bytes) -> Mapping[str, bytes]:
        """Return the text of each file by its name."""

    def parse_file(self, name: str, text: bytes) -> Tree:
        """Return the tree of another text of a file."""


def lockstep(
    files: PairedTrees, first: str, second: str, reducer: Callable[[str], Reducer]
) -> Reducer:
    """Return the reducer of a pair of files; `reducer` gives that of a file."""

    def run(tree: Tree, done: Done) -> Stream | None:
        contents = files.contents(tree.text)
        if first not in contents or second not in contents:
            return done(tree)
        one, two = (files.parse_file(name, contents[name]) for name in (first, second))
        return _Pair(files, tree, first, second, done).follow(reducer(first)(one, End), one, two)

    return run


@dataclass(frozen=True, slots=True)
class _Pair:
    files: PairedTrees
    whole: Tree
    first: str
    second: str
    done: Done

    def follow(self, stream: Stream | None, one: Tree, two: Tree) -> Stream:
        """Try what a reducer does to the first file in both."""
        attempts = Attempts(stream)
        for attempt in attempts:
            for other in _also_without(one, attempt.tree, two):
                changed = {self.first: attempt.tree.text, self.second: other.text}
                candidate = self.files.with_contents(self.whole.text, changed)

                def after(
                    rest: Stream | None, now: Tree = attempt.tree, other: Tree = other
                ) -> Stream:
                    return self.follow(rest, now, other)

                yield replace(attempt.mapped(after), tree=candidate, left_out=())
        contents = {self.first: one.text, self.second: two.text}
        return self.done(self.files.with_contents(self.whole.text, contents))


def _also_without(before: Tree, after: Tree, other: Tree) -> Iterator[Tree]:
    """Yield another tree without what a deletion has taken from a tree, at last as it is."""
    seen: set[bytes] = set()
    ways = (_of_the_same_words, _at_the_same_place)
    for places in (way(before, after, other) for way in ways):
        made = delete_all(other, places) if places else None
        if made is not None and made.text not in seen:
            seen.add(made.text)
            yield made
    yield other


def _of_the_same_words(before: Tree, after: Tree, other: Tree) -> list[Place]:
    """Return the largest elements of a tree all of whose words are deleted from another one."""
    old, new, words = (_words(one) for one in (before, after, other))
    if max(map(len, (old, words))) > _LONGEST:
        return []
    gone = set(range(len(old))) - {at for at, _ in _matches(old, new)}
    doomed = {there for here, there in _matches(old, words) if here in gone}
    found: list[Place] = []
    end = 0
    for start, stop, place in _elements(other):
        if start >= end and stop > start and doomed.issuperset(range(start, stop)):
            found.append(place)
            end = stop
    return found


def _at_the_same_place(before: Tree, after: Tree, other: Tree) -> list[Place]:
    """Return the elements of a list at the places at which one of that length has lost some."""
    for row in listed(before):
        gone = [at for at, place in enumerate(row) if after.at(place) is None]
        if gone and len(gone) < len(row):
            rows = [one for one in listed(other) if len(one) == len(row)]
            return [rows[0][at] for at in gone] if rows else []
    return []


def _words(tree: Tree) -> list[bytes]:
    return [token.text for token in tree.tokens()]


def _matches(one: Sequence[bytes], two: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    for start, other, size in SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks():
        yield from ((start + at, other + at) for at in range(size))


def _elements(tree: Tree) -> Iterator[tuple[int, int, Place]]:
    """Yield the elements of all lists with their first word and the one after them, outer first."""
    places = {place for row in listed(tree) for place in row}
    at = 0
    for place, node in tree.walk():
        if place in places:
            yield at, at + node.token_count, place
        at += isinstance(node, Token)
