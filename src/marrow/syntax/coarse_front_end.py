"""The coarse front end: a large text of one language as a tree of a few thousand pieces.

A tree of millions of tokens takes gigabytes, and most of them go with the first few deletions. So a
large text is seen in pieces first. A parser node no longer than the grain is one token, and so is a
run of short neighbours in a list, with the separators between them. Longer nodes have children.
`coarse_reducers` reduces this tree, with an ever finer grain; the rest is small enough for a
tree of all its tokens (`marrow.syntax.treesitter`).

Only visible nodes of tree-sitter count, not the hidden ones that tell lists (`concrete_tree`):
those need 180 bytes of memory for each byte of the text. A long node with many children is taken
to be a list; where that is wrong, the parser refuses the candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

import tree_sitter

from marrow.base.deadline import look
from marrow.languages.language_facts import facts_of
from marrow.syntax.concrete_tree import (
    ConcreteNode,
    branch_around,
    build_branches,
    visible_nodes,
)
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.masking.masked_parse import MaskedParser
from marrow.syntax.reparse import ReparseValidity
from marrow.syntax.tokens import Tokens
from marrow.tree import SEPARATOR, Branch, Kind, Node, Tree
from marrow.tree.outline import about_tokens

# Texts with more nodes than this, as the parser shows them, are seen in pieces. These are some
# 200,000 tokens, or 0.7 MB of C, whose whole tree takes a quarter of a gigabyte and ten seconds.
MOST_NODES: Final = 300_000

# A text is cut into about so many pieces at first. ddmin on such a list needs a few thousand tests
# at worst, which is little for a text of megabytes.
FIRST_PIECES: Final = 1_000

# A long node with so many named children is a list. The longest other rules (functions and classes
# with modifiers, parameters of types, clauses) have seven.
_LEAST_PARTS: Final = 8

_BRACKETS: Final = frozenset("()[]{}")

# After so many children of a node they are gathered into pieces: a list may have millions. A
# choice; it only has to be far more than the children of a rule.
_BATCH: Final = 4_096


@dataclass(slots=True, eq=False, repr=False)
class _Seen(ConcreteNode):
    """A node under way; `listed` if it is taken to be a list."""

    #: The number of children at which they are gathered into pieces.
    due: int = _BATCH
    listed: bool = False
    #: The sign between the elements of a list, if there is one.
    separator: str = ""

    @property
    def parts(self) -> list[_Seen]:
        """The children."""
        return cast("list[_Seen]", self.children)

    def separates(self, above: _Seen) -> bool:
        """Return whether this is a separator in the list `above`."""
        return not self.named and self.label == above.separator


class CoarseFrontEnd(FrontEnd):
    """Sees large texts of one language in pieces; the tree of any other text is empty."""

    exact = False

    def __init__(self, language: str, most: int = MOST_NODES, pieces: int = FIRST_PIECES) -> None:
        """A text with more than `most` nodes is large."""
        self._language: Final = language
        self._most: Final = most
        self.name = f"{language} in pieces"
        self.description = f"{self.name}, parsed by tree-sitter"
        self.pieces = pieces
        self._sees: Final = MaskedParser(language)

    def parse(self, text: bytes) -> Tree:
        """Turn a text into a tree of the coarsest grain; without any node if it is not large."""
        tree = self.coarse_view(text, self.pieces)
        return Tree(Branch(Kind.STAR, "near", ()), text) if tree is None else tree

    def coarse_view(self, text: bytes, pieces: int) -> Tree | None:
        """Return a tree of some `pieces`; None if the text is not large, or has no more of them."""
        if len(text) <= self._most or pieces > self._most:
            return None
        parsed = self._sees.see(text).parsed
        if parsed.root_node.descendant_count <= self._most:
            return None
        grain = len(text) // pieces
        root = _seen(parsed, grain)
        _gather_all(root, grain)
        facts = facts_of(self._language)
        tokens = Tokens(root, text, indented=facts.indented, aligned=facts.aligned)
        made, _ = build_branches(root, lambda seen, made: _node(seen, made, tokens, text))
        return Tree(made, tokens.head, tokens.tail, indented=facts.indented)

    def validity(self) -> ReparseValidity:
        """Return a validity that re-parses candidates in memory."""
        return ReparseValidity(self._language)


def _seen(parsed: tree_sitter.Tree, grain: int) -> _Seen:
    """Return the nodes longer than the grain, with their children."""
    path: list[_Seen] = []
    for node, depth in visible_nodes(parsed, lambda one: one.end_byte - one.start_byte > grain):
        made = _Seen(node.type, node.start_byte, node.end_byte)
        made.show(node)
        del path[depth:]
        if path:
            above = path[-1]
            if len(above.children) >= above.due:
                _gather(above, grain)
                above.due = 2 * len(above.children) + _BATCH
            above.children.append(made)
        path.append(made)
    return path[0]


def _gather_all(root: _Seen, grain: int) -> None:
    pending = [root]
    while pending:
        look()
        seen = pending.pop()
        _gather(seen, grain)
        pending.extend(child for child in seen.parts if child.children)


def _gather(seen: _Seen, grain: int) -> None:
    """Make one piece of short neighbours if a node is a list; what was gathered is gathered on."""
    if not seen.listed:
        named = sum(child.named and not child.extra for child in seen.children)
        if not (seen.error or named >= _LEAST_PARTS):
            return
        seen.listed = True
        seen.separator = _separator(seen, named)
    seen.children = list(_pieces(seen, grain))


def _separator(seen: _Seen, named: int) -> str:
    """Return the sign that there is between most elements of a list, if there is one."""
    signs = Counter(child.label for child in seen.children if not child.named)
    sign, count = max(signs.items(), key=lambda one: one[1], default=("", 0))
    return sign if 2 * count >= named and sign not in _BRACKETS else ""


def _pieces(seen: _Seen, grain: int) -> Iterator[_Seen]:
    """Put short neighbours together: elements, with the separators between two of them."""
    piece: list[_Seen] = []
    for part in seen.parts:
        fits = not piece or part.end - piece[0].start <= grain
        if fits and not part.children and (bool(piece) or part.named) and not _is_bracket(part):
            piece.append(part)
            continue
        yield from _joined(piece, seen)
        piece = [part]
        if part.children or not part.named:
            yield part
            piece = []
    yield from _joined(piece, seen)


def _is_bracket(part: _Seen) -> bool:
    return not part.named and part.label in _BRACKETS


def _joined(piece: list[_Seen], above: _Seen) -> Iterator[_Seen]:
    """Make one of several neighbours; separators at their end stay apart."""
    count = len(piece)
    while count and piece[count - 1].separates(above):
        count -= 1
    if count > 1:
        first = piece[0]
        first.end = piece[count - 1].end
        # Not the label of the first: it may be a comment, which does not count as a token.
        first.label, first.extra = "piece", False
    yield from piece[:1]
    yield from piece[max(1, count) :]


def _node(seen: _Seen, made: dict[int, Node], tokens: Tokens, text: bytes) -> Node | None:
    """Return a node; if it is a list, with its elements between what precedes and follows them."""
    if seen.serial >= 0:
        count = about_tokens(text, seen.start, seen.end)
        return tokens.token(seen.serial, seen.label, max(1, count))
    if not seen.children:
        return None
    found = [(part, made.pop(id(part), None)) for part in seen.parts]
    parts = [
        (part, node.placed(key=0, slot=SEPARATOR if part.separates(seen) else node.symbol))
        for part, node in found
        if node is not None
    ]
    start, end = _ends(seen, [part for part, _ in parts])
    nodes = [node for _, node in parts]
    return branch_around(seen.label, nodes[:start] + nodes[end:], nodes[start:end], start)


def _ends(seen: _Seen, parts: Sequence[_Seen]) -> tuple[int, int]:
    """Return where the elements of a list begin and end; the same place where there is none."""
    if seen.error:
        return 0, len(parts)
    inside = [at for at, part in enumerate(parts) if part.named] if seen.listed else []
    if not inside:
        return len(parts), len(parts)
    end = inside[-1] + 1
    while end < len(parts) and parts[end].separates(seen):
        end += 1
    return inside[0], end
