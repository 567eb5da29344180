"""Patterns made by hand, for tests that need no search."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from marrow.abstraction.pattern import GrammarSource, Mark, Marked, Pattern
from marrow.grammar.language import compile_grammar
from marrow.grammars import grammar_path
from marrow.tree import Node, Place
from marrow.tree.render import render


def shipped(name: str) -> GrammarSource:
    return GrammarSource.of_file(grammar_path(name))


def marked(source: GrammarSource, text: bytes, chosen: Callable[[Place, Node], bool]) -> Pattern:
    """Let chosen nodes vary, each on its own; nodes below them are left out."""
    tree = compile_grammar(source.read()).parse(text)
    marks: dict[Place, Marked] = {}
    for place, node in tree.walk():
        step = place.parent
        while step is not None and step not in marks:
            step = step.parent
        if step is None and chosen(place, node):
            marks[place] = Marked(Mark.ABSTRACT, node.symbol)
    return Pattern(tree, marks, source)


def by_text(source: GrammarSource, text: bytes, holes: Mapping[tuple[str, bytes], int]) -> Pattern:
    """Let nodes vary by their symbol and text: in a group, or alone (0)."""
    pattern = marked(source, text, lambda _, node: (node.symbol, render((node,))) in holes)
    marks: dict[Place, Marked] = {}
    for place, mark in pattern.marks.items():
        node = pattern.tree.at(place)
        assert node is not None
        group = holes[node.symbol, render((node,))]
        kind = Mark.CONTEXT_SENSITIVE if group else Mark.ABSTRACT
        marks[place] = Marked(kind, mark.name, group)
    return Pattern(pattern.tree, marks, source)
