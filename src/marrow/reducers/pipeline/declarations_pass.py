"""The pass `declarations`: definitions to declarations, as an opening of the pipeline.

What type batching deletes are nodes that the syntax can do without. Bodies of functions, classes,
initialisers and default arguments often are none, and yet a declaration does without them
(`slicing.definitions`). Small inputs gain nothing. Guarantee: none by itself. Worst case:
that of `Declaring`.
"""

from __future__ import annotations

from typing import Final

from marrow.learn.model import PRIOR_MODEL
from marrow.reducers.algorithms.beliefs import Beliefs
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.slicing.definitions import Declaring
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.tree import Tree

# A run has to promise so large a share of the tokens: type batching and perses, which follow, need
# a test for about a hundredth of what is left.
_PROMISE: Final = 0.05


def declarations(context: PassContext) -> Reducer:
    """Return the pass that makes declarations of definitions in a large input."""
    model = context.settings.model or PRIOR_MODEL

    def run(tree: Tree, done: Done) -> Stream | None:
        if not context.large:
            return done(tree)

        def ended(after: Tree, _: Beliefs) -> Stream | None:
            return done(tree if after is tree else context.reparsed(after))

        return Declaring(tree, context.parts(tree.text), ended, _PROMISE, model).run()

    return run
