"""A set of files as the input: a tree of directories and files, and a tree for every file.

What goes from several files at once is found in the trees of all of them (`MentionsFrontEnd`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

from marrow.languages.recognition import language_of
from marrow.syntax.bundle import BundleEntry, entry_spans, make_bundle, read_bundle
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.outliner import Outliner
from marrow.syntax.portion import Parse, Portion
from marrow.syntax.views import FileView, PortionOrder, S, view_of
from marrow.tree import Branch, Glue, Kind, Node, Token, Tree


class FilesFrontEnd(FrontEnd):
    """Sees a bundle as a tree: directories are stars, files are tokens.

    Every candidate is a bundle. No node replaces another: a file that moves would change its name.
    """

    name = "files"
    description = "a set of files"

    def parse(self, text: bytes) -> Tree:
        """Turn a bundle into the tree of its directories and files."""
        # The open directories: the name, followed by a slash, and what is in it so far.
        open_directories: list[tuple[str, list[Node]]] = [("", [])]
        for serial, (entry, start, end) in enumerate(entry_spans(text)):
            while not entry.name.startswith(open_directories[-1][0]):
                _close(open_directories)
            while (rest := entry.name[len(open_directories[-1][0]) :]).count("/"):
                name = open_directories[-1][0] + rest[: rest.index("/") + 1]
                open_directories.append((name, []))
            inside = open_directories[-1][1]
            inside.append(
                Token(
                    "file",
                    text[start:end],
                    slot="files",
                    key=len(inside),
                    serial=serial,
                    glue=Glue.BEFORE | Glue.AFTER,
                )
            )
        while len(open_directories) > 1:
            _close(open_directories)
        return Tree(Branch(Kind.STAR, "files", open_directories[0][1], slot="files"))


def _close(open_directories: list[tuple[str, list[Node]]]) -> None:
    name, inside = open_directories.pop()
    above = open_directories[-1][1]
    symbol = f"directory {name.rstrip('/')}"
    above.append(Branch(Kind.STAR, symbol, inside, slot="files", key=len(above)))


# How many trees and lists of names are kept. Most files stay as they are from one candidate to the
# next.
_KEPT: Final = 256

# Larger sets are not parsed as a whole: that would take gigabytes.
_LARGEST: Final = 4_000_000


class MentionsFrontEnd(FilesFrontEnd):
    """Sees a set of files as its files, and each of them as a tree too."""

    def __init__(self, front_of: Callable[[str], FrontEnd]) -> None:
        """`front_of` gives the front end that sees every token of a file."""
        # Fresh ones: what they learn from these texts is not what the file's own learns.
        self._front_of: Final = lru_cache(maxsize=None)(lambda name: front_of(name).fresh())
        self._tree: Final = lru_cache(maxsize=_KEPT)(
            lambda name, content: self._front_of(name).parse(content)
        )
        self._names: Final = lru_cache(maxsize=_KEPT)(_declared)

    def trees(self, text: bytes) -> Mapping[str, Tree]:
        """Return the tree of each file of a language by its name; none of a very large set."""
        return {
            name: self._tree(name, content)
            for name, content in self.contents(text).items()
            if self._front_of(name).has_syntax
        }

    def declared(self, text: bytes) -> Mapping[str, frozenset[bytes]]:
        """Return the names that each file declares for others."""
        files = ((one.name, one.content) for one in read_bundle(text) if one.regular)
        return {name: self._names(self._front_of(name).name, content) for name, content in files}

    def contents(self, text: bytes) -> Mapping[str, bytes]:
        """Return the text of each file by its name; of none of a very large set."""
        if len(text) > _LARGEST:
            return {}
        return {one.name: one.content for one in read_bundle(text) if one.regular}

    def language(self, name: str) -> str:
        """Return the language of a file."""
        front = self._front_of(name)
        return front.name if front.has_syntax else language_of(name, b"") or front.name

    def front_of(self, name: str) -> FrontEnd:
        """Return the front end of a file."""
        return self._front_of(name)

    def count(self, text: bytes) -> int:
        """Return the number of tokens of all files together."""
        files = self.contents(text).items()
        return sum(self._tree(name, content).token_count for name, content in files)

    def parse_file(self, name: str, text: bytes) -> Tree:
        """Return the tree of another text of a file."""
        return self._tree(name, text)

    def broken(self, name: str, text: bytes) -> bool:
        """Return whether another text of a file has syntax errors."""
        return self._front_of(name).errors(text)

    def with_contents(self, text: bytes, contents: Mapping[str, bytes | None]) -> Tree:
        """Return the set with other contents of some files; None deletes a file."""
        entries = []
        for entry in read_bundle(text):
            content = contents.get(entry.name, entry.content)
            if content is not None:
                entries.append(replace(entry, content=content))
        return self.parse(make_bundle(entries))


def _declared(language: str, content: bytes) -> frozenset[bytes]:
    """Return the names of the outermost declarations of a file."""
    try:
        outline = Outliner(language).outline(content) if content else None
    except LookupError:
        return frozenset()
    elements = () if outline is None else outline.elements
    outer = (one for one in elements if one.owner < 0 or elements[one.owner].scope)
    return frozenset().union(*(one.declares for one in outer))


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
        def tokens(tree: Tree) -> int:
            return sum(map(self._count, read_bundle(tree.text)))

        return Portion(text, (front,), tokens=tokens, length=self.length, fixed=True)

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

    def _count(self, entry: BundleEntry) -> int:
        """Count the tokens of a file, once for each content."""
        if not entry.regular:
            return 0
        known = self._counts.get(entry.name)
        if known is None or known[0] != entry.content:
            count = self._views[entry.name].tokens(
                entry.content, lambda front, text: front.parse(text)
            )
            known = self._counts[entry.name] = (entry.content, count)
        return known[1]
