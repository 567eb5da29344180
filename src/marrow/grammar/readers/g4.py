"""Reads ANTLR v4 grammars: puts files together and turns them into the grammar model.

Imports and the token vocabulary are looked up beside the file. Rules of the importing grammar win
over imported ones, as in ANTLR.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Final

from marrow.grammar.model.expressions import fold
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    Action,
    Characters,
    Choice,
    Command,
    Expression,
    Grammar,
    GrammarError,
    Literal,
    Note,
    Position,
    Reference,
    Repeat,
    Rule,
    Sequence,
    TokenRule,
    alternatives,
    parts,
    walk,
)
from marrow.grammar.model.transform import choice, map_leaves, rebuilt
from marrow.grammar.readers.g4_file import Excluded, G4File, G4Token
from marrow.grammar.readers.g4_parse import parse_g4
from marrow.grammar.readers.loader import Loader

#: The most tokens that `~` or `.` in a parser rule is written out to in place: a choice that the
#: author could have written. Beyond that it can be all the tokens of a language, in many places.
_MOST_INLINE: Final = 8

#: Commands that make a token's type or its place in the output irrelevant.
_NO_TOKEN: Final = (Action.SKIP, Action.MORE)


def read_g4(
    text: str,
    name: str,
    start: str | None,
    load: Loader,
    assume: Mapping[str, bool] | None = None,
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
    return _Linker(file).grammar(start)


def _load(
    name: str, position: Position, load: Loader, why: str, assume: Mapping[str, bool]
) -> G4File:
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


class _Linker:
    """Turns a file with all it needs into the model."""

    def __init__(self, file: G4File) -> None:
        self._file = file
        self._notes = list(file.notes)
        self._tokens: dict[str, TokenRule] = {}
        self._holes: dict[str, Expression] = {}
        self._made: dict[str, Rule] = {}

    def grammar(self, start: str | None) -> Grammar:
        """Return the grammar."""
        file = self._file
        if not file.rules:
            raise GrammarError(
                "the grammar has no parser rules. Add one: `name : TOKEN* EOF ;`.",
                Position(file.source, 1, 1),
            )
        self._link_tokens()
        texts = self._token_texts()
        cases: dict[str, bool] = {}
        for literal in texts.values():
            cases.setdefault(literal.text, literal.ignore_case)
        rules = {
            name: Rule(name, self._filled(self._shortened(rule.body), texts, cases), rule.position)
            for name, rule in file.rules.items()
        }
        rules.update(self._made)
        chosen = start if start is not None else default_start(rules)
        self._modes()
        notes = tuple(self._notes)
        return Grammar(
            file.name,
            chosen,
            rules,
            self._tokens,
            notes,
            whole=False,
            indentation=file.options.get("indentation", "").lower() == "true",
            encoding=file.options.get("encoding", "utf-8"),
        )

    # Tokens

    def _link_tokens(self) -> None:
        whole: dict[str, str] = {}
        for token in self._file.tokens.values():
            self._add_token(token, whole)
        for name, token_rule in self._tokens.items():
            body = map_leaves(token_rule.body, lambda leaf: _renamed(leaf, whole))
            self._tokens[name] = replace(token_rule, body=body)
        typed = {
            command.argument: token_rule.position
            for token_rule in self._tokens.values()
            for command in token_rule.commands
            if command.action is Action.TYPE
        }
        for name, position in {**typed, **self._file.named_tokens}.items():
            if name not in self._tokens:
                self._tokens[name] = TokenRule(name, Characters(()), position=position)

    def _add_token(self, token: G4Token, whole: dict[str, str]) -> None:
        """Add a token rule; alternatives with commands of their own become rules of their own."""
        groups: dict[tuple[Command, ...], list[int]] = {}
        for number, commands in enumerate(token.commands):
            groups.setdefault(commands, []).append(number)
        for index, (commands, numbers) in enumerate(groups.items()):
            name = token.name if index == 0 else self._free(f"{token.name}_{index + 1}")
            commands = tuple(
                self._by_name(command) for command in commands if not _is_default_channel(command)
            )
            if index and not any(one.action in (*_NO_TOKEN, Action.TYPE) for one in commands):
                commands = (Command(Action.TYPE, token.name), *commands)
            self._tokens[name] = TokenRule(
                name,
                choice([token.alternatives[number] for number in numbers]),
                token.fragment,
                token.mode,
                commands,
                all(token.guarded[number] for number in numbers),
                token.position,
            )
        if len(groups) > 1:
            name = self._free(f"{token.name}_ANY")
            whole[token.name] = name
            body = choice(token.alternatives)
            self._tokens[name] = TokenRule(
                name, body, fragment=True, mode=token.mode, position=token.position
            )

    def _by_name(self, command: Command) -> Command:
        """Return a command with its mode by name: modes can also be given by their number."""
        modes = self._file.modes
        if command.action in (Action.MODE, Action.PUSH_MODE) and command.argument.isdecimal():
            number = int(command.argument[:9])
            if number < len(modes):
                return replace(command, argument=modes[number])
        return command

    def _free(self, name: str) -> str:
        while name in self._file.tokens or name in self._tokens:
            name += "_"
        return name

    def _token_texts(self) -> dict[str, Literal]:
        """Return the text of every token that is just one fixed text."""
        return {
            token.name: token.body
            for token in self._tokens.values()
            if isinstance(token.body, Literal) and not token.fragment
        }

    def _modes(self) -> None:
        """Say which commands name a mode that is not there."""
        for token in self._tokens.values():
            for command in token.commands:
                if command.action not in (Action.MODE, Action.PUSH_MODE):
                    continue
                if command.argument not in self._file.modes:
                    message = f"there is no mode {command.argument}, which {token.name} changes to."
                    advice = f"Add `mode {command.argument};` and its rules."
                    self._notes.append(Note(token.position, message, advice, error=True))

    # Parser rules

    def _shortened(self, body: Expression) -> Expression:
        """Let `.*?` end at the first token that may follow it, where that loses no text.

        In `'"' .*? '"' | .` whatever is left over after the first closing quote is matched by the
        other alternative. Without this, every opening quote is kept open to the end of the text.
        """
        every = {
            name for name, one in self._file.excluded.items() if not one.names and not one.texts
        }

        def combine(one: Expression, inner: tuple[Expression, ...]) -> Expression:
            catch_all = any(isinstance(each, Reference) and each.name in every for each in inner)
            if isinstance(one, Choice) and catch_all:
                inner = tuple(self._short_alternative(each, every) for each in inner)
            return rebuilt(one, inner) if parts(one) else one

        return fold(body, combine)

    def _short_alternative(self, one: Expression, every: set[str]) -> Expression:
        match one:
            case Sequence(
                items=(
                    *before,
                    Repeat(item=Reference(name=hole, position=position), greedy=False) as loop,
                    (Literal() | Reference()) as last,
                )
            ) if hole in every and not (
                isinstance(last, Reference) and last.name in self._file.rules
            ):
                name = f"{hole}~{len(self._file.excluded)}"
                names = (last.name,) if isinstance(last, Reference) else ()
                texts = (last.text,) if isinstance(last, Literal) else ()
                self._file.excluded[name] = Excluded(position, names, texts)
                shorter = replace(loop, item=Reference(name, position))
                return replace(one, items=(*before, shorter, last))
            case _:
                return one

    def _filled(
        self, body: Expression, texts: dict[str, Literal], cases: dict[str, bool]
    ) -> Expression:
        """Replace what stands for "any token but" by the tokens.

        A literal is the token of that text, whatever the token's rule says about case.
        """

        def change(leaf: Expression) -> Expression:
            match leaf:
                case Reference(name=name) if name in self._file.excluded:
                    return self._hole(self._file.excluded[name], texts)
                case Literal(text=text) if text in cases:
                    return replace(leaf, ignore_case=cases[text])
                case _:
                    return leaf

        return map_leaves(body, change)

    def _hole(self, excluded: Excluded, texts: dict[str, Literal]) -> Expression:
        names = {*excluded.names}
        gone = {*excluded.texts, *(texts[name].text for name in names if name in texts)}
        key = "\0".join(sorted(names)) + "\1" + "\0".join(sorted(gone))
        if key not in self._holes:
            known = {literal.text for literal in texts.values()}
            found: list[Expression] = [
                Reference(token.name, excluded.position)
                for token in self._tokens.values()
                if _visible(token)
                and token.name not in names
                and (token.name not in texts or texts[token.name].text not in gone)
            ]
            found.extend(
                literal
                for text, literal in self._literals.items()
                if text not in known and text not in gone
            )
            self._holes[key] = self._shared(excluded, found)
        return self._holes[key]

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
        """Return the literals of the parser rules: each is a token, also one behind `~`."""
        found = {
            one.text: one
            for rule in self._file.rules.values()
            for one in walk(rule.body)
            if isinstance(one, Literal)
        }
        for excluded in self._file.excluded.values():
            for text in excluded.texts:
                found.setdefault(text, Literal(text, position=excluded.position))
        return found


def _is_default_channel(command: Command) -> bool:
    """Whether a command sends a token where it goes anyway."""
    names = ("0", "DEFAULT_CHANNEL", "DEFAULT_TOKEN_CHANNEL")
    return command.action is Action.CHANNEL and command.argument in names


def _renamed(leaf: Expression, names: dict[str, str]) -> Expression:
    if isinstance(leaf, Reference) and leaf.name in names:
        return replace(leaf, name=names[leaf.name])
    return leaf


def _visible(token: TokenRule) -> bool:
    """Whether the parser can meet a token of this name."""
    other_type = any(
        command.action is Action.MORE
        or (command.action is Action.TYPE and command.argument != token.name)
        for command in token.commands
    )
    return not token.fragment and not token.hidden and not other_type


def _last(body: Expression) -> Iterable[Expression]:
    """Return what may stand at the end of a body, outer groups opened."""
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
