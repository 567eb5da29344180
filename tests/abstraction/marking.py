"""Patterns made by hand, for tests that need no search."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from marrow.abstraction.pattern import Mark, Marked, Pattern
from marrow.grammar.language import Language
from marrow.grammars import grammar_path
from marrow.tree import Node, Place
from marrow.tree.node import render


def shipped(name: str) -> Language:
    return Language.from_file(grammar_path(name))


def marked(language: Language, text: bytes, chosen: Callable[[Place, Node], bool]) -> Pattern:
    """Let chosen nodes vary, each on its own; nodes below them are left out."""
    tree = language.parse(text)
    marks: dict[Place, Marked] = {}
    for place, node in tree.walk():
        step = place.parent
        while step is not None and step not in marks:
            step = step.parent
        if step is None and chosen(place, node):
            marks[place] = Marked(Mark.ABSTRACT, node.symbol)
    return Pattern(tree, marks, language)


def by_text(language: Language, text: bytes, holes: Mapping[tuple[str, bytes], int]) -> Pattern:
    """Let nodes vary by their symbol and text: in a group, or alone (0)."""
    pattern = marked(language, text, lambda _, node: (node.symbol, render((node,))) in holes)
    marks: dict[Place, Marked] = {}
    for place, mark in pattern.marks.items():
        node = pattern.tree.at(place)
        assert node is not None
        group = holes[node.symbol, render((node,))]
        kind = Mark.CONTEXT_SENSITIVE if group else Mark.ABSTRACT
        marks[place] = Marked(kind, mark.name, group)
    return Pattern(pattern.tree, marks, language)
