"""Front ends for texts without a parser: brackets, indentation blocks, lines, words, bytes.

Any text has this structure, and every candidate is valid by construction.

Cut into lines, words and bytes, a program takes many tests: half of the candidates lack a bracket,
and the letters of keywords are tried one by one. Between brackets strings, names and numbers are
whole, a bracket is deleted with its partner, and commas, semicolons and line ends separate the
elements of a list. So the program under test can read most candidates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from marrow.base.deadline import look
from marrow.syntax.front_end import FrontEnd
from marrow.tree import Branch, Glue, Kind, Node, Token, Tree

_WORD: Final = re.compile(rb"[\w$\x80-\xff]+|[^\w\s\x80-\xff]")
_LINE: Final = re.compile(rb"[^\s](?:[^\n]*[^\s])?")

# A tree of single bytes for a megabyte would take hundreds of megabytes of memory. Larger inputs
# are cut into pieces of several bytes first; the pieces get smaller as the input does.
_MOST_PIECES: Final = 50_000

# So are the long lines of a text with more bytes than this, into runs of words: a tree of all its
# words takes half a gigabyte and ten seconds.
_MANY_WORDS: Final = 4 << 20


_LEXEME: Final = re.compile(
    rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*|\d[\w.]*"
    rb"|(?<!\\)(?:\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')|[^\s]",
    re.DOTALL,
)
_SEPARATORS: Final = (b",", b";")
_PARTNER: Final = {b"(": b")", b"[": b"]", b"{": b"}"}

#: A tree takes about 130 times the length of its text. Larger texts are left to lines and words
#: until they are smaller.
LARGEST_BRACKETED: Final = 1 << 18

_ITEM, _ENTRY, _ENTRIES, _GROUP = "items", "entry", "entries", "group"


class TextFrontEnd(FrontEnd):
    """Sees a text as a list of lines, words or bytes, as nested blocks of lines, or by brackets."""

    GRANULARITIES: Final = ("brackets", "blocks", "lines", "words", "bytes")

    def __init__(self, granularity: str) -> None:
        if granularity not in self.GRANULARITIES:
            raise LookupError(f"no such granularity: {granularity!r}")
        self.name = granularity
        named = {"blocks": "indented blocks", "brackets": "words and brackets"}
        self.description = named.get(granularity, granularity)

    def parse(self, text: bytes) -> Tree:
        """Turn a text into a tree; by brackets, one that is very large has no tokens."""
        match self.name:
            case "bytes":
                return Tree(_bytes(text))
            case "brackets":
                if len(text) > LARGEST_BRACKETED:
                    return Tree(_list(_ENTRIES, ()), text)
                tokens, head, tail = cut_tokens(text, _LEXEME, _ITEM)
                return Tree(_entries(_nested(tokens)), head, tail)
            case "words":
                pattern = _WORD if len(text) <= _MANY_WORDS else _run_of_words(text)
                tokens, head, tail = cut_tokens(text, pattern, "words")
                return Tree(_lines_of_words(tokens), head, tail)
            case granularity:
                tokens, head, tail = cut_tokens(text, _LINE, granularity)
                root = _blocks(tokens) if granularity == "blocks" else _list("lines", tokens)
                return Tree(root, head, tail)

    def accepts(self, slot: str, node: Node) -> bool:
        """A line, a word or a byte fits wherever another one does; so does a token or bracket."""
        return slot == node.slot and (self.name != "brackets" or slot == _ITEM)


def text_front_ends() -> tuple[FrontEnd, ...]:
    """Return the front ends for what a parser cannot see, from coarse to fine."""
    return tuple(map(TextFrontEnd, ("lines", "words", "bytes")))


def _run_of_words(text: bytes) -> re.Pattern[bytes]:
    """Return the pattern of the pieces of a large text: words of one line, up to some length."""
    width = len(text) // _MOST_PIECES
    return re.compile(rb"\S(?:[^\n]{0,%d}\S)?\S*" % width)


def cut_tokens(
    text: bytes, pattern: re.Pattern[bytes], symbol: str
) -> tuple[list[Token], bytes, bytes]:
    """Cut a text into tokens; return them, and the gaps before and after them all."""
    spans: list[tuple[int, int]] = []
    for match in pattern.finditer(text):
        if not len(spans) & 0xFF:
            look()
        spans.append(match.span())
    tokens = []
    indent = b""
    runs = pattern is not _WORD and symbol == "words"
    for serial, (start, end) in enumerate(spans):
        if runs or not serial & 0xFF:
            look()
        before = text[spans[serial - 1][1] if serial else 0 : start]
        after = text[end : spans[serial + 1][0] if serial + 1 < len(spans) else len(text)]
        if not serial or b"\n" in before:
            # Once a line: a line may have millions of words.
            space = before[before.rfind(b"\n") + 1 :]
            indent = space[: len(space) - len(space.lstrip(b" \t"))]
        tokens.append(
            Token(
                symbol.rstrip("s"),
                text[start:end],
                slot=symbol,
                before=before,
                after=after,
                serial=serial,
                indent=indent,
                token_count=len(_WORD.findall(text, start, end)) if runs else 1,
            )
        )
    if not spans:
        return [], text, b""
    return tokens, text[: spans[0][0]], text[spans[-1][1] :]


def _list(symbol: str, nodes: Iterable[Node], key: int = 0) -> Branch:
    children = [node.placed(key=at, slot=node.slot) for at, node in enumerate(nodes)]
    return Branch(Kind.STAR, symbol, children, slot=symbol, key=key)


def _lines_of_words(tokens: list[Token]) -> Branch:
    """A list of lines, each a list of words."""
    lines: list[list[Token]] = []
    for token in tokens:
        look()
        if not lines or b"\n" in token.before:
            lines.append([])
        lines[-1].append(token)
    return _list("lines", [_list("words", line) for line in lines])


def _blocks(lines: list[Token]) -> Branch:
    """Lines nested by indentation: a line owns the deeper lines that follow it."""
    # Each open block: the width of its first line, that line, and what it owns so far.
    open_blocks: list[tuple[int, Token | None, list[Node]]] = [(-1, None, [])]
    for line in lines:
        look()
        width = len(line.indent.expandtabs(8))
        while open_blocks[-1][0] >= width:
            _close(open_blocks)
        open_blocks.append((width, line, []))
    while len(open_blocks) > 1:
        _close(open_blocks)
    return _list("blocks", open_blocks[0][2])


def _close(open_blocks: list[tuple[int, Token | None, list[Node]]]) -> None:
    _, line, owned = open_blocks.pop()
    assert line is not None
    node: Node = line
    if owned:
        first = line.placed(key=0, slot="line")
        node = Branch(Kind.REGULAR, "block", [first, _list("blocks", owned, 1)], slot="blocks")
    open_blocks[-1][2].append(node)


def _bytes(text: bytes) -> Branch:
    """A list of bytes, or of pieces of several bytes if the text is long."""
    width = max(1, -(-len(text) // _MOST_PIECES))
    pieces = []
    for serial, start in enumerate(range(0, len(text), width)):
        if not serial & 0xFF:
            look()
        piece = text[start : start + width]
        glue = Glue.BEFORE | Glue.AFTER
        pieces.append(Token("byte", piece, slot="bytes", key=serial, serial=serial, glue=glue))
    return Branch(Kind.STAR, "bytes", pieces, slot="bytes")


def _nested(tokens: Iterable[Token]) -> list[Node]:
    """Return tokens in which a bracket, its contents and its partner are one node."""
    # Each open bracket, and the items after it; the first list is the text's.
    stack: list[tuple[Token | None, list[Node]]] = [(None, [])]
    for token in tokens:
        look()
        opened = stack[-1][0]
        if opened is not None and token.text == _PARTNER[opened.text]:
            items = stack.pop()[1]
            stack[-1][1].append(_group(opened, items, token))
        elif token.text in _PARTNER:
            stack.append((token, []))
        else:
            stack[-1][1].append(token)
    while len(stack) > 1:  # a bracket without a partner is a token like others
        opened, items = stack.pop()
        assert opened is not None
        stack[-1][1].extend([opened, *items])
    return stack[0][1]


def _group(opened: Token, items: Sequence[Node], closed: Token) -> Branch:
    children: list[Node] = [
        opened.placed(key=0, slot="open"),
        _entries(items, 1),
        closed.placed(key=2, slot="close"),
    ]
    return Branch(Kind.REGULAR, _GROUP, children, slot=_ITEM)


def _entries(items: Iterable[Node], key: int = 0) -> Branch:
    """Return items as a list of entries, each a list of items up to a separator or a line's end."""
    entries: list[list[Node]] = [[]]
    for item in items:
        look()
        first = item.first
        if entries[-1] and first is not None and b"\n" in first.before:
            entries.append([])
        entries[-1].append(item)
        if isinstance(item, Token) and item.text in _SEPARATORS:
            entries.append([])
    return _list(_ENTRIES, [_list(_ENTRY, entry) for entry in entries if entry], key)
