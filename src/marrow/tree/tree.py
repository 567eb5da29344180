"""A tree: its root, the text it stands for, and the edits that make other trees from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from marrow.tree.edit import Delete, Edit, Replace, Retext, Splice, Surgery
from marrow.tree.find import Finder, walk
from marrow.tree.node import QUANTIFIED, Kind, Node, Token
from marrow.tree.place import ROOT, Place
from marrow.tree.render import render, render_compactly, tokens


class Tree:
    """An immutable tree. `head` and `tail` are the gaps in front of and behind all tokens.

    A tree that was made by an edit remembers the tree it was made from until its text is asked for,
    and then splices the text instead of rendering it all. `indented` says that the language has
    blocks by indentation, so that a node that moves needs its lines indented anew.
    """

    __slots__ = (
        "__weakref__",
        "_facts",
        "_finder",
        "_origin",
        "_root",
        "_splices",
        "_surgery",
        "_text",
        "head",
        "indented",
        "tail",
        "token_count",
    )

    def __init__(
        self, root: Node, head: bytes = b"", tail: bytes = b"", *, indented: bool = False
    ) -> None:
        self._make(root, head, tail, root.token_count, indented=indented)

    def _make(
        self, root: Node | None, head: bytes, tail: bytes, count: int, *, indented: bool
    ) -> None:
        self.head: bytes = head
        self.tail: bytes = tail
        self.indented: bool = indented
        self.token_count: int = count
        self._root = root
        self._finder: Finder | None = None
        self._facts: dict[object, object] | None = None
        self._text: bytes | None = None
        self._origin: Tree | None = None
        self._surgery: Surgery | None = None
        self._splices: list[Splice] | None = None

    def know_text(self, text: bytes) -> Tree:
        """Take over the text that the tree was parsed from, which need not be rendered then.

        Only if nothing of it was lost on the way: all of it is tokens and gaps between them.
        """
        if len(text) == len(self.head) + self.root.length + len(self.tail):
            self._text = text
        return self

    # -- looking ------------------------------------------------------------------------------

    @property
    def root(self) -> Node:
        """The root node; made now, if nobody looked at it before."""
        if self._root is None:
            assert self._surgery is not None
            self._root = self._surgery.rebuilt()
        return self._root

    @property
    def finder(self) -> Finder:
        """What finds the nodes of this tree by their places."""
        if self._finder is None:
            self._finder = Finder(self.root)
        return self._finder

    @property
    def facts(self) -> dict[object, object]:
        """What was found out about this tree, by what found it (see `marrow.tree.facts`)."""
        if self._facts is None:
            self._facts = {}
        return self._facts

    @property
    def text(self) -> bytes:
        """The text that the tree stands for."""
        if self._text is None:
            if self._origin is None or self._surgery is None:
                self._text = self.head + render((self.root,)) + self.tail
            else:
                self._text = apply_splices(self._origin.text, self.splices)
        return self._text

    @property
    def origin(self) -> Tree | None:
        """The tree that this one was made from by an edit, as long as it is remembered."""
        return self._origin

    @property
    def splices(self) -> list[Splice]:
        """What to change in the text of `origin` to get this text, in order; found once."""
        if self._origin is None or self._surgery is None:
            return []
        if self._splices is None:
            old = self._origin
            if self.token_count:
                self._splices = self._surgery.splices(len(old.head))
            else:
                self._splices = [Splice(0, len(old.text), b"")]
        return self._splices

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits that made this tree from `origin`, as long as it is remembered."""
        return () if self._surgery is None else self._surgery.edits

    @property
    def has_new_text(self) -> bool:
        """Whether the edit that made this tree put in text that does not come from the input."""
        return self._surgery is not None and self._surgery.has_new_text

    def forget_origin(self) -> None:
        """Keep the text, drop the tree it came from; for a tree that lives longer than a try."""
        _ = self.text, self.root
        self._origin = self._surgery = self._splices = None

    def compact_text(self, *, lines: bool) -> bytes:
        """Return the text without comments and with little white space; see `render_compactly`."""
        return render_compactly((self.root,), lines=lines)

    def tokens(self) -> Iterator[Token]:
        """Walk the tokens from left to right."""
        return tokens((self.root,))

    def at(self, place: Place) -> Node | None:
        """Return the node at a place, or None if that place is gone."""
        return self.finder.at(place)

    def walk(self, start: Place = ROOT) -> Iterator[tuple[Place, Node]]:
        """Walk the nodes below and at a place in the order of the text, parents first."""
        node = self.at(start)
        return iter(()) if node is None else walk(start, node)

    def nodes(self) -> Iterator[Node]:
        """Walk the nodes in the order of the text, parents first: cheaper than with places."""
        stack = [self.root]
        while stack:
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
        count = surgery.token_count
        # Where no token is left, no gap is: comments alone are not worth keeping.
        head, tail = (self.head, self.tail) if count else (b"", b"")
        tree = Tree.__new__(Tree)
        tree._make(None, head, tail, count, indented=self.indented)
        tree._origin = self
        tree._surgery = surgery
        return tree

    def framed(self, root: Node, head: bytes, tail: bytes) -> Tree:
        """Return a tree of the same language with another root, or other gaps around it."""
        return Tree(root, head, tail, indented=self.indented)

    def delete(self, places: Iterable[Place]) -> Tree:
        """Return the tree without the nodes at these places."""
        return self.edit([Delete(place) for place in places])

    def replace(self, place: Place, node: Node) -> Tree:
        """Return the tree with another node at a place."""
        return self.edit([Replace(place, node)])

    def retext(self, place: Place, text: bytes) -> Tree:
        """Return the tree with another text for the token at a place."""
        return self.edit([Retext(place, text)])


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
