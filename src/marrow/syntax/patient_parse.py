"""Parsing by tree-sitter that a time limit and Ctrl-C can stop.

A parse of megabytes takes the better part of a minute inside tree-sitter. So a large text is handed
over in pieces, and the clock is looked at before each of them; the tree is the same.
"""

from __future__ import annotations

from typing import Final

import tree_sitter

from marrow.deadline import look

# A smaller text is parsed in a quarter of a second.
_LARGE: Final = 1 << 18

# Some 50 ms of parsing.
_PIECE: Final = 1 << 16


def parse_text(
    parser: tree_sitter.Parser, text: bytes, old: tree_sitter.Tree | None = None
) -> tree_sitter.Tree:
    """Parse a text, reusing an old tree; may raise `OutOfTimeError`."""
    if len(text) < _LARGE:
        return parser.parse(text) if old is None else parser.parse(text, old)

    stopped: list[BaseException] = []

    def read(offset: int, _: object) -> bytes:
        # Raising in here would confuse tree-sitter: the text ends instead, and so does the parse.
        try:
            if not stopped:
                look()
        except BaseException as error:  # Ctrl-C too
            stopped.append(error)
        return b"" if stopped else text[offset : offset + _PIECE]

    parsed = parser.parse(read) if old is None else parser.parse(read, old)
    if stopped:
        raise stopped[0]
    return parsed
