"""A strategy is what a reduction does with a tree: one algorithm, or the pipeline of passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

from marrow.base.errors import MarrowError
from marrow.reducers.algorithms.settings import Settings
from marrow.reducers.streams.stream import Reducer

if TYPE_CHECKING:
    from marrow.syntax.front_end import FrontEnd

#: A reducer and its name for the user.
NamedReducer: TypeAlias = tuple[str, Reducer]


class StrategyError(MarrowError, LookupError):
    """No strategy has this name or these options; the message says what to choose from."""


class Strategy(Protocol):
    """One algorithm or a whole pipeline, with its settings."""

    @property
    def name(self) -> str:
        """The name for the user."""

    @property
    def guarantee(self) -> str:
        """The property that the result is known to have."""

    @property
    def signature(self) -> str:
        """The name with all settings; runs with the same signature make the same attempts."""

    @property
    def settings(self) -> Settings:
        """The settings of its algorithms."""

    @property
    def uses(self) -> frozenset[str]:
        """The names of the settings that make a difference to it."""

    @property
    def needs_grammar(self) -> bool:
        """Whether it works on trees of a grammar alone."""

    @property
    def granularity(self) -> str:
        """The parts it cuts every text into (`lines`), or empty if it uses the language."""

    @property
    def to_fixpoint(self) -> bool:
        """True if rounds with fresh front ends repeat until one changes nothing."""

    @property
    def coarse_first(self) -> bool:
        """True if what is coarse goes from all files of a set before one is looked at closely."""

    @property
    def by_relations(self) -> bool:
        """True if a text without a parser is reduced by its counts, indices and lengths first."""

    @property
    def one_file(self) -> bool | None:
        """Whether files are joined to one: also where that does not pay, or never (False)."""

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The names of files that change together."""

    @property
    def thorough(self) -> bool:
        """True if it also tries candidates that the parser rejects."""

    def reducer_for(self, syntax: FrontEnd) -> NamedReducer:
        """Return the reducer for a front end that sees every token."""

    def closing_for(self, syntax: FrontEnd) -> NamedReducer | None:
        """Return what is done to the final result, once, if anything."""
