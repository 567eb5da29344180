"""Implied types: functions and variables without their type, where the language implies one.

Compilers of C accept `main() {}` and `static a;`, with a warning at most. All such types are left
out at once; else the first alone, and if that succeeds, each of the others. So a test that needs
types costs two tests. The parser reports errors in such texts until one is accepted; then
`marrow.syntax.masking.implied_types` explains them.

Guarantee: none. Worst case of a pass: two tests if none may go, else one for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from marrow.languages.language_facts import facts_of
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.passes.token_runs import without_tokens
from marrow.reducers.streams.stream import Attempt, Done, Reducer, Stream, attempt
from marrow.tree import Node, Token, Tree

_PHASE: Final = "leaving types out"
_DECLARES: Final = frozenset({"function_definition", "declaration"})
_SPECIFIERS: Final = "_declaration_specifiers"
_TYPES: Final = frozenset({"primitive_type", "type_identifier", "sized_type_specifier"})


def implied_types_pass(context: PassContext) -> Reducer:
    """Return the pass that leaves out the types of functions and variables."""
    implied = facts_of(context.options.language).definitions.implied_types
    if not implied or context.slots.exact:
        return lambda tree, done: done(tree)
    parse = context.parse

    def without(tree: Tree, gone: Sequence[int], then: Callable[[Tree], Stream | None]) -> Attempt:
        candidate = without_tokens(tree, gone)
        one = attempt(candidate, _PHASE, lambda: then(parse(candidate.text)))
        return replace(one, unparsed=True)

    def some(tree: Tree, first: int, done: Done) -> Stream:
        """Try the types from a number on, each by itself."""
        for number, one in enumerate(_types(parse(tree.text))):
            if number >= first:
                yield without(tree, [one], partial(some, first=number, done=done))
        return done(tree)

    def all_or_some(tree: Tree, types: list[int], done: Done) -> Stream:
        yield without(tree, types, done)
        if len(types) > 1:
            yield without(tree, types[:1], partial(some, first=0, done=done))
        return done(tree)

    def run(tree: Tree, done: Done) -> Stream | None:
        types = _types(parse(tree.text))
        return all_or_some(tree, types, done) if types else done(tree)

    return run


def _types(tree: Tree) -> list[int]:
    """Return the numbers of the tokens that are types which may be left out."""
    found: list[int] = []
    count = 0
    ahead: set[int] = set()
    for _, node in tree.walk():
        if isinstance(node, Token):
            if id(node) in ahead:
                found.append(count)
            count += 1
        elif node.symbol in _DECLARES:
            ahead.update(map(id, _type_of(node)))
    return found


def _type_of(node: Node) -> list[Node]:
    """Return the token that is the type of a declaration, if one is.

    The parser reads a variable without any specifier (`a;`) as a statement, which other passes try.
    It accepts `int f {}`, which is not a function.
    """
    first, function = node.children[0], node.symbol == "function_definition"
    if function and len(node.children) > 1 and isinstance(node.children[1], Token):
        return []
    if first.symbol == _SPECIFIERS:
        return [one for one in first.children if one.symbol in _TYPES]
    return [first] if first.symbol in _TYPES and function else []
