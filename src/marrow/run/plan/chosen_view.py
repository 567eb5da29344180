"""How an input is seen: by a grammar, as a language, or as its name and content tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from marrow.base.errors import UsageError
from marrow.run.plan.chosen_grammar import advised, chosen_language, refuse_without_grammar
from marrow.run.plan.input import Input

if TYPE_CHECKING:
    from marrow.grammar.language import Language
    from marrow.syntax.views import FileView, View


def chosen_view(source: Input, values: Mapping[str, Any]) -> View:
    """Return how to see the input: by a grammar, as a language, or as name and content tell."""
    if source.several:
        from marrow.syntax.file_set import FileSetView

        if values["language"] is not None or values["grammar"] is not None:
            raise UsageError(
                "⟦language⟧ and ⟦grammar⟧ are for one file: in a set each file has its own\n"
                "Leave them out; ⟦keep GLOB⟧ leaves files as they are."
            )
        return FileSetView(source.text)
    if values.get("keep"):
        raise UsageError(
            "⟦keep⟧ names files of a set that must stay as they are\n"
            "There is only one file to reduce: leave ⟦keep⟧ out."
        )
    return _wide_view(source, values) or chosen_file_view(source, values)


def _wide_view(source: Input, values: Mapping[str, Any]) -> View | None:
    """Return the view of a text in UTF-16; None if it is none, or bytes are asked for."""
    from marrow.syntax.wide_text import WideTextView, narrowed

    narrow = narrowed(source.text)
    if narrow is None or values["language"] == "bytes":
        return None
    return WideTextView(chosen_file_view(replace(source, text=narrow), values), source.text[:2])


def protected(view: View, source: Input, values: Mapping[str, Any]) -> View:
    """Return the view in which the lines stay that must."""
    if not values["keep_lines"]:
        return view
    from marrow.syntax.protected_view import protected_view

    try:
        return protected_view(view, source.text, values["keep_lines"], several=source.several)
    except ValueError as error:
        raise UsageError(f"⟦keep_lines⟧: {error}") from error


def chosen_file_view(source: Input, values: Mapping[str, Any]) -> FileView:
    """Return how to see a single file."""
    from marrow.syntax.views import view_of

    if values["grammar"] is not None:
        return view_by_language(chosen_language(source, values), source)
    refuse_without_grammar(values)
    if values["start"] is not None:
        raise UsageError("⟦start⟧ names a rule of a grammar\nGive one with ⟦grammar⟧.")
    return view_of(source.name, source.text, values["language"])


def view_by_language(language: Language, source: Input) -> FileView:
    """Return the view of an input by a grammar."""
    from marrow.grammar.model.rules import GrammarError
    from marrow.syntax.views import view_by_grammar

    try:
        return view_by_grammar(language, source.name, source.text)
    except GrammarError as error:
        raise advised(error, None) from error
