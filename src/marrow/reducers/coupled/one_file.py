"""One file from several: imports give way to what they import, as far as the test agrees.

From a root, a file that no other one imports, everything that it needs is tried at once; then, for
each file that is left, the file with all that import it. What two files both declare is tried under
its name, then under another one, then in a name space of its own; at last an import gives way to
the content everywhere, as an included table has to. A file that was put into another one is
deleted, or stays as an empty one where the test asks for it by its name.

Unless one file is `wanted`, a step has to leave fewer tokens, if need be at the end of a detour.
Guarantee: none by itself. Worst case: `_MOST_CHOICES` sets of files, eight tests for each and the
budget of a detour for the first; again after each success, of which there is one a file at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from marrow.reducers.coupled.file_sets import FileTrees
from marrow.reducers.coupled.imports import SourceFile, imports_in
from marrow.reducers.coupled.joined_files import JoinMode, joined
from marrow.reducers.streams.detour import FIRST_BUDGET, detour
from marrow.reducers.streams.stream import Done, End, Reducer, Stream, attempt, lifted
from marrow.tree import Tree
from marrow.tree.order import size

_MODES: Final = (
    JoinMode(),
    JoinMode(renamed=True),
    JoinMode(apart=True),
    JoinMode(again=True),
)

# A text that grows by more tokens than this is not tried: the budget of a detour could not make up
# for it.
_MOST_GROWTH: Final = 40

# So many roots are tried, and so many sets of files in all. Without the wish for one file a run
# that keeps its files should hardly notice.
_MOST_ROOTS: Final = 3
_MOST_CHOICES: Final = 24
_MOST_UNASKED: Final = 4

# Nor are larger sets joined without it, in bytes: that takes seconds for each text to try, and most
# files of such a set go by themselves.
_LARGEST_UNASKED: Final = 200_000


class _Choice(NamedTuple):
    """A text to try for a set: the root's, and the files that are in it now."""

    root: str
    text: bytes
    files: frozenset[str]
    #: Whether it is everything that a root needs, in the simplest way.
    first: bool


def one_file(files: FileTrees, *, wanted: bool, detours: bool) -> Reducer:
    """Return the reducer that joins files: all that it can if one is `wanted`, or where it pays."""
    return lambda tree, done: _Joining(files, wanted, detours, done).run(tree)


def fewer_files(one: Tree, two: Tree) -> bool:
    """Whether a set has fewer files with content than another, or as many and is smaller."""

    def filled(tree: Tree) -> int:
        # An entry is a line with its name, the content, and a line break.
        return sum(token.text.partition(b"\n")[2].strip() != b"" for token in tree.tokens())

    return (filled(one), size(one)) < (filled(two), size(two))


@dataclass(frozen=True, slots=True)
class _Joining:
    files: FileTrees
    wanted: bool
    detours: bool
    done: Done

    def run(self, tree: Tree, start: int = 0) -> Stream:
        """Try one set of files after the other, from some number on."""
        before = self.files.count(tree.text)
        for number, choice in enumerate(self._choices(tree)):
            if number < start:
                continue
            candidates = [self._with(tree, choice, emptied) for emptied in (None, b"")]
            grows = self.files.count(candidates[0].text) >= before
            if grows and not self.wanted:
                if choice.first and self.detours:
                    yield from self._detour(tree, choice, before, number)
                continue
            for candidate in candidates:
                yield attempt(candidate, "joining files", self.run, candidate)
        return self.done(tree)

    def _detour(self, tree: Tree, choice: _Choice, before: int, number: int) -> Stream:
        """Try a text that is larger at first, if something can be deleted from it at once."""
        root = choice.root
        old = self.files.parse_file(root, self.files.contents(tree.text)[root])
        new = self.files.parse_file(root, choice.text)

        def whole(inside: Tree) -> Tree:
            return self._with(tree, choice._replace(text=inside.text), None)

        def pays(inside: Tree, _: Tree) -> bool:
            return self.files.count(whole(inside).text) < before

        growth = self.files.count(whole(new).text) - before
        if new.text == old.text or growth > _MOST_GROWTH:
            return None

        def ended(inside: Tree) -> Stream:
            return self.run(tree, number + 1) if inside is old else self.run(whole(inside))

        parse = partial(self.files.parse_file, root)
        phase, given_up = "detour: joining files", partial(End, old)
        one = detour(old, new, phase, parse, End, given_up, FIRST_BUDGET, pays)

        def alone() -> Stream:
            yield one
            return None

        return (yield from lifted(alone(), whole, ended))

    def _with(self, tree: Tree, choice: _Choice, emptied: bytes | None) -> Tree:
        contents = {**dict.fromkeys(choice.files, emptied), choice.root: choice.text}
        return self.files.with_contents(tree.text, contents)

    def _choices(self, tree: Tree) -> Iterator[_Choice]:
        """Yield the texts to try, each once and none with new syntax errors."""
        trees, declared = self.files.trees(tree.text), self.files.declared(tree.text)
        language, none = self.files.language, frozenset[bytes]()
        sources = {
            name: SourceFile(text, language(name), trees.get(name), declared.get(name, none))
            for name, text in self.files.contents(tree.text).items()
            if text.strip()
        }
        large = sum(len(one.text) for one in sources.values()) > _LARGEST_UNASKED
        if len(sources) < 2 or (large and not self.wanted):
            return
        seen: set[tuple[str, bytes]] = set()
        most = _MOST_CHOICES if self.wanted else _MOST_UNASKED
        sets = list(dict.fromkeys(_sets(sources)))[:most]
        for number, (root, merged) in enumerate(sets):
            for mode in _MODES:
                made = joined(sources, root, merged, mode)
                if made is None or (root, made.text) in seen:
                    continue
                seen.add((root, made.text))
                if self.files.broken(root, made.text) and not any(
                    self.files.broken(one, sources[one].text) for one in (root, *made.files)
                ):
                    continue
                first = not number and mode in _MODES[:3]
                yield _Choice(root, made.text, made.files, first)


def _sets(sources: Mapping[str, SourceFile]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield roots, each with the files to join to it: all at once, then as few as possible."""
    imported = {name: {one.file for one in imports_in(sources, name)} for name in sources}
    importers = {
        name: {one for one in sources if name in imported[one]} - {name} for name in sources
    }

    def reached(start: str, step: Callable[[str], set[str]]) -> frozenset[str]:
        found, pending = {start}, [start]
        while pending:
            for one in step(pending.pop()) - found:
                found.add(one)
                pending.append(one)
        return frozenset(found)

    below = {name: reached(name, imported.__getitem__) for name in sources}
    tops = [name for name in sources if not importers[name]] or list(sources)
    tops.sort(key=lambda name: (-len(below[name]), -len(sources[name].text), name))
    roots = tops[:_MOST_ROOTS]
    for root in roots:
        yield root, frozenset(sources)
    for name in sorted(sources, key=lambda one: (len(importers[one]), one)):
        above = reached(name, importers.__getitem__)
        for root in roots:
            if root != name and (root in above or not importers[name]):
                yield root, above
                break
