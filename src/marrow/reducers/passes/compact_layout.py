"""Layout: delete comments and blank lines, then make the layout compact; no token changes.

The compact layout has no comments and only the white space that the language needs. Line breaks
stay, but lines are indented only where that means something. Guarantee: the text has the compact
layout, unless the test rejects it. Worst case: ddmin's over the gaps, and one test.
"""

from __future__ import annotations

from marrow.reducers.drop_layout import drop_layout
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.stream import Attempt, Done, Reducer, Stream
from marrow.tree import Replace, Token, Tree


def comments(_: PassContext) -> Reducer:
    """Return the pass that removes comments and blank lines."""
    return drop_layout


def compact(context: PassContext) -> Reducer:
    """Return the pass that makes the layout compact, unless the layout is to be kept."""

    def run(tree: Tree, done: Done) -> Stream | None:
        if context.options.keep_layout:
            return done(tree)
        return _compacted(context, tree, done)

    return run


def _compacted(context: PassContext, tree: Tree, done: Done) -> Stream:
    text = context.compact(tree if tree.indented else _dedented(tree))
    if text != tree.text:
        candidate = context.parse(text)
        yield Attempt(candidate, lambda: done(candidate), "compacting the layout")
    return done(tree)


def _dedented(tree: Tree) -> Tree:
    """Return the tree with no line indented, for languages where indentation means nothing."""
    return tree.edit(
        Replace(place, node.changed(indent=b""))
        for place, node in tree.walk()
        if isinstance(node, Token) and node.indent
    )
