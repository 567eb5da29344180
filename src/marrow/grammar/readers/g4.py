"""Reads ANTLR v4 grammars: puts files together and turns them into the grammar model.

Imports and the token vocabulary are looked up beside the file. Rules of the importing grammar win
over imported ones, as in ANTLR.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from marrow.grammar.model.rules import (
    END_OF_INPUT,
    LINE_BREAK,
    Choice,
    Expression,
    Grammar,
    GrammarError,
    Note,
    Position,
    Reference,
    Repeat,
    Rule,
    Sequence,
    alternatives,
    walk,
)
from marrow.grammar.readers.g4_file import G4File
from marrow.grammar.readers.g4_linking import linked_rules, linked_tokens
from marrow.grammar.readers.g4_parse import parse_g4
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

    `assume` says which predicates hold, or where, by the names of the calls in them.
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
    file.predicates.update(other.predicates)
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
    tokens = linked_tokens(file, notes)
    _check_assumptions(file, {*tokens, *file.tokens})
    rules = linked_rules(file, tokens, notes)
    return Grammar(
        file.name,
        start if start is not None else default_start(rules),
        rules,
        tokens,
        tuple(notes),
        whole=False,
        indentation=file.options.get("indentation", "").lower() == "true",
        encoding=file.options.get("encoding", "utf-8"),
    )


def _check_assumptions(file: G4File, tokens: set[str]) -> None:
    """Refuse what the user assumes of calls and tokens that are not there."""
    called = {name for text in file.calls for name in re.findall(r"[^\W\d]\w*", text)}
    for name, given in file.assume.items():
        if name not in called:
            some = ", ".join(sorted(called - _WORDS)) or "none"
            raise GrammarError(
                f"no predicate of the grammar calls {name!r}, which ⟦assume⟧ names. Names in "
                f"predicates: {some}."
            )
        names = () if isinstance(given, bool) else given.names
        missing = [one for one in names if one not in tokens and one != LINE_BREAK]
        if missing:
            raise GrammarError(
                f"there is no token {missing[0]!r}, which ⟦assume⟧ names for {name!r}. Give names "
                "of tokens of the grammar."
            )


def default_start(rules: dict[str, Rule]) -> str:
    """Choose the start rule: one that nobody else refers to and that ends with EOF, if any.

    Failing that, one that nobody refers to and whose last rule ends so (`file: line*`).

    Among several, the one that reaches the most rules is the whole language, and the others are
    parts of it with an entry of their own; among equals the first.
    """
    uses = {
        name: {one.name for one in walk(rule.body) if isinstance(one, Reference)}
        for name, rule in rules.items()
    }
    used = {one for name, found in uses.items() for one in found if one != name}
    unused = [name for name in rules if name not in used]
    lasts = {
        name: {one.name for one in _last(rule.body) if isinstance(one, Reference)}
        for name, rule in rules.items()
    }
    ends = [name for name in rules if END_OF_INPUT in lasts[name]]
    candidates = (
        [name for name in ends if name not in used]
        or [name for name in unused if END_OF_INPUT in _reached(name, lasts)]
        or ends
        or unused
        or list(rules)[:1]
    )
    return max(candidates, key=lambda name: len(_reached(name, uses)))


def _last(body: Expression) -> Iterable[Expression]:
    """Return what a body may end with, outer groups opened."""
    stack = [body]
    while stack:
        one = stack.pop()
        match one:
            case Sequence(items=items) if items:
                stack.append(items[-1])
            case Choice():
                stack.extend(alternatives(one))
            case Repeat(item=item):
                stack.append(item)
            case _:
                yield one


def _reached(name: str, uses: dict[str, set[str]]) -> set[str]:
    """Return the names that a rule leads to."""
    found = {name}
    stack = [name]
    while stack:
        for one in uses.get(stack.pop(), ()):
            if one not in found:
                found.add(one)
                stack.append(one)
    return found
