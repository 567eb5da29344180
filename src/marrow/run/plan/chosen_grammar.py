"""The grammar of an input: one that was given, or the one that ships for its language."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marrow.base.errors import UsageError
from marrow.run.plan.input import Input

if TYPE_CHECKING:
    from marrow.grammar.language import Language
    from marrow.grammar.model.rules import GrammarError
    from marrow.grammar.readers.predicates import Assumptions


def advised(error: GrammarError, path: Path | None) -> GrammarError:
    """Return an error of a grammar with advice."""
    if path is None or path.is_file():
        name = "FILE" if path is None else path
        return type(error)(f"{error}\n`marrow grammar {name} --check` says more about it.")
    return type(error)(f"{error}\nCheck the name that ⟦grammar⟧ gives.")


def chosen_language(source: Input, values: Mapping[str, Any]) -> Language:
    """Return the grammar that was given, or the one that ships for the language, compiled."""
    from marrow.grammar.language import Language
    from marrow.grammars import grammar_path

    start = values["start"]
    if values["grammar"] is not None and values["language"] is not None:
        raise UsageError("⟦grammar⟧ and ⟦language⟧ exclude each other\nLeave one of them out.")
    if values["grammar"] is None:
        if start is not None:
            raise UsageError("⟦start⟧ names a rule of a grammar\nGive ⟦grammar⟧ too.")
        refuse_without_grammar(values)
        shipped = shipped_grammar(source.name, source.text, values["language"])
        if shipped is None:
            raise UsageError(
                f"no grammar ships for {values['language'] or source.name}\n"
                "Give one with ⟦grammar FILE⟧; `marrow grammar` lists those that ship."
            )
        return Language.from_file(grammar_path(shipped)).self_contained
    return given_language(values)


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
            return Language.from_file(
                path,
                start,
                **reading(values),
            ).self_contained
        except GrammarError as error:
            raise advised(error, path) from error
    chosen = grammar if isinstance(grammar, Language) else Language(grammar)
    return chosen if start is None else chosen.starting_at(start)


def refuse_without_grammar(values: Mapping[str, Any]) -> None:
    """Raise `UsageError` if an option is about a grammar that is not given."""
    for name in ("assume", "indentation", "encoding"):
        if values[name]:
            raise UsageError(f"⟦{name}⟧ is about a grammar\nGive one with ⟦grammar⟧.")


def reading(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords of `Language.from_file` that say how a grammar is read."""
    return {
        "assume": _assumed(values),
        "indentation": values["indentation"],
        "encoding": _encoding(values["encoding"]),
    }


def _assumed(values: Mapping[str, Any]) -> Assumptions:
    """Return what the user says about predicates."""
    from marrow.grammar.readers.predicates import parse_assumptions

    try:
        return parse_assumptions(tuple(values["assume"] or ()))
    except ValueError as error:
        examples = "⟦assume IsStrictMode=true⟧, ⟦assume regexAllowed=Assign,Comma⟧"
        raise UsageError(f"⟦assume⟧: {error}\nExamples: {examples}") from None


def _encoding(name: str | None) -> str | None:
    """Return the name of an encoding in which ASCII is ASCII."""
    if name is None:
        return None
    try:
        if "a \n".encode(name) == b"a \n":
            return name
    except LookupError:
        pass
    raise UsageError(
        f"⟦encoding⟧: {name!r} is not the name of an encoding that extends ASCII\n"
        "Examples: latin-1, cp1252, shift_jis."
    )


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
