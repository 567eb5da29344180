"""Minimal texts: Φ as the papers on HDD have it, the text of fewest characters that a rule derives.

marrow's own Φ (`analysis.shortest`) counts tokens first; the published one counts characters, with
a space between two tokens; of two that are as long, the first one by its text is it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from marrow.grammar.model.analysis import atom_words
from marrow.grammar.model.characters import shortest_words
from marrow.grammar.model.expressions import postorder
from marrow.grammar.model.fixpoint import bodies_of, settle
from marrow.grammar.model.rules import (
    Characters,
    Choice,
    Expression,
    Grammar,
    Quantifier,
    Reference,
    Repeat,
    Sequence,
    parts,
)

#: The texts of the tokens of a minimal text.
Words: TypeAlias = tuple[bytes, ...]


def minimal_texts(grammar: Grammar) -> dict[str, Words]:
    """Return the text of fewest characters of each rule and each token that derives one."""
    tokens = {name: word.encode() for name, word in shortest_words(grammar).items()}
    found: dict[str, Words] = {}

    def update(name: str) -> bool:
        new = _minimal(grammar, grammar.rules[name].body, found, tokens)
        old = found.get(name)
        if new is None or (old is not None and _order(new) >= _order(old)):
            return False
        found[name] = new
        return True

    settle(bodies_of(grammar.rules), update)
    return {name: (word,) for name, word in tokens.items()} | found


def _order(words: Words) -> tuple[int, bytes]:
    text = b" ".join(words)
    return len(text), text


def _minimal(
    grammar: Grammar, body: Expression, found: Mapping[str, Words], tokens: Mapping[str, bytes]
) -> Words | None:
    """Return the minimal text of an expression as far as it is known."""
    values: list[Words | None] = []
    for one in postorder(body):
        count = len(parts(one))
        inside = values[len(values) - count :] if count else []
        del values[len(values) - count :]
        known = [part for part in inside if part is not None]
        value: Words | None = None
        match one:
            case Sequence():
                if len(known) == count:
                    value = tuple(word for part in known for word in part)
            case Choice():
                value = min(known, key=_order, default=None)
            case Repeat(quantifier=quantifier):
                value = inside[0] if quantifier is Quantifier.PLUS else ()
            case Reference(name=name) if name in grammar.rules:
                value = found.get(name)
            case Characters(ranges=()):
                value = None
            case Reference(name=name) if name in grammar.tokens and name not in tokens:
                value = None
            case _:
                value = atom_words(one, tokens)
        values.append(value)
    return values[0]
