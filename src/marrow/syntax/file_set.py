"""A set of files as the input: a tree of directories and files, then a tree for every file.

Whole directories and files are deleted first. Where several are left, definitions become
declarations in all of them, then files go with what mentions them in others. Then the pipeline goes
from coarse to fine: the outermost lists of all files, their trees, as long as anything gets
smaller; only then each file in full, in its own language, the largest first. A smaller file may
free something in another, so all of it repeats until no portion gets smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from marrow.syntax.bundle import BundleEntry, make_bundle, read_bundle
from marrow.syntax.file_mentions import MentionsFrontEnd
from marrow.syntax.file_set_front_end import FilesFrontEnd
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.portion import Parse, Portion
from marrow.syntax.views import FileView, view_of
from marrow.tree import Tree

#: How far files are reduced before any is looked at closely: their outermost lists, their trees.
COARSE_LEVELS: Final = ("top", "tree")

# What comes before those, once: parts of definitions go.
_DEFINITIONS: Final = "definitions"

#: The levels of the set itself: files go with their mentions in others, then names too.
_SET_LEVELS: Final = ("files", "mentions")


def _parse(front: FrontEnd, text: bytes) -> Tree:
    return front.parse(text)


# Stands for the name of a file, of which none has such a name.
_MENTIONS_OF_FILES: Final = "\0mentions"


class FileSetView:
    """The view of a set of files: a tree of files, and each file in its own language."""

    def __init__(self, bundle: bytes) -> None:
        self._files: Final = FilesFrontEnd()
        self._mentions: Final = MentionsFrontEnd(lambda name: self._views[name].counter)
        self._shared: Final[dict[str, FrontEnd]] = {}
        self._views: Final = {
            entry.name: self._view(entry) for entry in read_bundle(bundle) if entry.regular
        }
        self._counts: Final[dict[str, tuple[bytes, int]]] = {}
        self.note: Final = ""

    def _view(self, entry: BundleEntry) -> FileView:
        """Choose the view of a file; files of one language share a front end and what it learns."""
        view = view_of(entry.name.rpartition("/")[2], entry.content)
        fronts = tuple(self._shared.setdefault(front.name, front) for front in view.fronts)
        counter = self._shared.setdefault(view.counter.name, view.counter)
        return replace(view, fronts=fronts, counter=counter)

    def view_of(self, name: str) -> FileView:
        """Return the view of one file."""
        return self._views[name]

    @property
    def language(self) -> str:
        """`files`, instead of a language."""
        return self._files.name

    @property
    def description(self) -> str:
        """The number of files, and their languages."""
        names = sorted({view.counter.description for view in self._views.values()})
        return f"{len(self._views):,} files ({'; '.join(names)})"

    def length(self, text: bytes) -> int:
        """Return the number of bytes of all files together."""
        return sum(len(entry.content) for entry in read_bundle(text))

    def tokens(self, text: bytes, parse: Parse) -> int:
        """Return the number of tokens of all files together."""
        del parse
        return sum(map(self._count, read_bundle(text)))

    def portions(self, best: Callable[[], bytes]) -> Iterator[Portion]:
        """Yield what to reduce next, until no portion gets smaller; `best` returns the best."""
        yield from self._coarse_portions(best)
        settled: set[str] = set()
        while True:
            whole = ("", _MENTIONS_OF_FILES)
            todo = [name for name in (*whole, *self._by_size(best())) if name not in settled]
            if not todo:
                return
            for name in todo:
                before = best()
                portion = self._portion(before, name)
                if portion is not None:
                    yield portion
                if best() != before:
                    # Earlier portions may get smaller now, but not the one that just ended.
                    settled.clear()
                settled.add(name)

    def _coarse_portions(self, best: Callable[[], bytes]) -> Iterator[Portion]:
        """Yield what is coarse in all files, as long as there are several and any gets smaller."""
        before = None
        while best() != before:
            first, before = before is None, best()
            yield from self._of_level(best, "", "")
            if first:
                # Without bodies, few files mention others.
                yield from self._of_files(best, _DEFINITIONS)
            yield from self._of_level(best, _MENTIONS_OF_FILES, _SET_LEVELS[0])
            for level in COARSE_LEVELS:
                yield from self._of_files(best, level)

    def _of_files(self, best: Callable[[], bytes], level: str) -> Iterator[Portion]:
        names = self._by_size(best())
        for name in names if len(names) > 1 else ():
            yield from self._of_level(best, name, level)

    def _of_level(self, best: Callable[[], bytes], name: str, level: str) -> Iterator[Portion]:
        portion = self._portion(best(), name)
        if portion is not None:
            yield replace(portion, level=level)

    def _by_size(self, text: bytes) -> list[str]:
        files = [entry for entry in read_bundle(text) if entry.regular and entry.content]
        return [one.name for one in sorted(files, key=lambda one: (-len(one.content), one.name))]

    def _portion(self, text: bytes, name: str) -> Portion | None:
        """Return the portion of the tree of files, or of one file, if it still exists."""
        if not name:
            return Portion(
                text, (self._files,), tokens=self._count_files, length=self.length, fixed=True
            )
        if name == _MENTIONS_OF_FILES:
            return Portion(
                text,
                (self._mentions,),
                tokens=self._count_files,
                length=self.length,
                fixed=True,
                level=_SET_LEVELS[1],
            )
        entries = read_bundle(text)
        at = next((index for index, one in enumerate(entries) if one.name == name), None)
        if at is None:
            return None
        file, others = entries[at], entries[:at] + entries[at + 1 :]
        head, tail = make_bundle(others[:at]), make_bundle(others[at:])
        rest = sum(map(self._count, others))

        def whole(content: bytes) -> bytes:
            return b"".join((head, make_bundle((replace(file, content=content),)), tail))

        def tokens(tree: Tree) -> int:
            return rest + tree.token_count

        fronts = self._views[name].all_fronts
        return Portion(file.content, fronts, whole, tokens, self.length, name=name)

    def _count_files(self, tree: Tree) -> int:
        return sum(map(self._count, read_bundle(tree.text)))

    def _count(self, entry: BundleEntry) -> int:
        """Count the tokens of a file, once for each content."""
        if not entry.regular:
            return 0
        known = self._counts.get(entry.name)
        if known is None or known[0] != entry.content:
            count = self._views[entry.name].tokens(entry.content, _parse)
            known = self._counts[entry.name] = (entry.content, count)
        return known[1]
