"""How an input is seen: by a grammar, as a language, or as its name and content say.

Also the language that patterns of an input are looked for in.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marrow.base.errors import InputError, UsageError, error_text, message_of, os_errors
from marrow.run.plan.input import Input

if TYPE_CHECKING:
    from marrow.abstraction.parser_language import ParserLanguage
    from marrow.abstraction.pattern_language import PatternLanguage
    from marrow.grammar.language import Language
    from marrow.grammar.model.rules import GrammarError
    from marrow.syntax.views import FileView, View


def advised(error: GrammarError, path: Path | None) -> GrammarError:
    """Return an error of a grammar with advice."""
    advice = "Check the name that ⟦grammar⟧ gives."
    if path is None or path.is_file():
        advice = f"`marrow grammar {path or 'FILE'} --check` says more about it."
    return type(error)(f"{message_of(error)}\n{advice}")


def chosen_language(source: Input, values: Mapping[str, Any]) -> Language:
    """Return the grammar that was given, or the one that ships for the language, compiled."""
    from marrow.grammar.language import Language
    from marrow.grammars import grammar_path

    if values["grammar"] is not None:
        if values["language"] is not None:
            raise UsageError("⟦grammar⟧ and ⟦language⟧ exclude each other\nLeave one of them out.")
        return given_language(values)
    refuse_without_grammar(values)
    shipped = shipped_grammar(source.name, source.text, values["language"])
    if shipped is None:
        raise UsageError(
            f"no grammar ships for {values['language'] or source.name}\n"
            "Give one with ⟦grammar FILE⟧; `marrow grammar` lists those that ship."
        )
    return Language.from_file(grammar_path(shipped)).self_contained


def given_language(values: Mapping[str, Any]) -> Language:
    """Return the grammar that was given, by its path, its name or itself, compiled."""
    from marrow.grammar.language import Language
    from marrow.grammar.model.rules import GrammarError
    from marrow.grammars import grammar_names, grammar_path

    grammar, start = values["grammar"], values["start"]
    if isinstance(grammar, str | os.PathLike):
        path = Path(grammar)
        if not path.is_file() and str(grammar) in grammar_names():
            path = grammar_path(str(grammar))
        try:
            return Language.from_file(path, start, **reading(values)).self_contained
        except GrammarError as error:
            raise advised(error, path) from error
    chosen = grammar if isinstance(grammar, Language) else Language(grammar)
    return chosen if start is None else chosen.starting_at(start)


def refuse_without_grammar(values: Mapping[str, Any]) -> None:
    """Raise `UsageError` if an option is about a grammar that is not given."""
    for name in ("start", "assume", "encoding"):
        if values[name]:
            what = "names a rule of" if name == "start" else "is about"
            raise UsageError(f"⟦{name}⟧ {what} a grammar\nGive one with ⟦grammar⟧.")


def reading(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords of `Language.from_file` that say how a grammar is read."""
    from marrow.grammar.readers.predicates import parse_assumptions

    try:
        assumed = parse_assumptions(tuple(values["assume"] or ()))
    except ValueError as error:
        raise UsageError(f"⟦assume⟧: {error}\nExample: ⟦assume IsStrictMode=true⟧") from None
    return {"assume": assumed, "encoding": _encoding(values["encoding"])}


def _encoding(name: str | None) -> str | None:
    """Return the name of an encoding in which ASCII is ASCII."""
    if name is None:
        return None
    try:
        if "a \n".encode(name) == b"a \n":
            return name
    except LookupError:
        pass
    raise UsageError(error_text("not_an_encoding", name=name))


def shipped_grammar(name: str, text: bytes, language: str | None = None) -> str | None:
    """Return the grammar that ships for the language of a file, if there is one."""
    from marrow.grammars import grammar_names
    from marrow.languages.language_facts import facts_of
    from marrow.languages.recognition import canonical_name, language_of

    found = canonical_name(language) if language is not None else language_of(name, text)
    if found is None:
        return None
    grammar = facts_of(found).grammar or found
    return grammar if grammar in grammar_names() else None


def chosen_view(source: Input, values: Mapping[str, Any]) -> View:
    """Return how to see the input: by a grammar, as a language, or as name and content tell."""
    if source.several:
        from marrow.syntax.file_set import FileSetView

        if values["language"] is not None or values["grammar"] is not None:
            raise UsageError(error_text("language_of_several"))
        return FileSetView(source.text)
    if values.get("keep"):
        raise UsageError(error_text("keep_of_one_file"))
    from marrow.syntax.view_wrappers import WideTextView, narrowed

    narrow = narrowed(source.text)  # of a text in UTF-16
    if narrow is None or values["language"] == "bytes":
        return chosen_file_view(source, values)
    return WideTextView(chosen_file_view(replace(source, text=narrow), values), source.text[:2])


def protected(view: View, source: Input, values: Mapping[str, Any]) -> View:
    """Return the view in which the lines stay that must."""
    if not values["keep_lines"]:
        return view
    from marrow.syntax.view_wrappers import protected_view

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
    return view_of(source.name, source.text, values["language"])


def view_by_language(language: Language, source: Input) -> FileView:
    """Return the view of an input by a grammar."""
    from marrow.grammar.model.rules import GrammarError
    from marrow.syntax.views import view_by_grammar

    try:
        return view_by_grammar(language, source.name, source.text)
    except GrammarError as error:
        raise advised(error, None) from error


def pattern_language(source: Input, values: Mapping[str, Any]) -> tuple[PatternLanguage, FileView]:
    """Return the language to look for a pattern in, and the view to reduce the input by first.

    A grammar that was given counts; then one that ships, if it reads the input; then the parser.
    """
    from marrow.grammar.model.parse_error import ParseError

    given = values["grammar"] is not None or values["start"] is not None
    if given:
        if values["corpus"] is not None:
            raise UsageError(error_text("corpus_with_grammar"))
        language = chosen_language(source, values)
        return language, view_by_language(language, source)
    ships = shipped_grammar(source.name, source.text, values["language"]) is not None
    if ships and values["corpus"] is None:
        language = chosen_language(source, values)
        try:
            language.parse(source.text)
        except ParseError:
            if values["naive"]:
                raise
        else:
            return language, view_by_language(language, source)
    from marrow.syntax.views import view_of

    if values["naive"]:
        raise UsageError(error_text("naive_without_grammar"))
    view = view_of(source.name, source.text, values["language"])
    return language_of_view(source.text, view, values["corpus"]), view


def language_of_view(text: bytes, view: FileView, corpus: Path | None = None) -> ParserLanguage:
    """Return the language of a view, with the pieces of a text and of a directory's files."""
    from marrow.abstraction.fragments import corpus_texts
    from marrow.abstraction.parser_language import ParserLanguage
    from marrow.languages.recognition import suffixes_of

    front = view.counter.fresh()
    texts: list[bytes] = []
    if corpus is not None:
        if not corpus.is_dir():
            raise InputError(f"⟦corpus⟧: {corpus} is not a directory\nName one with sources.")
        advice = "Name one with sources that can be read."
        with os_errors(InputError, f"⟦corpus⟧: cannot read {corpus}", advice):
            texts = list(corpus_texts(corpus, suffixes_of(front.name) or ("",)))
        if not texts:
            raise InputError(error_text("empty_corpus", name=front.name, corpus=corpus))
    return ParserLanguage(front, text, texts, lenient=front.errors(text))
