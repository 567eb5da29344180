"""Turns a scannerless grammar into one whose tokens are single characters.

The character sets are cut into pieces that do not overlap, so that every character belongs to one
token only, whatever a lexer prefers. Both grammars derive the same texts.
"""

from __future__ import annotations

from dataclasses import replace

from marrow.grammar.model.charset import Ranges, any_case, complement, intersection, size
from marrow.grammar.model.rules import (
    Characters,
    Expression,
    Grammar,
    Literal,
    Reference,
    TokenRule,
    walk,
)
from marrow.grammar.model.transform import choice, map_leaves, sequence


def with_character_tokens(grammar: Grammar) -> Grammar:
    """Return the grammar with single characters for tokens."""
    return _Splitter(grammar).grammar()


class _Splitter:
    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        sets: dict[Ranges, None] = {}
        singles: set[int] = set()
        for rule in grammar.rules.values():
            for one in walk(rule.body):
                if isinstance(one, Characters):
                    sets[one.ranges] = None
                elif isinstance(one, Literal):
                    for character in one.text:
                        code = ord(character)
                        ranges = any_case(((code, code),)) if one.ignore_case else ((code, code),)
                        if size(ranges) > 1:
                            sets[ranges] = None
                        else:
                            singles.add(code)
        self._singles = singles
        self._names: dict[Ranges, str] = {}
        outside = complement((code, code) for code in singles)
        for piece in _pieces([intersection(one, outside) for one in sets]):
            self._names[piece] = self._free()

    def grammar(self) -> Grammar:
        rules = {
            name: replace(rule, body=map_leaves(rule.body, self._changed))
            for name, rule in self._grammar.rules.items()
        }
        tokens = {name: TokenRule(name, Characters(ranges)) for ranges, name in self._names.items()}
        return replace(self._grammar, rules=rules, tokens=tokens)

    def _free(self) -> str:
        number = len(self._names) + 1
        while f"CHARACTER_{number}" in self._grammar.rules:
            number += 1
        return f"CHARACTER_{number}"

    def _changed(self, leaf: Expression) -> Expression:
        if isinstance(leaf, Literal):
            return sequence([self._one(character, leaf.ignore_case) for character in leaf.text])
        return self._set(leaf.ranges) if isinstance(leaf, Characters) else leaf

    def _one(self, character: str, ignore_case: bool) -> Expression:
        code = ord(character)
        ranges = any_case(((code, code),)) if ignore_case else ((code, code),)
        return Literal(character) if size(ranges) == 1 else self._set(ranges)

    def _set(self, ranges: Ranges) -> Expression:
        found: list[Expression] = [
            Literal(chr(code))
            for code in sorted(self._singles)
            if any(first <= code <= last for first, last in ranges)
        ]
        found.extend(
            Reference(name)
            for piece, name in self._names.items()
            if intersection(piece, ranges) == piece
        )
        return choice(found) if found else Characters(())


def _pieces(sets: list[Ranges]) -> list[Ranges]:
    """Cut sets into pieces, so that every set is a union of pieces and no two overlap."""
    pieces: list[Ranges] = []
    for one in sets:
        rest = one
        cut: list[Ranges] = []
        for piece in pieces:
            common = intersection(piece, one)
            left = intersection(piece, complement(one))
            cut.extend(part for part in (common, left) if part)
            rest = intersection(rest, complement(piece))
        pieces = [*cut, rest] if rest else cut
    return pieces
