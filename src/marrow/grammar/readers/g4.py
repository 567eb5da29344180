"""Reads ANTLR v4 grammars: their files, put together and turned into the grammar model.

Imports and the token vocabulary are looked up beside the file. Rules of the importing grammar win
over imported ones, as in ANTLR.
"""

from __future__ import annotations

import re
from typing import Final

from marrow.grammar.model.analysis import default_start
from marrow.grammar.model.rules import Grammar, GrammarError, Note, Position
from marrow.grammar.readers.g4_file import G4File, parse_g4
from marrow.grammar.readers.g4_linking import RuleLinker, TokenLinker
from marrow.grammar.readers.predicates import Assumptions
from marrow.grammar.readers.scan import Loader

#: Words in the code of predicates that are not calls.
_WORDS: Final = frozenset(("this", "self", "true", "false", "not"))


def read_g4(
    text: str,
    name: str,
    start: str | None,
    load: Loader,
    assume: Assumptions | None = None,
) -> Grammar:
    """Read a grammar; `name` is the file's name, `load` finds the files it needs.

    `assume` says which predicates hold, by the names of the calls in them.
    """
    file = parse_g4(text, name, assume=assume)
    if file.kind == "lexer" and not file.imports:
        other = file.name.removesuffix("Lexer") + "Parser.g4"
        raise GrammarError(
            f"this is a lexer grammar: it has no parser rules. Give marrow the parser grammar "
            f"({other}?), which finds this one by `options {{ tokenVocab = {file.name}; }}`.",
            Position(name, 1, 1),
        )
    _import(file, load)
    _add_vocabulary(file, load)
    return _linked(file, start)


def _load(name: str, position: Position, load: Loader, why: str, assume: Assumptions) -> G4File:
    found = load(f"{name}.g4")
    if found is None:
        raise GrammarError(f"cannot find {name}.g4, {why}. Put it beside this file.", position)
    file = parse_g4(found.text, found.name, imported=True, assume=assume)
    file.notes.extend([found.note] if found.note else [])
    return file


def _import(file: G4File, load: Loader) -> None:
    """Add what a grammar imports, and what that imports, each file once."""
    seen = {file.name}
    waiting = list(file.imports)
    while waiting:
        name, position = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        imported = _load(name, position, load, "which this grammar imports", file.assume)
        _merge(file, imported)
        waiting[:0] = imported.imports


def _merge(file: G4File, other: G4File) -> None:
    """Add what another file has and this one has not."""
    for name, rule in other.rules.items():
        file.rules.setdefault(name, rule)
    for name, token in other.tokens.items():
        file.tokens.setdefault(name, token)
    for name, position in other.named_tokens.items():
        file.named_tokens.setdefault(name, position)
    file.modes.extend(mode for mode in other.modes if mode not in file.modes)
    file.excluded.update(other.excluded)
    file.calls.extend(other.calls)
    file.notes.extend(other.notes)
    file.vocabulary = file.vocabulary or other.vocabulary


def _add_vocabulary(file: G4File, load: Loader) -> None:
    """Add the lexer grammar that a parser grammar takes its tokens from."""
    if file.vocabulary is not None:
        name, position = file.vocabulary
        name = name.replace("\\", "/").rpartition("/")[2].removesuffix(".tokens")
        if name == file.name:
            return
        why = "which this grammar takes its tokens from"
        lexer = _load(name, position, load, why, file.assume)
    elif file.kind == "parser" and not file.tokens:
        name = file.name.removesuffix("Parser") + "Lexer"
        found = load(f"{name}.g4")
        if found is None:
            return
        position = Position(file.source, 1, 1)
        file.notes.append(Note(position, f"the tokens are taken from {name}.g4 beside this file."))
        lexer = parse_g4(found.text, found.name, imported=True, assume=file.assume)
    else:
        return
    _import(lexer, load)
    lexer.rules.clear()
    _merge(file, lexer)


def _linked(file: G4File, start: str | None) -> Grammar:
    """Turn a file with all it needs into the model."""
    if not file.rules:
        raise GrammarError(
            "the grammar has no parser rules. Add one: `name : TOKEN* EOF ;`.",
            Position(file.source, 1, 1),
        )
    notes = list(file.notes)
    tokens = TokenLinker(file, notes).linked()
    _check_assumptions(file)
    rules = RuleLinker(file, tokens, notes).linked()
    return Grammar(
        file.name,
        start if start is not None else default_start(rules),
        rules,
        tokens,
        tuple(notes),
        encoding=file.options.get("encoding", "utf-8"),
    )


def _check_assumptions(file: G4File) -> None:
    """Refuse what the user assumes of calls that are not there."""
    called = {name for text in file.calls for name in re.findall(r"[^\W\d]\w*", text)}
    for name in file.assume:
        if name not in called:
            some = ", ".join(sorted(called - _WORDS)) or "none"
            raise GrammarError(
                f"no predicate of the grammar calls {name!r}, which ⟦assume⟧ names. Names in "
                f"predicates: {some}."
            )
