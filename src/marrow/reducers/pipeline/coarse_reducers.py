"""Reducers for large inputs: coarse pieces, line markers, and opening passes.

Type batching deletes nodes that the syntax can do without. Bodies, initialisers and default
arguments often are not such nodes, and yet a declaration does without them: that pass comes first
(`slicing.definitions`). Type batching does what the algorithm `batched` does before its clean-up.
Small inputs gain nothing from either, and a result that is reduced again must not pay for them.

Guarantee: none; later stages see every token. Worst case of the opening passes: that of
`DefinitionReducer` and of `batched` without its clean-up.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from marrow.learn.model import PRIOR_MODEL
from marrow.reducers.algorithms.beliefs import Beliefs
from marrow.reducers.algorithms.perses import perses
from marrow.reducers.algorithms.settings import Settings
from marrow.reducers.passes.name_passes import cascade_delete
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.slicing.definitions import DefinitionReducer
from marrow.reducers.streams.minimal_replacement import Slots
from marrow.reducers.streams.stream import (
    Done,
    FewFailures,
    Reducer,
    Stream,
    attempt,
    followed,
    while_it_pays,
)
from marrow.tree import Tree
from marrow.tree.outline import LINE_MARKER, as_one_piece

#: Gives the tree of a text in about that many pieces; None if there is no such view.
See: TypeAlias = Callable[[bytes, int], Tree | None]

# How many times as many pieces the next view has if a pass removed little. Each view costs a pass
# over its pieces, most of which fail. With this factor all views together cost little more than the
# finest.
_FINER: Final = 8


# A view is left after this many failures in a row. Of a thousand pieces of which a tenth can go one
# by one, a row of this length is met once.
_RARE: Final = 100


def coarsely(reducer: Reducer, see: See, pieces: int) -> Reducer:
    """Return the reducer that works on coarse views; its tree has this many `pieces`.

    As long as a pass at least halves the text, the next view has as many pieces, which are then
    smaller; after that it has more. A view is left when successes become rare: what fails in large
    pieces may go in smaller ones. It ends when the text is small enough to see every token, or when
    there is no finer view. Worst case: that of the reducer on every view; the number of views is
    logarithmic in the length of the text.
    """

    def again(before: Tree, after: Tree) -> tuple[Reducer, Tree] | None:
        little = 2 * len(after.text) > len(before.text)
        finer = pieces * _FINER if little else pieces
        tree = see(after.text, finer)
        return None if tree is None else (coarsely(reducer, see, finer), tree)

    return followed(while_it_pays(reducer, FewFailures(_RARE)), again)


_SYSTEM: Final = re.compile(rb'^# \d+ ("[^"\n]*")(?=[ \d]* 3[ \n])(?: \d)+\n', re.MULTILINE)
_NESTING: Final = re.compile(rb'^(# \d+ "[^"\n]*")((?: \d)+)\n', re.MULTILINE)


def without_markers(tree: Tree, done: Done) -> Stream | None:
    """Delete line markers of preprocessors (`# 12 "file.h" 3`), or at least their nesting.

    A marker says where the next line comes from. Most failures do without. Some need compilers to
    forgive what system headers do (flag 3): a single marker at the top says that. But with some of
    the markers deleted, another may leave a header that was never entered, which compilers refuse;
    so where all markers are needed, they lose their nesting. Three tests at most.
    """
    return _changed(tree, done) if LINE_MARKER.search(tree.text) else done(tree)


def _changed(tree: Tree, done: Done) -> Stream:
    plain = LINE_MARKER.sub(b"", tree.text)
    system = _SYSTEM.search(tree.text)
    forgiven = b"" if system is None else b"# 1 " + system[1] + b" 3\n" + plain
    for text in (plain, forgiven, _NESTING.sub(_flat, tree.text)):
        if text and text != tree.text:
            candidate = as_one_piece(text)
            yield attempt(candidate, "deleting line markers", done, candidate)
    return done(tree)


def _flat(marker: re.Match[bytes]) -> bytes:
    """Return a marker without the flags for the beginning and the end of a file."""
    flags = [flag for flag in marker[2].split() if flag not in (b"1", b"2")]
    return b" ".join([marker[1], *flags]) + b"\n"


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
    """Return the reducer that removes nodes of one type at a time, after Perses."""
    first = perses(slots, bound=settings.bound, minimize=settings.minimize)
    return batches("batched", slots, settings, first)


def batches(variant: str, slots: Slots, settings: Settings, first: Reducer | None) -> Reducer:
    """Return a variant of type batching without its clean-up; a `first` reducer goes before."""

    def run(tree: Tree, done: Done) -> Stream | None:
        # Most inputs are small: only large ones load what reduces them in batches.
        from marrow.reducers.algorithms.type_batching import (
            BATCHED_VARIANTS,
            type_batched_reduction,
        )

        opening = type_batched_reduction(
            BATCHED_VARIANTS[variant],
            settings.model or PRIOR_MODEL,
            slots,
            online=settings.online,
            seed=settings.seed,
            first=first,
            last=cascade_delete,
            initial=settings.initial_belief,
            plain=settings.plain_types,
        )
        return opening(tree, done)

    return run


def batching_pays(tree: Tree) -> bool:
    """Whether a tree is large enough for batches."""
    return tree.token_count >= _LEAST_TOKENS
