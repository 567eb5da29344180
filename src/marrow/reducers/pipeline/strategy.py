"""A strategy is what a reduction does with a tree: one algorithm, or the pipeline of passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Protocol, TypeAlias, cast

from marrow.base.errors import MarrowError
from marrow.learn.model import load_model
from marrow.reducers.algorithms.perses import perses
from marrow.reducers.algorithms.settings import Settings
from marrow.reducers.passes.pass_context import PassContext, PassOptions
from marrow.reducers.passes.small_nodes import Stock
from marrow.reducers.pipeline.batched_pass import batching_pays, in_batches
from marrow.reducers.pipeline.coarse import coarsely
from marrow.reducers.pipeline.line_markers import without_markers
from marrow.reducers.pipeline.top_levels import top_levels
from marrow.reducers.slicing.definitions import Declaring
from marrow.reducers.slicing.outline_reduction import far_view, page_cuts
from marrow.reducers.slicing.slices import on_outlines, slices
from marrow.reducers.slicing.user_code_slice import slice_of_page
from marrow.reducers.streams.slots import Slots
from marrow.reducers.streams.stream import (
    Done,
    FewFailures,
    Reducer,
    Stream,
    in_turn,
    on,
    while_it_pays,
)
from marrow.reducers.together.files import FileTrees, files_together
from marrow.reducers.together.together import together
from marrow.tree import Tree
from marrow.tree.grammar_tree import TreeAsWritten
from marrow.tree.outline import DeclarationOutline
from marrow.tree.text_part import TextPart

# After so many failures in a row a page is left for later, when its tests are cheap: a list or two
# of some statements of which none goes.
_PATIENCE: Final = 20

# The same for things that go together on it, which are few.
_PATIENCE_TOGETHER: Final = 8

# Parts of definitions that promise less of a file than this share, or fewer tokens than this, wait
# until it is looked at closely.
_PROMISE: Final = 0.02
_PROMISED_TOKENS: Final = 60

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


def reducer_on(syntax: Syntax, strategy: Strategy, level: str = "") -> NamedReducer:
    """Return the reducer of a strategy for any front end.

    Large texts are reduced in slices first, then in pieces, in the same way for every strategy. A
    portion of a `level` has its definitions made declarations (`definitions`), its outermost lists
    reduced (`top`), its tree (`tree`; as a `page`, as long as that pays), what goes `together` on
    it taken away, line markers taken out (`markers`), or slices of it tried (`slices`; as
    `statements`, those of a page), or what its last page does without cut (`cuts`), or `files` go
    from a set with their `mentions`, and no more.
    """
    if level in ("files", "mentions"):
        names = level == "mentions"
        return syntax.name, files_together(cast("FileTrees", syntax), names=names)
    if level == "markers":
        return syntax.name, without_markers
    if syntax.outlined:
        if level == "statements":
            return syntax.name, on_outlines(syntax.outline, slice_of_page(syntax.outlined))
        if level == "slices":
            return syntax.name, slices(syntax.outline, syntax.outlined)
        if level == "cuts":
            return syntax.name, page_cuts(syntax.outline, syntax.outlined)
        return syntax.name, far_view(syntax.outline, syntax.outlined, syntax.definition_parts)
    if not syntax.pieces:
        if level == "definitions":
            return "declarations", partial(_declared, syntax.definition_parts)
        if level == "top":
            return "top-levels", top_levels(strategy.settings.minimize)
        if level in ("tree", "page"):
            settings = strategy.settings
            whole = perses(syntax, bound=settings.bound, minimize=settings.minimize)
            paced = while_it_pays(whole, FewFailures(_PATIENCE))
            return "perses", paced if level == "page" else _batches_first(syntax, settings, whole)
        if level == "together":
            return "together", while_it_pays(_together(syntax), FewFailures(_PATIENCE_TOGETHER))
        return strategy.reducer_for(syntax)
    reducer = perses(syntax, minimize=strategy.settings.minimize)
    return syntax.name, coarsely(reducer, syntax.coarse_view, syntax.pieces)


def _together(syntax: Syntax) -> Reducer:
    """Return the pass that takes things away that go together, on a page of its own."""

    def run(tree: Tree, done: Done) -> Stream | None:
        stock, options = Stock(tree, syntax), PassOptions(language=syntax.name)
        return together(PassContext(syntax, syntax.parse, syntax.compact, stock, options))(
            tree, done
        )

    return run


def _batches_first(syntax: Syntax, settings: Settings, reducer: Reducer) -> Reducer:
    """Return a reducer with type batching in front of it, where a tree is large enough."""
    model = settings.model or load_model(syntax.model_name)
    batches = in_batches(syntax, replace(settings, model=model))
    both = in_turn(batches, on(lambda tree: syntax.parse(tree.text), reducer))
    return lambda tree, done: (both if batching_pays(tree) else reducer)(tree, done)


def _declared(
    parts: Callable[[bytes], Sequence[TextPart]], tree: Tree, done: Done
) -> Stream | None:
    """Make declarations of the definitions in one file of a set."""
    least = max(_PROMISE, _PROMISED_TOKENS / max(1, tree.token_count))
    return Declaring(tree, parts(tree.text), lambda after, _: done(after), least).run()
