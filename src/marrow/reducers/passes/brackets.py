"""Brackets: what is balanced goes whole, or is emptied, whatever the parser says of the rest.

For texts with syntax errors, in which the tree does not show what belongs together: a closing
bracket may be an error of its own, far from the one that it closes. Brackets still tell. For each
pair, the largest first: all from the last semicolon, brace or closing bracket of its own level to
its end goes, such as a function with its head; or the pair with what is in it; or what is in it.
Candidates are tested even if the parser finds more errors in them.

Guarantee: in a text with errors no such part can be deleted by itself. Worst case of a pass: three
tests for each pair of brackets; a way that failed 32 times in a row is given up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.passes.token_runs import without_tokens
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.reducers.streams.sweep import sweep
from marrow.tree import Tree
from marrow.tree.tree_cache import kept

_PAIRS: Final = {b")": b"(", b"]": b"[", b"}": b"{"}
_ENDS: Final = frozenset({b";", b"{", b"}"})
# A pair with what is before it, the pair, its content: see `candidates`.
_WAYS: Final = 3


class BracketPair(NamedTuple):
    """A pair of brackets: the numbers of its tokens, and where what it belongs to begins."""

    head: int
    start: int
    end: int


def brackets(context: PassContext) -> Reducer:
    """Return the pass that deletes or empties brackets in a text with syntax errors."""

    def run(tree: Tree, done: Done) -> Stream | None:
        if not has_errors(tree):
            return done(tree)
        return sweep(
            tree,
            range(_WAYS * len(spans(tree))),
            candidates,
            done,
            "deleting brackets",
            accepted=context.reparsed,
            sort=lambda number: number % _WAYS,
            unparsed=True,
        )

    return run


def candidates(tree: Tree, number: int) -> Iterator[Tree]:
    """Yield the text without the part of a number, which encodes a pair and a way."""
    found = spans(tree)
    at, way = divmod(number, _WAYS)
    if at >= len(found):
        return
    head, start, end = found[at]
    if way == 0 and head < start:
        # With the semicolon after it, if there is one.
        texts = [token.text for token in tree.tokens()]
        after = end + 2 if texts[end + 1 : end + 2] == [b";"] else end + 1
        yield without_tokens(tree, range(head, after))
    elif way == 1:
        yield without_tokens(tree, range(start, end + 1))
    elif way == 2 and end > start + 1:
        yield without_tokens(tree, range(start + 1, end))


@kept
def spans(tree: Tree) -> list[BracketPair]:
    """Return the pairs of brackets, those of most tokens first; what has no partner is left out."""
    found: list[BracketPair] = []
    opened: list[tuple[bytes, int]] = []
    heads = [0]
    for at, token in enumerate(tree.tokens()):
        text = token.text
        if text in _PAIRS.values():
            opened.append((text, at))
            heads.append(at + 1)
            continue
        partner = _PAIRS.get(text)
        if partner is not None and any(one == partner for one, _ in opened):
            while opened[-1][0] != partner:
                opened.pop()
                heads.pop()
            _, start = opened.pop()
            heads.pop()
            found.append(BracketPair(heads[-1], start, at))
        if text in _ENDS:
            heads[-1] = at + 1
    return sorted(found, key=lambda one: (one.start - one.end, one.start))


@kept
def has_errors(tree: Tree) -> bool:
    """Return whether the parser found errors in the text of a tree."""
    return any(node.symbol == "ERROR" for _, node in tree.walk())


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
            _parts,
            done,
            "sweeping",
            accepted=context.reparsed,
            unparsed=True,
        )

    return run


def _parts(tree: Tree, item: tuple[str, int]) -> Iterator[Tree]:
    what, at = item
    if what == "bracket":
        yield from candidates(tree, at)
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
