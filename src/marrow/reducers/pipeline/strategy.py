"""A strategy is what a reduction does with a tree: one algorithm, or the pipeline of passes."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from marrow.base.errors import MarrowError
from marrow.reducers.algorithms.settings import Settings
from marrow.reducers.streams.slots import Slots
from marrow.reducers.streams.stream import Reducer
from marrow.tree import Tree
from marrow.tree.grammar_tree import TreeAsWritten
from marrow.tree.outline import DeclarationOutline
from marrow.tree.text_part import TextPart

#: A reducer and its name for the user.
NamedReducer: TypeAlias = tuple[str, Reducer]


class StrategyError(MarrowError, LookupError):
    """No strategy has this name or these options; the message says what to choose from."""


class Syntax(Slots, Protocol):
    """Everything a strategy asks of a front end."""

    @property
    def name(self) -> str:
        """The language or granularity."""

    @property
    def model_name(self) -> str:
        """What the removal model of its trees is called."""

    @property
    def has_syntax(self) -> bool:
        """True if there are names and literals."""

    @property
    def pieces(self) -> int:
        """The number of pieces of a large text; 0 if the front end sees every token."""

    def coarse_view(self, text: bytes, pieces: int) -> Tree | None:
        """Return a text as a tree of about so many pieces; None if it is small enough without."""

    @property
    def outlined(self) -> str:
        """The language whose declarations alone it sees; empty if it sees more, or other things."""

    def outline(self, text: bytes) -> DeclarationOutline | None:
        """Return the outline of a text; None if it is small enough without."""

    def definition_parts(self, text: bytes) -> tuple[TextPart, ...]:
        """Return the parts of the definitions in a text that declarations do without."""

    def parse(self, text: bytes) -> Tree:
        """Turn a text into a tree."""

    def normalized(self, form: str) -> Syntax | None:
        """Return the syntax by the grammar in a normal form; None if there is no grammar."""

    def written(self, text: bytes) -> TreeAsWritten | None:
        """Return a text by the rules of its grammar as written; None if there is no grammar."""

    def compact(self, tree: Tree, *, lines: bool = True) -> bytes:
        """Return the text of a tree in the shortest layout that reads the same.

        Without `lines`, line breaks go where they mean nothing.
        """


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
    def granularity(self) -> str:
        """The parts it cuts every text into (`lines`), or empty if it uses the language."""

    @property
    def to_fixpoint(self) -> bool:
        """True if rounds with fresh front ends repeat until one changes nothing."""

    @property
    def coarse_first(self) -> bool:
        """True if what is coarse goes from all files of a set before one is looked at closely."""

    @property
    def thorough(self) -> bool:
        """True if it also tries candidates that the parser rejects."""

    def reducer_for(self, syntax: Syntax) -> NamedReducer:
        """Return the reducer for a front end that sees every token."""

    def closing_for(self, syntax: Syntax) -> NamedReducer | None:
        """Return what is done to the final result, once, if anything."""
