"""Plain productions without ε, and how each of them becomes nodes of a tree."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from marrow.grammar.model.rules import Ways
from marrow.tree.node import Branch, Kind

#: The terminal that stands behind the last token.
END_TERMINAL: Final = 0

#: The child of an entry that has none: what stands there derives the empty text.
ABSENT: Final = -1


class Shape(enum.Enum):
    """The form that a production takes in the tree."""

    NODE = "node"  # a regular node
    SPLICE = "splice"  # no node of its own: its children belong to the node above
    TOKEN = "token"  # one token, spelled by the characters below (scannerless grammars)


@dataclass(frozen=True, slots=True)
class Entry:
    """One child, as the author wrote the rule, and where it is among the production's symbols.

    A child may be wrapped in a quantifier node. `token` is the symbol of the child if it is a
    token; `empty` says what is shown if the child is absent.
    """

    child: int
    slot: str
    token: str = ""
    wrap: Kind | None = None
    wrap_name: str = ""
    wrap_slot: str = ""
    empty: int = -1


#: What must hold before symbols of a production, by their numbers; behind the last one, too.
Guards: TypeAlias = tuple[tuple[int, Ways], ...]


@dataclass(frozen=True, slots=True)
class Production:
    """A production. Among those of one symbol the lower `alternative` is preferred.

    Productions of the same alternative differ in which children are absent, and in inlined
    choices; `option` numbers them.
    """

    left: int
    right: tuple[int, ...]
    alternative: int
    option: int
    shape: Shape
    name: str
    entries: tuple[Entry, ...]
    guards: Guards = ()


@dataclass(frozen=True, slots=True)
class Bnf:
    """A grammar in plain productions.

    Symbols are numbers, terminals first. A symbol in `groups` stands on right sides for any of
    several others: the variants of a rule that precedence tells apart. `starts` has the symbol of
    every rule, and `empties` the nodes of what is absent. `units` says which symbols may stand in a
    slot by themselves.
    """

    terminals: tuple[str, ...]
    names: tuple[str, ...]
    productions: tuple[Production, ...]
    starts: Mapping[str, int]
    groups: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    empties: Mapping[int, tuple[Branch, ...]] = field(default_factory=dict)
    empty_rules: Mapping[str, Branch] = field(default_factory=dict)
    units: Mapping[str, frozenset[str]] = field(default_factory=dict)
