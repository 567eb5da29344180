"""Texts of an unknown language as nested brackets: the structure that most languages share.

Cut into lines, words and bytes, such a text takes many tests: half of the candidates lack a
bracket, and the letters of keywords are tried one by one. Here strings, names and numbers are
whole, a bracket is deleted with its partner, and commas, semicolons and line ends separate the
elements of a list. So the program under test can read most candidates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from marrow.base.deadline import look
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.text_front_end import cut_tokens
from marrow.tree import Branch, Kind, Node, Token, Tree

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

#: The name of this granularity.
BRACKETS: Final = "brackets"

_ITEM, _ENTRY, _ENTRIES, _GROUP = "items", "entry", "entries", "group"


class BracketedText(FrontEnd):
    """Sees a text as lists of tokens, and of brackets with their contents."""

    @property
    def name(self) -> str:
        """The granularity."""
        return BRACKETS

    @property
    def description(self) -> str:
        """The parts that the text is cut into."""
        return "words and brackets"

    def parse(self, text: bytes) -> Tree:
        """Turn a text into a tree; one that is very large has no tokens."""
        if len(text) > LARGEST_BRACKETED:
            return Tree(_list(_ENTRIES, ()), text)
        tokens, head, tail = cut_tokens(text, _LEXEME, _ITEM)
        return Tree(_entries(_nested(tokens)), head, tail)

    def accepts(self, slot: str, node: Node) -> bool:
        """Return whether a token or bracket may replace what is in a slot: another one."""
        return slot == node.slot == _ITEM


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


def _list(symbol: str, nodes: Iterable[Node], key: int = 0) -> Branch:
    children = [node.placed(key=at, slot=node.slot) for at, node in enumerate(nodes)]
    return Branch(Kind.STAR, symbol, children, slot=symbol, key=key)
