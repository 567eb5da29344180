"""The shortest text of a kind of token, guessed from its looks.

Tree-sitter parsers do not define what their tokens look like, but names, numbers and strings look
alike in nearly all languages. A wrong guess does no harm: every candidate is parsed again.
"""

from __future__ import annotations

import re
from typing import Final

# A name may have sigils in front (`$x`, `@x`, `%x`), which belong to its kind.
_NAME: Final = re.compile(rb"([$@%&]{0,2})([A-Za-z_\x80-\xff])[\w$\x80-\xff]*", re.ASCII)
_NUMBER: Final = re.compile(rb"\.?[0-9][\w.']*", re.ASCII)
# With the letters in front that say which kind of string it is (`b"x"`, `u8"x"`).
_STRING: Final = re.compile(rb"([A-Za-z]{0,2}8?)(\"|'|`)(.*)\2", re.ASCII | re.DOTALL)
# A character literal is never empty.
_CHARACTER: Final = re.compile("char|rune")


def shortest_text(symbol: str, text: bytes) -> bytes | None:
    """Return the shortest text of a token like this one, or None if it cannot be guessed.

    A name keeps its case, which is a matter of syntax in some languages; keywords and signs, whose
    symbol is their text, stay as they are.
    """
    if symbol.encode() == text:
        return None
    if name := _NAME.fullmatch(text):
        return name[1] + (b"A" if name[2].isupper() else b"a")
    if _NUMBER.fullmatch(text):
        return b"0"
    if string := _STRING.fullmatch(text):
        inside = b"a" if _CHARACTER.search(symbol) else b""
        return string[1] + string[2] + inside + string[2]
    return None
