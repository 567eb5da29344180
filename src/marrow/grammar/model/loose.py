"""Loose grammars: a list in brackets that matches no rule is a plain list, the rest as it is.

For languages of S-expressions, where the author of a grammar says so by a rule `sExpression`: what
a solver takes and the standard does not, or what nobody takes, is an `oddList`. It may replace a
command or a term, and derives any balanced brackets.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from marrow.grammar.model.rules import (
    Choice,
    Grammar,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
)

#: The rules that an odd list may replace.
_PLACES: Final = ("command", "term")
_LIST: Final = "oddList"
_ITEM: Final = "oddItem"


def may_be_loose(grammar: Grammar) -> bool:
    """Whether the author of a grammar says so."""
    return "sExpression" in grammar.rules


def loose(grammar: Grammar) -> Grammar:
    """Return a grammar that also takes odd lists."""
    rules = dict(grammar.rules)
    for name in _PLACES:
        body = rules[name].body
        alternatives = body.alternatives if isinstance(body, Choice) else (body,)
        rules[name] = replace(rules[name], body=Choice((*alternatives, Reference(_LIST))))
    rules[_LIST] = Rule(
        _LIST,
        Sequence((Literal("("), Repeat(Reference(_ITEM), Quantifier.STAR), Literal(")"))),
    )
    words = (Reference(name) for name in ("specConstant", "symbol", "reserved", "KEYWORD"))
    rules[_ITEM] = Rule(_ITEM, Choice((*words, Reference(_LIST))))
    return replace(grammar, rules=rules)
