"""A strategy is all that a reduction does with a tree: one algorithm, or the pipeline of passes."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from marrow.errors import MarrowError
from marrow.reducers.coarse import coarsely
from marrow.reducers.perses import perses
from marrow.reducers.settings import Settings
from marrow.reducers.slots import Slots
from marrow.reducers.stream import Reducer
from marrow.tree import Tree

#: A reducer and what the user sees it called.
NamedReducer: TypeAlias = tuple[str, Reducer]


class StrategyError(MarrowError, LookupError):
    """There is no such strategy; the message says what there is."""


class Syntax(Slots, Protocol):
    """Everything a strategy asks of a front end."""

    @property
    def name(self) -> str:
        """The language, or what stands for it."""

    @property
    def has_syntax(self) -> bool:
        """Whether there are names and literals."""

    @property
    def pieces(self) -> int:
        """Into how many pieces a coarse front end cuts a large text; 0 if it sees every token."""

    def coarse_view(self, text: bytes, pieces: int) -> Tree | None:
        """Return a text as a tree of about so many pieces; None if it is to be seen as it is."""

    def parse(self, text: bytes) -> Tree:
        """Turn a text into a tree."""

    def compact(self, tree: Tree) -> bytes:
        """Return the text of a tree in the shortest layout that is read as the same."""


class Strategy(Protocol):
    """One algorithm or a whole pipeline, with its settings."""

    @property
    def name(self) -> str:
        """What the user calls it."""

    @property
    def guarantee(self) -> str:
        """What is known of the result."""

    @property
    def signature(self) -> str:
        """The name with all settings: runs with the same one take the same way."""

    @property
    def settings(self) -> Settings:
        """The settings of its algorithms."""

    @property
    def granularity(self) -> str:
        """What it cuts every text into (`lines`), whatever the language; else empty."""

    @property
    def to_fixpoint(self) -> bool:
        """Whether whole rounds, each with new front ends, repeat until one changes nothing."""

    @property
    def thorough(self) -> bool:
        """Whether it also tries what the parser rejects."""

    def reducer_for(self, syntax: Syntax) -> NamedReducer:
        """Return what reduces a tree of a front end that sees every token."""


def reducer_on(syntax: Syntax, strategy: Strategy) -> NamedReducer:
    """Return what a strategy does with a tree of any front end.

    Large texts are reduced in pieces first; that is the same for every strategy.
    """
    if not syntax.pieces:
        return strategy.reducer_for(syntax)
    reducer = perses(syntax, minimize=strategy.settings.minimize)
    return syntax.name, coarsely(reducer, syntax.coarse_view, syntax.pieces)
