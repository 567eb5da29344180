"""From derivations to trees.

Quantifiers are nodes, also when they hold nothing; lists are flat; what takes the place of a
rule says so in its slot. A first pass walks the derivation from the left and notes the nodes in the
order of the text, a second pass makes the branches from the right, children before parents.
Branches are measured by the positions of their tokens, not by looking at children.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import Final, NamedTuple, TypeAlias

from marrow.base.deadline import look as look_at_clock
from marrow.grammar.parser.bnf import ABSENT, HANDED_ON, Bnf, Derivation, Production, Shape
from marrow.grammar.parser.lexer import Lexemes
from marrow.tree import Tree
from marrow.tree.node import Branch, Extent, Kind, Node, Token

_LINE_START: Final = re.compile(rb"^[ \t]*", re.MULTILINE)

_NOTHING: Final = Extent(0, 0, None, None)

#: What a token is made of besides its place in the tree.
Leaf: TypeAlias = tuple[bytes, bytes, bytes, bytes, int]


class Layout:
    """The bytes of a text's tokens, the gaps between them, and the indentation of their lines."""

    def __init__(self, data: bytes, lexemes: Lexemes, encoding: str = "utf-8") -> None:
        starts, ends = lexemes.starts, lexemes.ends
        if len(data) != len(lexemes.text):
            starts, ends = _byte_offsets(lexemes, encoding)
        self.data: Final = data
        self.starts: Final = starts
        self.ends: Final = ends
        self.glue: Final = lexemes.glue

    def indents(self) -> list[bytes]:
        """Return the indentation of the line that each token starts on."""
        lines = [(found.start(), found[0]) for found in _LINE_START.finditer(self.data)]
        starts, indents = zip(*lines, strict=True)
        return [indents[bisect_right(starts, start) - 1] for start in self.starts]

    def gaps(self) -> list[bytes]:
        """Return the gap before each token, and the one after the last."""
        data = self.data
        before = [0, *self.ends]
        after = [*self.starts, len(data)]
        return [data[a:b] for a, b in zip(before, after, strict=True)]

    def leaves(self, gaps: list[bytes]) -> Iterator[Leaf]:
        """Return what each token is made of: text, gaps before and after, indentation, glue."""
        data = self.data
        texts = [data[a:b] for a, b in zip(self.starts, self.ends, strict=True)]
        return zip(texts, gaps[:-1], gaps[1:], self.indents(), self.glue, strict=True)


def _byte_offsets(lexemes: Lexemes, encoding: str) -> tuple[list[int], list[int]]:
    """Turn offsets in characters into offsets in bytes."""
    sizes = (len(one.encode(encoding, "surrogateescape")) for one in lexemes.text)
    offsets = [0, *accumulate(sizes)]
    return [offsets[at] for at in lexemes.starts], [offsets[at] for at in lexemes.ends]


class Look(NamedTuple):
    """How a child looks: its slot, its symbol if it is a token, and the quantifier around it."""

    slot: str
    token: str = ""
    wrap: Kind | None = None
    wrap_name: str = ""
    wrap_slot: str = ""


#: A child: its derivation, the position of its token, or an empty node; and its look.
_Spec: TypeAlias = tuple[Derivation, Look]

#: Where a child is: its position in the derivation, or the empty node; and its look.
_Source: TypeAlias = tuple[int, Branch | None, Look]


class _Found(NamedTuple):
    """A branch as it is found on the way down: how many children it has, and its first token."""

    kind: Kind
    symbol: str
    slot: str
    key: int
    size: int
    first: int


class TreeBuilder:
    """Builds the trees of one grammar's derivations."""

    def __init__(self, bnf: Bnf, productions: Sequence[Production]) -> None:
        self._shapes: Final = [one.shape for one in productions]
        self._names: Final = [one.name for one in productions]
        #: Where the children of each production are, last one first.
        self._sources: Final = [_sources(one, bnf) for one in productions]

    def build(self, root: Derivation, layout: Layout, start: str, *, chains: bool = True) -> Tree:
        """Return the tree of a derivation of the start rule.

        Without `chains` a rule that holds nothing but another one is left out.
        """
        gaps = layout.gaps()
        found, tokens = self._descend(root, Look(start), layout.leaves(gaps), chains)
        # Without tokens there is one gap: the whole text, which must not be on both sides.
        tail = gaps[-1] if len(gaps) > 1 else b""
        starts: Sequence[int] = layout.starts
        ends: Sequence[int] = layout.ends
        if len(tokens) < len(starts):  # tokens of several characters, in a scannerless grammar
            ends = list(accumulate(len(token.text) for token in tokens))
            starts = [0, *ends]
        return Tree(_joined(found, tokens, starts, ends), gaps[0], tail)

    def _descend(
        self, root: Derivation, look: Look, leaves: Iterator[Leaf], chains: bool
    ) -> tuple[list[_Found | Node], list[Token]]:
        """Return the nodes in the order of the text, parents first, and the tokens among them.

        Tokens come in the order of the text, so what they are made of is read off in step.
        """
        found: list[_Found | Node] = []
        tokens: list[Token] = []
        work: list[tuple[Derivation, Look, int]] = [(root, look, 0)]
        while work:
            if not len(found) & 0x3F:
                look_at_clock()
            child, look, key = work.pop()
            if look.wrap is not None:
                below = self._unfolded([(child, Look(look.slot, look.token))])
                kind, symbol, slot = look.wrap, look.wrap_name, look.wrap_slot
            elif child.__class__ is Branch:
                same = child.key == key and child.slot == look.slot
                found.append(child if same else child.placed(key=key, slot=look.slot))
                continue
            else:
                spelled, symbol = 1, look.token
                if child.__class__ is not int:
                    child = _own(child)
                    symbol, spelled = self._names[child[0]], 0
                    if self._shapes[child[0]] is Shape.TOKEN:
                        spelled = len(child) - 2
                if spelled:
                    token = _token(
                        symbol, list(islice(leaves, spelled)), look.slot, key, len(tokens)
                    )
                    tokens.append(token)
                    found.append(token)
                    continue
                kind, slot = Kind.REGULAR, look.slot
                below = self._unfolded(self._children(child))
                # Anything but a quantifier or an empty node can replace the rule that holds it.
                if len(below) == 1 and not chains:
                    ((only, inner),) = below
                    if only.__class__ is not Branch and inner.wrap is None:
                        work.append((only, Look(slot, *inner[1:]), key))
                        continue
            found.append(_Found(kind, symbol, slot, key, len(below), len(tokens)))
            for at in range(len(below) - 1, -1, -1):
                work.append((*below[at], at))
        return found, tokens

    def _children(self, derivation: Derivation) -> list[_Spec]:
        """Return the children in a derivation, hidden parts as they are, last one first."""
        return [
            (derivation[child] if node is None else node, look)
            for child, node, look in self._sources[derivation[0]]
        ]

    def _unfolded(self, work: list[_Spec]) -> list[_Spec]:
        """Replace hidden parts by their children; `work` has the last child first."""
        found: list[_Spec] = []
        while work:
            spec = work.pop()
            one = spec[0]
            if one.__class__ is int or one.__class__ is Branch or spec[1].wrap is not None:
                found.append(spec)
                continue
            one = _own(one)
            if self._shapes[one[0]] is Shape.SPLICE:
                work += self._children(one)
            else:
                found.append(spec)
        return found


def _own(derivation: Derivation) -> Derivation:
    """Return what a derivation hands on, or itself."""
    while derivation[0] == HANDED_ON:
        derivation = derivation[2]
    return derivation


def _sources(production: Production, bnf: Bnf) -> list[_Source]:
    found: list[_Source] = []
    for entry in reversed(production.entries):
        if entry.child == ABSENT:
            for node in reversed(bnf.empties[entry.empty]):
                found.append((ABSENT, node, Look(entry.wrap_slot or entry.slot or node.slot)))
        else:
            wrap = entry.wrap, entry.wrap_name, entry.wrap_slot
            found.append((2 + entry.child, None, Look(entry.slot, entry.token, *wrap)))
    return found


def _token(symbol: str, leaves: list[Leaf], slot: str, key: int, serial: int) -> Token:
    """Return a token; in a scannerless grammar it may have several characters."""
    text, before, after, indent, glue = leaves[0]
    if len(leaves) > 1:
        text, after = b"".join(leaf[0] for leaf in leaves), leaves[-1][2]
    return Token(
        symbol,
        text,
        slot=slot,
        key=key,
        before=before,
        after=after,
        serial=serial,
        indent=indent,
        glue=glue,
    )


def _joined(
    found: list[_Found | Node], tokens: list[Token], starts: Sequence[int], ends: Sequence[int]
) -> Node:
    """Make the branches, from the right to the left, children before parents."""
    built: list[Node] = []
    last: list[int] = []  # after the last token of each node in `built`
    after = len(tokens)
    for one in reversed(found):
        if not isinstance(one, _Found):
            last.append(after)
            after -= one.__class__ is Token
            built.append(one)
            continue
        kind, symbol, slot, key, size, first = one
        children, end = built[: -size - 1 : -1], first
        if size:
            end = last[-size]
            del built[-size:], last[-size:]
        extent = _NOTHING
        if end > first:
            length = ends[end - 1] - starts[first]
            extent = Extent(end - first, length, tokens[first], tokens[end - 1])
        built.append(Branch(kind, symbol, children, slot=slot, key=key, extent=extent))
        last.append(end)
    return built[0]
