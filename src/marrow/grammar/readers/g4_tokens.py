"""The tokens of an ANTLR v4 grammar: lexer rules as the model has them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from marrow.grammar.model.rules import (
    ALWAYS,
    NEVER,
    Action,
    Characters,
    Command,
    Expression,
    Literal,
    Note,
    Reference,
    TokenRule,
    Ways,
    both,
    walk,
)
from marrow.grammar.model.transform import choice, map_leaves
from marrow.grammar.readers.g4_file import G4File, G4Token
from marrow.grammar.readers.predicates import Meaning, add_note, meaning, with_modes

#: Commands that make a token's type or its place in the output irrelevant.
_NO_TOKEN: Final = (Action.SKIP, Action.MORE)


def linked_tokens(file: G4File, notes: list[Note]) -> dict[str, TokenRule]:
    """Return the token rules of a file; what there is to say about them goes to `notes`."""
    return _TokenLinker(file, notes).linked()


class _TokenLinker:
    def __init__(self, file: G4File, notes: list[Note]) -> None:
        self._file: Final = file
        self._notes: Final = notes
        self._tokens: dict[str, TokenRule] = {}
        self._places: dict[str, Ways] = {}

    def linked(self) -> dict[str, TokenRule]:
        whole: dict[str, str] = {}
        for token in self._file.tokens.values():
            self._add_token(token, whole)
        for name, token_rule in self._tokens.items():
            body = map_leaves(token_rule.body, lambda leaf: _renamed(leaf, whole))
            self._tokens[name] = replace(token_rule, body=body)
        self._modes()
        tokens = with_modes(self._tokens, self._places, self._literals())
        typed = {
            command.argument: token_rule.position
            for token_rule in tokens.values()
            for command in token_rule.commands
            if command.action is Action.TYPE
        }
        for name, position in {**typed, **self._file.named_tokens}.items():
            if name not in tokens:
                tokens[name] = TokenRule(name, Characters(()), position=position)
        return tokens

    def _add_token(self, token: G4Token, whole: dict[str, str]) -> None:
        """Add a token rule; alternatives with commands of their own become rules of their own."""
        groups: dict[tuple[tuple[Command, ...], Ways], list[int]] = {}
        known = [self._meaning(token, number) for number in range(len(token.alternatives))]
        bodies = [
            Characters(()) if one.ways == NEVER else body
            for one, body in zip(known, token.alternatives, strict=True)
        ]
        for number, commands in enumerate(token.commands):
            ways = known[number].ways or ALWAYS
            groups.setdefault((commands, ways), []).append(number)
        for index, ((commands, ways), numbers) in enumerate(groups.items()):
            name = token.name if index == 0 else self._free(f"{token.name}_{index + 1}")
            commands = tuple(
                self._by_name(command) for command in commands if not _is_default_channel(command)
            )
            if index and not any(one.action in (*_NO_TOKEN, Action.TYPE) for one in commands):
                commands = (Command(Action.TYPE, token.name), *commands)
            if ways != ALWAYS:
                self._places[name] = ways
            self._tokens[name] = TokenRule(
                name,
                choice([bodies[number] for number in numbers]),
                token.fragment,
                token.mode,
                commands,
                all(known[number].unknown for number in numbers),
                token.position,
            )
        if len(groups) > 1:
            name = self._free(f"{token.name}_ANY")
            whole[token.name] = name
            self._tokens[name] = TokenRule(
                name, choice(bodies), fragment=True, mode=token.mode, position=token.position
            )

    def _meaning(self, token: G4Token, number: int) -> Meaning:
        """Return when an alternative matches, by its predicates."""
        ways, unknown = ALWAYS, False
        for text in token.predicates[number]:
            found = meaning(text, self._file.assume)
            found = found.anywhere if token.fragment else found
            add_note(self._notes, found, text, token.name, token.position)
            ways, unknown = both(ways, found.ways), unknown or found.unknown
        return Meaning(ways, unknown)

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

    def _literals(self) -> list[Literal]:
        """Return the literals of parser rules, which are tokens without a rule of their own."""
        named = {
            token.body
            for token in self._tokens.values()
            if isinstance(token.body, Literal) and not token.fragment
        }
        return [
            one
            for rule in self._file.rules.values()
            for one in walk(rule.body)
            if isinstance(one, Literal) and one.text and one not in named
        ]

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


def _is_default_channel(command: Command) -> bool:
    """Whether a command sends a token where it goes anyway."""
    names = ("0", "DEFAULT_CHANNEL", "DEFAULT_TOKEN_CHANNEL")
    return command.action is Action.CHANNEL and command.argument in names


def _renamed(leaf: Expression, names: dict[str, str]) -> Expression:
    if isinstance(leaf, Reference) and leaf.name in names:
        return replace(leaf, name=names[leaf.name])
    return leaf
