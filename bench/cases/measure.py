"""How large a text is, in the measures that the papers use."""

from __future__ import annotations

from dataclasses import dataclass

from marrow.syntax.views import view_of


@dataclass(frozen=True, slots=True)
class Size:
    """Tokens as marrow counts them, bytes, and characters that are not white space."""

    tokens: int
    bytes: int
    characters: int


def measure(text: bytes, name: str, language: str | None = None) -> Size:
    """Measure a text by the front end that marrow has for its name or language."""
    tree = view_of(name, text, language).counter.parse(text)
    shown = text.decode("utf-8", "replace")
    return Size(sum(1 for _ in tree.tokens()), len(text), sum(not one.isspace() for one in shown))
