"""A tree: its root, the text it stands for, and the edits that make other trees from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from marrow.tree.edit import Delete, Edit, Replace, Retext, Splice, Surgery
from marrow.tree.find import Finder, walk_from
from marrow.tree.node import QUANTIFIED, Kind, Node, Token, render, tokens_of
from marrow.tree.place import ROOT, Place


class Tree:
    """An immutable tree. `head` and `tail` are the gaps in front of and behind all tokens.

    `indented` says that the language has blocks by indentation, so that a node that moves needs its
    lines indented anew. `text` is the text that the tree was parsed from; it need not be rendered
    then, if nothing of it was lost on the way: all of it is tokens and gaps between them.

    A tree finds out some things about itself when it is first asked: what was found once does not
    change, and nobody can tell when it was found.
    """

    __slots__ = (
        "__weakref__",
        "_facts",
        "_finder",
        "_root",
        "_text",
        "head",
        "indented",
        "tail",
        "token_count",
    )

    def __init__(
        self,
        root: Node,
        head: bytes = b"",
        tail: bytes = b"",
        *,
        indented: bool = False,
        text: bytes | None = None,
    ) -> None:
        whole = text is not None and len(text) == len(head) + root.length + len(tail)
        self._begin(head, tail, root.token_count, indented=indented)
        self._root: Node | None = root
        self._text: bytes | None = text if whole else None

    def _begin(self, head: bytes, tail: bytes, count: int, *, indented: bool) -> None:
        self.head: bytes = head
        self.tail: bytes = tail
        self.token_count: int = count
        self.indented: bool = indented
        self._finder: Finder | None = None
        self._facts: dict[object, object] | None = None

    # -- looking ------------------------------------------------------------------------------

    @property
    def root(self) -> Node:
        """The root node."""
        assert self._root is not None
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
            self._text = self._rendered()
        return self._text

    def _rendered(self) -> bytes:
        return self.head + render((self.root,)) + self.tail

    @property
    def origin(self) -> Tree | None:
        """The tree that this one was made from by an edit; it has forgotten its own origin."""
        return None

    @property
    def plain(self) -> Tree:
        """The same tree without its origin."""
        return self

    @property
    def splices(self) -> list[Splice]:
        """What to change in the text of `origin` to get this text, in order."""
        return []

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits that made this tree from `origin`."""
        return ()

    @property
    def has_new_text(self) -> bool:
        """Whether the edit that made this tree put in text that does not come from the input."""
        return False

    def tokens(self) -> Iterator[Token]:
        """Walk the tokens from left to right."""
        return tokens_of((self.root,))

    def at(self, place: Place) -> Node | None:
        """Return the node at a place, or None if that place is gone."""
        return self.finder.at(place)

    def walk(self, start: Place = ROOT) -> Iterator[tuple[Place, Node]]:
        """Walk the nodes below and at a place in the order of the text, parents first."""
        node = self.at(start)
        return iter(()) if node is None else walk_from(start, node)

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
        return _EditedTree(self.plain, surgery) if surgery.changed else self

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


class _EditedTree(Tree):
    """A tree that an edit made. Its nodes and its text are made when they are looked at.

    Its text is spliced from that of its origin instead of rendering it all. Only one origin is
    remembered: a tree that lives long does not keep the trees alive that led to it.
    """

    __slots__ = ("_origin", "_plain", "_splices", "_surgery")

    def __init__(self, origin: Tree, surgery: Surgery) -> None:
        count = surgery.token_count
        # Where no token is left, no gap is: comments alone are not worth keeping.
        head, tail = (origin.head, origin.tail) if count else (b"", b"")
        self._begin(head, tail, count, indented=origin.indented)
        self._root: Node | None = None
        self._text: bytes | None = None
        self._origin: Final = origin
        self._surgery: Final = surgery
        self._plain: Tree | None = None
        self._splices: list[Splice] | None = None

    @property
    def root(self) -> Node:
        """The root node, which shares all that the edit did not touch."""
        if self._root is None:
            self._root = self._surgery.rebuilt()
        return self._root

    def _rendered(self) -> bytes:
        return apply_splices(self._origin.text, self.splices)

    @property
    def origin(self) -> Tree:
        """The tree that this one was made from."""
        return self._origin

    @property
    def plain(self) -> Tree:
        """The same tree without its origin."""
        if self._plain is None:
            self._plain = Tree(
                self.root, self.head, self.tail, indented=self.indented, text=self.text
            )
        return self._plain

    @property
    def splices(self) -> list[Splice]:
        """What to change in the text of the origin to get this text, in order."""
        if self._splices is None:
            old = self._origin
            if self.token_count:
                self._splices = self._surgery.splices(len(old.head))
            else:
                self._splices = [Splice(0, len(old.text), b"")]
        return self._splices

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits that made this tree."""
        return self._surgery.edits

    @property
    def has_new_text(self) -> bool:
        """Whether an edit put in text that does not come from the input."""
        return self._surgery.has_new_text


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
