"""The whole concrete tree of tree-sitter, hidden nodes included.

Tree-sitter's API leaves out hidden rules, supertypes and the `*_repeat` nodes of lists. Just these
tell which nodes are lists and what fits a slot. The graph that `Tree.print_dot_graph` writes has
them. In the same order, its nodes match those of the API one to one, except the hidden ones; the
API gives exact positions and names.
"""

from __future__ import annotations

import re
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import BinaryIO, Final, NamedTuple, TypeVar, cast

import tree_sitter

from marrow.base.deadline import look
from marrow.tree import SEPARATOR, Branch, Kind, Node

# One node of the graph (its label and range), or one edge. An edge follows the last node below it:
# it says that a node is complete, and the order tells its parent. The pattern begins with the
# rarest text, so that other lines, most of them, cost little.
_LINE: Final = re.compile(
    rb'\ntree_0x[0-9a-f]+ (?:\[label="([^"\\]*(?:\\.[^"\\]*)*)"[^\n]*?'
    rb', tooltip="range: (\d+) - (\d+)|->)'
)
# The graph has 180 bytes for each byte of a program, so it is never in memory as a whole.
_BLOCK: Final = 1 << 20
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", "0": "\0"}

# print_dot_graph is recursive: for trees deeper than this it runs in a thread with a larger stack.
# A level took 200 to 300 bytes of stack on x86-64; 1 kB a level is safe.
_SHALLOW: Final = 2_000
_STACK_PER_LEVEL: Final = 1_024
_LARGEST_STACK: Final = 1 << 30


class Owner(NamedTuple):
    """The facts about a visible node that its hidden descendants need.

    A reference to the node itself would make a cycle: each parse would leave thousands of objects
    to the garbage collector.
    """

    label: str
    start: int
    end: int


@dataclass(slots=True, eq=False, repr=False)
class ConcreteNode:
    """A node of the concrete tree. `start` and `end` leave out leading white space."""

    label: str
    start: int
    end: int
    children: list[ConcreteNode] = field(default_factory=list)
    visible: bool = False
    named: bool = False
    extra: bool = False
    error: bool = False
    #: The number of the token that this node is; see `marrow.syntax.tokens`.
    serial: int = -1
    _owner: Owner | None = None

    @property
    def owner(self) -> Owner:
        """The nearest visible node at or above this one."""
        return self._owner or Owner(self.label, self.start, self.end)

    def show(self, node: tree_sitter.Node) -> None:
        """Copy what the API knows about a node."""
        self.visible = True
        self.start = node.start_byte
        self.named = node.is_named
        self.extra = node.is_extra
        self.error = node.is_error

    def belong(self, owner: Owner) -> None:
        """Set the visible node that a hidden one belongs to."""
        self._owner = owner

    @property
    def repeat(self) -> bool:
        """True for the node of a repetition in the grammar."""
        return not self.visible and _REPEAT.search(self.label) is not None


_SPACE: Final = re.compile(rb"\s+")
_REPEAT: Final = re.compile(r"_repeat\d+$")


def concrete_tree(tree: tree_sitter.Tree, source: bytes) -> ConcreteNode:
    """Return the concrete tree, or the visible one where the two cannot be matched."""
    depth = _depth(tree)
    if depth > _LARGEST_STACK // _STACK_PER_LEVEL:
        return _visible_tree(tree)
    with _dot_graph(tree, depth) as graph:
        whole = _matched(graph, tree, source)
    return _visible_tree(tree) if whole is None else whole


def _depth(tree: tree_sitter.Tree) -> int:
    """Return the depth of the visible nodes, or their number, which is more, if they are few."""
    count = tree.root_node.descendant_count
    if count < _SHALLOW:
        return count
    return max(depth for _, depth in visible_nodes(tree))


def visible_nodes(
    tree: tree_sitter.Tree, into: Callable[[tree_sitter.Node], bool] = lambda _: True
) -> Iterator[tuple[tree_sitter.Node, int]]:
    """Walk the visible nodes in preorder, each with its depth; `into` says below which nodes."""
    cursor = tree.walk()
    depth = 0
    while True:
        look()
        node = cursor.node
        assert node is not None
        yield node, depth
        if into(node) and cursor.goto_first_child():
            depth += 1
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            depth -= 1


@contextmanager
def _dot_graph(tree: tree_sitter.Tree, depth: int) -> Iterator[BinaryIO]:
    """Give a file with the output of print_dot_graph."""
    file = _graph_file()
    if depth < _SHALLOW:
        tree.print_dot_graph(file)
    else:
        # Hidden nodes make the concrete tree several times as deep as the visible one.
        before = threading.stack_size(min(_LARGEST_STACK, (8 << 20) + 8 * depth * _STACK_PER_LEVEL))
        try:
            thread = threading.Thread(target=tree.print_dot_graph, args=(file,))
            thread.start()
        finally:
            threading.stack_size(before)
        thread.join()
    try:
        file.seek(0)
        yield file
    finally:
        file.seek(0)
        file.truncate()


_files: Final = threading.local()


def _graph_file() -> BinaryIO:
    """Return the empty file for the graphs of this thread; making a new one takes a while."""
    file: BinaryIO | None = getattr(_files, "file", None)
    if file is None:
        file = _files.file = cast("BinaryIO", tempfile.TemporaryFile(buffering=0))  # noqa: SIM115
    return file


def _lines(graph: BinaryIO) -> Iterator[list[tuple[bytes, bytes, bytes]]]:
    """Read the nodes, as label, start and end, and the edges, which have none of them."""
    rest = b""
    while block := graph.read(_BLOCK):
        look()
        rest += block
        # A line break in a label is escaped: this is where a node or an edge begins.
        end = max(0, rest.rfind(b"\ntree_"))
        yield _LINE.findall(rest, 0, end)
        rest = rest[end:]
    yield _LINE.findall(rest)


def _matched(graph: BinaryIO, tree: tree_sitter.Tree, source: bytes) -> ConcreteNode | None:
    """Build the concrete tree; None if the graph does not agree with the visible nodes."""
    shown = visible_nodes(tree)
    node: tree_sitter.Node | None = next(shown)[0]
    path: list[ConcreteNode] = []
    labels: dict[bytes, str] = {}
    for label, start, end in chain.from_iterable(_lines(graph)):
        if not start:
            if len(path) < 2:
                return None
            child = path.pop()
            path[-1].children.append(child)
            continue
        name = labels.get(label)
        if name is None:
            name = labels[label] = _unescaped(label)
        raw = ConcreteNode(name, int(start), int(end))
        path.append(raw)
        if node is not None and node.type == name and node.end_byte == raw.end:
            raw.show(node)
            node = next(shown, (None, 0))[0]
    if len(path) != 1 or node is not None:
        return None
    _settle_hidden(path[0], source)
    return path[0]


def _settle_hidden(root: ConcreteNode, source: bytes) -> None:
    """Give hidden nodes their owner, and take leading white space out of their ranges."""
    stack = [root]
    seen = 0
    while stack:
        seen += 1
        if not seen & 0xFF:
            look()
        raw = stack.pop()
        hidden = [child for child in raw.children if not child.visible]
        if hidden:
            owner = raw.owner
            for child in hidden:
                child.belong(owner)
        stack.extend(raw.children)
        if not raw.visible and (space := _SPACE.match(source, raw.start, raw.end)):
            raw.start = space.end()


def _visible_tree(tree: tree_sitter.Tree) -> ConcreteNode:
    path: list[ConcreteNode] = []
    root: ConcreteNode | None = None
    for node, depth in visible_nodes(tree):
        raw = ConcreteNode(node.type, node.start_byte, node.end_byte)
        raw.show(node)
        del path[depth:]
        if path:
            path[-1].children.append(raw)
        else:
            root = raw
        path.append(raw)
    assert root is not None
    return root


def _unescaped(label: bytes) -> str:
    text = label.decode("utf-8", "replace")
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), text)


N = TypeVar("N", bound=ConcreteNode)


def build_branches(
    root: N, node_of: Callable[[N, dict[int, Node]], Node | None]
) -> tuple[Branch, dict[int, Node]]:
    """Build marrow's nodes from the leaves up; return the root, and all by their concrete nodes.

    `node_of` gets the nodes so far. Tokens have no children, whatever the parser sees in them.
    """
    made: dict[int, Node] = {}
    order = [root]
    for raw in order:
        if raw.serial < 0:
            order.extend(cast("list[N]", raw.children))
    for raw in reversed(order):
        look()
        node = node_of(raw, made)
        if node is not None:
            made[id(raw)] = node
    top = made.get(id(root))
    if isinstance(top, Branch):
        return top, made
    children = () if top is None else (top.placed(key=0, slot=top.symbol),)
    return Branch(Kind.REGULAR, root.label, children, slot=root.label), made


def branch_around(label: str, nodes: Sequence[Node], listed: Sequence[Node], at: int) -> Branch:
    """Return a rule node with nodes around a list, which begins at a position if it is not empty.

    A listed node keeps its slot if that is a separator.
    """
    children = [*nodes]
    if listed:
        slot = f"{label} item"
        elements = [
            node.placed(key=key, slot=SEPARATOR if node.slot == SEPARATOR else slot)
            for key, node in enumerate(listed)
        ]
        children.insert(at, Branch(Kind.STAR, f"{label}_list", elements))
    placed = [node.placed(key=key, slot=node.symbol) for key, node in enumerate(children)]
    return Branch(Kind.REGULAR, label, placed, slot=label)
