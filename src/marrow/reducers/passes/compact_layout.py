"""Layout: delete comments and blank lines, then make the layout compact; no token changes.

Line breaks stay, unless bytes or lines are counted, and lines are indented only where that means
something. Guarantee: the text has the compact layout, unless the test rejects it. Worst case:
ddmin's over the gaps, and one test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from marrow.reducers.algorithms.drop_layout import drop_layout
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.streams.spans import moved_text, spans
from marrow.reducers.streams.stream import Done, Reducer, Stream, attempt
from marrow.reducers.streams.sweep import sweep
from marrow.tree import Replace, Token, Tree

_LINE_BREAK: Final = re.compile(rb"(?<![ \t])[ \t]*\r?\n\s*")


def comments(_: PassContext) -> Reducer:
    """Return the pass that removes comments and blank lines."""
    return drop_layout


def compact(context: PassContext) -> Reducer:
    """Return the pass that makes the layout compact, unless the layout is to be kept."""
    objective = context.settings.objective

    def run(tree: Tree, done: Done) -> Stream:
        # For languages where indentation means nothing, no line has any.
        indented = [
            Replace(place, node.changed(indent=b""))
            for place, node in tree.walk()
            if isinstance(node, Token) and node.indent and not tree.indented
        ]
        plain = tree.edit(indented)
        # Nobody reads the lines who counts bytes or lines.
        for lines in (True,) if objective == "tokens" else (False, True):
            text = context.compact(plain) if lines else context.compact(plain, lines=False)
            if text == tree.text:
                break
            candidate = context.parse(text)
            yield attempt(candidate, "compacting the layout", done, candidate)
        if tree.indented and objective == "bytes":
            candidate = context.parse(narrow(tree))
            yield attempt(candidate, "narrowing the layout", done, candidate)
        return done(tree)

    return (lambda tree, done: done(tree)) if context.options.keep_layout else run


def narrow(tree: Tree) -> bytes:
    """Return the text with one space for each level of indentation; lines in tokens stay."""
    text, found = tree.text, list[tuple[int, int]]()
    for span in spans(tree):
        start = text.rfind(b"\n", 0, span.start) + 1
        if isinstance(span.node, Token) and text[start : span.start].strip() == b"":
            found.append((start, span.start))
    levels = sorted({end - start for start, end in found})
    changes = ((start, end, b" " * levels.index(end - start)) for start, end in found)
    return moved_text(text, changes) or text


def joined_lines(context: PassContext) -> Reducer:
    """Return the pass that joins lines, where bytes or lines are to become few.

    Guarantee: none. Worst case: three tests for each line break.
    """

    def run(tree: Tree, done: Done) -> Stream | None:
        if context.options.keep_layout or context.settings.objective == "tokens":
            return done(tree)
        # From the end, so that those in front stay where they are.
        breaks = [found.span() for found in _LINE_BREAK.finditer(tree.text.rstrip())][::-1]
        return sweep(tree, breaks, joined, done, "joining lines")

    def joined(tree: Tree, span: tuple[int, int]) -> Iterator[Tree]:
        start, end = span
        if tree.text[start:end].strip() == b"" and b"\n" in tree.text[start:end]:
            for joint in (b"", b" ", b";"):
                yield context.parse(tree.text[:start] + joint + tree.text[end:])

    return run
