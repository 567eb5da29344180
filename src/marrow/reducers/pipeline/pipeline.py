"""The pipeline: type batching where it pays, perses*, then the passes, to a joint fixpoint.

A large input opens with type batching. Perses follows, to its own fixpoint; afterwards it is a
pass among the others. Next comes the pass with the best yield: tokens removed for each attempt when
it ran last. Late passes wait until the others have nothing to do. A pass that found nothing on a
text does not run again on the same text; the pipeline ends when that holds for all of them and for
perses. So a pass that stops paying runs last, and less often. All leave out what is unlikely, and a
pass that comes again what failed before, until nothing else is left to do.

Guarantee: 1-tree-minimal, as perses finds nothing to delete in the final text. Every accepted step
decreases the total order (tokens, bytes, text), so it ends. The choice of the next pass depends
only on accepted steps and on the number of attempts in stream order, so the result is the same for
any number of workers. Attempts are counted rather than tests, as only the engine knows which of
them the journal or the parser answers. Worst case: that of perses and of every pass, for each
accepted step.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from marrow.languages.language_facts import facts_of
from marrow.learn.model import load_model
from marrow.reducers.algorithms.ddmin import Ddmin
from marrow.reducers.algorithms.list_minimizers import LIST_MINIMIZERS
from marrow.reducers.algorithms.perses import perses
from marrow.reducers.algorithms.prepare import flatten
from marrow.reducers.algorithms.settings import Settings, StrategyError
from marrow.reducers.passes.canonical_form import canonical_bytes, canonical_words
from marrow.reducers.passes.name_passes import without_orphans
from marrow.reducers.passes.pass_context import PassContext, PassOptions, Stock
from marrow.reducers.passes.templates import Rewrite, rewrites_from
from marrow.reducers.passes.token_runs import short_runs
from marrow.reducers.pipeline.algorithm_table import (
    ALGORITHMS,
    Algorithm,
    NamedReducer,
    after_batches,
    algorithm_of,
)
from marrow.reducers.pipeline.coarse_reducers import batching_pays
from marrow.reducers.pipeline.pass_table import LEVELS, PASSES, Pass, passes_of
from marrow.reducers.pipeline.second_start import with_expansion, with_restart
from marrow.reducers.pipeline.stages import TREE_STAGE, PipelineStage, StagedRun
from marrow.reducers.streams.minimal_replacement import Slots
from marrow.reducers.streams.stream import Done, Reducer, Stream, in_turn
from marrow.tree import Tree

if TYPE_CHECKING:
    from marrow.syntax.front_end import FrontEnd


@dataclass(frozen=True, slots=True)
class Effort:
    """A level of effort: what passes try, and the yield below which a pass is given up."""

    name: str
    thorough: bool = False
    least_yield: float = 0.0


#: quick: a pass that removed less than one token for 100 attempts is not run again. The threshold
#: is a choice, not a measurement: whoever waits for 100 tests wants a token for it.
EFFORTS: Final = {
    "quick": Effort("quick", least_yield=0.01),
    "normal": Effort("normal"),
    "max": Effort("max", thorough=True),
}

_GUARANTEE: Final = (
    "1-tree-minimal: no single list element or optional part can be deleted; no pass finds anything"
)


# Of a text without a parser that has more words than this, no runs of them are tried: a test for
# each run, four for each word.
_MOST_WORDS: Final = 60


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The default strategy: perses* and the passes, to a joint fixpoint."""

    passes: tuple[Pass, ...] = PASSES
    options: PassOptions = field(default_factory=PassOptions)
    effort: Effort = EFFORTS["normal"]
    settings: Settings = field(default_factory=Settings)
    name: str = "pipeline"
    granularity: str = ""
    coarse_first: ClassVar[bool] = True

    @property
    def guarantee(self) -> str:
        """The property that the result is known to have."""
        if self.settings.once:
            return "none: every stage once (--once)"
        if not self.to_fixpoint:
            return "none: passes that stopped paying were given up (--effort quick)"
        return _GUARANTEE

    @property
    def to_fixpoint(self) -> bool:
        """True if it repeats until nothing changes."""
        return not (self.effort.least_yield or self.settings.once)

    @property
    def signature(self) -> str:
        """The name with all settings; runs with the same signature make the same attempts."""
        passes = ",".join(one.name for one in self.passes)
        return f"{self.name} {self.effort} {passes} {self.options} {self.settings}"

    @property
    def by_relations(self) -> bool:
        """True if a text without a parser is reduced by its counts, indices and lengths first."""
        return any(one.name == "relations" for one in self.passes)

    @property
    def one_file(self) -> bool | None:
        """Whether files are joined to one, if that was said."""
        return self.options.one_file

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The names of files that change together."""
        return self.options.pair

    @property
    def thorough(self) -> bool:
        """True if it also tries candidates that the parser rejects."""
        return self.effort.thorough

    @property
    def uses(self) -> frozenset[str]:
        """The settings that make a difference to it; all others are refused."""
        return frozenset({"minimize", "bound", "model", "online", "once", "objective"})

    @property
    def needs_grammar(self) -> bool:
        """Whether it works on trees of a grammar alone: it takes the form of the tree as it is."""
        return False

    def reducer_for(self, syntax: FrontEnd) -> NamedReducer:
        """Return the pipeline with the rewrites and the model of the language.

        Brackets, lines, words and bytes have no names or literals: there perses* runs, before
        short runs of words, or after blocks of bytes.
        """
        if not syntax.has_syntax:
            name, reducer = algorithm_of("perses*", self.settings).reducer_for(syntax)
            if syntax.name == "brackets":
                reducer = in_turn(reducer, partial(self._runs_of_words, syntax))
            if syntax.name == "bytes":
                from marrow.reducers.binary.reduce_blocks import by_blocks  # for few inputs

                if self.options.keep_names:
                    reducer = _unless_words(reducer)
                reducer = in_turn(by_blocks(syntax.parse), reducer)
            return name, reducer
        return self.name, self.of_language(syntax.name, syntax.model_name).reducer(syntax)

    def closing_for(self, syntax: FrontEnd) -> NamedReducer | None:
        """Return the closing passes; bytes have one of their own."""
        closing = [one for one in self.passes if one.closing]
        if not closing or not (syntax.has_syntax or syntax.name in ("brackets", "bytes")):
            return None
        if syntax.name == "brackets":
            return closing[0].name, canonical_words(keep_names=self.options.keep_names)
        if not syntax.has_syntax:
            return closing[0].name, canonical_bytes(self.options)

        def run(tree: Tree, done: Done) -> Stream | None:
            context = self._context(syntax, tree)

            def checked(after: Tree) -> Stream | None:
                """Look whether another text of the same size can do without something."""
                if after.text == tree.text or self.settings.once:
                    return done(after)
                again = perses(syntax, bound=self.settings.bound, minimize=self.settings.minimize)
                return again(flatten(syntax.parse(after.text)), done)

            return in_turn(*(one.make(context) for one in closing))(tree, checked)

        return closing[0].name, run

    def _runs_of_words(self, syntax: FrontEnd, tree: Tree, done: Done) -> Stream | None:
        """Delete short runs of words, in what is left of a text without a parser.

        Its operators and their operands, or a name with its brackets, can only go together.
        """
        if tree.token_count > _MOST_WORDS:
            return done(tree)
        return short_runs(self._context(syntax, tree))(tree, done)

    def _context(self, syntax: FrontEnd, tree: Tree) -> PassContext:
        stock = Stock(tree, syntax)
        return PassContext(syntax, syntax.parse, syntax.compact, stock, self.options, self.settings)

    def of_language(self, language: str, model_name: str) -> Pipeline:
        """Return the pipeline with the shipped rewrites of a language, after the user's own, and
        its shipped model, unless the user has one."""
        settings = self.settings
        if settings.model is None:
            settings = replace(settings, model=load_model(model_name))
        rewrites = (*self.options.rewrites, *rewrites_of(language))
        options = replace(self.options, rewrites=rewrites, language=language)
        return replace(self, options=options, settings=settings)

    def reducer(self, syntax: FrontEnd) -> Reducer:
        """Return the whole pipeline as one reducer."""

        def run(tree: Tree, done: Done) -> Stream | None:
            parsed = ParseCache(syntax.parse)
            prepared = ParseCache(lambda text: flatten(parsed(text)))
            options = replace(self.options, thorough=self.effort.thorough)
            large = batching_pays(tree)
            context = replace(
                self._context(syntax, tree),
                parse=parsed,
                options=options,
                parts=syntax.definition_parts,
                large=large,
                commented=syntax.commented,
                injected=_front_end_for,
            )
            efforts = LEVELS[: LEVELS.index(self.effort.name) + 1]
            used = facts_of(options.language).definitions.must_be_used

            def made(one: Pass) -> Reducer:
                reducer = one.make(context)
                return without_orphans(context, reducer) if used and not one.opening else reducer

            stages = [
                PipelineStage(
                    one.name,
                    made(one),
                    one.opening,
                    one.late,
                    one.last,
                )
                for one in sorted(self.passes, key=lambda one: not one.opening)
                if one.effort in efforts and not one.closing
            ]
            openings = sum(stage.once for stage in stages)
            in_batches = large and any(one.name == "batched" for one in stages)
            stages.insert(openings, self._tree_stage(syntax, batched=in_batches))
            limits = self.effort.least_yield, self.settings.once

            def staged(some: Sequence[PipelineStage]) -> Reducer:
                return lambda one, then: StagedRun(tuple(some), prepared, *limits, then).next(
                    {}, one
                )

            reducer = staged(stages)
            if options.thorough and not self.settings.once:
                others = stages[:openings:-1]
                other_way = staged([self._tree_stage(syntax, other_end=True), *others])
                reducer = with_restart(reducer, other_way, self.settings.order)
            if options.preprocessor is not None and (options.one_file or options.thorough):
                expanded = partial(options.preprocessor.expanded, language=options.language)
                order, again = self.settings.order, staged(stages[openings:])
                reducer = with_expansion(reducer, again, order, expanded, prepared)
            return reducer(tree, done)

        return run

    def _tree_stage(
        self, slots: Slots, *, batched: bool = False, other_end: bool = False
    ) -> PipelineStage:
        """Return perses, as it is after batches or alone; with lists from their `other_end`."""
        bound, minimize = self.settings.bound, self.settings.minimize
        if other_end and isinstance(minimize, Ddmin):
            minimize = replace(minimize, backwards=not minimize.backwards)
        alone = perses(slots, bound=bound, minimize=minimize)
        first = after_batches(slots, bound) if batched else alone
        return PipelineStage(TREE_STAGE, first, again=after_batches(slots, bound, upwards=True))


#: What a reduction does with a tree: one algorithm, or the pipeline of passes.
Strategy: TypeAlias = Algorithm | Pipeline


def _front_end_for(language: str, code: bytes) -> FrontEnd | None:
    """Return the front end for code in a language; None if there is none or it does not parse."""
    from marrow.syntax.views import UnknownLanguageError, view_of  # few inputs have other code

    try:
        front = view_of("", code, language).counter
    except UnknownLanguageError:
        return None
    return None if front.errors(code) else front


def _unless_words(reducer: Reducer) -> Reducer:
    """Run a reducer of bytes unless they are a text: there it would cut names."""

    def run(tree: Tree, done: Done) -> Stream | None:
        try:
            tree.text.decode("utf-8")
        except UnicodeDecodeError:
            return reducer(tree, done)
        return reducer(tree, done) if b"\0" in tree.text else done(tree)

    return run


@cache
def rewrites_of(language: str) -> tuple[Rewrite, ...]:
    """Return the rewrites that ship for a language; none if there is no file for it."""
    return rewrites_from(facts_of(language).rewrites, f"{language}.toml")


# The total length of the cached texts, in bytes. A tree takes about 130 times the length of its
# text, so this is some 33 MB (twice that in a pipeline, which caches trees as parsed and as
# prepared): ten trees of 5,000 tokens, or a thousand of the size of results.
_MOST_BYTES: Final = 256 * 1024


class ParseCache:
    """Turns texts into trees and remembers the last ones: look-ahead revisits the same texts.

    Two orders of the same steps lead to the same text; a pass that was tried ahead comes true; a
    pass returns to a text that no other pass could change. The tree is then the same object, with
    the facts that are kept with it (`marrow.tree.tree_cache`). It must depend on the text alone.
    """

    def __init__(self, make: Callable[[bytes], Tree]) -> None:
        self._make: Final = make
        self._trees: Final[OrderedDict[bytes, Tree]] = OrderedDict()
        self._bytes = 0

    def __call__(self, text: bytes) -> Tree:
        """Return the tree of a text."""
        tree = self._trees.get(text)
        if tree is not None:
            self._trees.move_to_end(text)
            return tree
        tree = self._make(text)
        if len(text) <= _MOST_BYTES:
            self._trees[text] = tree
            self._bytes += len(text)
            while self._bytes > _MOST_BYTES:
                oldest, _ = self._trees.popitem(last=False)
                self._bytes -= len(oldest)
        return tree


def strategy_of(
    algorithm: str | None = None,
    settings: Settings | None = None,
    *,
    passes: str | None = None,
    effort: str | None = None,
    **options: Any,
) -> Strategy:
    """Return the algorithm of a name; without one, the default pipeline.

    `passes` names passes as `--passes` does (`names,less`, `-batched`, `none`),
    `effort` is a name of `EFFORTS`; the other options are fields of the options of passes
    (`keep_names`, `rewrites`). Raises `StrategyError`.
    """
    settings = settings or Settings()
    if algorithm is None:
        return _pipeline(settings, passes, effort or "normal", options)
    choices = {"passes": passes, "effort": effort, **options}
    given = next((name for name, value in choices.items() if value and value != "normal"), None)
    if given is not None:
        raise StrategyError(
            f"⟦{given}⟧ is for the pipeline, and ⟦algorithm⟧ names one algorithm alone\n"
            "Leave out one of the two."
        )
    try:
        return algorithm_of(algorithm, settings)
    except LookupError as error:
        near = _meant(algorithm, (one.name for one in ALGORITHMS))
        if algorithm in LIST_MINIMIZERS:
            near = f"It minimises lists inside an algorithm: ⟦list_minimizer {algorithm}⟧. "
        raise StrategyError(
            f"{error.args[0]}\n{near}`marrow help algorithms` names the algorithms."
        ) from error


def _meant(name: str, known: Iterable[str]) -> str:
    """Ask whether another name was meant that looks like it."""
    names = list(known)
    near = [] if name in names else get_close_matches(name, names, n=1)
    return f"Did you mean {near[0]}? " if near else ""


def _pipeline(
    settings: Settings, names: str | None, effort: str, options: dict[str, Any]
) -> Pipeline:
    try:
        passes = PASSES if names is None else passes_of(names)
    except LookupError as error:
        known = [one.name for one in PASSES]
        near = "".join(_meant(one.strip().lstrip("-+"), known) for one in (names or "").split(","))
        raise StrategyError(
            f"{error.args[0]}\n{near}`marrow help passes` names the passes."
        ) from error
    if effort not in EFFORTS:
        raise StrategyError(f"there is no effort called {effort!r}: choose {', '.join(EFFORTS)}")
    return Pipeline(passes, PassOptions(**options), EFFORTS[effort], settings)
