"""The languages that patterns are written in: those with a grammar, and those with a parser."""

from __future__ import annotations

from typing import TypeAlias

from marrow.abstraction.grammar_material import GrammarMaterial
from marrow.abstraction.material import Material, Visible
from marrow.abstraction.parser_language import ParserLanguage, ParserVisibility
from marrow.abstraction.visibility import Visibility
from marrow.grammar.language import Language
from marrow.tree import Tree

PatternLanguage: TypeAlias = Language | ParserLanguage


def material_of(language: PatternLanguage, source: Tree | None) -> Material:
    """Return what samples of a language are made of."""
    if isinstance(language, ParserLanguage):
        return language
    return GrammarMaterial(language, source)


def visibility_of(language: PatternLanguage) -> Visible:
    """Return what knows how the nodes of a language's trees are shown."""
    if isinstance(language, ParserLanguage):
        return ParserVisibility()
    return Visibility(language.grammar)
