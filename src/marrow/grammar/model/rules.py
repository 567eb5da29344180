"""The grammar model: named rules over sequences, choices, quantifiers, literals and characters.

One model for every notation that marrow reads. A grammar has *rules* (nonterminals), whose bodies
refer to rules, to tokens and to literals, and *token rules*, whose bodies are regular expressions
over characters (references in them are to other token rules, mostly fragments). A grammar without
token rules is scannerless: its terminals are single characters.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from marrow.base.errors import MarrowError

#: The highest code point, for complements of character sets.
LAST_CHARACTER: Final = 0x10FFFF

#: The reference that means the end of the input.
END_OF_INPUT: Final = "EOF"

#: The lexer mode that lexing starts in.
DEFAULT_MODE: Final = "DEFAULT_MODE"


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a grammar file; lines and columns count from 1."""

    source: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"


NOWHERE: Final = Position("<made by marrow>", 0, 0)


@dataclass(frozen=True, slots=True)
class Literal:
    """A fixed text. In a rule it is a token of its own, in a token rule a part of one."""

    text: str
    ignore_case: bool = False
    position: Position = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Characters:
    """One character out of a set, given as sorted, disjoint, inclusive ranges of code points."""

    ranges: tuple[tuple[int, int], ...]
    position: Position = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Reference:
    """The name of a rule, of a token rule, or `EOF`."""

    name: str
    position: Position = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Sequence:
    """Expressions one after the other; the empty sequence is ε.

    `right` marks an alternative that associates to the right (ANTLR's `<assoc=right>`).
    """

    items: tuple[Expression, ...]
    right: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives; where several match, the earlier one is preferred and binds tighter."""

    alternatives: tuple[Expression, ...]


class Quantifier(enum.Enum):
    """The number of times that an expression may be repeated."""

    STAR = "*"
    PLUS = "+"
    OPTIONAL = "?"


@dataclass(frozen=True, slots=True)
class Repeat:
    """A quantified expression. `greedy` is false for `*?`, `+?` and `??` in token rules."""

    item: Expression
    quantifier: Quantifier
    greedy: bool = True


Expression: TypeAlias = Literal | Characters | Reference | Sequence | Choice | Repeat

EPSILON: Final = Sequence(())


@dataclass(frozen=True, slots=True)
class Rule:
    """A nonterminal and its body.

    `auxiliary` rules were made by a transformation: users are never shown their names as the name
    of a pattern's hole; `origin` is the author's rule that such a rule came from.
    """

    name: str
    body: Expression
    position: Position = field(default=NOWHERE, compare=False)
    auxiliary: bool = False
    origin: str = ""


class Action(enum.Enum):
    """An action of the lexer when a token rule has matched, besides making the token."""

    SKIP = "skip"
    MORE = "more"
    MODE = "mode"
    PUSH_MODE = "pushMode"
    POP_MODE = "popMode"
    TYPE = "type"
    CHANNEL = "channel"


@dataclass(frozen=True, slots=True)
class Command:
    """A lexer command, with its argument where it has one (a mode, type or channel)."""

    action: Action
    argument: str = ""


@dataclass(frozen=True, slots=True)
class TokenRule:
    """A token and the characters it is made of.

    The longest match wins, then the earlier rule. A `guarded` rule had a predicate in front, which
    marrow does not evaluate: it loses ties. A token that is skipped or sent to a hidden channel is
    part of the layout (`hidden`).
    """

    name: str
    body: Expression
    fragment: bool = False
    mode: str = DEFAULT_MODE
    commands: tuple[Command, ...] = ()
    guarded: bool = False
    position: Position = field(default=NOWHERE, compare=False)

    @property
    def hidden(self) -> bool:
        """Whether the parser never sees this token."""
        channels = self.arguments(Action.CHANNEL)
        return self.does(Action.SKIP) or any(one != "DEFAULT_TOKEN_CHANNEL" for one in channels)

    @property
    def type(self) -> str:
        """The name that the parser knows the token by, which a command may have changed."""
        return (self.name, *self.arguments(Action.TYPE))[-1]

    def does(self, *actions: Action) -> bool:
        """Whether the rule has a command with one of some actions."""
        return any(command.action in actions for command in self.commands)

    def arguments(self, *actions: Action) -> list[str]:
        """Return the arguments of the commands with some actions."""
        return [command.argument for command in self.commands if command.action in actions]


@dataclass(frozen=True, slots=True)
class Note:
    """Something about a grammar that its author should know; `advice` says what to do.

    `predicate` is the one that the note is about, and its rule: `isType() in name`.
    """

    position: Position
    message: str
    advice: str = ""
    error: bool = False
    predicate: str = ""

    def __str__(self) -> str:
        kind = "error" if self.error else "note"
        advice = f" {self.advice}" if self.advice else ""
        return f"{self.position}: {kind}: {self.message}{advice}"


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar. Rules and token rules keep the order in which they were written.

    `encoding` is that of the texts.
    """

    name: str
    start: str
    rules: Mapping[str, Rule]
    tokens: Mapping[str, TokenRule] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    encoding: str = "utf-8"

    @property
    def scannerless(self) -> bool:
        """Whether the terminals are single characters, for lack of token rules."""
        return not self.tokens


class GrammarError(MarrowError, ValueError):
    """A grammar that cannot be used; the message says where, what is wrong and what to do."""

    def __init__(self, message: str, position: Position = NOWHERE) -> None:
        super().__init__(f"{position}: {message}" if position is not NOWHERE else message)
        self.position = position


def parts(expression: Expression) -> tuple[Expression, ...]:
    """Return the expressions directly inside an expression."""
    match expression:
        case Sequence(items=items):
            return items
        case Choice(alternatives=alternatives):
            return alternatives
        case Repeat(item=item):
            return (item,)
        case _:
            return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """Walk an expression and everything inside it, outer ones first."""
    stack = [expression]
    while stack:
        one = stack.pop()
        yield one
        stack.extend(reversed(parts(one)))


def bare(expression: Expression) -> Expression:
    """Return what is in sequences and choices of one."""
    while isinstance(expression, Sequence | Choice) and len(parts(expression)) == 1:
        expression = parts(expression)[0]
    return expression


def alternatives(expression: Expression) -> tuple[Expression, ...]:
    """Return the alternatives of a rule's body; any body but a choice has one."""
    return expression.alternatives if isinstance(expression, Choice) else (expression,)
