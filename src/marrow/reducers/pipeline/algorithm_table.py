"""The algorithms by name: a table. A new algorithm is a module and a row.

A row says how its reducers are made, and loads its module then: a run needs one of two dozen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

from marrow.learn.model import PRIOR_MODEL, load_model
from marrow.reducers.algorithms.ddmin import ListMinimizer, all_or_one, elements_of
from marrow.reducers.algorithms.drop_layout import drop_layout
from marrow.reducers.algorithms.hdd_variants import (
    HDD_VARIANTS,
    HOIST_VARIANTS,
    Variant,
    variant_of,
)
from marrow.reducers.algorithms.hoist import Hoisting
from marrow.reducers.algorithms.perses import perses
from marrow.reducers.algorithms.settings import NormalForm, Settings
from marrow.reducers.algorithms.unused import delete_unused
from marrow.reducers.pipeline.coarse_reducers import batches
from marrow.reducers.streams.minimal_replacement import Slots
from marrow.reducers.streams.stream import Done, Reducer, Stream, fixpoint, in_turn, on
from marrow.tree import ROOT, Tree
from marrow.tree.tree import TreeAsWritten

if TYPE_CHECKING:
    from marrow.syntax.front_end import FrontEnd

#: The algorithm of `marrow abstract`, and of trees of files; `marrow reduce` runs the pipeline.
DEFAULT_ALGORITHM: Final = "perses*"

#: A reducer and its name for the user.
NamedReducer: TypeAlias = tuple[str, Reducer]

#: Makes the reducers to run one after the other, given the slots of a front end and the settings.
Stages: TypeAlias = Callable[[Slots, Settings], list[Reducer]]


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A named algorithm, as a strategy. With a `granularity` it cuts every text that way.

    The `opening` runs once, even if the stages repeat to a fixpoint. Each stage has a `late` one,
    which takes over once a repetition removes little.
    """

    name: str
    stages: Stages
    description: str
    guarantee: str
    fixpoint: bool = True
    granularity: str = ""
    settings: Settings = field(default_factory=Settings)
    opening: Stages | None = None
    late: Stages | None = None
    #: The variant of HDD, if it is one.
    variant: Variant | None = None
    #: Loads an algorithm that works on the tree of the rules as written.
    written: Callable[[], Callable[[TreeAsWritten], Reducer]] | None = None
    #: The settings that make a difference to it, but for those of all algorithms.
    own_settings: frozenset[str] = frozenset()
    #: Whether only the first front end counts, and candidates need not parse.
    blind: bool = False
    coarse_first: ClassVar[bool] = False
    by_relations: ClassVar[bool] = False
    thorough: ClassVar[bool] = False
    one_file: ClassVar[bool | None] = False
    pairs: ClassVar[tuple[tuple[str, str], ...]] = ()

    @property
    def signature(self) -> str:
        """The name with all settings; runs with the same signature make the same attempts."""
        return f"{self.name} {self.settings}"

    @property
    def to_fixpoint(self) -> bool:
        """True where the result claims more than one pass gives.

        The stages have fixpoints of their own, by what the front end learned from the whole input.
        Of the result it may learn more: what had to be there once may be optional now. The tools
        of the published setting never parse again.
        """
        return self.fixpoint and not self.settings.as_published

    @property
    def uses(self) -> frozenset[str]:
        """The settings that make a difference to it; all others are refused."""
        found = self.own_settings if self.variant is None else self.variant.uses
        if self.settings.as_published and self.variant is not None:
            found -= {"compatibility", "normal_form"}
        return found | (_EVERYWHERE if self.written is None else {"objective"})

    @property
    def needs_grammar(self) -> bool:
        """Whether it works on trees of a grammar alone."""
        by_form = self.settings.normal_form is not NormalForm.FOUND
        return self.written is not None or self.settings.as_published or by_form

    def closing_for(self, _syntax: FrontEnd) -> None:
        """Return nothing: an algorithm is what its name says."""
        return

    def reducer_for(self, syntax: FrontEnd) -> NamedReducer:
        """Return the algorithm, with the model of the language, followed by dropping layout."""
        if self.granularity and syntax.name != self.granularity:
            # An algorithm on lines cannot reduce the tree of a set of files.
            return algorithm_of(DEFAULT_ALGORITHM).reducer_for(syntax)
        if self.blind and not syntax.has_syntax:
            return self.name, lambda tree, done: done(tree)
        if self.variant is not None and self.settings.as_published:
            return self.name, self._on_written(syntax, self._as_published(self.variant))
        if self.written is not None:
            return self.name, self._on_written(syntax, self.written())
        full = self.settings.normal_form is NormalForm.FULL
        normal = syntax.normalized() if full else None
        if normal is None:
            whole = self.with_model(syntax.model_name).reducer(syntax, syntax.parse)
        else:
            inside = self.with_model(normal.model_name).reducer(normal, normal.parse)
            whole = on(lambda tree: normal.parse(tree.text), inside)
        return self.name, in_turn(whole, drop_layout)

    def _as_published(self, variant: Variant) -> Callable[[TreeAsWritten], Reducer]:
        """Return the variant in its paper's setting, for the tree of the rules as written."""
        from marrow.reducers.algorithms.published import published

        walks = variant.walks(self.settings, published=True)
        return partial(published, walks, not variant.fixpoint)

    def _on_written(self, syntax: FrontEnd, reducer: Callable[[TreeAsWritten], Reducer]) -> Reducer:
        """Return a reducer on the tree of the rules as written; without a grammar, the usual."""

        def run(tree: Tree, done: Done) -> Stream | None:
            written = syntax.written(tree.text)
            usual = algorithm_of(DEFAULT_ALGORITHM) if self.written is not None else self
            chosen = usual.reducer(syntax, syntax.parse) if written is None else reducer(written)
            return chosen(tree, done)

        return run

    def reducer(self, slots: Slots, parse: Callable[[bytes], Tree]) -> Reducer:
        """Return the whole algorithm as one reducer; each stage parses the text again."""
        opening = [] if self.opening is None else self.opening(slots, self.settings)
        stages = self.stages(slots, self.settings)
        if self.fixpoint:
            late = stages if self.late is None else self.late(slots, self.settings)
            stages = [
                fixpoint(early, parse, then, LATE) for early, then in zip(stages, late, strict=True)
            ]

        def run(tree: Tree, done: Done) -> Stream | None:
            def parsed(after: Tree) -> Tree:
                # A front end learns from the first text, so it would not build this tree again.
                return tree if after.text == tree.text else parse(after.text)

            first, *rest = opening + stages
            return in_turn(first, *(on(parsed, one) for one in rest))(tree, done)

        return run

    def with_model(self, name: str) -> Algorithm:
        """Return the algorithm with a model that ships, unless the settings have one."""
        if self.opening is None or self.settings.model is not None:
            return self
        model = load_model(name) or PRIOR_MODEL
        return replace(self, settings=replace(self.settings, model=model))


#: Settings of all algorithms.
_EVERYWHERE: Final = frozenset({"objective", "once"})

#: A pass that removes a smaller share of the tokens is a late one. On go-generic-type the passes of
#: the clean-up that paid for halving the tokens removed a fifth and more, all others below a tenth.
LATE: Final = 0.1


def flat(minimize: ListMinimizer) -> Reducer:
    """Minimise the children of the root alone."""

    def run(tree: Tree, done: Done) -> Stream | None:
        lines = elements_of(tree, ROOT, phase="deleting lines")
        return done(tree) if lines is None else minimize(lines, lambda end: done(end.tree))

    return run


def algorithm_of(name: str, settings: Settings | None = None) -> Algorithm:
    """Return the algorithm of a name; raise LookupError if there is none.

    A star says that it runs to a fixpoint; without it, or with the setting `once`, an algorithm
    that has one makes one pass. The setting `hoisting` changes what the name says.
    """
    settings = settings or Settings()
    return replace(_named(name, settings), settings=settings)


def _named(name: str, settings: Settings) -> Algorithm:
    variant = variant_of(name)
    if variant is not None:
        if settings.hoisting is not None and variant.prune:
            variant = replace(variant, hoisting=settings.hoisting)
        once = settings.once or not variant.fixpoint
        return _hdd(replace(variant, fixpoint=not once), as_published=settings.as_published)
    if settings.hoisting is not None:
        raise LookupError(f"hoisting is a part of the HDD family, not of {name}")
    said = name.strip().lower().replace(" ", "-")
    base = said.removesuffix("*")
    found = next((one for one in ALGORITHMS if one.name.removesuffix("*") == base), None)
    if found is None:
        raise LookupError(f"there is no algorithm called {name!r}")
    if not settings.once and (said == found.name or not found.name.endswith("*")):
        return found
    return replace(
        found,
        name=base,
        description=f"{found.description}, one pass",
        guarantee=_ONE_PASS,
        fixpoint=False,
    )


def users_of(setting: str) -> list[str]:
    """Return the names of the algorithms to which a setting makes a difference."""
    return [one.name for one in ALGORITHMS if setting in one.uses]


_ONE_PASS: Final = "none: one pass; with a star and without --once it is repeated to a fixpoint"
_TREE_MINIMAL: Final = "1-tree-minimal: no single list element or optional part can be deleted"
_AS_BUILT: Final = "1-tree-minimal: no single node of the tree of the input can be pruned"
_HOISTED: Final = "no compatible descendant can replace its node"


def _hdd(variant: Variant, *, as_published: bool = False) -> Algorithm:
    guarantee = "1-tree-minimal: no single node can be pruned"
    if variant.coarse:
        guarantee = _TREE_MINIMAL
    if as_published:
        guarantee = _AS_BUILT
    if not variant.prune:
        guarantee = _HOISTED
    order = "siblings at a time" if variant.recursive else "level by level"
    coarse = ", only what may vanish" if variant.coarse else ""
    hoist = "" if variant.hoisting is Hoisting.NONE else f", hoisting {variant.hoisting.value}"
    what = f"hierarchical delta debugging, {order}{coarse}{hoist}"
    if not variant.prune:
        what = f"nodes replaced by compatible descendants, {order}{coarse}"

    def walks(slots: Slots, settings: Settings) -> list[Reducer]:
        from marrow.reducers.algorithms.hdd import hdd

        return [hdd(walk, slots) for walk in variant.walks(settings)]

    return Algorithm(
        variant.name,
        walks,
        what,
        guarantee if variant.fixpoint else _ONE_PASS,
        variant.fixpoint,
        variant=variant,
    )


def _perses(slots: Slots, settings: Settings) -> list[Reducer]:
    printed = settings.as_published
    return [perses(slots, bound=settings.bound, minimize=settings.minimize, as_printed=printed)]


def _blind(slots: Slots, settings: Settings) -> list[Reducer]:
    from marrow.reducers.algorithms.hdd import blind_hdd

    return [blind_hdd(settings.minimize, slots)]


def _pardis(slots: Slots, _: Settings) -> list[Reducer]:
    from marrow.reducers.algorithms.pardis import pardis

    return [pardis(slots)]


def _ddset() -> Callable[[TreeAsWritten], Reducer]:
    from marrow.reducers.algorithms.ddset_reduction import ddset_reduction

    return ddset_reduction


def _clean_up(slots: Slots, settings: Settings) -> list[Reducer]:
    clean_up = _pardis if settings.clean_up == "pardis" else _perses
    return clean_up(slots, settings)


def after_batches(slots: Slots, bound: int, *, upwards: bool = False) -> Reducer:
    """Return a pass of Perses for what batches leave: lists of which few elements can go.

    Halves of them would be tests in vain. What loses its last use on the way goes at once.
    """
    return perses(slots, bound=bound, minimize=all_or_one, upwards=upwards, tidy=delete_unused)


def _batched(name: str, description: str) -> Algorithm:
    def clean_up(slots: Slots, settings: Settings, *, upwards: bool = False) -> list[Reducer]:
        if not settings.online or settings.clean_up == "pardis":
            return _clean_up(slots, settings)
        return [after_batches(slots, settings.bound, upwards=upwards)]

    def opening(slots: Slots, settings: Settings) -> list[Reducer]:
        first = _clean_up(slots, settings)[0] if settings.online else None
        return [batches(name, slots, settings, first)]

    return Algorithm(
        name,
        clean_up,
        f"{description}, then perses* or pardis*",
        _TREE_MINIMAL,
        opening=opening,
        late=partial(clean_up, upwards=True),
        own_settings=_BATCHED | ({"seed"} if name == "batched-random" else frozenset()),
    )


_PERSES: Final = frozenset({"bound", "normal_form", "minimize", "as_published"})
_BATCHED: Final = frozenset(
    {"model", "online", "clean_up", "initial_belief", "plain_types"} | _PERSES
)


#: Every algorithm, in the order of the help.
ALGORITHMS: Final = (
    Algorithm(
        "perses*",
        _perses,
        "largest nodes first, lists minimised, nodes replaced by compatible descendants",
        _TREE_MINIMAL,
        own_settings=_PERSES,
    ),
    Algorithm(
        "pardis*",
        _pardis,
        "largest nodes first, one at a time, deleted where the syntax allows",
        _TREE_MINIMAL,
        own_settings=frozenset({"normal_form"}),
    ),
    _batched("batched", "types of nodes in the order of what they promise, many nodes together"),
    _batched("batched-pardis", "as batched, but nodes one by one"),
    _batched("batched-probdd", "as batched, but list by list with probdd"),
    _batched("batched-random", "as batched, but types in an order drawn by lot"),
    _batched("batched-invariant", "as batched, but by rates that do not change over time"),
    _batched("joint", "many nodes together, whatever their types"),
    *map(_hdd, (*HDD_VARIANTS, *HOIST_VARIANTS)),
    Algorithm(
        "blind-hdd*",
        _blind,
        "hierarchical delta debugging that deletes any node, whether the rest parses or not",
        "no single node of the tree can be deleted",
        own_settings=frozenset({"minimize", "normal_form"}),
        blind=True,
    ),
    Algorithm(
        "ddset",
        _perses,
        "nodes replaced by the smallest descendant of their rule that works (DDSET, Algorithm 1)",
        "none: what the published listing gives; needs a grammar",
        fixpoint=False,
        written=_ddset,
    ),
    Algorithm(
        "ddmin*",
        lambda _, settings: [flat(settings.minimize)],
        "delta debugging on lines, whatever the language",
        "1-minimal: no single line can be deleted",
        granularity="lines",
        own_settings=frozenset({"minimize"}),
    ),
)
