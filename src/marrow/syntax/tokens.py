"""The tokens of an input as tree-sitter sees them, with the layout between them.

Comments and white space are gaps, not tokens. A string is one token; a string with interpolated
code keeps the code as a tree, and its pieces must touch each other, as those of a shell word must.
A name that a grammar spells letter by letter is one token too.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Final

from marrow.base.deadline import look
from marrow.syntax.compact_text import joined_tokens
from marrow.syntax.concrete_tree import ConcreteNode
from marrow.syntax.masking.mask import Range
from marrow.tree import Glue, Splice, Token
from marrow.tree.layout import joint

_COMMENT: Final = re.compile(r"comment|line_continuation")
_PLAIN_COMMENTS: Final = frozenset({"comment", "Comment", "line_comment", "block_comment"})
_INTERPOLATION: Final = re.compile(r"interpolation|substitution|expansion|embedded")
_STRING: Final = re.compile(
    r"string|char|template|heredoc|regex|quote|rune|byte_literal|backtick|literal|AttValue"
)
# Nodes whose parts make one word or one text of the language: white space between them would be
# read as the end of the word (shells, CMake) or as a part of the text.
_WORD: Final = re.compile(r"^(concatenation|unquoted_argument|variable_ref|heredoc_body)$")
_QUOTES: Final = re.compile(rb"[\"'`/]")
_CLOSING_QUOTES: Final = re.compile(rb"[\"'`/a-z]\Z|#\Z")
_BLANK: Final = re.compile(rb"\s")
# Columns further to the right are not kept: in a line of megabytes each would be as long as the
# line before it. People's lines end long before.
_MOST_COLUMNS: Final = 4096

# Hidden tokens that represent a line break or a change of indentation that the syntax needs.
_LINE: Final = re.compile(r"^_(newline|indent|dedent)$")


def is_comment(label: str, *, extra: bool) -> bool:
    """Return whether a node is layout: a comment, or an extra of the grammar that is like one."""
    if extra:
        return _COMMENT.search(label) is not None
    # A few grammars (Scheme's, XML's) have comments among the elements of lists.
    return label in _PLAIN_COMMENTS


class Tokens:
    """Numbers the tokens of a concrete tree (`ConcreteNode.serial`), and makes them."""

    def __init__(
        self,
        root: ConcreteNode,
        source: bytes,
        *,
        indented: bool = False,
        aligned: bool = False,
        hidden: Sequence[Range] = (),
        comments: bool = False,
    ) -> None:
        """`indented` and `aligned` say how the language marks its blocks, see `marrow.languages`.

        `hidden` are ranges that the parser did not see; each is a token, attached to another one.
        `comments`: they are tokens too.
        """
        self._comments: Final = comments
        self._pending: Final = list(reversed(hidden))
        self._hidden: Final[list[int]] = []
        self._source: Final = source
        self._starts: Final[list[int]] = []
        self._ends: Final[list[int]] = []
        self._glue: Final[dict[int, Glue]] = {}
        self._shared: Final[dict[bytes, bytes]] = {}
        self._strings: Final[dict[str, bool]] = {}
        self._line_starts: Final[set[int]] = set()
        self._number(root)
        self._add_hidden(len(source))
        self._attached: Final = self._attach()
        self._indents: Final = self._measure_indents(aligned=aligned)
        if indented:
            self._mark_lines()

    @property
    def texts(self) -> list[bytes]:
        """The texts of the tokens, in order; see `joined_tokens`."""
        source, glue = self._source, self._glue
        spans = zip(self._starts, self._ends, strict=True)
        return joined_tokens(
            (source[a:b], glue.get(at, Glue.NONE)) for at, (a, b) in enumerate(spans)
        )

    @property
    def head(self) -> bytes:
        """The gap before the first token."""
        return self._source[: self._starts[0]] if self._starts else self._source

    @property
    def tail(self) -> bytes:
        """The gap after the last token."""
        return self._source[self._ends[-1] :] if self._ends else b""

    def token(self, serial: int, label: str, count: int = 1) -> Token:
        """Make the token with this number; it may join several tokens of the language."""
        start, end = self._starts[serial], self._ends[serial]
        share = self._shared.setdefault  # most texts and gaps occur many times
        before = self._source[self._ends[serial - 1] if serial else 0 : start]
        last = serial + 1 == len(self._starts)
        after = self._source[end : len(self._source) if last else self._starts[serial + 1]]
        text = self._source[start:end]
        return Token(
            label,
            share(text, text),
            before=share(before, before),
            after=share(after, after),
            serial=serial,
            indent=self._indents[serial],
            glue=int(self._glue.get(serial, 0)),
            token_count=count,
        )

    def cut(self, start: int, end: int) -> Splice:
        """Return the splice that a deletion of the tokens from `start` to `end` makes."""
        left, right = bisect_left(self._starts, start), bisect_left(self._starts, end)
        from_here = self._ends[left - 1] if left else len(self.head)
        if right == len(self._starts):
            return Splice(from_here, self._ends[-1] if self._ends else from_here, b"")
        to_here = self._starts[right]
        if not left:
            return Splice(from_here, to_here, b"")
        return Splice(from_here, to_here, joint(self.token(left - 1, ""), self.token(right, "")))

    def _measure_indents(self, *, aligned: bool) -> list[bytes]:
        """Return the indentation of each token's line, or how far to indent for its column."""
        source, share = self._source, self._shared.setdefault
        indents: list[bytes] = []
        position = line = 0
        indent: bytes | None = None
        for start in self._starts:
            if not len(indents) & 0xFF:
                look()
            found = source.rfind(b"\n", position, start) + 1
            if found or indent is None:
                # The part of the line before this token, which is the first on it.
                line = found
                lead = source[line:start]
                indent = lead[: len(lead) - len(lead.lstrip(b" \t"))]
                indent = share(indent, indent)
            position = start
            if aligned and start - line < _MOST_COLUMNS:
                column = indent + b" " * (start - line - len(indent))
                indents.append(share(column, column))
            else:
                indents.append(indent)
        return indents

    def _mark_lines(self) -> None:
        """Note the tokens that start a line of the syntax; all, if the parser does not say."""
        starts: Iterable[int] = self._line_starts
        if not self._line_starts:
            starts = (at for at in range(len(self._starts)) if self._starts_line(at))
        for serial in starts:
            if serial < len(self._starts) and self._starts_line(serial):
                self._glue[serial] = self._glue.get(serial, Glue.NONE) | Glue.LINE

    def _starts_line(self, serial: int) -> bool:
        end = self._ends[serial - 1] if serial else 0
        return serial == 0 or b"\n" in self._source[end : self._starts[serial]]

    def _number(self, root: ConcreteNode) -> None:
        stack: list[tuple[ConcreteNode, Glue, bool]] = [(root, Glue.NONE, False)]
        seen = 0
        while stack:
            seen += 1
            if not seen & 0xFF:
                look()
            raw, glue, inside = stack.pop()
            if raw.visible and is_comment(raw.label, extra=raw.extra):
                if self._comments:
                    self._add(raw, glue, inside_string=False)
                continue
            children = raw.children
            if not children:
                self._add(raw, glue, inside)
                continue
            string = False
            if raw.visible:
                pieces = self._pieces(raw, root)
                if pieces == []:
                    self._add(raw, glue, inside)
                    continue
                if pieces is not None:
                    string, children = True, pieces
            if glue or string:
                self._push(stack, children, glue, string=string)
            else:
                stack.extend((child, Glue.NONE, False) for child in reversed(children))

    @staticmethod
    def _push(
        stack: list[tuple[ConcreteNode, Glue, bool]],
        children: list[ConcreteNode],
        glue: Glue,
        *,
        string: bool,
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

    def _add(self, raw: ConcreteNode, glue: Glue, inside_string: bool) -> None:
        start, end = raw.start, raw.end
        if not inside_string:
            # White space at the end of a token (of a directive, a heading) is layout.
            kept = self._source[start:end].rstrip()
            end = start + len(kept)
        if start == end or (self._ends and start < self._ends[-1]):
            if not raw.visible and _LINE.match(raw.label):
                self._line_starts.add(len(self._starts))
            return
        if self._pending:
            self._add_hidden(start)
        raw.serial = len(self._starts)
        self._starts.append(start)
        self._ends.append(end)
        if glue:
            self._glue[raw.serial] = glue

    def _add_hidden(self, most: int) -> None:
        """Number the hidden ranges before a position."""
        while self._pending and self._pending[-1].start < most:
            start, end = self._pending.pop()
            # What lies in another token, such as a directive, is a part of its text.
            if end <= most and not (self._ends and start < self._ends[-1]):
                self._hidden.append(len(self._starts))
                self._starts.append(start)
                self._ends.append(end)

    def _attach(self) -> dict[int, tuple[list[int], list[int]]]:
        """Give each hidden token to a neighbour, as one that precedes or follows it.

        What a construct belongs to follows it if that is a word (`__extension__ typedef`), else it
        precedes it (`namespace std __attribute__((...)) {`).
        """
        attached: dict[int, tuple[list[int], list[int]]] = {}
        hidden = set(self._hidden)
        for serial in self._hidden:
            left, right = serial - 1, serial + 1
            while left in hidden:
                left -= 1
            while right in hidden:
                right += 1
            text = (
                self._source[self._starts[right] : self._starts[right] + 1]
                if right < len(self._starts)
                else b""
            )
            if left < 0 or text.isalpha() or text == b"_":
                if right < len(self._starts):
                    attached.setdefault(right, ([], []))[0].append(serial)
            else:
                attached.setdefault(left, ([], []))[1].append(serial)
        return attached

    def attached(self, serial: int) -> tuple[list[int], list[int]] | None:
        """Return the hidden tokens before a token and after it, if it has any."""
        return self._attached.get(serial)

    def _pieces(self, raw: ConcreteNode, root: ConcreteNode) -> list[ConcreteNode] | None:
        """Return the parts of a node that must touch, [] if it is one token, else None."""
        label = raw.label
        string = self._strings.get(label)
        if string is None:
            string = self._strings[label] = _STRING.search(label) is not None
        if string:
            pieces = self._string_pieces(raw)
            if pieces is not None:
                return pieces
        if raw is not root and not raw.children[0].visible and self._spelled(raw):
            return []
        if _WORD.match(label):
            return _word_pieces(raw)
        return None

    def _spelled(self, raw: ConcreteNode) -> bool:
        """Return whether a node is a word that the grammar spells: nothing visible, no blanks."""
        stack = list(raw.children)
        while stack:
            child = stack.pop()
            if child.visible:
                return False
            stack.extend(child.children)
        return not _BLANK.search(self._source[raw.start : raw.end])

    def _string_pieces(self, raw: ConcreteNode) -> list[ConcreteNode] | None:
        """Return the pieces of a string with code in it, [] for a plain string, else None."""
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


def _word_pieces(raw: ConcreteNode) -> list[ConcreteNode]:
    """Return the pieces of a word; a word that is spelled in letters becomes a list of them."""
    pieces = _shown_children(raw)
    whole: list[ConcreteNode] = []
    for piece in pieces:
        last = whole[-1] if whole else None
        letter = not piece.visible and not piece.children
        if letter and last is not None and not last.visible and last.end == piece.start:
            whole[-1] = _hidden(last.label, last.start, piece.end, raw)
        else:
            whole.append(piece)
    if len(whole) < len(pieces):
        # As the parser nests repetitions: one for each element, inside one for all.
        name = f"{raw.label}_repeat1"
        every = _hidden(name, raw.start, raw.end, raw)
        for piece in whole:
            one = _hidden(name, piece.start, piece.end, raw)
            one.children = [piece]
            every.children.append(one)
        raw.children = [every]
    return whole


def _hidden(label: str, start: int, end: int, owner: ConcreteNode) -> ConcreteNode:
    made = ConcreteNode(label, start, end)
    made.belong(owner.owner)
    return made


def _shown_children(raw: ConcreteNode) -> list[ConcreteNode]:
    """Return the children with hidden nodes replaced by what is in them."""
    shown: list[ConcreteNode] = []
    stack = list(reversed(raw.children))
    while stack:
        child = stack.pop()
        if child.visible or not child.children:
            if child.visible or child.end > child.start:
                shown.append(child)
        else:
            stack.extend(reversed(child.children))
    return shown
