"""The options that say what a reduction tries: the strategy, and settings of single algorithms."""

# Not with `from __future__ import annotations`: as in `options`, declarations are read at run time.

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypedDict

from marrow.run.options.option import (
    ALGORITHMS,
    ANYTHING,
    CALL,
    FLAG,
    MODEL,
    NUMBER,
    PREPARATIONS,
    PROBABILITY,
    PROPOSER,
    REWRITES,
    SEARCH,
    STRATEGY,
    TEXT,
    USER,
    Option,
    ValueKind,
    members_of,
    names_in,
    one_of,
    whole,
)

if TYPE_CHECKING:
    from marrow.learn.model import Model
    from marrow.reducers.algorithms.hoist import Compatibility, Hoisting
    from marrow.reducers.algorithms.prepare import Preparation
    from marrow.reducers.algorithms.settings import NormalForm, Settings
    from marrow.reducers.algorithms.traversal import Traversal
    from marrow.reducers.passes.proposals import Proposer
    from marrow.reducers.passes.templates import Rewrite
    from marrow.run.options.option import AnyPath

# fmt: off


class StrategyOptions(TypedDict, total=False):
    """What is tried, and in which order."""

    algorithm: Annotated[str | None, Option(
        "One algorithm instead of the pipeline (perses*, then the passes); 'list' prints them.",
        ValueKind(TEXT.read, completes="algorithm"), STRATEGY, SEARCH, metavar="NAME")]
    passes: Annotated[str | None, Option(
        "Which passes run after perses*, in order, separated by commas: 'names,less'; "
        "'-batched,-tokens' for all but these; 'none'. 'list' prints them.",
        ValueKind(TEXT.read, completes="passes"), STRATEGY, SEARCH, metavar="NAMES")]
    effort: Annotated[str, Option(
        "quick gives up passes that stop paying off; max tries more of everything, at the end also "
        "candidates that do not parse.  [default: normal]",
        one_of(names_in("marrow.reducers.pipeline.pipeline", "EFFORTS")), STRATEGY, SEARCH)]
    keep_names: Annotated[bool, Option(
        "Keep the names of the input: none is shortened, merged or replaced.", FLAG, STRATEGY,
        SEARCH, default=False)]
    keep_layout: Annotated[bool, Option(
        "Another name for --layout keep.", FLAG, STRATEGY, SEARCH, default=False)]
    rewrites: Annotated["AnyPath | Sequence[Rewrite]", Option(
        "More match-and-replace templates; docs/reference/passes.md says how to write them.",
        REWRITES, STRATEGY, USER, default=(), advanced=True)]
    propose: Annotated["Proposer | str | None", Option(
        "A program that proposes candidates: it reads the text as JSON, prints others as JSON "
        "lines (docs/how-to/agents.md), and marrow tests them.", PROPOSER, STRATEGY, USER,
        metavar="COMMAND", advanced=True)]
    settings: Annotated["Settings | None", Option(
        "Settings of the algorithms; the options below change them.", ANYTHING, ALGORITHMS, CALL,
        flags=())]


class SettingOptions(TypedDict, total=False):
    """Settings of single algorithms. One that is not given leaves the preset alone."""

    preset: Annotated[str | None, Option(
        "Settings from the literature, which the options below change: those of the figures for "
        "the HDD family, or with Picireny's own iterators (both with --grammar), of Perses (with "
        "--grammar), of type batching, or ddmin as first printed.",
        one_of(names_in("marrow.reducers.algorithms.settings", "PRESETS")), ALGORITHMS, SEARCH,
        advanced=True)]
    hoist: Annotated["Hoisting | str | None", Option(
        "For the HDD family: hoist before, interlaced with deleting, both, or not at all.",
        members_of("marrow.reducers.algorithms.hoist", "Hoisting"), ALGORITHMS, SEARCH,
        advanced=True)]
    traversal: Annotated["Traversal | str | None", Option(
        "In which order hddr visits nodes.  [default: breadth]",
        members_of("marrow.reducers.algorithms.traversal", "Traversal"), ALGORITHMS, SEARCH,
        advanced=True)]
    compatible: Annotated["Compatibility | str | None", Option(
        "For the HDD family: hoist what a slot accepts, or only nodes of the same rule.  "
        "[default: slot]", members_of("marrow.reducers.algorithms.hoist", "Compatibility"),
        ALGORITHMS, SEARCH, advanced=True)]
    hoist_filtered: Annotated[bool | None, Option(
        "For coarse variants: whether hoisting before pruning looks only at what may vanish, as "
        "in Figure 7 of the paper, or at all nodes, as for its tables.  [default: yes; with "
        "--preset published: no]", FLAG, ALGORITHMS, SEARCH,
        flags=("--hoist-filtered/--no-hoist-filtered",), advanced=True)]
    prepare: Annotated["Sequence[Preparation] | str | None", Option(
        "For the HDD family: how the tree is prepared; choose from squeeze (chains of single "
        "children), flatten (recursion into lists), hide (tokens that cannot change); or none.  "
        "[default: squeeze,flatten,hide]", PREPARATIONS, ALGORITHMS, SEARCH, advanced=True)]
    normal_form: Annotated["NormalForm | str | None", Option(
        "With --grammar: lists found in the rules, Perses Normal Form without substitution, or by "
        "Algorithm 1 of its paper.  [default: found]",
        members_of("marrow.reducers.algorithms.settings", "NormalForm"), ALGORITHMS, SEARCH,
        advanced=True)]
    bound: Annotated[int | None, Option(
        "For perses: how many steps down to look for a replacement; 0 only deletes, a large "
        "number looks at all descendants.  [default: 4]", whole(0), ALGORITHMS, SEARCH,
        advanced=True)]
    list_minimizer: Annotated[str | None, Option(
        "How lists are minimised inside the algorithm.  [default: ddmin]",
        one_of(names_in("marrow.reducers.algorithms.list_minimizers", "LIST_MINIMIZERS")),
        ALGORITHMS, SEARCH, advanced=True)]
    split: Annotated[int | None, Option(
        "For ddmin: into how many parts a part is cut.  [default: 2]", whole(2), ALGORITHMS, SEARCH,
        advanced=True)]
    subsets: Annotated[bool | None, Option(
        "For ddmin: whether to try parts alone, not only the list without them.  [default: no]",
        FLAG, ALGORITHMS, SEARCH, flags=("--subsets/--no-subsets",), advanced=True)]
    backwards: Annotated[bool | None, Option(
        "For ddmin: whether the last part is tried first.  [default: backwards]", FLAG, ALGORITHMS,
        SEARCH, flags=("--backwards/--forwards",), advanced=True)]
    restart: Annotated[bool | None, Option(
        "For ddmin: whether to start again at the first part after a success.  [default: no]", FLAG,
        ALGORITHMS, SEARCH, flags=("--restart/--no-restart",), advanced=True)]
    weighted: Annotated[bool | None, Option(
        "For ddmin and probdd: whether elements count by their tokens.  [default: no for ddmin, "
        "yes for probdd]", FLAG, ALGORITHMS, SEARCH, flags=("--weighted/--no-weighted",),
        advanced=True)]
    clean_up: Annotated[str | None, Option(
        "For batched and joint: what runs after them, to a fixpoint.  [default: perses]",
        one_of(names_in("marrow.reducers.algorithms.settings", "CLEAN_UPS")), ALGORITHMS, SEARCH,
        advanced=True)]
    model: Annotated["Model | AnyPath | None", Option(
        "For batched and joint: a model made by `marrow train`.  [default: the one that ships for "
        "the language, if there is one]", MODEL, ALGORITHMS, USER, advanced=True)]
    objective: Annotated[str | None, Option(
        "What should become smallest: with bytes or lines, marrow also accepts steps that add "
        "tokens but save those.  [default: tokens]",
        one_of(names_in("marrow.tree.order", "ORDERS")), STRATEGY, SEARCH)]
    online: Annotated[bool | None, Option(
        "For batched and joint: whether outcomes of the run correct the model, types are split by "
        "uses and Perses may lead.  [default: yes]", FLAG, ALGORITHMS, SEARCH,
        flags=("--online/--no-online",), advanced=True)]
    initial_belief: Annotated[float | None, Option(
        "For batched and joint: the belief that a node can go at the start of a batch, b_n of the "
        "paper, apart from the model.  [default: what the model says; with --preset type-batched: "
        "0.9]", PROBABILITY, ALGORITHMS, SEARCH, advanced=True)]
    plain_types: Annotated[bool | None, Option(
        "For batched and joint: whether the type of a node is its rule alone, as in the paper, or "
        "also the rule around it.  [default: no]", FLAG, ALGORITHMS, SEARCH,
        flags=("--plain-types/--no-plain-types",), advanced=True)]
    seed: Annotated[int | None, Option(
        "For algorithms that choose at random: batched-random.  [default: 0]", NUMBER, ALGORITHMS,
        SEARCH, advanced=True)]
    once: Annotated[bool | None, Option(
        "One pass of the algorithm, not a fixpoint.", FLAG, ALGORITHMS, SEARCH, advanced=True)]
