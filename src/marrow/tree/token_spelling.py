"""What a token is by its spelling alone, whatever the language: a name, a number, a string.

A keyword is its own kind: its symbol is its text, or its text in quotes where a grammar says so.
"""

from __future__ import annotations

import re
from typing import Final

from marrow.tree.node import Glue, Token

_TOUCHING: Final = int(Glue.BEFORE | Glue.AFTER)
_NAME: Final = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_NUMBER: Final = re.compile(rb"[-+]?\.?[0-9]")

#: How strings begin and end in most languages.
QUOTES: Final = (b'"""', b"'''", b'"', b"'", b"`")


def spelled_like_name(text: bytes) -> bool:
    """Whether a text is spelled like a name, as keywords are too."""
    return _NAME.fullmatch(text) is not None


def is_word(token: Token) -> bool:
    """Whether a token is a value by itself: neither a keyword nor text in a string."""
    symbol = token.symbol
    return (
        symbol.encode() != token.text
        and not (symbol[:1] == "'" and len(symbol) > 2)
        and not token.glue & _TOUCHING
    )


def is_name(token: Token) -> bool:
    """Whether a token is spelled like a name, and is neither a keyword nor text in a string."""
    return _NAME.fullmatch(token.text) is not None and is_word(token)


def is_number(token: Token) -> bool:
    """Whether a token is spelled like a number."""
    return token.symbol.encode() != token.text and _NUMBER.match(token.text) is not None


def quote_of(text: bytes) -> tuple[int, int]:
    """Return how long the marks are that a string begins and ends with; (0, 0) for no string.

    Letters before the first mark belong to it (`b"..."`, `L"..."`).
    """
    start = len(text) - len(text.lstrip(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ#"))
    for mark in QUOTES:
        if text[start:].startswith(mark) and len(text) >= start + 2 * len(mark):
            end = text.rfind(mark)
            if end >= start + len(mark):
                return start + len(mark), len(text) - end
    return 0, 0
