"""A pleasant layout for small results, whatever their language: lines, and indentation by brackets.

It is a guess, and counts only if the target fails on it in the same way.
"""

from __future__ import annotations

import json
from typing import Final

from marrow.bugs.canonical import BYTE, NAME, NUMBER, SPACE, STRING, lexemes

_OPEN: Final = {b"{": b"}", b"[": b"]", b"(": b")"}
_INDENT: Final = b"  "

# Longer bracketed parts are broken into lines.
_WIDTH: Final = 60


def pleasant(text: bytes) -> bytes | None:
    """Return a text in a pleasant layout; None where that is not worth it."""
    pieces = lexemes(text)
    if not pieces or pieces[0].kind == BYTE or b"\n" in text.strip() or len(text) < _WIDTH // 2:
        return None
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False).encode() + b"\n"
    except (ValueError, RecursionError):
        pass
    lines: list[bytes] = [b""]
    depth = 0
    last = SPACE
    for piece in pieces:
        if piece.kind == SPACE:
            last = SPACE
            continue
        words = (NAME, NUMBER, STRING)
        joint = (
            b" " if lines[-1].strip() and (last == SPACE or {last, piece.kind} <= {*words}) else b""
        )
        if piece.text == b"}" and depth:
            depth -= 1
            if lines[-1].strip():
                lines.append(_INDENT * depth)
            else:
                lines[-1] = _INDENT * depth
            joint = b""
        lines[-1] += joint + piece.text
        if piece.text == b"{":
            depth += 1
        if piece.text in (b"{", b"}", b";"):
            lines.append(_INDENT * depth)
        last = piece.kind
    result = b"\n".join(line.rstrip() for line in lines if line.strip()) + b"\n"
    return result if result.strip() != text.strip() else None
