"""The last sweep: in a text with syntax errors, nothing that deletes by itself stays.

Where the parser gave up, the tree does not show what may go: an element of a list that is none, a
closing bracket that is an error of its own. So at the end every pair of brackets (with its head,
whole, or emptied), every line and every token is tried once more by itself, whatever the parser
says of the rest. What other passes tried before is answered from the journal.

Guarantee: in a text with errors no such part can be deleted by itself. Worst case of a pass: three
tests for each pair of brackets, one for each line and each token, and again from there on after
each success.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from marrow.reducers.passes.brackets import candidates as without_bracket
from marrow.reducers.passes.brackets import has_errors, spans
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.passes.windows import without_tokens
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.reducers.streams.sweep import sweep
from marrow.tree import Tree
from marrow.tree.tree_cache import kept

# The ways in which a pair of brackets goes.
_WAYS: Final = 3


def last_sweep(context: PassContext) -> Reducer:
    """Return the pass that tries every bracket, line and token of a text with syntax errors."""

    def run(tree: Tree, done: Done) -> Stream | None:
        if not has_errors(tree):
            return done(tree)
        pairs = [("bracket", at) for at in range(_WAYS * len(spans(tree)))]
        lines = [("line", at) for at in reversed(range(len(_lines(tree))))]
        tokens = [("token", at) for at in reversed(range(tree.token_count))]
        return sweep(
            tree,
            [*pairs, *lines, *tokens],
            _candidates,
            done,
            "sweeping",
            accepted=context.reparsed,
            unparsed=True,
        )

    return run


def _candidates(tree: Tree, item: tuple[str, int]) -> Iterator[Tree]:
    what, at = item
    if what == "bracket":
        yield from without_bracket(tree, at)
    elif what == "line":
        lines = _lines(tree)
        if at < len(lines) and len(lines[at]) < tree.token_count:
            yield without_tokens(tree, lines[at])
    elif at < tree.token_count and tree.token_count > 1:
        yield without_tokens(tree, range(at, at + 1))


@kept
def _lines(tree: Tree) -> list[range]:
    """Return the numbers of the tokens of each line."""
    starts = [at for at, token in enumerate(tree.tokens()) if not at or b"\n" in token.before]
    return [range(*pair) for pair in zip(starts, [*starts[1:], tree.token_count], strict=True)]
