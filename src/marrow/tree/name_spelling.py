"""What names look like in a language: which tokens of a tree are names that can change.

A *kind* is a token's symbol. A kind of which at least half of the texts are spelled like names is a
kind of identifiers; its other tokens (`=` among the symbols of SMT-LIB) are not names. If the
language is unknown, names may have marks inside or after them, as in the `a.b` of R, the `x'`
of Haskell and the `ok?` of Ruby, if the kind also has plain names.

Whatever the language, a token is a name, a number or a string by its spelling. A keyword is its own
kind: its symbol is its text, or its text in quotes where a grammar says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
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


# Letters first, then what languages allow inside names: a dot (R), a quote (Haskell, OCaml), marks
# after a name (Ruby, Scheme), hyphens, stars and arrows (Lisps).
_MARKED: Final = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff.'?!*+/<>=-]*")


# Marks before names: variables, anchors, keywords of Clojure, targets of makefiles.
_SIGILS: Final = b"$@%*&:.~"
# What parsers call kinds of tokens that are names.
_KINDS_OF_NAMES: Final = ("name", "identifier")


def may_be_name(token: Token) -> bool:
    """Whether a token is spelled as a name is in some language, and is not a keyword.

    Text in a string touches its neighbours, as the name in `$name` does: there the kind tells.
    """
    if _MARKED.fullmatch(token.text.lstrip(_SIGILS)) is None:
        return False
    return is_word(token) or any(kind in token.symbol for kind in _KINDS_OF_NAMES)


@dataclass(frozen=True, slots=True)
class NameSpelling:
    """What names look like. `marked`: how they may be spelled besides plain letters and digits;
    None if that has to be learned.

    `known` are spelled like names but mean the same in every text, so they are none. `fixed` are
    the kinds of tokens that are keywords. `soft` are keywords that may name something, too: they
    are names where they are mentioned more than once.
    """

    marked: re.Pattern[bytes] | None = None
    known: re.Pattern[bytes] | None = None
    fixed: frozenset[str] = frozenset()
    soft: frozenset[bytes] = frozenset()

    def with_fixed(self, kinds: frozenset[str]) -> NameSpelling:
        """Return the same with kinds of tokens that are keywords."""
        return replace(self, fixed=kinds) if kinds else self

    def plain(self, token: Token) -> bool:
        """Whether a token is spelled like a name in any language, and may be one here."""
        return self._free(token) and spelled_like_name(token.text)

    def names(self, tokens: Iterable[Token]) -> set[tuple[str, bytes]]:
        """Return the kinds and texts that are names, of the tokens of a tree."""
        kinds: dict[str, set[bytes]] = {}
        soft: Counter[tuple[str, bytes]] = Counter()
        for token in tokens:
            if is_word(token) and self._free(token):
                kinds.setdefault(token.symbol, set()).add(token.text)
            elif token.text in self.soft:
                soft[token.symbol, token.text] += 1
        marked = self.marked or _MARKED
        found = {one for one, times in soft.items() if times > 1}
        for kind, texts in kinds.items():
            plain = {text for text in texts if spelled_like_name(text)}
            named = plain | {text for text in texts if marked.fullmatch(text)}
            if (plain or self.marked) and 2 * len(named) >= len(texts):
                found.update((kind, text) for text in named)
        return found

    def _free(self, token: Token) -> bool:
        known = self.known is not None and self.known.fullmatch(token.text) is not None
        return not known and token.symbol not in self.fixed


#: What is assumed of a language that has no row in a table.
ANY_SPELLING: Final = NameSpelling()
