"""Delete the same thing in several places at once.

A type, a modifier or an operator must often change everywhere or nowhere: the stars of a pointer
where it is declared and where it is used, a dimension of an array, `mut`, `static`, `await`. Tokens
with the same text are alike, and so are brackets of the same sort with their contents. Neighbours
form a row (`***`, `[0][1]`). The first thing of each row is deleted, or the last; where there are
few rows, also that of any two. A candidate that the parser rejects costs no test.

Guarantee: none by itself. Worst case of a pass: fourteen tests for each text, and again after a
success.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.passes.windows import CLOSING, OPENING, without_tokens
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.reducers.streams.sweep import sweep
from marrow.tree import Tree

# Pairs are tried of at most so many rows: six pairs. Things seldom change in just two places of
# many, and all pairs of many rows would be many tests.
_MOST_ROWS: Final = 4


def simultaneous_deletion(context: PassContext) -> Reducer:
    """Return the pass that deletes the same thing in several places."""

    def run(tree: Tree, done: Done) -> Stream | None:
        texts = dict.fromkeys(token.text for token in tree.tokens())
        phase = "deleting what is alike"
        return sweep(tree, list(texts), _candidates, done, phase, accepted=context.reparsed)

    return run


def _candidates(tree: Tree, text: bytes) -> Iterator[Tree]:
    rows = _rows([token.text for token in tree.tokens()], text)
    if len(rows) < 2:
        return
    chosen = [rows]
    if 2 < len(rows) <= _MOST_ROWS:
        chosen += map(list, combinations(rows, 2))
    tried: set[frozenset[int]] = set()
    for some in chosen:
        for end in (0, -1):
            positions = frozenset(position for row in some for position in row[end])
            if positions not in tried:
                tried.add(positions)
                yield without_tokens(tree, positions)


def _rows(tokens: Sequence[bytes], text: bytes) -> list[list[range]]:
    """Return the ranges of a token, or of such a bracket with its contents, row by row."""
    rows: list[list[range]] = []
    for start in (at for at, token in enumerate(tokens) if token == text):
        thing = range(start, _end(tokens, start))
        if rows and rows[-1][-1].stop == start:
            rows[-1].append(thing)
        elif thing:
            rows.append([thing])
    return rows


def _end(tokens: Sequence[bytes], start: int) -> int:
    """Return the end of a token, or of the bracket that it opens; `start` if it closes one."""
    if tokens[start] in CLOSING:
        return start
    depth = 0
    for position in range(start, len(tokens)):
        depth += (tokens[position] in OPENING) - (tokens[position] in CLOSING)
        if depth <= 0:
            return position + 1
    return start
