"""The content of one `.g4` file, before imports and token vocabularies are put together."""

from __future__ import annotations

from dataclasses import dataclass, field

from marrow.grammar.model.rules import (
    DEFAULT_MODE,
    Command,
    Expression,
    Note,
    Position,
)
from marrow.grammar.readers.predicates import Assumptions


@dataclass(frozen=True, slots=True)
class Excluded:
    """`~` or `.` in a parser rule: any token but these. Known only once all tokens are."""

    position: Position
    names: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class G4Predicate:
    """A predicate in a parser rule: its code. What it means is known only once all tokens are."""

    text: str
    rule: str
    position: Position


@dataclass(frozen=True, slots=True)
class G4Token:
    """A lexer rule: its alternatives, each with its own commands and predicates."""

    name: str
    alternatives: tuple[Expression, ...]
    commands: tuple[tuple[Command, ...], ...]
    predicates: tuple[tuple[str, ...], ...]
    fragment: bool
    mode: str
    position: Position


@dataclass(frozen=True, slots=True)
class G4Rule:
    """A parser rule."""

    name: str
    body: Expression
    position: Position


@dataclass(slots=True)
class G4File:
    """A grammar file. `kind` is "lexer", "parser", or empty for a combined grammar."""

    name: str
    kind: str
    source: str
    options: dict[str, str] = field(default_factory=dict)
    imports: list[tuple[str, Position]] = field(default_factory=list)
    vocabulary: tuple[str, Position] | None = None
    named_tokens: dict[str, Position] = field(default_factory=dict)
    rules: dict[str, G4Rule] = field(default_factory=dict)
    tokens: dict[str, G4Token] = field(default_factory=dict)
    modes: list[str] = field(default_factory=lambda: [DEFAULT_MODE])
    excluded: dict[str, Excluded] = field(default_factory=dict)
    predicates: dict[str, G4Predicate] = field(default_factory=dict)
    #: The code of every predicate, also of those that were judged where they stand.
    calls: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    #: What the user says about predicates, by the names of the calls in them.
    assume: Assumptions = field(default_factory=dict)
