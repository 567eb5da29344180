"""Incremental parsing: the tree of a text after a few splices, and whether candidates are valid.

Measured before the design: a re-parse after one edit takes well below a millisecond, whatever the
size of the input, and agrees with a full parse.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from copy import copy
from typing import Final, TypeAlias

import tree_sitter

from marrow.syntax.masking.implied_types import implied
from marrow.syntax.masking.masked_parse import MaskedParser, error_count
from marrow.syntax.parsers import parse_text
from marrow.tree import Splice, Tree
from marrow.tree.edit import difference

# With more splices than this a full parse is cheaper than telling the old tree about each.
_MANY_SPLICES: Final = 200


def reparse(
    parser: tree_sitter.Parser,
    old: tree_sitter.Tree,
    old_text: bytes,
    splices: Sequence[Splice],
    text: bytes,
) -> tree_sitter.Tree:
    """Parse `text`, which is `old_text` after the splices, reusing the old tree."""
    if len(splices) > _MANY_SPLICES:
        return parse_text(parser, text)
    edited = old.copy()
    points = _points(old_text, splices)
    # From the back, so that positions before a splice are those of the old text.
    for splice, (start, end) in zip(reversed(splices), reversed(points), strict=True):
        edited.edit(
            splice.start,
            splice.end,
            splice.start + len(splice.text),
            start,
            end,
            _advanced(start, splice.text, 0, len(splice.text)),
        )
    return parse_text(parser, text, edited)


#: A line and a column, both from 0.
_Point: TypeAlias = tuple[int, int]


def _points(text: bytes, splices: Sequence[Splice]) -> list[tuple[_Point, _Point]]:
    """Return the points where sorted splices start and end, in one walk through the text."""
    found = []
    position, point = 0, (0, 0)
    for splice in splices:
        start = _advanced(point, text, position, splice.start)
        position, point = splice.end, _advanced(start, text, splice.start, splice.end)
        found.append((start, point))
    return found


def _advanced(point: _Point, text: bytes, start: int, end: int) -> _Point:
    """Return the point after a part of a text that begins at a point."""
    rows = text.count(b"\n", start, end)
    if not rows:
        return point[0], point[1] + end - start
    return point[0] + rows, end - (text.rfind(b"\n", start, end) + 1)


class Refused:
    """The texts that were refused; algorithms produce the same ones again and again."""

    def __init__(self) -> None:
        self._digests: Final[set[bytes]] = set()

    def or_not(self, text: bytes, valid: Callable[[], bool]) -> bool:
        """Return whether a text is valid; a text that was refused before is not checked again."""
        if self._digests and _digest(text) in self._digests:
            return False
        if valid():
            return True
        self._digests.add(_digest(text))
        return False


def _digest(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=16).digest()


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
        self._implies = False
        self._allowed = 0
        self._refused = Refused()

    def copy(self) -> ReparseValidity:
        """Return a copy; both share the refused texts as long as they allow as many errors."""
        return copy(self)

    def rebase(self, tree: Tree) -> None:
        """Parse the tree that the next candidates are made from."""
        if tree.text != self._text:
            parsed, shown = self._parse(tree)
            if not self._text or (
                parsed.root_node.has_error and (not self._masks or self._sees.implies)
            ):
                parsed, shown, _, types = self._sees.see_implied(tree.text)
                # Once masked, candidates are masked: whether they need it would take a parse to
                # tell. So with types that are implied.
                self._implies = self._implies or bool(types.places)
                self._masks = self._masks or shown != types.told(tree.text)
            elif parsed.root_node.has_error:
                # With errors, the tree may depend on the old one: parse from scratch.
                parsed = parse_text(self._sees.parser, shown)
            self._parsed, self._text, self._shown = parsed, tree.text, shown
        errors = error_count(self._parsed)
        if errors > self._allowed:
            self._allowed = errors
            self._refused = Refused()

    def valid(self, tree: Tree) -> bool:
        """Return whether a candidate has no more syntax errors than allowed."""
        return not tree.text or self._refused.or_not(
            tree.text, lambda: error_count(self._parse(tree)[0]) <= self._allowed
        )

    def _parse(self, tree: Tree) -> tuple[tree_sitter.Tree, bytes]:
        """Return what the parser makes of a tree's text, and the text as it was shown."""
        origin, text, parser = tree.origin, tree.text, self._sees.parser
        if text == self._text:
            return self._parsed, self._shown
        shown = self._sees.mask(text).text if self._masks else text
        if self._implies:
            shown = implied(shown, self._sees.language).told(shown)
        if origin is not None and origin.text == self._text:
            splices = _shown_splices(self._shown, shown, tree.splices)
            if splices is not None:
                return reparse(parser, self._parsed, self._shown, splices, shown), shown
        if self._allowed:
            # The number of errors may depend on the old tree.
            return parse_text(parser, shown), shown
        splices = [difference(self._shown, shown)]
        return reparse(parser, self._parsed, self._shown, splices, shown), shown


def _shown_splices(old: bytes, new: bytes, splices: Sequence[Splice]) -> list[Splice] | None:
    """Return the splices of a text as those of what was shown of it, if they are nothing else.

    What is hidden may depend on its neighbours, so a splice may change more than itself.
    """
    made: list[Splice] = []
    position = shift = 0
    for splice in splices:
        if old[position : splice.start] != new[position + shift : splice.start + shift]:
            return None
        start = splice.start + shift
        made.append(Splice(splice.start, splice.end, new[start : start + len(splice.text)]))
        position = splice.end
        shift += len(splice.text) - (splice.end - splice.start)
    return made if old[position:] == new[position + shift :] else None
