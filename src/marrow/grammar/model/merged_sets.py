"""Alternatives of single characters as one set, for lexers and generators.

Some grammars list the letters of an alphabet one by one, in hundreds of alternatives, or give each
a rule of its own. A set of them is one move of an automaton.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from marrow.grammar.model.charset import Ranges, normalised, other_cases
from marrow.grammar.model.expressions import fold
from marrow.grammar.model.rules import (
    Characters,
    Choice,
    Expression,
    Literal,
    Reference,
    Sequence,
    TokenRule,
    parts,
)
from marrow.grammar.model.transform import choice, rebuilt

#: Fewer alternatives than this cost nothing worth saving.
_FEW: Final = 8


def merged_tokens(tokens: Mapping[str, TokenRule]) -> dict[str, TokenRule]:
    """Return token rules that match the same texts, with characters merged into sets."""
    sets: dict[str, Ranges] = {}
    found: dict[str, TokenRule] = {}
    waiting = dict(tokens)
    # A rule of one set may stand for a character of another one: two rounds do for all but chains
    # of such rules, and each round takes one more link of those.
    for last in (False, False, True):
        for name, token in waiting.items():
            body = _merged(token.body, sets)
            ranges = _single(body, sets)
            if ranges is not None and token.fragment:
                sets[name] = ranges
            found[name] = token if body is token.body else replace(token, body=body)
        if not sets or last:
            break
    return found


def _merged(body: Expression, sets: Mapping[str, Ranges]) -> Expression:
    """Merge neighbouring alternatives of single characters."""

    def combine(one: Expression, inner: tuple[Expression, ...]) -> Expression:
        if not isinstance(one, Choice) or len(inner) < _FEW:
            return rebuilt(one, inner) if parts(one) else one
        merged: list[Expression] = []
        run: list[tuple[int, int]] = []
        for item in inner:
            ranges = _single(item, sets)
            if ranges is not None:
                run.extend(ranges)
                continue
            if run:
                merged.append(Characters(normalised(run)))
                run = []
            merged.append(item)
        if run:
            merged.append(Characters(normalised(run)))
        return choice(merged)

    return fold(body, combine)


def _single(one: Expression, sets: Mapping[str, Ranges]) -> Ranges | None:
    """Return the characters that an expression is exactly one of."""
    while isinstance(one, Sequence) and len(one.items) == 1:
        one = one.items[0]
    match one:
        case Characters(ranges=ranges):
            return ranges
        case Literal(text=text, ignore_case=ignore_case) if len(text) == 1:
            cases = {text, *other_cases(text)} if ignore_case else {text}
            return normalised((ord(case), ord(case)) for case in cases)
        case Reference(name=name):
            return sets.get(name)
        case _:
            return None
