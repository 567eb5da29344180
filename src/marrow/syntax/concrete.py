"""The whole concrete tree of tree-sitter, hidden nodes included.

The tree that tree-sitter's API shows leaves out hidden rules, supertypes and the `*_repeat` nodes
that mark lists: just what says which nodes are lists and what may stand in a slot. They are in the
graph that `Tree.print_dot_graph` writes. Walked in the same order, the graph's nodes and the API's
match one to one but for the hidden ones; the API's nodes give exact positions and names.
"""

from __future__ import annotations

import re
import tempfile
import threading
from typing import Final, NamedTuple

import tree_sitter

# One node of the graph (its address, label, range) or one edge.
# It begins with what is looked for first, so that the other lines, most of them, cost little.
_LINE: Final = re.compile(
    rb'\ntree_0x([0-9a-f]+) (?:\[label="([^"\\]*(?:\\.[^"\\]*)*)"[^\n]*?'
    rb', tooltip="range: (\d+) - (\d+)|-> tree_0x([0-9a-f]+))'
)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", "0": "\0"}

# print_dot_graph calls itself for every level: on trees deeper than this it gets a thread with a
# stack of its own. A level took 200 to 300 bytes of stack on x86-64; 1 kB a level is safe.
_SHALLOW: Final = 2_000
_STACK_PER_LEVEL: Final = 1_024
_LARGEST_STACK: Final = 1 << 30


class Owner(NamedTuple):
    """What is known of a visible node by those below it.

    Not the node itself: in a ring of nodes that hold each other each parse would leave thousands of
    objects behind that only the garbage collector can free.
    """

    label: str
    start: int
    end: int


class Raw:
    """A node of the concrete tree. `start` and `end` leave out leading white space."""

    __slots__ = (
        "_owner",
        "children",
        "end",
        "error",
        "extra",
        "label",
        "named",
        "serial",
        "start",
        "visible",
    )

    def __init__(self, label: str, start: int, end: int) -> None:
        self.label = label
        self.start = start
        self.end = end
        self.children: list[Raw] = []
        self.visible = False
        self.named = False
        self.extra = False
        self.error = False
        #: The number of the token that this node is; see `marrow.syntax.tokens`.
        self.serial = -1
        self._owner: Owner | None = None

    @property
    def owner(self) -> Owner:
        """The nearest visible node at or above this one."""
        return self._owner or Owner(self.label, self.start, self.end)

    def belong(self, owner: Owner) -> None:
        """Say which visible node a hidden one belongs to."""
        self._owner = owner

    @property
    def repeat(self) -> bool:
        """Whether this is the node of a repetition in the grammar."""
        return not self.visible and _REPEAT.search(self.label) is not None

    def __repr__(self) -> str:
        return f"Raw({self.label!r}, {self.start}-{self.end})"


_REPEAT: Final = re.compile(r"_repeat\d+$")


def concrete_tree(tree: tree_sitter.Tree, source: bytes) -> Raw:
    """Return the concrete tree, or the visible one where the two cannot be matched."""
    shown, depth = _shown(tree)
    if depth > _LARGEST_STACK // _STACK_PER_LEVEL:
        return _visible_tree(shown)
    whole = _matched(_dot_graph(tree, depth), shown, source)
    return _visible_tree(shown) if whole is None else whole


class _Shown:
    """A node as the API shows it, with its depth."""

    __slots__ = ("depth", "node")

    def __init__(self, node: tree_sitter.Node, depth: int) -> None:
        self.node = node
        self.depth = depth


def _shown(tree: tree_sitter.Tree) -> tuple[list[_Shown], int]:
    """Walk the visible nodes in preorder; return them and the greatest depth."""
    cursor = tree.walk()
    shown = []
    depth = deepest = 0
    while True:
        node = cursor.node
        assert node is not None
        shown.append(_Shown(node, depth))
        if cursor.goto_first_child():
            depth += 1
            deepest = max(deepest, depth)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return shown, deepest
            depth -= 1


def _dot_graph(tree: tree_sitter.Tree, depth: int) -> bytes:
    """Return what print_dot_graph writes."""
    with tempfile.TemporaryFile() as file:
        if depth < _SHALLOW:
            tree.print_dot_graph(file)
        else:
            # Hidden nodes make the concrete tree several times as deep as the visible one.
            before = threading.stack_size(
                min(_LARGEST_STACK, (8 << 20) + 8 * depth * _STACK_PER_LEVEL)
            )
            try:
                thread = threading.Thread(target=tree.print_dot_graph, args=(file,))
                thread.start()
            finally:
                threading.stack_size(before)
            thread.join()
        file.seek(0)
        return file.read()


def _matched(graph: bytes, shown: list[_Shown], source: bytes) -> Raw | None:
    """Build the concrete tree; None if the graph does not agree with the visible nodes."""
    by_address: dict[bytes, Raw] = {}
    root: Raw | None = None
    position = 0
    labels: dict[bytes, str] = {}
    for match in _LINE.finditer(graph):
        address, label, start, end, child = match.groups()
        if child is not None:
            by_address[address].children.append(by_address[child])
            continue
        name = labels.get(label)
        if name is None:
            name = labels[label] = _unescaped(label)
        raw = Raw(name, int(start), int(end))
        by_address[address] = raw
        if root is None:
            root = raw
        if position < len(shown):
            node = shown[position].node
            if node.type == name and node.end_byte == raw.end:
                position += 1
                _show(raw, node)
    if root is None or position != len(shown):
        return None
    _settle_hidden(root, source)
    return root


def _show(raw: Raw, node: tree_sitter.Node) -> None:
    """Copy what the API knows about a node."""
    raw.visible = True
    raw.start = node.start_byte
    raw.named = node.is_named
    raw.extra = node.is_extra
    raw.error = node.is_error


def _settle_hidden(root: Raw, source: bytes) -> None:
    """Give hidden nodes their owner, and take leading white space out of their ranges."""
    stack = [root]
    while stack:
        raw = stack.pop()
        hidden = [child for child in raw.children if not child.visible]
        if hidden:
            owner = raw.owner
            for child in hidden:
                child.belong(owner)
        stack.extend(raw.children)
        if not raw.visible:
            text = source[raw.start : raw.end]
            raw.start += len(text) - len(text.lstrip())


def _visible_tree(shown: list[_Shown]) -> Raw:
    """Build a tree of the visible nodes alone."""
    path: list[Raw] = []
    root: Raw | None = None
    for one in shown:
        raw = Raw(one.node.type, one.node.start_byte, one.node.end_byte)
        _show(raw, one.node)
        del path[one.depth :]
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
