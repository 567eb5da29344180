"""The tokens of an input as tree-sitter sees them, with the layout between them.

Comments and white space are gaps, not tokens. A string is one token; a string with interpolated
code keeps the code as a tree, and its pieces must touch each other.
"""

from __future__ import annotations

import re
from typing import Final

from marrow.syntax.concrete import Raw
from marrow.tree import Glue, Token

_COMMENT: Final = re.compile(r"comment|line_continuation")
_INTERPOLATION: Final = re.compile(r"interpolation|substitution|expansion|embedded")
_STRING: Final = re.compile(
    r"string|char|template|heredoc|regex|quote|rune|byte_literal|backtick|literal"
)
_QUOTES: Final = re.compile(rb"[\"'`/]")
_CLOSING_QUOTES: Final = re.compile(rb"[\"'`/a-z]\Z|#\Z")


def is_comment(label: str, *, extra: bool) -> bool:
    """Whether a node is layout: extra to the grammar, and a comment or a continued line."""
    return extra and _COMMENT.search(label) is not None


class Tokens:
    """Numbers the tokens of a concrete tree (`Raw.serial`) and makes them."""

    def __init__(self, root: Raw, source: bytes) -> None:
        self._source: Final = source
        self._spans: Final[list[tuple[int, int]]] = []
        self._glue: Final[dict[int, Glue]] = {}
        self._texts: Final[dict[bytes, bytes]] = {}
        self._number(root)

    @property
    def texts(self) -> list[bytes]:
        """The text of every token, in order."""
        return [self._source[start:end] for start, end in self._spans]

    @property
    def head(self) -> bytes:
        """The gap in front of the first token."""
        return self._source[: self._spans[0][0]] if self._spans else self._source

    @property
    def tail(self) -> bytes:
        """The gap behind the last token."""
        return self._source[self._spans[-1][1] :] if self._spans else b""

    def token(self, raw: Raw) -> Token:
        """Make the token of a numbered leaf."""
        serial = raw.serial
        start, end = self._spans[serial]
        before_start = self._spans[serial - 1][1] if serial else 0
        after_end = (
            self._spans[serial + 1][0] if serial + 1 < len(self._spans) else len(self._source)
        )
        return Token(
            raw.label,
            self._shared(self._source[start:end]),
            before=self._shared(self._source[before_start:start]),
            after=self._shared(self._source[end:after_end]),
            serial=serial,
            indent=self._shared(self._indent(start)),
            glue=self._glue.get(serial, Glue.NONE),
        )

    def _shared(self, text: bytes) -> bytes:
        """Return one object for equal texts: most tokens and gaps occur many times."""
        return self._texts.setdefault(text, text)

    def _indent(self, position: int) -> bytes:
        line = self._source[self._source.rfind(b"\n", 0, position) + 1 : position]
        return line[: len(line) - len(line.lstrip(b" \t"))]

    def _number(self, root: Raw) -> None:
        stack: list[tuple[Raw, Glue, bool]] = [(root, Glue.NONE, False)]
        while stack:
            raw, glue, inside = stack.pop()
            if is_comment(raw.label, extra=raw.extra):
                continue
            pieces = self._string_pieces(raw)
            if not raw.children or pieces == []:
                self._add(raw, glue, inside)
            else:
                self._push(stack, pieces or raw.children, glue, string=bool(pieces))

    @staticmethod
    def _push(
        stack: list[tuple[Raw, Glue, bool]], children: list[Raw], glue: Glue, *, string: bool
    ) -> None:
        """Push children so that the first comes off first, each with where it must touch."""
        last = len(children) - 1
        for index in range(last, -1, -1):
            touch = Glue.NONE
            if string and index > 0:
                touch |= Glue.BEFORE
            if string and index < last:
                touch |= Glue.AFTER
            if index == 0:
                touch |= glue & Glue.BEFORE
            if index == last:
                touch |= glue & Glue.AFTER
            stack.append((children[index], touch, string))

    def _add(self, raw: Raw, glue: Glue, inside_string: bool) -> None:
        start, end = raw.start, raw.end
        if not inside_string:
            # White space at the end of a token (of a directive, a heading) is layout.
            text = self._source[start:end]
            kept = text.rstrip()
            if not kept.strip():
                return
            end = start + len(kept)
        if start == end or (self._spans and start < self._spans[-1][1]):
            return
        raw.serial = len(self._spans)
        self._spans.append((start, end))
        if glue:
            self._glue[raw.serial] = glue

    def _string_pieces(self, raw: Raw) -> list[Raw] | None:
        """Return the pieces of a string with code in it, [] for a plain string, else None."""
        if not raw.children or not raw.visible or not _STRING.search(raw.label):
            return None
        pieces = _shown_children(raw)
        first = pieces[0] if pieces else raw
        if first.children or not _QUOTES.search(self._source[first.start : first.end]):
            return None
        if not _CLOSING_QUOTES.search(self._source[max(raw.start, raw.end - 1) : raw.end]):
            return None
        if not any(_INTERPOLATION.search(piece.label) for piece in pieces):
            return []
        for piece in pieces:
            if not _INTERPOLATION.search(piece.label):
                piece.children = []
        raw.children = pieces
        return pieces


def _shown_children(raw: Raw) -> list[Raw]:
    """Return the children with hidden nodes replaced by what is in them."""
    shown: list[Raw] = []
    stack = list(reversed(raw.children))
    while stack:
        child = stack.pop()
        if child.visible or not child.children:
            if child.visible or child.end > child.start:
                shown.append(child)
        else:
            stack.extend(reversed(child.children))
    return shown
