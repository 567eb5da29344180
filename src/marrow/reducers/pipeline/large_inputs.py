"""The stages of a reduction, in order: the strategy for large texts and for sets of files.

A stage is an object that says which tree it works on, when it applies, and its reducer, which knows
when to give up. A small text has one stage, `EVERYTHING`. A large one first loses what can be seen
from afar, in a few tests each on much of it: `MARKERS` and `STATEMENTS` once, then `ROUND` as long
as that pays. A set of files loses whatever is coarse in all files before any file is reduced to the
end.

`Schedule` turns the stages into steps: pairs of a stage and the portion of the input to reduce.
Views (`marrow.syntax.views`, `marrow.syntax.file_set`) know the portions, and leave the order to
it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias, cast

from marrow.learn.model import load_model
from marrow.reducers.algorithms.perses import perses
from marrow.reducers.algorithms.prepare import flatten
from marrow.reducers.coupled.coupled_edits import coupled_edits
from marrow.reducers.coupled.file_sets import FileTrees, file_deletion, lockstep
from marrow.reducers.coupled.one_file import fewer_files, one_file
from marrow.reducers.passes.pass_context import PassContext, PassOptions, Stock
from marrow.reducers.pipeline.coarse_reducers import (
    batching_pays,
    coarsely,
    in_batches,
    without_markers,
)
from marrow.reducers.relations.reduce_relations import relations
from marrow.reducers.slicing.definitions import DefinitionReducer
from marrow.reducers.slicing.outline_reduction import page_cuts, reduce_outline
from marrow.reducers.slicing.slices import on_outlines, slices
from marrow.reducers.slicing.user_code_slice import slice_user_code
from marrow.reducers.streams.stream import (
    Done,
    FewAttempts,
    FewFailures,
    Reducer,
    Stream,
    in_turn,
    on,
    while_it_pays,
)
from marrow.tree import Tree
from marrow.tree.order import Order

if TYPE_CHECKING:
    from marrow.reducers.pipeline.algorithm_table import NamedReducer
    from marrow.reducers.pipeline.pipeline import Strategy
    from marrow.syntax.file_set import FileSetView, MentionsFrontEnd
    from marrow.syntax.front_end import FrontEnd
    from marrow.syntax.portion import Portion
    from marrow.syntax.views import FileView

# A round on a large text is repeated if it left at most this share of the bytes; and the text is
# sliced again within a round if that much is left of its last page.
_PAYS: Final = 0.9

# While more than this share of a text is left, nothing of note is deleted: the page waits until the
# outline is reduced. One test of the outline may take half of the text, one on the page a token.
_UNTOUCHED: Final = 0.95

# While more bytes than this are left, a stage of the page has this many attempts: its three stages
# took 46 tests on cpp-deleted and 52 on cpp-iterator for a hundredth of 0.8 MB (docs/lab/large.md).
_MUCH: Final = 500_000
_BRIEF: Final = 7

# After this many failures in a row a page waits until its tests are cheap: enough for a list or two
# of statements that all stay.
_PATIENCE: Final = 20

# The same for coupled edits on it, of which there are few.
_COUPLED_PATIENCE: Final = 8

# Parts of definitions that promise less of a file than this share, or fewer tokens than this, wait
# until the file is reduced to the end.
_PROMISE: Final = 0.02
_PROMISED_TOKENS: Final = 60

#: Returns the best input so far.
Best: TypeAlias = Callable[[], bytes]

#: Makes the reducer of a stage for the front end of its tree.
MakeReducer: TypeAlias = "Callable[[FrontEnd, Strategy], NamedReducer]"

#: A stage, and what to reduce in it.
Step: TypeAlias = "tuple[ReductionStage, Portion]"


@dataclass(frozen=True, slots=True)
class ReductionStage:
    """A stage: its name, and how its reducer is made for a front end.

    One that `repeats` runs to a fixpoint, with fresh front ends each time.
    """

    name: str
    make: MakeReducer
    repeats: bool = False
    #: What is smaller, if the stage has an order of its own.
    order: Order | None = None


# -- Reducers of stages ---------------------------------------------------------------------------


def _any_size(make: MakeReducer) -> MakeReducer:
    """Reduce the outline of a large text, then coarse pieces of it, then what `make` says.

    The same for every strategy. A text that is not large has empty trees of the first two kinds.
    """

    def made(syntax: FrontEnd, strategy: Strategy) -> NamedReducer:
        if syntax.outlined:
            return _outline(syntax, strategy)
        if syntax.pieces:
            reducer = perses(syntax, minimize=strategy.settings.minimize)
            return syntax.name, coarsely(reducer, syntax.coarse_view, syntax.pieces)
        return make(syntax, strategy)

    return made


def _outline(syntax: FrontEnd, _: Strategy) -> NamedReducer:
    return syntax.name, reduce_outline(syntax.outline, syntax.outlined, syntax.definition_parts)


def _statements(syntax: FrontEnd, _: Strategy) -> NamedReducer:
    return syntax.name, on_outlines(syntax.outline, slice_user_code(syntax.outlined))


def _page(syntax: FrontEnd, strategy: Strategy) -> NamedReducer:
    return "perses", while_it_pays(_perses(syntax, strategy), FewFailures(_PATIENCE))


def _coupled(syntax: FrontEnd, _: Strategy) -> NamedReducer:
    """Make coupled edits on a page by itself."""

    def run(tree: Tree, done: Done) -> Stream | None:
        stock, options = Stock(tree, syntax), PassOptions(language=syntax.name)
        context = PassContext(syntax, syntax.parse, syntax.compact, stock, options)
        return coupled_edits(context)(tree, done)

    return "together", while_it_pays(run, FewFailures(_COUPLED_PATIENCE))


def _files(*, names: bool) -> MakeReducer:
    return lambda syntax, _: (syntax.name, file_deletion(cast("FileTrees", syntax), names=names))


def _joins(*, detours: bool) -> MakeReducer:
    def made(syntax: FrontEnd, strategy: Strategy) -> NamedReducer:
        wanted, files = strategy.one_file is True, cast("FileTrees", syntax)
        return "one file", one_file(files, wanted=wanted, detours=detours)

    return made


def _in_lockstep(first: str, second: str) -> ReductionStage:
    def made(syntax: FrontEnd, strategy: Strategy) -> NamedReducer:
        files = cast("MentionsFrontEnd", syntax)

        def reducer(name: str) -> Reducer:
            return on(flatten, _perses(files.front_of(name), strategy))

        return "lockstep", lockstep(files, first, second, reducer)

    return ReductionStage("lockstep", made)


def _definitions(syntax: FrontEnd, _: Strategy) -> NamedReducer:
    """Turn the definitions in one file of a set into declarations."""

    def run(tree: Tree, done: Done) -> Stream | None:
        least = max(_PROMISE, _PROMISED_TOKENS / max(1, tree.token_count))
        parts = syntax.definition_parts(tree.text)
        return DefinitionReducer(tree, parts, lambda after, _: done(after), least).run()

    return "declarations", run


def _file_tree(syntax: FrontEnd, strategy: Strategy) -> NamedReducer:
    """Run Perses, after type batching where a tree is large enough."""
    settings, reducer = strategy.settings, _perses(syntax, strategy)
    model = settings.model or load_model(syntax.model_name)
    batches = in_batches(syntax, replace(settings, model=model))
    both = in_turn(batches, on(lambda tree: syntax.parse(tree.text), reducer))
    return "perses", lambda tree, done: (both if batching_pays(tree) else reducer)(tree, done)


def _perses(syntax: FrontEnd, strategy: Strategy) -> Reducer:
    settings = strategy.settings
    return perses(syntax, bound=settings.bound, minimize=settings.minimize)


#: The whole strategy, on a text or a file; the only stage of a small input.
EVERYTHING: Final = ReductionStage(
    "everything", _any_size(lambda syntax, strategy: strategy.reducer_for(syntax)), repeats=True
)


# -- Large texts ----------------------------------------------------------------------------------


@dataclass(slots=True)
class LargeText:
    """How far the reduction of a large text has come.

    Its last page is likely to be the user's own. `page` is how many bytes it has, `start` where it
    begins, `page_then` how many it had when the text was last sliced. `statements_known`: the
    output of the test pointed to statements of the page, and the rest of the page could go.
    """

    portions: FileView
    best: Best
    page: int
    start: int | None = None
    page_then: int = 0
    statements_known: bool = False

    @property
    def unsliced(self) -> bool:
        """Whether there is a page of which nobody knows the statements that matter."""
        return self.start is not None and not self.statements_known

    def see_page(self) -> Portion:
        """Return the page, down to every token."""
        return self.portions.page(self.best(), self.start or 0)

    def steps(self, stage: LargeTextStage) -> Iterator[Step]:
        """Yield a stage, if it applies; then find the page again, which has moved or changed."""
        portion = stage.sees(self) if stage.applies(self) else None
        if portion is None:
            return
        before = self.best()
        yield stage, portion
        text = self.best()
        if stage.on_page:
            self.page = len(text) - (self.start or 0)
        elif stage.cuts_page:
            self.start = _page_by_words(text, before[self.start :])
        else:
            self.start = self.portions.page_start(text, self.page)
            self.page_then = 0 if self.start is None else len(text) - self.start


_WORD: Final = re.compile(rb"\w+|[^\w\s]")


def _page_by_words(text: bytes, page: bytes) -> int:
    """Match the words of the page as it was, from the end up: parts of it may be deleted."""
    words, start = _WORD.findall(page), len(text)
    for found in reversed(list(_WORD.finditer(text, max(0, len(text) - len(page))))):
        while words and words[-1] != found[0]:
            words.pop()
        if not words:
            break
        words.pop()
        start = found.start()
    return start


@dataclass(frozen=True, slots=True)
class LargeTextStage(ReductionStage):
    """A stage of a large text: `sees` gives its tree, `applies` says when it is worth a look."""

    sees: Callable[[LargeText], Portion | None] = lambda at: at.portions.outlined(
        at.best(), at.page
    )
    applies: Callable[[LargeText], bool] = lambda at: at.start is not None
    #: Whether it changes the last page alone, or what comes before it and parts of it.
    on_page: bool = False
    cuts_page: bool = False
    #: Whether it takes little in a test: it waits while nothing of note is deleted.
    fine: bool = False


#: The first stage of a large text: its line markers are deleted.
MARKERS: Final = ReductionStage("markers", lambda syntax, _: (syntax.name, without_markers))

#: Then statements of the last page that the output of the test does not point to.
STATEMENTS: Final = LargeTextStage(
    "statements",
    _statements,
    sees=lambda at: at.portions.page_outlined(at.best(), at.start or 0),
    on_page=True,
)

_SLICES: Final = LargeTextStage(
    "slices",
    lambda syntax, _: (syntax.name, slices(syntax.outline, syntax.outlined)),
    applies=lambda _: True,
)

#: A round on a large text. What is deleted from the last page frees much of what it depends on: a
#: statement may be the only one that needs a header. Once the statements that matter are known, the
#: rest of the page waits until what they do not need is deleted.
ROUND: Final = (
    _SLICES,
    LargeTextStage(
        "cuts",
        lambda syntax, _: (syntax.name, page_cuts(syntax.outline, syntax.outlined)),
        applies=lambda at: at.unsliced,
        cuts_page=True,
        fine=True,
    ),
    LargeTextStage(
        "page",
        _page,
        sees=LargeText.see_page,
        applies=lambda at: at.unsliced,
        on_page=True,
        fine=True,
    ),
    LargeTextStage("coupled edits", _coupled, sees=LargeText.see_page, on_page=True),
    # So much of the page was deleted that the rest may depend on less.
    replace(_SLICES, applies=lambda at: at.start is not None and at.page <= _PAYS * at.page_then),
    LargeTextStage("outline", _outline, applies=lambda _: True),
)


# -- Sets of files --------------------------------------------------------------------------------

#: Without bodies, few files mention others: this comes first, once.
DEFINITIONS: Final = ReductionStage("definitions", _any_size(_definitions))

#: Files go with what mentions them in others, then with the names that they declare, too.
FILES: Final = ReductionStage("files", _files(names=False))
MENTIONS: Final = ReductionStage("mentions", _files(names=True))

#: Files are joined to one; over larger texts only when nothing else can be deleted from them.
JOINS: Final = ReductionStage("one file", _joins(detours=False), order=fewer_files)
LATE_JOINS: Final = ReductionStage("one file", _joins(detours=True), order=fewer_files)

#: Each of several files, before one is reduced to the end.
TREES: Final = ReductionStage("trees", _any_size(_file_tree))


#: A key that no other turn has, a stage, and what to reduce in it.
_Turn: TypeAlias = "tuple[str, ReductionStage, Callable[[bytes], Portion | None]]"


@dataclass(frozen=True, slots=True)
class Schedule:
    """The order of the stages; one that is not `coarse_first` has `EVERYTHING` alone."""

    coarse_first: bool = True
    #: Whether a text without a parser is reduced by its relations first.
    by_relations: bool = False
    #: Whether files may be joined to one.
    joins: bool = True
    #: The names of files that change together.
    pairs: tuple[tuple[str, str], ...] = ()
    #: The whole strategy, for views that have their own order.
    everything: ClassVar[ReductionStage] = EVERYTHING

    def of_text(self, portions: FileView, best: Best) -> Iterator[Step]:
        """Yield the stages of a text, each with what to reduce."""
        if self.coarse_first and portions.is_large(best()):
            yield from self._large_text(portions, best)
        if not (self.by_relations and portions.is_plain):
            yield EVERYTHING, portions.whole(best())
            return
        reducer, settled = relations(best()), None
        stage = ReductionStage("relations", lambda _, __: ("relations", reducer))
        while True:
            yield stage, portions.one_piece(best())
            if best() == settled:
                return
            yield EVERYTHING, portions.whole(best())
            settled = best()

    def _large_text(self, portions: FileView, best: Best) -> Iterator[Step]:
        at = LargeText(portions, best, portions.page_length)
        if portions.has_markers(best()):
            yield MARKERS, portions.one_piece(best())
            at.start = len(best()) - at.page
        else:
            at.start = portions.page_start(best(), at.page)
        unsliced = len(best())
        yield from at.steps(STATEMENTS)
        at.statements_known = len(best()) < unsliced
        whole, before = len(best()), None
        while before is None or len(best()) <= _PAYS * before:
            before = len(best())
            sliced, *others = ROUND
            yield from at.steps(sliced)
            if len(best()) > _UNTOUCHED * whole:
                others.sort(key=lambda one: one.fine)
            for stage in others:
                brief = (stage.fine or stage.on_page) and len(best()) > _MUCH
                yield from at.steps(_briefly(stage) if brief else stage)
            at.statements_known = False

    def of_files(self, portions: FileSetView, best: Best) -> Iterator[Step]:
        """Yield the stages of a set of files, until no portion gets smaller."""
        for pair in self.pairs:
            yield _in_lockstep(*pair), portions.mentions(best())
        yield from self._coarse_files(portions, best)
        if self._joins:
            yield JOINS, portions.mentions(best())
        settled: set[str] = set()
        while todo := [one for one in self._turns(portions, best()) if one[0] not in settled]:
            for key, stage, portion_of in todo:
                before = best()
                if (portion := portion_of(before)) is not None:
                    yield stage, portion
                if best() != before:
                    # Earlier portions may get smaller now, but not the one that just ended.
                    settled.clear()
                settled.add(key)

    @property
    def _joins(self) -> bool:
        return self.coarse_first and self.joins

    def _turns(self, portions: FileSetView, text: bytes) -> Iterator[_Turn]:
        """Yield what comes in turn until nothing gets smaller: each file, and all of them."""
        for first, second in self.pairs:
            yield f"\0{first}\0{second}", _in_lockstep(first, second), portions.mentions
        yield "\0directories", EVERYTHING, portions.directories
        if self.coarse_first:
            yield "\0mentions", MENTIONS, portions.mentions
        for name in portions.names(text):
            yield name, EVERYTHING, partial(portions.file, name=name)
        if self._joins:
            yield "\0joins", LATE_JOINS, portions.mentions

    def _coarse_files(self, portions: FileSetView, best: Best) -> Iterator[Step]:
        """Yield what is coarse, as long as there are several files and any gets smaller."""
        before = None
        while best() != before:
            first, before = before is None, best()
            yield EVERYTHING, portions.directories(before)
            if not self.coarse_first:
                continue
            if first:
                yield from _of_each_file(DEFINITIONS, portions, best)
            yield FILES, portions.mentions(best())
            yield from _of_each_file(TREES, portions, best)


def _briefly(stage: LargeTextStage) -> LargeTextStage:
    def made(syntax: FrontEnd, strategy: Strategy) -> NamedReducer:
        name, reducer = stage.make(syntax, strategy)
        return name, while_it_pays(reducer, FewAttempts(_BRIEF))

    return replace(stage, make=made)


def _of_each_file(stage: ReductionStage, portions: FileSetView, best: Best) -> Iterator[Step]:
    names = portions.names(best())
    for name in names if len(names) > 1 else ():
        if (portion := portions.file(best(), name, coarse=True)) is not None:
            yield stage, portion
