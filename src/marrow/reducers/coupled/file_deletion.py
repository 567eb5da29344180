"""Files that need each other: a file goes with what mentions it in the others, in one test.

A file is mentioned where others include or import it, and where they mention the names that it
alone declares. Files of one name and different suffixes (`list.c`, `list.h`) go together. What goes
with a mention is first the innermost element of a list around it, then the next ones; at last the
outermost (a function, a class), with what mentions the names introduced in it, and so on. The same
is done for single names that are declared in one file and mentioned in others.

Guarantee: none by itself. Worst case of a round: four tests for each file and each shared name, and
those of one again after a success; after 32 in a row that had to stay the rest is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple, Protocol

from marrow.reducers.streams.elements import delete_all, ladder, rung
from marrow.reducers.streams.minimal_replacement import tokens_at
from marrow.reducers.streams.stream import Done, Reducer, Stream
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


class FileTrees(Protocol):
    """A set of files as one text, and its files as trees."""

    def trees(self, text: bytes) -> Mapping[str, Tree]:
        """Return the tree of each file by its name."""

    def declared(self, text: bytes) -> Mapping[str, frozenset[bytes]]:
        """Return the names that each file declares for others."""

    def with_contents(self, text: bytes, contents: Mapping[str, bytes | None]) -> Tree:
        """Return the set with other contents of some files; None deletes a file."""


class _Shared(NamedTuple):
    """What goes from all files: those with a stem, or a name."""

    stem: bytes = b""
    name: bytes = b""


def file_deletion(files: FileTrees, *, names: bool) -> Reducer:
    """Return the reducer that deletes files, and `names`, with their mentions in all files."""

    def run(tree: Tree, done: Done) -> Stream | None:
        trees = files.trees(tree.text)
        if len(trees) < 2:
            return done(tree)
        sizes: dict[bytes, int] = {}
        for name, one in trees.items():
            sizes[_stem(name)] = sizes.get(_stem(name), 0) + one.token_count
        stems = sorted(sizes, key=lambda stem: (-sizes[stem], stem))
        items = [_Shared(stem=stem) for stem in stems]
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
        where = [one for one in trees.values() if name in names_of(one).places]
        if len(where) > 1:
            counts[name] = sum(len(names_of(one).places[name]) for one in where)
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
        if contents is None:
            continue
        key = tuple(contents.values())
        if key not in seen and (contents or gone):
            seen.add(key)
            yield files.with_contents(tree.text, {**dict.fromkeys(gone), **contents})


def _without_mentions(
    trees: Mapping[str, Tree], names: Iterable[bytes], stem: bytes, level: int | None
) -> dict[str, bytes | None] | None:
    """Return the contents of files that change; None if nothing would be left of all."""
    doomed: dict[str, set[Place]] = {name: set() for name in trees}
    known = set(names)
    imported: dict[str, set[bytes]] = {}
    for name, tree in trees.items():
        imports = (
            {_import(tree, place) for place in _words(tree).get(stem, ())} - {None}
            if stem
            else set()
        )
        doomed[name].update(place for place in imports if place is not None)
        below = (names_of(tree).mentioned_below(place) for place in imports if place is not None)
        imported[name] = {word for some in below for _, word in some} - {stem}
    fresh = {name: known | some for name, some in imported.items()}
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
    if len(contents) == len(trees) and all(one is None for one in contents.values()):
        return None
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
    if not rungs:
        return None
    if tokens_at(tree, rungs[-1]) <= _LONGEST_IMPORT:
        return rungs[-1]
    return next((one for one in rungs if tokens_at(tree, one) > 1), rungs[0])


def _introduced(tree: Tree, place: Place) -> frozenset[bytes]:
    """Return the names that are mentioned first in an element."""
    node, names = tree.at(place), names_of(tree)
    if node is None:
        return frozenset()
    return names.introduced_in(node).intersection(word for _, word in names.mentioned_below(place))
