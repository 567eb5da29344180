"""A tree: its root, its text, and the edits that make other trees from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from marrow.base.deadline import look
from marrow.tree.edit import ChangeText, Delete, Edit, Replace, Splice, Surgery
from marrow.tree.find import Finder, walk_from
from marrow.tree.name_spelling import ANY_SPELLING, NameSpelling
from marrow.tree.node import QUANTIFIED, Kind, Node, Token, render, tokens_of
from marrow.tree.place import ROOT, Place


class Tree:
    """An immutable tree. `head` and `tail` are the gaps before the first and after the last token.

    `indented`: the language has blocks by indentation, so the lines of a node that moves are
    indented anew. `spelling` says what its names look like. `text` is the text that the tree was
    parsed from. It need not be rendered if all of it is tokens and gaps.

    A tree that an edit made has an `origin`, and splices its text from the text of that. The origin
    has no origin of its own: a tree does not keep the trees alive that led to it. Nodes, text and
    splices are computed when first used, and then never change.
    """

    def __init__(
        self,
        root: Node | None,
        head: bytes = b"",
        tail: bytes = b"",
        *,
        indented: bool = False,
        text: bytes | None = None,
        spelling: NameSpelling = ANY_SPELLING,
        origin: Tree | None = None,
        surgery: Surgery | None = None,
    ) -> None:
        """A tree without a root is what a `surgery` makes of its origin."""
        self.origin: Final = origin
        self.head: Final = head
        self.tail: Final = tail
        self.indented: Final = indented
        self.spelling: Final = spelling
        self._surgery: Final = surgery
        self._given: Final = root
        made = surgery if root is None else root
        assert made is not None
        self.token_count: Final = made.token_count
        whole = root and text is not None and len(text) == len(head) + root.length + len(tail)
        self._source: Final = text if whole else None
        #: What was found out about this tree, by the function that did (`tree_cache`).
        self.facts: Final[dict[object, object]] = {}

    # -- looking ------------------------------------------------------------------------------

    @cached_property
    def root(self) -> Node:
        """The root node. It shares with the origin's whatever the edit did not touch."""
        if self._given is not None:
            return self._given
        assert self._surgery is not None
        return self._surgery.rebuilt()

    @cached_property
    def text(self) -> bytes:
        """The text of the tree."""
        if self._source is not None:
            return self._source
        if self.origin is None:
            return self.head + render((self.root,)) + self.tail
        return apply_splices(self.origin.text, self.splices)

    @cached_property
    def splices(self) -> list[Splice]:
        """The changes, in order, that turn the text of the origin into this text."""
        if self.origin is None or self._surgery is None:
            return []
        if self.token_count:
            return self._surgery.splices(len(self.origin.head))
        return [Splice(0, len(self.origin.text), b"")]

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits that made this tree from its origin."""
        return () if self._surgery is None else self._surgery.edits

    @property
    def has_new_text(self) -> bool:
        """Whether these edits put in text that does not come from the input."""
        return self._surgery is not None and self._surgery.has_new_text

    @property
    def plain(self) -> Tree:
        """The same tree without its origin."""
        return self if self.origin is None else self._copied

    @cached_property
    def _copied(self) -> Tree:
        return self._copy(self.spelling)

    @cached_property
    def finder(self) -> Finder:
        """Finds the nodes of this tree by their places."""
        return Finder(self.root)

    def tokens(self) -> Iterator[Token]:
        """Walk the tokens from left to right."""
        return tokens_of((self.root,))

    def at(self, place: Place) -> Node | None:
        """Return the node at a place, or None if it was deleted."""
        return self.finder.at(place)

    def walk(
        self, start: Place = ROOT, into: Callable[[Place, Node], bool] | None = None
    ) -> Iterator[tuple[Place, Node]]:
        """Walk the nodes below and at a place in the order of the text, parents first.

        `into` says below which nodes: all, if it is missing.
        """
        node = self.at(start)
        return iter(()) if node is None else walk_from(start, node, into)

    def nodes(self) -> Iterator[Node]:
        """Walk the nodes in the order of the text, parents first: cheaper than with places."""
        stack = [self.root]
        seen = 0
        while stack:
            seen += 1
            if not seen & 0x3FF:
                look()
            node = stack.pop()
            yield node
            stack.extend(node.children[::-1])

    # -- changing -----------------------------------------------------------------------------

    def edit(self, edits: Iterable[Edit]) -> Tree:
        """Return the tree with all these edits made; raise `EditError` where one does not fit.

        An edit below a node that another edit deletes or replaces has no effect.
        """
        surgery = Surgery(self.finder, edits, indented=self.indented)
        if not surgery.changed:
            return self
        # Comments alone are not worth keeping: without tokens, nothing has gaps.
        head, tail = (self.head, self.tail) if surgery.token_count else (b"", b"")
        return Tree(
            None,
            head,
            tail,
            indented=self.indented,
            spelling=self.spelling,
            origin=self.plain,
            surgery=surgery,
        )

    def framed(self, root: Node, head: bytes, tail: bytes) -> Tree:
        """Return a tree of the same language with another root, or other gaps around it."""
        return Tree(root, head, tail, indented=self.indented, spelling=self.spelling)

    def spelled(self, spelling: NameSpelling) -> Tree:
        """Return the same tree in a language whose names look like this."""
        return self if spelling is self.spelling else self._copy(spelling)

    def _copy(self, spelling: NameSpelling) -> Tree:
        gaps = self.head, self.tail
        return Tree(self.root, *gaps, indented=self.indented, text=self.text, spelling=spelling)

    def delete(self, places: Iterable[Place]) -> Tree:
        """Return the tree without the nodes at these places."""
        return self.edit([Delete(place) for place in places])

    def replace(self, place: Place, node: Node) -> Tree:
        """Return the tree with another node at a place."""
        return self.edit([Replace(place, node)])

    def retext(self, place: Place, text: bytes) -> Tree:
        """Return the tree with another text for the token at a place."""
        return self.edit([ChangeText(place, text)])


def deletable(node: Node) -> tuple[Node, ...]:
    """Return the children of a node that may be deleted (from a plus, all but any one of them)."""
    return node.elements if node.kind in QUANTIFIED else ()


def minimum(node: Node) -> int:
    """Return how many of its deletable children a node must keep."""
    return 1 if node.kind is Kind.PLUS else 0


def apply_splices(text: bytes, splices: Iterable[Splice]) -> bytes:
    """Return a text with splices made, which are in order and do not overlap."""
    parts = []
    position = 0
    for splice in splices:
        parts.append(text[position : splice.start])
        parts.append(splice.text)
        position = splice.end
    parts.append(text[position:])
    return b"".join(parts)


@dataclass(frozen=True, slots=True)
class TreeAsWritten:
    """A text by the rules of its grammar as their author wrote them.

    `minimal` has the shortest text of every rule and token, as the texts of its tokens.

    `matches` says whether a text matches the grammar: in this form an edit need not keep that.
    """

    tree: Tree
    minimal: Mapping[str, tuple[bytes, ...]]
    matches: Callable[[bytes], bool]
