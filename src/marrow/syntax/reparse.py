"""Incremental parsing: the tree of a changed text, valid candidates, optional children.

A re-parse after one edit takes well below a millisecond, whatever the size of the input, and agrees
with a full parse. After edits in two places all that is between them is parsed again.
"""

from __future__ import annotations

from copy import copy
from typing import Final

import tree_sitter

from marrow.syntax.concrete_tree import ConcreteNode, Owner
from marrow.syntax.masking.mask import masked
from marrow.syntax.masking.masked_parse import MaskedParser, error_count
from marrow.syntax.parsers import parse_text
from marrow.tree import Splice, Tree
from marrow.tree.edit import difference


def reparse(
    parser: tree_sitter.Parser, old: tree_sitter.Tree, old_text: bytes, text: bytes
) -> tree_sitter.Tree:
    """Parse a text, reusing the tree of another one outside of what differs between the two."""
    splice = difference(old_text, text)
    edited = old.copy()
    edited.edit(
        splice.start,
        splice.end,
        splice.start + len(splice.text),
        _point(old_text, splice.start),
        _point(old_text, splice.end),
        _point(text, splice.start + len(splice.text)),
    )
    return parse_text(parser, text, edited)


def _point(text: bytes, position: int) -> tuple[int, int]:
    """Return the line and the column of a position, both from 0."""
    return text.count(b"\n", 0, position), position - text.rfind(b"\n", 0, position) - 1


class ReparseValidity:
    """Refuses candidates with more syntax errors than the input, by parsing them in memory.

    A candidate that was accepted with more errors (`Attempt.unparsed`) takes the input's place.
    """

    def __init__(self, language: str) -> None:
        self._sees: Final = MaskedParser(language)
        self._text: bytes = b""
        self._shown: bytes = b""
        self._parsed: tree_sitter.Tree = self._sees.parser.parse(b"")
        self._masks = False
        self._allowed = 0

    def copy(self) -> ReparseValidity:
        """Return a copy that can be rebased without changing this one."""
        return copy(self)

    def rebase(self, tree: Tree) -> None:
        """Parse the tree that the next candidates are made from."""
        if tree.text != self._text:
            parsed, shown = self._parse(tree)
            if not self._text or (parsed.root_node.has_error and not self._masks):
                parsed, shown, _ = self._sees.see(tree.text)
                # Once masked, candidates are masked: whether they need it would take a parse to
                # tell.
                self._masks = self._masks or shown != tree.text
            elif parsed.root_node.has_error:
                # With errors, the tree may depend on the old one: parse from scratch.
                parsed = parse_text(self._sees.parser, shown)
            self._parsed, self._text, self._shown = parsed, tree.text, shown
        self._allowed = max(self._allowed, error_count(self._parsed))

    def valid(self, tree: Tree) -> bool:
        """Return whether a candidate has no more syntax errors than allowed."""
        return not tree.text or error_count(self._parse(tree)[0]) <= self._allowed

    def _parse(self, tree: Tree) -> tuple[tree_sitter.Tree, bytes]:
        """Return what the parser makes of a tree's text, and the text as it was shown."""
        text, parser = tree.text, self._sees.parser
        if text == self._text:
            return self._parsed, self._shown
        shown = masked(text, self._sees.language).text if self._masks else text
        if self._allowed:
            # The number of errors may depend on the old tree.
            return parse_text(parser, shown), shown
        return reparse(parser, self._parsed, self._shown, shown), shown


class ParserProber:
    """Asks the parser which children of a node are optional, and what may replace them."""

    # A node with more children than this is compared by its type alone.
    _COMPARED = 64

    def __init__(self, parser: tree_sitter.Parser, parsed: tree_sitter.Tree, source: bytes) -> None:
        """`source` is what the parser was shown."""
        self._parser = parser
        self._parsed = parsed
        self._source = source
        self._clean = not parsed.root_node.has_error

    def spare(self, raw: ConcreteNode, start: int, end: int, cut: Splice) -> bool:
        """Return whether `raw` keeps its type without the children from `start` to `end`.

        `cut` is the change of the text.
        """
        old = self._old(raw.owner)
        if old is None:
            return False
        kept = [
            child
            for child in old.children
            if not child.is_extra and not (start <= child.start_byte and child.end_byte <= end)
        ]
        gone = cut.end - cut.start - len(cut.text)
        new = self._after(cut)
        if not kept:
            # A list that was all of its parent: fine if the rest still parses.
            return old.parent is None or (self._clean and not new.root_node.has_error)
        if self._clean and new.root_node.has_error:
            return False
        first, last = kept[0].start_byte, kept[-1].end_byte
        found = _find(
            new.root_node,
            old.type,
            first - gone if first >= end else first,
            last - gone if last >= end else last,
        )
        if found is None or (found.has_error and not old.has_error):
            return False
        if len(kept) > self._COMPARED:
            return True
        types = [child.type for child in found.children if not child.is_extra]
        return types == [child.type for child in kept]

    def stays(self, raw: ConcreteNode, change: Splice) -> bool:
        """Return whether `raw` keeps its number of children if the text of one changes."""
        old = self._old(raw.owner)
        if old is None:
            return False
        shorter = change.end - change.start - len(change.text)
        new = self._after(change)
        if self._clean and new.root_node.has_error:
            return False
        end = raw.owner.end - shorter
        found = _find(new.root_node, old.type, old.start_byte, end)
        if found is None or (found.has_error and not old.has_error):
            return False
        return found.end_byte == end and found.child_count == old.child_count

    def _after(self, change: Splice) -> tree_sitter.Tree:
        text = self._source[: change.start] + change.text + self._source[change.end :]
        return reparse(self._parser, self._parsed, self._source, text)

    def text(self, start: int, end: int) -> bytes:
        """Return a part of the text."""
        return self._source[start:end]

    def _old(self, owner: Owner) -> tree_sitter.Node | None:
        """Return the node that the parser made, for the facts about it."""
        return _find(self._parsed.root_node, owner.label, owner.start, owner.end)


def _find(root: tree_sitter.Node, label: str, start: int, end: int) -> tree_sitter.Node | None:
    """Return the lowest node of this type that starts at `start` and reaches to `end` or beyond."""
    # With a cursor: `Node.parent` walks from the root each time, which is too slow in deep trees.
    cursor = root.walk()
    found = root if root.type == label else None
    while True:
        node = cursor.node
        assert node is not None
        if node.start_byte > start or node.end_byte < end:
            return found
        if node.start_byte == start and node.type == label:
            found = node
        if cursor.goto_first_child_for_byte(start) is None:
            return found
