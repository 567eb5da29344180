"""Outlines of small programs, seen as if they were large."""

from __future__ import annotations

from marrow.syntax.outliner import Outliner
from marrow.tree.outline import DeclarationOutline


def outlined(text: bytes, language: str) -> DeclarationOutline:
    outline = Outliner(language).outline(text)
    assert outline is not None
    assert outline.tree.text == text
    return outline
