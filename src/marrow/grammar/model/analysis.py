"""Analyses of a grammar without an input: nullable, productive, reachable, shortest.

Every function takes a grammar as it was read or normalised and looks at its rules as they are;
nothing here changes a grammar. All of them are linear or close to it, and none is recursive.

There are two versions of Φ, the shortest replacement of the papers on HDD: `shortest` counts tokens
first, which is marrow's own; `minimal_texts` counts characters, with a space between two tokens, as
published. There the first of equally short alternatives is taken, and the first character of a set,
as Picireny does (`;`, `var`, `$` in JavaScript).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from marrow.grammar.model.charset import ShortestWords, first_of, shortest_words, usual
from marrow.grammar.model.expressions import bodies_of, least, postorder, references, settle
from marrow.grammar.model.rules import (
    EPSILON,
    Characters,
    Choice,
    Expression,
    Grammar,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Sequence,
    parts,
)


def nullable(grammar: Grammar) -> frozenset[str]:
    """Return the names of the rules that derive the empty text."""

    def empty(atom: Expression, found: set[str]) -> bool:
        if isinstance(atom, Reference):
            return atom.name in found
        return isinstance(atom, Literal) and not atom.text

    return least(bodies_of(grammar.rules), empty)


def productive(grammar: Grammar) -> frozenset[str]:
    """Return the names of the rules that derive some text of terminals, the empty one included."""

    def ends(atom: Expression, found: set[str]) -> bool:
        if isinstance(atom, Reference):
            return atom.name in found or atom.name not in grammar.rules
        return not isinstance(atom, Characters) or bool(atom.ranges)

    return least(bodies_of(grammar.rules), ends)


def reachable(grammar: Grammar, start: str | None = None) -> frozenset[str]:
    """Return the names of the rules, and of the tokens in them, that a start rule leads to."""
    first = grammar.start if start is None else start
    found = {first}
    stack = [first]
    while stack:
        rule = grammar.rules.get(stack.pop())
        for reference in references(rule.body) if rule is not None else ():
            if reference.name not in found:
                found.add(reference.name)
                stack.append(reference.name)
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Shortest:
    """The shortest thing that a rule or a token derives: fewest tokens, then fewest bytes."""

    tokens: int
    length: int
    _choice: Expression = field(repr=False)
    _table: Mapping[str, Shortest] = field(repr=False, compare=False)
    _words: Mapping[str, bytes] = field(repr=False, compare=False)

    @property
    def words(self) -> tuple[bytes, ...]:
        """The texts of its tokens."""
        words: list[bytes] = []
        stack: list[Expression] = [self._choice]
        while stack:
            one = stack.pop()
            if isinstance(one, Sequence):
                stack.extend(reversed(one.items))
            elif isinstance(one, Reference) and one.name in self._table:
                stack.append(self._table[one.name]._choice)
            else:
                words.extend(atom_words(one, self._words))
        return tuple(words)


def atom_words(atom: Expression, words: Mapping[str, bytes]) -> tuple[bytes, ...]:
    """Return the text of a literal, a character set or a token, as none or one token."""
    match atom:
        case Literal(text=text):
            return (text.encode(),) if text else ()
        case Characters():
            return (usual(atom).encode(),)
        case Reference(name=name):
            return (words[name],) if name in words else ()
        case _:
            return ()


def shortest(grammar: Grammar, words: Mapping[str, bytes] | None = None) -> dict[str, Shortest]:
    """Return the shortest thing that each rule and each token derives (the Φ of HDD).

    Rules that derive nothing are left out. `words` may give better texts for tokens than the
    shortest ones of their rules, such as names that are not keywords.
    """
    texts = {name: word.encode() for name, word in shortest_words(grammar).items()}
    texts.update(words or {})
    costs: dict[str, tuple[int, int]] = {}
    choices: dict[str, Expression] = {}

    def update(name: str) -> bool:
        best = _cheapest(grammar, grammar.rules[name].body, costs, texts)
        if best is None or (name in costs and best[0] >= costs[name]):
            return False
        costs[name], choices[name] = best
        return True

    settle(bodies_of(grammar.rules), update)
    table: dict[str, Shortest] = {}
    for name in grammar.rules:
        if name in costs:
            table[name] = Shortest(*costs[name], choices[name], table, texts)
    rules = dict(table)
    for name, word in texts.items():
        rules[name] = Shortest(1, len(word), Reference(name), table, texts)
    return rules


def _cheapest(
    grammar: Grammar,
    body: Expression,
    costs: Mapping[str, tuple[int, int]],
    words: Mapping[str, bytes],
) -> tuple[tuple[int, int], Expression] | None:
    """Return the least cost of an expression, and the flat sequence or atom that has it."""
    values: list[tuple[tuple[int, int], Expression] | None] = []
    for one in postorder(body):
        count = len(parts(one))
        inside = values[len(values) - count :] if count else []
        del values[len(values) - count :]
        value: tuple[tuple[int, int], Expression] | None = None
        match one:
            case Sequence():
                known = [part for part in inside if part is not None]
                if len(known) == count:
                    tokens = sum(cost[0] for cost, _ in known)
                    length = sum(cost[1] for cost, _ in known)
                    value = (tokens, length), Sequence(tuple(choice for _, choice in known))
            case Choice():
                options = [part for part in inside if part is not None]
                value = min(options, key=lambda option: option[0], default=None)
            case Repeat(quantifier=quantifier):
                value = inside[0] if quantifier is Quantifier.PLUS else ((0, 0), EPSILON)
            case Reference(name=name) if name in grammar.rules:
                value = (costs[name], one) if name in costs else None
            case Characters(ranges=()):
                value = None
            case Reference(name=name) if name in grammar.tokens and name not in words:
                value = None
            case _:
                texts = atom_words(one, words)
                value = (len(texts), sum(map(len, texts))), one
        values.append(value)
    return values[0]


#: The texts of the tokens of a minimal text.
Words: TypeAlias = tuple[bytes, ...]


def minimal_texts(grammar: Grammar) -> dict[str, Words]:
    """Return the text of fewest characters of each rule and each token that derives one.

    The rules are looked at in rounds, as Picireny does it: of equally short texts, the one that is
    known first stays, then the first alternative counts.
    """
    search = ShortestWords(grammar, first_of)
    found: dict[str, Words] = {}
    pending = True
    while pending:
        tokens = {name: word.encode() for name, word in search.found.items()}
        pending = False
        for name, rule in grammar.rules.items():
            new = _minimal(grammar, rule.body, found, tokens)
            if new is not None and (name not in found or _length(new) < _length(found[name])):
                found[name] = new
                pending = True
        for name in grammar.tokens:
            pending = search.update(name) or pending
    return {name: (word,) for name, word in tokens.items()} | found


def _length(words: Words) -> int:
    return len(b" ".join(words))


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
                value = min(known, key=_length, default=None)
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
