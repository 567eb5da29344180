"""Alike: the same token goes in several places at once.

A type, a modifier or an operator must often change wherever it stands, or nowhere: the stars of a
pointer where it is declared and where it is used, `mut`, `const`, `static`, `await`. Of every text
of tokens that stands in several runs (`***` is one run), one token of each run goes; where there
are few runs, also one token of each of two of them. What the parser rejects costs no test.
Guarantee: none by itself. Worst case of a pass: seven tests for each text, and again after a
success.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from typing import Final

from marrow.reduce.attempt import Done, Reducer, Stream
from marrow.reduce.passes.context import Context
from marrow.reduce.passes.sweep import sweep
from marrow.reduce.passes.windows import BRACKETS, without_tokens
from marrow.tree import Tree

# Of so many runs at most, pairs are tried: six tests. A type that is changed in two places of many
# is rare, and all pairs of many are many tests.
_MOST_RUNS: Final = 4


def alike(context: Context) -> Reducer:
    """Return the pass that deletes the same token in several places."""

    def run(tree: Tree, done: Done) -> Stream | None:
        found = dict.fromkeys(token.text for token in tree.tokens())
        texts = [text for text in found if text not in BRACKETS]
        candidates = partial(_candidates, context)
        return sweep(tree, texts, candidates, done, "deleting tokens that are alike")

    return run


def _candidates(context: Context, tree: Tree, text: bytes) -> Iterator[Tree]:
    starts = _starts(tree, text)
    if len(starts) < 2:
        return
    chosen = [tuple(starts)]
    if 2 < len(starts) <= _MOST_RUNS:
        chosen += combinations(starts, 2)
    for positions in chosen:
        yield context.parse(without_tokens(tree, positions).text)


def _starts(tree: Tree, text: bytes) -> list[int]:
    """Return the position of the first token of every run of a text."""
    tokens = [token.text for token in tree.tokens()]
    before = [b"", *tokens[:-1]]
    return [
        position
        for position, (one, previous) in enumerate(zip(tokens, before, strict=True))
        if one == text and previous != text
    ]
