"""The languages that patterns are written in: those with a grammar, and those with a parser."""

from __future__ import annotations

from marrow.abstraction.grammar_material import GrammarMaterial
from marrow.abstraction.material import Material, Visible
from marrow.abstraction.visibility import Visibility
from marrow.grammar.language import Language
from marrow.tree import Tree

PatternLanguage = Language


def material_of(language: PatternLanguage, source: Tree | None) -> Material:
    """Return what samples of a language are made of."""
    return GrammarMaterial(language, source)


def visibility_of(language: PatternLanguage) -> Visible:
    """Return what knows how the nodes of a language's trees are shown."""
    return Visibility(language.grammar)
