"""Runs of tokens, in brackets or not, that need not be elements of lists.

The parser judges what is left. Where it may find more errors than before, a pass says so.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final

from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.reducers.streams.sweep import sweep
from marrow.tree import Branch, Kind, Token, Tree
from marrow.tree.tree_cache import kept

# The longest run of tokens that is tried: `for (int i = 0;` is seven tokens. Longer runs nearly
# always are elements, or hold some.
_LONGEST_RUN: Final = 8

# Of a small text, or one without a parser: an operator with its operand, a name with its brackets.
_SHORT_RUN: Final = 4

# A parser may insist on a token or two that a compiler does not need: a type, `static` with a type,
# the name of a bit-field. Trying them takes two tests for each token. In small results that is
# little beside the tests before.
_LONGEST_UNPARSED: Final = 2
_MOST_UNPARSED: Final = 60

_PAIRS: Final = {b")": b"(", b"]": b"[", b"}": b"{"}
_OPENING: Final = frozenset(_PAIRS.values())


def without_tokens(tree: Tree, positions: Container[int]) -> Tree:
    """Return a flat tree of the tokens but those at some positions: enough to render and count."""
    tokens = [token for at, token in enumerate(tree.tokens()) if at not in positions]
    placed = [token.placed(key=key, slot=token.slot) for key, token in enumerate(tokens)]
    return tree.framed(Branch(Kind.REGULAR, "tokens", placed), tree.head, tree.tail)


@kept  # a sweep asks for every run
def _tokens(tree: Tree) -> list[Token]:
    return list(tree.tokens())


def tokens(context: PassContext) -> Reducer:
    """Return the pass that deletes every short run of tokens that the parser can do without.

    Guarantee: no run of up to eight tokens can go, four in small texts. Worst case of a pass:
    8 × tokens.
    """

    def run(tree: Tree, done: Done) -> Stream | None:
        longest = _SHORT_RUN if context.seldom_pays(tree) else _LONGEST_RUN
        return _runs(context, tree, longest, done, "deleting tokens")

    return run


def short_runs(context: PassContext) -> Reducer:
    """Return the pass that deletes runs of two to four tokens with balanced brackets."""
    return lambda tree, done: _runs(context, tree, _SHORT_RUN, done, "deleting tokens")


def unparsed(context: PassContext) -> Reducer:
    """Return the pass that deletes tokens that only the parser needs, from a small tree.

    Compilers accept more than the parser does, such as bit-fields without a name. It runs only with
    the greatest effort: a test that ignores syntax errors would be left with nothing but errors.
    """

    def run(tree: Tree, done: Done) -> Stream | None:
        wanted = context.options.thorough and not context.slots.exact
        if not wanted or tree.token_count > _MOST_UNPARSED:
            return done(tree)
        phase = "deleting what the parser wants"
        return _runs(context, tree, _LONGEST_UNPARSED, done, phase, unparsed=True)

    return run


def _runs(
    context: PassContext,
    tree: Tree,
    longest: int,
    done: Done,
    phase: str,
    *,
    unparsed: bool = False,
) -> Stream:
    """Delete runs of tokens up to a length, the longest first; go on with the text parsed anew."""
    count = len(_tokens(tree))

    def candidates(tree: Tree, number: int) -> Iterator[Tree]:
        size, start = longest - number // count, number % count
        run = _tokens(tree)[start : start + size]
        if len(run) == size and _balanced(run):
            yield without_tokens(tree, range(start, start + size))

    numbers = range(longest * count)
    after = context.reparsed
    return sweep(tree, numbers, candidates, done, phase, accepted=after, unparsed=unparsed)


def _balanced(tokens: list[Token]) -> bool:
    """Whether the brackets of a run are balanced; otherwise the parser would reject it anyway."""
    depth = 0
    for token in tokens:
        depth += (token.text in _OPENING) - (token.text in _PAIRS)
        if depth < 0:
            return False
    return depth == 0
