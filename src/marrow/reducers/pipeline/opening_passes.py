"""The passes that open the pipeline on a large input: definitions to declarations, type batching.

Type batching deletes nodes that the syntax can do without. Bodies, initialisers and default
arguments often are not such nodes, and yet a declaration does without them: that pass comes first
(`slicing.definitions`). Type batching does what the algorithm `batched` does before its clean-up.
Small inputs gain nothing from either, and a result that is reduced again must not pay for them.
Guarantee: none by itself. Worst case: that of `DefinitionReducer` and of `batched` without its
clean-up.
"""

from __future__ import annotations

from typing import Final

from marrow.learn.model import PRIOR_MODEL
from marrow.reducers.algorithms.beliefs import Beliefs
from marrow.reducers.algorithms.perses import perses
from marrow.reducers.algorithms.settings import Settings
from marrow.reducers.passes.cascade_delete import cascading
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.slicing.definitions import DefinitionReducer
from marrow.reducers.streams.minimal_replacement import Slots
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.tree import Tree

# Smaller inputs are left to Perses. The value is a choice: the smallest input that was measured has
# 678 tokens. A result that is reduced again is nearly always smaller, and pays nothing.
_LEAST_TOKENS: Final = 500

# The share of the tokens that a run of parts has to promise: type batching and Perses, which
# follow, need a test for about a hundredth of what is left.
_PROMISE: Final = 0.05


def declarations(context: PassContext) -> Reducer:
    """Return the pass that makes declarations of definitions in a large input."""
    model = context.settings.model or PRIOR_MODEL

    def run(tree: Tree, done: Done) -> Stream | None:
        if not context.large:
            return done(tree)

        def ended(after: Tree, _: Beliefs) -> Stream | None:
            return done(tree if after is tree else context.reparsed(after))

        return DefinitionReducer(tree, context.parts(tree.text), ended, _PROMISE, model).run()

    return run


def batched(context: PassContext) -> Reducer:
    """Return the pass that removes nodes of one type at a time from a large input."""
    opening = in_batches(context.slots, context.settings)
    return lambda tree, done: opening(tree, done) if context.large else done(tree)


def in_batches(slots: Slots, settings: Settings) -> Reducer:
    """Return the reducer that removes nodes of one type at a time."""

    def run(tree: Tree, done: Done) -> Stream | None:
        # Most inputs are small: only large ones load what reduces them in batches.
        from marrow.reducers.algorithms.type_batching import (
            BATCHED_VARIANTS,
            type_batched_reduction,
        )

        opening = type_batched_reduction(
            BATCHED_VARIANTS["batched"],
            settings.model or PRIOR_MODEL,
            slots,
            online=settings.online,
            seed=settings.seed,
            first=perses(slots, bound=settings.bound, minimize=settings.minimize),
            last=cascading(),
        )
        return opening(tree, done)

    return run


def batching_pays(tree: Tree) -> bool:
    """Whether a tree is large enough for batches."""
    return tree.token_count >= _LEAST_TOKENS
