"""Parsing by tree-sitter that a time limit and Ctrl-C can stop.

A parse of megabytes takes the better part of a minute inside tree-sitter. So a large text is handed
over in pieces, and the clock is looked at before each of them; the tree is the same.
"""

from __future__ import annotations

import time
from typing import Final

import tree_sitter

from marrow.deadline import look

# A smaller text is parsed in a quarter of a second.
_LARGE: Final = 1 << 18

# Some 50 ms of parsing.
_PIECE: Final = 1 << 16

# A parse that is stopped still ends in a tree, which takes a fifth of the time so far (50 MB of C:
# 2 s after 10). So it is stopped that much earlier.
_TO_END: Final = 0.2


def parse_text(
    parser: tree_sitter.Parser, text: bytes, old: tree_sitter.Tree | None = None
) -> tree_sitter.Tree:
    """Parse a text, reusing an old tree; may raise `OutOfTimeError`."""
    if len(text) < _LARGE:
        return parser.parse(text) if old is None else parser.parse(text, old)

    stopped: list[BaseException] = []
    began = time.monotonic()

    def read(offset: int, _: object) -> bytes:
        # Raising in here would confuse tree-sitter: the text ends instead, and so does the parse.
        try:
            if not stopped:
                look(_TO_END * (time.monotonic() - began))
        except BaseException as error:  # Ctrl-C too
            stopped.append(error)
        return b"" if stopped else text[offset : offset + _PIECE]

    parsed = parser.parse(read) if old is None else parser.parse(read, old)
    if stopped:
        raise _reason(stopped[0])
    return parsed


def _reason(error: BaseException) -> BaseException:
    """Return what stopped a parse. Ctrl-C between two lines of `read` shows at its next call."""
    while isinstance(error, SystemError) and error.__cause__ is not None:
        error = error.__cause__
    return error
