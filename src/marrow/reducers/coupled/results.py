"""The type of a function's result with all that it returns: `int f() { return 1; }` is
`void f() { return; }`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from marrow.reducers.coupled.token_text import ENDS, TokenChanges, TokenText

_RETURN: Final = b"return"
#: Languages in which a function has a type even if it returns nothing; there it stands in front.
_VOID: Final = frozenset({"c", "cpp", "objc", "cuda", "java", "csharp", "d"})


def without_results(text: TokenText, language: str) -> Iterator[TokenChanges]:
    """Yield the text with a function that returns nothing, its statements kept or not."""
    for start, end in sorted(text.partners.items()):
        if text.texts[start] != b"{" or start > end:
            continue
        head = text.head(start)
        brackets = next((at for at in range(head, start) if text.texts[at] == b"("), None)
        closed = None if brackets is None else text.end_of(brackets)
        if brackets is None or closed is None or not text.named[brackets - 1] or closed > start:
            continue
        result: TokenChanges
        if language in _VOID:
            named = brackets - 1
            if named == head or text.texts[named - 1] == b"void":
                continue
            result = {**dict.fromkeys(range(head, named), ()), named - 1: (b"void",)}
        else:
            result = dict.fromkeys(range(closed + 1, start), ())
        returns = _returns(text, start, end, lines=language not in _VOID)
        if not returns or not result:
            continue
        yield {**result, **dict.fromkeys((at for some in returns for at in some), ())}
        values = [at for some in returns for at in some[1:] if text.texts[at] != b";"]
        yield {**result, **dict.fromkeys(values, ())}
        # What is returned may be there for what it does.
        yield {**result, **{some[0]: () for some in returns}}


def _returns(text: TokenText, start: int, end: int, *, lines: bool) -> list[range]:
    """Return the statements that return something, with their semicolons.

    With `lines` they may end with the line.
    """
    found: list[range] = []
    for at in range(start, end):
        if text.texts[at] != _RETURN:
            continue
        here = at + 1
        while here < end and text.texts[here] not in ENDS:
            if lines and b"\n" in text.tokens[here].before:
                break
            here = text.partners[here] if text.partners.get(here, 0) > here else here
            here += 1
        if here > at + 1:
            found.append(range(at, here + (text.text(here) == b";")))
    return found
