"""A set of files as the input: a tree of directories and files, and a tree for every file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from marrow.syntax.bundle import BundleEntry, make_bundle, read_bundle
from marrow.syntax.file_mentions import MentionsFrontEnd
from marrow.syntax.file_set_front_end import FilesFrontEnd
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.portion import Parse, Portion
from marrow.syntax.views import FileView, PortionOrder, S, view_of
from marrow.tree import Tree


def _parse(front: FrontEnd, text: bytes) -> Tree:
    return front.parse(text)


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

    def portions(
        self, best: Callable[[], bytes], order: PortionOrder[S]
    ) -> Iterator[tuple[S, Portion]]:
        """Yield what to reduce next, in the order that is given for sets of files."""
        return order.of_files(self, best)

    def names(self, text: bytes) -> list[str]:
        """Return the names of the files that are not empty, the largest first."""
        files = [entry for entry in read_bundle(text) if entry.regular and entry.content]
        return [one.name for one in sorted(files, key=lambda one: (-len(one.content), one.name))]

    def directories(self, text: bytes) -> Portion:
        """Return the set as a tree of directories and files."""
        return self._whole(text, self._files)

    def mentions(self, text: bytes) -> Portion:
        """Return the set as files that mention each other."""
        return self._whole(text, self._mentions)

    def _whole(self, text: bytes, front: FrontEnd) -> Portion:
        return Portion(text, (front,), tokens=self._count_files, length=self.length, fixed=True)

    def file(self, text: bytes, name: str, *, coarse: bool = False) -> Portion | None:
        """Return one file, if it still exists; a `coarse` one for front ends with syntax alone."""
        entries = read_bundle(text)
        at = next((index for index, one in enumerate(entries) if one.name == name), None)
        if at is None:
            return None
        file, others = entries[at], entries[:at] + entries[at + 1 :]
        head, tail = make_bundle(others[:at]), make_bundle(others[at:])
        rest = sum(map(self._count, others))

        def whole(content: bytes) -> bytes:
            return b"".join((head, make_bundle((replace(file, content=content),)), tail))

        view = self._views[name]

        def tokens(tree: Tree) -> int:
            return rest + view.count(tree)

        fronts = view.all_fronts
        if coarse:
            fronts = tuple(one for one in fronts if one.outlined or one.pieces or one.has_syntax)
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
