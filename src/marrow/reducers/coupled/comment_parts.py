"""Comments that matter are parts like others: deleted one by one, shortened, moved out of a node.

A linter's directive, a pragma or a licence may be what a failure needs. Where comments are left,
the text is seen with its comments as tokens: an element of a list can go without the comment beside
it, and a comment alone. Then a statement gives way to the comments in it, words of comments go, and
the layout is made compact around those that stay.

Guarantee: none by itself; no element can be deleted from the tree with comments when perses has
ended. Worst case: that of perses, five tests for each statement with a comment, and for each
comment of n words 2n tests after each success.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from marrow.reducers.algorithms.perses import perses
from marrow.reducers.algorithms.prepare import flatten
from marrow.reducers.passes.compact_layout import narrow
from marrow.reducers.passes.pass_context import ParsingSlots, PassContext
from marrow.reducers.streams.spans import (
    NodeSpan,
    at_line,
    indentation,
    spans,
    statements,
)
from marrow.reducers.streams.stream import Done, Reducer, Stream, attempt, in_turn, on
from marrow.reducers.streams.sweep import sweep
from marrow.tree import Place, Replace, Token, Tree

# Larger trees have other things to lose first, and seeing one with its comments takes as long as
# parsing the input.
_LARGEST: Final = 5_000

# So many of the nodes in a statement that fit are tried in its place, outer ones first.
_MOST_WITHIN: Final = 3

_WORD: Final = re.compile(rb"\w+\s*|[^\w\s]+\s*")
_BREAK: Final = re.compile(rb"\\\s*\n")


def comment_parts(context: PassContext) -> Reducer:
    """Return the pass that reduces what comments are left."""

    def run(tree: Tree, done: Done) -> Stream | None:
        gaps = (tree.head, *(token.before for token in tree.tokens()), tree.tail)
        # Whether there is anything but white space and continued lines between the tokens.
        commented = any(_BREAK.sub(b"", gap).strip() for gap in gaps)
        front = context.commented() if commented and tree.token_count <= _LARGEST else None
        seen = tree if front is None else front.parse(tree.text)
        if front is None or seen.token_count <= tree.token_count:
            return done(tree)
        return _reducer(context, front)(flatten(seen), lambda after: done(context.reparsed(after)))

    return run


def _reducer(context: PassContext, front: ParsingSlots) -> Reducer:
    settings = context.settings

    def parsed(tree: Tree) -> Tree:
        return front.parse(tree.text)

    def outwards(tree: Tree, done: Done) -> Stream:
        # From the innermost statement out: what is deleted was in what comes later.
        around = [one.place for one in statements(tree) if _comments_in(tree, one)]
        candidates = partial(_without_statement, context, front)
        phase = "deleting around comments"
        return sweep(tree, around, candidates, done, phase, accepted=parsed)

    def words(tree: Tree, done: Done) -> Stream:
        places = [one.place for one in _comments(tree)]
        return sweep(tree, places, _shorter, done, "shortening comments")

    def compact(tree: Tree, done: Done) -> Stream:
        if not context.options.keep_layout:
            for text in (narrow(front.parse(front.compact(tree))), narrow(tree)):
                candidate = context.parse(text)
                yield attempt(candidate, "compacting around comments", done, candidate)
        return done(tree)

    deletion = perses(front, bound=settings.bound, minimize=settings.minimize)
    return in_turn(deletion, on(parsed, outwards), on(parsed, words), on(parsed, compact))


def _comments(tree: Tree) -> list[NodeSpan]:
    tokens = (one for one in spans(tree) if isinstance(one.node, Token))
    return [one for one in tokens if "comment" in one.node.symbol.lower()]


def _comments_in(tree: Tree, span: NodeSpan) -> list[NodeSpan]:
    """Return the comments inside of a node that is none itself."""
    inside = [one for one in _comments(tree) if span.start <= one.start < span.end]
    return [] if inside and inside[0].place == span.place else inside


def _without_statement(
    context: PassContext, front: ParsingSlots, tree: Tree, place: Place
) -> Iterator[Tree]:
    """Yield the text with a statement's comments, or one in it and these, in its place."""
    span = next((one for one in spans(tree) if one.place == place), None)
    inside = [] if span is None else _comments_in(tree, span)
    if span is None or not inside:
        return
    text, line = tree.text, b"\n" + indentation(tree.text, span.start)
    kept = [one.node.text for one in inside]
    before = len(text[: span.start].rstrip())
    slot = span.node.slot
    within = [
        one
        for one in spans(tree)
        if span.start < one.start and one.end <= span.end and front.accepts(slot, one.node)
    ]
    changes = [(span.start, span.end, line.join(kept)), (before, span.end, b" " + b" ".join(kept))]
    for one in within[:_MOST_WITHIN]:
        first = [other.node.text for other in inside if other.end <= one.start]
        last = [other.node.text for other in inside if other.start >= one.end]
        body = at_line(text[one.start : one.end], indentation(text, one.start), line[1:])
        changes.append((span.start, span.end, line.join((*first, b" ".join((body, *last))))))
    for start, end, new in changes:
        yield context.parse(text[:start] + new + text[end:])


def _shorter(tree: Tree, place: Place) -> Iterator[Tree]:
    """Yield trees with fewer words in a comment: halves first, then single ones; no gap last."""
    token = tree.at(place)
    if not isinstance(token, Token):
        return
    words = list(_WORD.finditer(token.text))
    width = len(words) // 2
    while width:
        for at in range(0, len(words), width):
            some = words[at : at + width]
            left = token.text[: some[0].start()] + token.text[some[-1].end() :]
            if left.strip():
                yield tree.retext(place, left.rstrip())
        width //= 2
    if token.before and not token.before.strip():
        yield tree.edit([Replace(place, token.changed(before=b""))])
