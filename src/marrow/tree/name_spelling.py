"""What names look like in a language: which tokens of a tree are names that can change.

A *kind* is a token's symbol. A kind of which at least half of the texts are spelled like names is a
kind of identifiers; its other tokens (`=` among the symbols of SMT-LIB) are not names. If the
language is unknown, names may have marks inside or after them, as in the `a.b` of R, the `x'`
of Haskell and the `ok?` of Ruby, if the kind also has plain names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from marrow.tree.node import Token
from marrow.tree.token_spelling import is_word, spelled_like_name

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
    the kinds of tokens that are keywords.
    """

    marked: re.Pattern[bytes] | None = None
    known: re.Pattern[bytes] | None = None
    fixed: frozenset[str] = frozenset()

    def with_fixed(self, kinds: frozenset[str]) -> NameSpelling:
        """Return the same with kinds of tokens that are keywords."""
        return replace(self, fixed=kinds) if kinds else self

    def plain(self, token: Token) -> bool:
        """Whether a token is spelled like a name in any language, and may be one here."""
        return self._free(token) and spelled_like_name(token.text)

    def names(self, tokens: Iterable[Token]) -> set[tuple[str, bytes]]:
        """Return the kinds and texts that are names, of the tokens of a tree."""
        kinds: dict[str, set[bytes]] = {}
        for token in tokens:
            if is_word(token) and self._free(token):
                kinds.setdefault(token.symbol, set()).add(token.text)
        marked = self.marked or _MARKED
        found: set[tuple[str, bytes]] = set()
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
