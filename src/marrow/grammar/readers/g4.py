"""Reads ANTLR v4 grammars: their files, put together and turned into the grammar model.

Imports and the token vocabulary are looked up beside the file. Rules of the importing grammar win
over imported ones, as in ANTLR.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import Final

from marrow.base.errors import error_text
from marrow.grammar.model.analysis import default_start
from marrow.grammar.model.expressions import choice, map_leaves, within
from marrow.grammar.model.rules import (
    Action,
    Characters,
    Expression,
    Grammar,
    GrammarError,
    Literal,
    Note,
    Position,
    Reference,
    Rule,
    TokenRule,
)
from marrow.grammar.readers.g4_file import Excluded, G4File, parse_g4
from marrow.grammar.readers.predicates import Assumptions
from marrow.grammar.readers.scan import Loader


def _tokens(file: G4File, notes: list[Note]) -> dict[str, TokenRule]:
    """Return the token rules, and one for each name that only a list or a command gives."""
    tokens = dict(file.tokens)
    typed: dict[str, Position] = {}
    for rule in file.tokens.values():
        typed |= dict.fromkeys(rule.arguments(Action.TYPE), rule.position)
        for mode in rule.arguments(Action.MODE, Action.PUSH_MODE):
            if mode not in file.modes:
                message = f"there is no mode {mode}, which {rule.name} changes to."
                advice = f"Add `mode {mode};` and its rules."
                notes.append(Note(rule.position, message, advice, error=True))
    for name, position in {**typed, **file.named_tokens}.items():
        tokens.setdefault(name, TokenRule(name, Characters(()), position=position))
    return tokens


#: The most tokens that `~` or `.` in a parser rule is written out to in place: a choice that the
#: author could have written. Beyond that it can be all the tokens of a language, in many places.
_MOST_INLINE: Final = 8


class RuleLinker:
    """Makes the parser rules of a file."""

    def __init__(self, file: G4File, tokens: dict[str, TokenRule]) -> None:
        self._file: Final = file
        self._tokens: Final = tokens
        #: The text of every token that is just one fixed text.
        self._texts: Final = {
            name: token.body
            for name, token in tokens.items()
            if isinstance(token.body, Literal) and not token.fragment
        }
        self._choices: dict[tuple[frozenset[str], frozenset[str]], Expression] = {}
        self._made: dict[str, Rule] = {}

    def linked(self) -> dict[str, Rule]:
        """Return the parser rules, "any token but" replaced by the tokens.

        A literal is the token of that text, whatever the token's rule says about case.
        """
        cases = {one.text: one.ignore_case for one in reversed(self._texts.values())}

        def change(leaf: Expression) -> Expression:
            match leaf:
                case Excluded():
                    return self._filled(leaf)
                case Literal(text=text) if text in cases:
                    return replace(leaf, ignore_case=cases[text])
                case _:
                    return leaf

        rules = {
            name: Rule(name, map_leaves(rule.body, change), rule.position)
            for name, rule in self._file.rules.items()
        }
        return rules | self._made

    def _filled(self, excluded: Excluded) -> Expression:
        """Return a choice of all tokens but some."""
        texts = self._texts
        names = frozenset(excluded.names)
        without = {*excluded.texts, *(texts[name].text for name in names if name in texts)}
        key = (names, frozenset(without))
        if key not in self._choices:
            known = {literal.text for literal in texts.values()}
            found: list[Expression] = [
                Reference(token.name, excluded.position)
                for token in self._tokens.values()
                if _visible(token)
                and token.name not in names
                and (token.name not in texts or texts[token.name].text not in without)
            ]
            found += [one for text, one in self._literals.items() if text not in known | without]
            self._choices[key] = self._shared(excluded, found)
        return self._choices[key]

    def _shared(self, excluded: Excluded, found: list[Expression]) -> Expression:
        """Return a choice of tokens; a large one as a rule of its own, so that it is there once."""
        if len(found) <= _MOST_INLINE:
            return choice(found) if found else Characters(())
        words = [re.sub(r"\W+", "_", one).strip("_") for one in (*excluded.names, *excluded.texts)]
        name = "not_" + "_or_".join(word or "sign" for word in words[:3]) if words else "any_token"
        while name in self._file.rules or name in self._made:
            name += "_"
        self._made[name] = Rule(name, choice(found), excluded.position, auxiliary=True)
        return Reference(name, excluded.position)

    @cached_property
    def _literals(self) -> dict[str, Literal]:
        """Return the literals of the parser rules: each is a token, also one after `~`."""
        found = {one.text: one for one in within(self._file.rules, Literal)}
        for excluded in within(self._file.rules, Excluded):
            for text in excluded.texts:
                found.setdefault(text, Literal(text, position=excluded.position))
        return found


def _visible(token: TokenRule) -> bool:
    """Whether the parser can meet a token of this name."""
    seen = not token.fragment and not token.hidden and not token.does(Action.MORE)
    return seen and token.type == token.name


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
        message = error_text("lexer_grammar", other=other, name=file.name)
        raise GrammarError(message, Position(name, 1, 1))
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
    file.rules |= other.rules | file.rules
    file.tokens |= other.tokens | file.tokens
    file.named_tokens |= other.named_tokens | file.named_tokens
    file.modes.extend(mode for mode in other.modes if mode not in file.modes)
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
    tokens = _tokens(file, notes)
    called = {name for text in file.calls for name in re.findall(r"[^\W\d]\w*", text)}
    unknown = next((name for name in file.assume if name not in called), None)
    if unknown is not None:
        some = ", ".join(sorted(called - _WORDS)) or "none"
        raise GrammarError(error_text("nothing_to_assume", name=unknown, some=some))
    rules = RuleLinker(file, tokens).linked()
    return Grammar(
        file.name,
        start if start is not None else default_start(rules),
        rules,
        tokens,
        tuple(notes),
        encoding=file.options.get("encoding", "utf-8"),
    )
