"""The nodes of a tree: tokens, and branches that are regular, star, plus or optional.

Nodes are never changed after they were made; edits share every subtree they do not touch
(see `marrow.tree.edit`). A branch keeps what is needed to measure and to splice the text of a
candidate without walking the tree: its number of tokens, the length of its text, and its first and
last token.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Final, NamedTuple, TypeAlias

from marrow.base.deadline import look
from marrow.tree.layout import joint


class Kind(enum.Enum):
    """The kind of a node, which says what may be done to its children."""

    TOKEN = "token"
    REGULAR = "regular"
    STAR = "star"
    PLUS = "plus"
    OPTIONAL = "optional"

    # Kinds are looked up in sets for every node of every walk; `Enum` would hash their names.
    __hash__ = object.__hash__


#: The kinds whose children may be deleted: all of them, or all but one of a plus.
QUANTIFIED: Final = frozenset({Kind.STAR, Kind.PLUS, Kind.OPTIONAL})

#: The slot of a child that only separates the elements of its list. An element is
#: deleted together with one separator; a separator is never deleted by itself.
SEPARATOR: Final = "<separator>"

#: The serial number of a token that was not in the input. No token is its original neighbour.
FOREIGN: Final = -2


class Glue(enum.IntFlag):
    """Limits on the layout around a token.

    `BEFORE` and `AFTER`: the token must touch its neighbour, for inside strings and templates white
    space is text. `LINE`: the line break before the token is a part of the syntax.
    """

    NONE = 0
    BEFORE = 1
    AFTER = 2
    LINE = 4


@dataclass(slots=True, eq=False, repr=False)
class Token:
    """A leaf: a piece of text, and the layout that stood around it in the input.

    `before` and `after` are the gaps (white space and comments) before and after the token in
    the input, `indent` is the indentation of the line it stood on, and `serial` its position among
    the tokens of the input. `token_count` is one, but in coarse views, where a token represents
    many.
    """

    symbol: Final[str]
    text: Final[bytes]
    _: KW_ONLY
    slot: Final[str] = ""
    key: Final[int] = 0
    before: Final[bytes] = b""
    after: Final[bytes] = b""
    serial: Final[int] = FOREIGN
    indent: Final[bytes] = b""
    glue: Final[int] = 0
    token_count: Final[int] = 1

    # Attributes rather than properties, as walks ask every node for them.
    kind: ClassVar[Kind] = Kind.TOKEN
    children: ClassVar[tuple[Node, ...]] = ()
    elements: ClassVar[tuple[Node, ...]] = ()

    @property
    def length(self) -> int:
        """The number of bytes of the text."""
        return len(self.text)

    @property
    def first(self) -> Token:
        """The token itself."""
        return self

    @property
    def last(self) -> Token:
        """The token itself."""
        return self

    def placed(self, *, key: int, slot: str, symbol: str | None = None) -> Token:
        """Return this token as it is in another place, or as one of another symbol."""
        return self.changed(key=key, slot=slot, symbol=symbol)

    def changed(
        self,
        *,
        symbol: str | None = None,
        text: bytes | None = None,
        key: int | None = None,
        slot: str | None = None,
        before: bytes | None = None,
        after: bytes | None = None,
        indent: bytes | None = None,
        glue: int | None = None,
        serial: int | None = None,
    ) -> Token:
        """Return a copy with some parts changed."""
        return Token(
            self.symbol if symbol is None else symbol,
            self.text if text is None else text,
            slot=self.slot if slot is None else slot,
            key=self.key if key is None else key,
            before=self.before if before is None else before,
            after=self.after if after is None else after,
            serial=self.serial if serial is None else serial,
            indent=self.indent if indent is None else indent,
            glue=self.glue if glue is None else glue,
            token_count=self.token_count,
        )

    def __repr__(self) -> str:
        return f"Token({self.symbol!r}, {self.text!r})"


class Branch:
    """An inner node. Its children's keys increase from left to right and outlive edits."""

    __slots__ = (
        "_starts",
        "children",
        "first",
        "key",
        "kind",
        "last",
        "length",
        "slot",
        "symbol",
        "token_count",
    )

    def __init__(
        self,
        kind: Kind,
        symbol: str,
        children: Sequence[Node],
        *,
        slot: str = "",
        key: int = 0,
        extent: Extent | None = None,
    ) -> None:
        self.kind: Final = kind
        self.symbol: Final = symbol
        self.children: Final = tuple(children)
        self.slot: Final = slot
        self.key: Final = key
        known = measure(self.children) if extent is None else extent
        self.token_count: Final = known.tokens
        self.length: Final = known.length
        self.first: Final = known.first
        self.last: Final = known.last
        self._starts: tuple[int, ...] | None = None

    @property
    def elements(self) -> tuple[Node, ...]:
        """The children that are not separators."""
        return tuple(child for child in self.children if child.slot != SEPARATOR)

    @property
    def text(self) -> bytes:
        """The text of the node alone, with the layout between its tokens."""
        return render((self,))

    @property
    def extent(self) -> Extent:
        """The measures of the children together."""
        return Extent(self.token_count, self.length, self.first, self.last)

    @property
    def starts(self) -> tuple[int, ...]:
        """Where each child's text starts, in bytes from the start of this node's text.

        Computed once, when the node's tree becomes the one that edits are made to.
        """
        if self._starts is None:
            starts = []
            position = 0
            last: Token | None = None
            for child in self.children:
                if last is not None and child.first is not None:
                    position += len(joint(last, child.first))
                starts.append(position)
                position += child.length
                last = child.last or last
            self._starts = tuple(starts)
        return self._starts

    def placed(self, *, key: int, slot: str) -> Branch:
        """Return this node as it is in another place."""
        return Branch(self.kind, self.symbol, self.children, slot=slot, key=key, extent=self.extent)

    def with_children(self, children: Sequence[Node]) -> Branch:
        """Return this node with other children."""
        return Branch(self.kind, self.symbol, children, slot=self.slot, key=self.key)

    def __repr__(self) -> str:
        return f"Branch({self.kind.value}, {self.symbol!r}, {len(self.children)} children)"


Node: TypeAlias = Token | Branch


class Extent(NamedTuple):
    """The measures of a run of nodes: tokens, bytes with the joints between them, and its ends."""

    tokens: int
    length: int
    first: Token | None
    last: Token | None


def measure(nodes: Iterable[Node]) -> Extent:
    """Measure a run of neighbouring nodes."""
    tokens = length = 0
    first: Token | None = None
    last: Token | None = None
    for node in nodes:
        start = node.first
        if start is None:
            continue
        tokens += node.token_count
        length += node.length
        if last is None:
            first = start
        else:
            length += len(joint(last, start))
        last = node.last
    return Extent(tokens, length, first, last)


def with_tokens(node: Node, change: Callable[[Token], Token]) -> Node:
    """Return a node with its tokens changed; what does not change is shared."""
    done: list[list[Node]] = [[]]
    stack: list[tuple[Node, bool]] = [(node, False)]
    while stack:
        look()
        step, finished = stack.pop()
        if isinstance(step, Token):
            done[-1].append(change(step))
        elif finished:
            children = done.pop()
            same = all(one is two for one, two in zip(children, step.children, strict=True))
            done[-1].append(step if same else step.with_children(children))
        else:
            stack.append((step, True))
            done.append([])
            stack.extend((child, False) for child in reversed(step.children))
    return done[0][0]


def foreign(node: Node) -> Node:
    """Return a node as one that was in no input: its layout is that of its new place."""
    return with_tokens(
        node, lambda one: Token(one.symbol, one.text, slot=one.slot, key=one.key, glue=one.glue)
    )


def displaced(node: Node, by: int) -> Node:
    """Return a node whose tokens are neighbours of each other, and of nobody else.

    `by` is more than the number of tokens of any text.
    """
    return with_tokens(
        node, lambda one: one if one.serial == FOREIGN else one.changed(serial=one.serial + by)
    )


def tokens_of(nodes: Iterable[Node]) -> Iterator[Token]:
    """Walk the tokens of nodes from left to right."""
    stack = [*nodes][::-1]
    seen = 0
    while stack:
        node = stack.pop()
        if isinstance(node, Token):
            seen += 1
            if not seen & 0x3FF:
                look()
            yield node
        else:
            stack.extend(node.children[::-1])


def render(nodes: Iterable[Node]) -> bytes:
    """Return the text of neighbouring nodes, with the layout of the input where it still fits."""
    parts: list[bytes] = []
    last: Token | None = None
    for token in tokens_of(nodes):
        if last is not None:
            parts.append(joint(last, token))
        parts.append(token.text)
        last = token
    return b"".join(parts)


def spans_serial(node: Node, serial: int) -> bool:
    """Whether a serial number lies between those at the ends of a node: tokens are in order."""
    first, last = node.first, node.last
    return first is not None and last is not None and first.serial <= serial <= last.serial
