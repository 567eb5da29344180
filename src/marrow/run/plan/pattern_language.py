"""The language of a pattern: a grammar, given or shipped, else a parser with pieces of texts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marrow.base.errors import InputError, UsageError
from marrow.run.plan.chosen_grammar import chosen_language, shipped_grammar
from marrow.run.plan.input import Input

if TYPE_CHECKING:
    from marrow.abstraction.parser_language import ParserLanguage
    from marrow.abstraction.syntax import PatternLanguage
    from marrow.syntax.views import FileView


def pattern_language(source: Input, values: Mapping[str, Any]) -> PatternLanguage:
    """Return the language to look for a pattern in.

    A grammar that was given counts; then one that ships, if it reads the input; then the parser.
    """
    from marrow.grammar.model.parse_error import ParseError

    given = values["grammar"] is not None or values["start"] is not None
    if given and values["corpus"] is not None:
        raise UsageError(
            "⟦corpus⟧ is for languages without a grammar\nLeave out ⟦corpus⟧ or ⟦grammar⟧."
        )
    if not given and (
        values["corpus"] is not None
        or shipped_grammar(source.name, source.text, values["language"]) is None
    ):
        return parser_language(source, values)
    language = chosen_language(source, values)
    if not given:
        try:
            language.parse(source.text)
        except ParseError:
            if values["naive"]:
                raise
            return parser_language(source, values)
    return language


def parser_language(source: Input, values: Mapping[str, Any]) -> ParserLanguage:
    """Return the parser of an input's language, with its pieces and those of a directory."""
    from marrow.syntax.views import view_of

    if values.get("naive"):
        raise UsageError(
            "⟦naive⟧ needs a grammar: the published procedure draws from one\n"
            "Give one with ⟦grammar FILE⟧; `marrow grammar` lists those that ship."
        )
    view = view_of(source.name, source.text, values["language"])
    return language_of_view(source.text, view, values.get("corpus"))


def language_of_view(text: bytes, view: FileView, corpus: Path | None = None) -> ParserLanguage:
    """Return the language of a view, with the pieces of a text and of a directory's files."""
    from marrow.abstraction.parser_language import ParserLanguage
    from marrow.abstraction.stock import corpus_texts
    from marrow.languages.recognition import suffixes_of

    front = view.counter.fresh()
    texts: list[bytes] = []
    if corpus is not None:
        if not corpus.is_dir():
            raise InputError(f"⟦corpus⟧: {corpus} is not a directory\nName one with sources.")
        try:
            texts = list(corpus_texts(corpus, suffixes_of(front.name) or ("",)))
        except OSError as error:
            raise InputError(f"⟦corpus⟧: cannot read {corpus}: {error.strerror}") from error
        if not texts:
            raise InputError(
                f"⟦corpus⟧: there is no {front.name} file in {corpus}\n"
                "Name a directory with sources in the language of the input."
            )
    return ParserLanguage(front, text, texts, lenient=front.errors(text))
