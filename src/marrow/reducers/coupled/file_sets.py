"""Sets of files: a file goes with what mentions it in the others, or two change together.

Each candidate changes several files in one test.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import partial
from itertools import islice, product
from typing import Final, NamedTuple, Protocol

from marrow.reducers.streams.elements import delete_all, ladder, listed, rung
from marrow.reducers.streams.minimal_replacement import tokens_at
from marrow.reducers.streams.stream import Attempts, Done, End, Reducer, Stream, attempt
from marrow.reducers.streams.sweep import sweep
from marrow.tree import Place, Token, Tree
from marrow.tree.names import names_of
from marrow.tree.tree_cache import kept

# Which element around a mention goes, from the innermost; the last of these ways is the outermost.
_LEVELS: Final = (0, 1, 2, None)

# An import is a statement: one with more tokens is taken for something that has an import in it.
_LONGEST_IMPORT: Final = 40

# Marks around the name of a file: quotes, angle brackets.
_MARKS: Final = b"\"'`<>"

# Pairs of elements of two files that are tried at the end.
_MOST_PAIRS: Final = 200

_WORD: Final = re.compile(rb"\w+")

# Words of longer files are not compared: that takes the square of their number in the worst case.
_LONGEST: Final = 5_000


class FileTrees(Protocol):
    """A set of files as one text, with what is known of each file by its name."""

    def trees(self, text: bytes) -> Mapping[str, Tree]:
        """Return the tree of each file that has one."""

    def contents(self, text: bytes) -> Mapping[str, bytes]:
        """Return the text of each file."""

    def declared(self, text: bytes) -> Mapping[str, frozenset[bytes]]:
        """Return the names that each file declares for others."""

    def with_contents(self, text: bytes, contents: Mapping[str, bytes | None]) -> Tree:
        """Return the set with other contents of some files; None deletes a file."""

    def count(self, text: bytes) -> int:
        """Return the number of tokens of all files together."""

    def language(self, name: str) -> str:
        """Return the language of a file."""

    def parse_file(self, name: str, text: bytes) -> Tree:
        """Return the tree of another text of a file."""

    def broken(self, name: str, text: bytes) -> bool:
        """Return whether another text of a file has syntax errors."""


# -- Deletion -------------------------------------------------------------------------------------


class _Shared(NamedTuple):
    """What goes from all files: those with a stem, or a name."""

    stem: bytes = b""
    name: bytes = b""


def file_deletion(files: FileTrees, *, names: bool) -> Reducer:
    """Return the reducer that deletes files, and `names`, with their mentions in all files.

    A file is mentioned where others include or import it, and where they mention the names that it
    alone declares. Files of one name and different suffixes (`list.c`, `list.h`) go together. With
    a mention goes first the innermost element of a list around it, then the next ones; at last the
    outermost (a function, a class), with what mentions the names introduced in it, and so on. The
    same is done for single names that are declared in one file and mentioned in others.

    Guarantee: none by itself. Worst case of a round: four tests for each file and each shared name,
    and those of one again after a success; after 16 in a row that had to stay the rest stays.
    """

    def run(tree: Tree, done: Done) -> Stream | None:
        trees = files.trees(tree.text)
        if len(trees) < 2:
            return done(tree)
        sizes: dict[bytes, int] = {}
        for name, one in trees.items():
            sizes[_stem(name)] = sizes.get(_stem(name), 0) + one.token_count
        items = [_Shared(stem=one) for one in sorted(sizes, key=lambda stem: (-sizes[stem], stem))]
        if names:
            items += [_Shared(name=name) for name in _shared_names(files, tree.text)]
        phase = "deleting with mentions in other files"
        candidates = partial(_candidates, files)
        return sweep(tree, items, candidates, done, phase, sort=lambda item: bool(item.stem))

    return run


def _stem(name: str) -> bytes:
    return name.rpartition("/")[2].partition(".")[0].encode("utf-8", "surrogateescape")


def _shared_names(files: FileTrees, text: bytes) -> list[bytes]:
    """Return the names that one file declares and others mention, the most mentioned first."""
    trees, declared = files.trees(text), files.declared(text)
    counts: dict[bytes, int] = {}
    for name in sorted(frozenset().union(*declared.values())):
        where = [some for one in trees.values() if (some := names_of(one).places.get(name))]
        if len(where) > 1:
            counts[name] = sum(map(len, where))
    return sorted(counts, key=lambda name: (-counts[name], name))


def _candidates(files: FileTrees, tree: Tree, item: _Shared) -> Iterator[Tree]:
    trees, declared = files.trees(tree.text), files.declared(tree.text)
    gone = [name for name in trees if item.stem and _stem(name) == item.stem]
    names = {item.name} if item.name else set[bytes]()
    if item.stem:
        if not gone or len(gone) == len(trees):
            return
        others = (some for name, some in declared.items() if name not in gone)
        names |= frozenset().union(*(declared[name] for name in gone)).difference(*others)
    left = {name: one for name, one in trees.items() if name not in gone}
    seen: set[tuple[bytes | None, ...]] = set()
    for level in _LEVELS:
        contents = _without_mentions(left, names, item.stem, level)
        if (
            contents
            and all(one is None for one in contents.values())
            and len(contents) == len(left)
        ):
            continue  # nothing would be left of all
        key = tuple(contents.values())
        if key not in seen and (contents or gone):
            seen.add(key)
            yield files.with_contents(tree.text, {**dict.fromkeys(gone), **contents})


def _without_mentions(
    trees: Mapping[str, Tree], names: Iterable[bytes], stem: bytes, level: int | None
) -> dict[str, bytes | None]:
    """Return the contents of files that change."""
    doomed: dict[str, set[Place]] = {}
    fresh: dict[str, set[bytes]] = {}
    known = set(names)
    for name, tree in trees.items():
        places = _words(tree).get(stem, ()) if stem else ()
        doomed[name] = {one for place in places if (one := _import(tree, place)) is not None}
        below = (names_of(tree).mentioned_below(place) for place in doomed[name])
        fresh[name] = known | ({word for some in below for _, word in some} - {stem})
    while any(fresh.values()):
        more: set[bytes] = set()
        for name, tree in trees.items():
            for word in sorted(fresh[name]):
                for place in names_of(tree).mentions(word):
                    element = rung(tree, place, level)
                    if element is not None and element not in doomed[name]:
                        doomed[name].add(element)
                        more |= _introduced(tree, element) if level is None else set()
        fresh = dict.fromkeys(trees, more - known)
        known |= more
    contents: dict[str, bytes | None] = {}
    for name, tree in trees.items():
        if doomed[name]:
            smaller = delete_all(tree, doomed[name])
            contents[name] = None if smaller is None or not smaller.token_count else smaller.text
    return contents


@kept
def _words(tree: Tree) -> dict[bytes, list[Place]]:
    """Return where the names of files may be said: by their last part, without the suffix."""
    found: dict[bytes, list[Place]] = {}
    for place, node in tree.walk():
        if isinstance(node, Token):
            stem = node.text.strip(_MARKS).rpartition(b"/")[2].partition(b".")[0]
            found.setdefault(stem, []).append(place)
    return found


def _import(tree: Tree, place: Place) -> Place | None:
    """Return the statement that imports the file that is named at a place."""
    rungs = ladder(tree, place)
    if not rungs or tokens_at(tree, rungs[-1]) <= _LONGEST_IMPORT:
        return rungs[-1] if rungs else None
    return next((one for one in rungs if tokens_at(tree, one) > 1), rungs[0])


def _introduced(tree: Tree, place: Place) -> frozenset[bytes]:
    """Return the names that are mentioned first in an element."""
    node, names = tree.at(place), names_of(tree)
    if node is None:
        return frozenset()
    return names.introduced_in(node).intersection(word for _, word in names.mentioned_below(place))


# -- Lockstep -------------------------------------------------------------------------------------


def lockstep(
    files: FileTrees, first: str, second: str, reducer: Callable[[str], Reducer]
) -> Reducer:
    """Return the reducer of two files that change together; `reducer` gives that of a file.

    A query and its variant, a program and what it should print: deleting from one alone ends the
    failure. What an attempt deletes in the first file goes from the second one too: the elements
    that hold the same words, then those at the same places of a list that is as long, then the
    lines or other elements with a word that the first file has no more; at last nothing. Files of
    different lengths share what they have in common. At the end one element of each goes, whatever
    their words, as a statement and the line that it prints.

    Guarantee: none by itself. Worst case: four tests for each attempt on the first file, and
    `_MOST_PAIRS` at the end, again after each success.
    """

    def run(tree: Tree, done: Done) -> Stream | None:
        contents = files.contents(tree.text)
        if first not in contents or second not in contents:
            return done(tree)
        one, two = (files.parse_file(name, contents[name]) for name in (first, second))
        return _Pair(files, tree, first, second, done).follow(reducer(first)(one, End), one, two)

    return run


@dataclass(frozen=True, slots=True)
class _Pair:
    files: FileTrees
    whole: Tree
    first: str
    second: str
    done: Done

    def follow(self, stream: Stream | None, one: Tree, two: Tree) -> Stream:
        """Try what a reducer does to the first file in both."""
        for tried in Attempts(stream):
            for other in _also_without(one, tried.tree, two):
                after = partial(self.follow, one=tried.tree, two=other)
                whole = self._with(tried.tree, other)
                yield replace(tried.mapped(after), tree=whole, left_out=())
        return self.one_of_each(one, two)

    def one_of_each(self, one: Tree, two: Tree) -> Stream:
        """Try to delete an element of each, whatever their words: what prints a line, and it."""
        rows = [
            [delete_all(tree, [place]) for place in _outermost(tree, lambda _: True)]
            for tree in (one, two)
        ]
        for here, there in islice(product(*rows), _MOST_PAIRS):
            if here is not None and there is not None:
                whole = self._with(here, there)
                yield attempt(whole, "deleting from both files", self.one_of_each, here, there)
        return self.done(self._with(one, two))

    def _with(self, one: Tree, two: Tree) -> Tree:
        contents = {self.first: one.text, self.second: two.text}
        return self.files.with_contents(self.whole.text, contents)


def _outermost(tree: Tree, wanted: Callable[[Place], bool]) -> list[Place]:
    """Return the outermost wanted elements of lists that have several."""
    found: list[Place] = []
    for place in (place for row in listed(tree) if len(row) > 1 for place in row):
        if not any(above in found for above in place.upwards()) and wanted(place):
            found.append(place)
    return found


def _also_without(before: Tree, after: Tree, other: Tree) -> Iterator[Tree]:
    """Yield another tree without what a deletion has taken from a tree, at last as it is."""
    seen: set[bytes] = set()
    for way in (_of_the_same_words, _at_the_same_place, _with_words_that_went):
        places = way(before, after, other)
        made = delete_all(other, places) if places else None
        if made is not None and made.text not in seen:
            seen.add(made.text)
            yield made
    yield other


def _of_the_same_words(before: Tree, after: Tree, other: Tree) -> list[Place]:
    """Return the largest elements of a tree all of whose words are deleted from another one."""
    old, new, words = ([token.text for token in one.tokens()] for one in (before, after, other))
    if max(map(len, (old, words))) > _LONGEST:
        return []
    gone = set(range(len(old))) - {at for at, _ in _matches(old, new)}
    doomed = {there for here, there in _matches(old, words) if here in gone}
    elements = {place for row in listed(other) for place in row}
    found: list[Place] = []
    at = end = 0
    for place, node in other.walk():
        inside = range(at, at + node.token_count)
        if place in elements and at >= end and inside and doomed.issuperset(inside):
            found.append(place)
            end = inside.stop
        at += isinstance(node, Token)
    return found


def _at_the_same_place(before: Tree, after: Tree, other: Tree) -> list[Place]:
    """Return the elements of a list at the places at which one of that length has lost some."""
    for row in listed(before):
        gone = [at for at, place in enumerate(row) if after.at(place) is None]
        if gone and len(gone) < len(row):
            rows = [one for one in listed(other) if len(one) == len(row)]
            return [rows[0][at] for at in gone] if rows else []
    return []


def _with_words_that_went(before: Tree, after: Tree, other: Tree) -> list[Place]:
    """Return the largest elements, of several, with a word that another text has lost."""
    gone = set(_WORD.findall(before.text)) - set(_WORD.findall(after.text))

    def mentions(place: Place) -> bool:
        node = other.at(place)
        return node is not None and not gone.isdisjoint(_WORD.findall(node.text))

    return _outermost(other, mentions) if gone else []


def _matches(one: Sequence[bytes], two: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    for start, other, size in SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks():
        yield from ((start + at, other + at) for at in range(size))
