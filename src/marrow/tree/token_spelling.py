"""What a token is by its spelling alone, no language known."""

from __future__ import annotations

import re
from typing import Final

from marrow.tree.node import Glue, Token

_TOUCHING: Final = int(Glue.BEFORE | Glue.AFTER)
_NAME: Final = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")


def is_name(token: Token) -> bool:
    """Whether a token is spelt like a name and is no keyword, nor text inside a string.

    A keyword is its own kind: its symbol is its text.
    """
    return (
        _NAME.fullmatch(token.text) is not None
        and token.symbol.encode() != token.text
        and not token.glue & _TOUCHING
    )
