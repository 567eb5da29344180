"""Analyses of a grammar without an input: productive, reachable, shortest.

Every function takes a grammar as it was read or normalised and looks at its rules as they are;
nothing here changes a grammar. All of them are linear or close to it, and none is recursive.

There are two versions of Φ, the shortest replacement of the papers on HDD: `shortest` counts tokens
first, which is marrow's own; `minimal_texts` counts characters, with a space between two tokens, as
published. There the first of equally short alternatives is taken, and the first character of a set,
as Picireny does (`;`, `var`, `$` in JavaScript).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from marrow.base.reachability import reached
from marrow.grammar.model.charset import ShortestWords, first_of, shortest_words, usual
from marrow.grammar.model.expressions import bodies_of, fold, least, references, settle
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    NOWHERE,
    Characters,
    Choice,
    Expression,
    Grammar,
    GrammarError,
    Literal,
    Note,
    Position,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
    parts,
)


def productive(grammar: Grammar) -> frozenset[str]:
    """Return the names of the rules that derive some text of terminals, the empty one included."""

    def ends(atom: Expression, found: set[str]) -> bool:
        if isinstance(atom, Reference):
            return atom.name in found or atom.name not in grammar.rules
        return not isinstance(atom, Characters) or bool(atom.ranges)

    return least(bodies_of(grammar.rules), ends)


def reachable(grammar: Grammar) -> frozenset[str]:
    """Return the names of the rules, and of the tokens in them, that the start rule leads to."""
    uses = _uses(grammar.rules)
    return frozenset(reached((grammar.start,), lambda name: uses.get(name, ())))


def _uses(rules: Mapping[str, Rule]) -> dict[str, set[str]]:
    return {name: {one.name for one in references(rule.body)} for name, rule in rules.items()}


def default_start(rules: Mapping[str, Rule]) -> str:
    """Choose the start rule: one that nobody else refers to and that ends with EOF, if any.

    Failing that, one that nobody refers to and whose last rule ends so (`file: line*`).

    Among several, the one that reaches the most rules is the whole language, and the others are
    parts of it with an entry of their own; among equals the first.
    """
    uses = _uses(rules)
    lasts = {name: set(_last_names(rule.body)) for name, rule in rules.items()}
    used = {one for name, found in uses.items() for one in found if one != name}
    unused = [name for name in rules if name not in used]
    ends = [name for name in rules if END_OF_INPUT in lasts[name]]
    candidates = (
        [name for name in ends if name not in used]
        or [n for n in unused if END_OF_INPUT in reached((n,), lambda one: lasts.get(one, ()))]
        or ends
        or unused
        or list(rules)[:1]
    )
    return max(candidates, key=lambda name: len(reached((name,), lambda one: uses.get(one, ()))))


def _last_names(body: Expression) -> Iterator[str]:
    """Return the names that a body may end with, outer groups opened."""
    stack = [body]
    while stack:
        one = stack.pop()
        if isinstance(one, Reference):
            yield one.name
        else:
            stack.extend(one.items[-1:] if isinstance(one, Sequence) else parts(one))


#: The texts of the tokens of a minimal text.
Words: TypeAlias = tuple[bytes, ...]

#: Longer texts are not kept: rules that double what they hold make them in a few steps.
_MOST_WORDS: Final = 100_000


def shortest(grammar: Grammar) -> dict[str, Words]:
    """Return the shortest text of each rule and each token: fewest tokens, then fewest bytes.

    This is the Φ of HDD. Rules that derive nothing are left out.
    """
    tokens = {name: word.encode() for name, word in shortest_words(grammar).items()}
    found: dict[str, Words] = {}

    def size(words: Words) -> tuple[int, int]:
        return len(words), sum(map(len, words))

    settle(bodies_of(grammar.rules), lambda name: _improved(grammar, name, found, tokens, size))
    return found | {name: (word,) for name, word in tokens.items()}


def minimal_texts(grammar: Grammar) -> dict[str, Words]:
    """Return the text of fewest characters of each rule and each token that derives one.

    The rules are looked at in rounds, as Picireny does it: of equally short alternatives that are
    known in a round the first counts, and what it gives in a later round if it sorts before.
    """
    search = ShortestWords(grammar, first_of)
    found: dict[str, Words] = {}
    pending = True
    while pending:
        tokens = {name: word.encode() for name, word in search.found.items()}
        pending = False
        for name in grammar.rules:
            pending = _improved(grammar, name, found, tokens, _length, by_text=True) or pending
        for name in grammar.tokens:
            pending = search.update(name) or pending
    return {name: (word,) for name, word in tokens.items()} | found


def _length(words: Words) -> int:
    return len(b" ".join(words))


def _improved(
    grammar: Grammar,
    name: str,
    found: dict[str, Words],
    tokens: Mapping[str, bytes],
    order: Callable[[Words], Any],
    *,
    by_text: bool = False,
) -> bool:
    """Look for a better text of a rule, given those found so far; return whether there is one.

    `by_text`: one that is as good is better if it sorts before.
    """

    def combine(one: Expression, inner: tuple[Words | None, ...]) -> Words | None:
        known = tuple(part for part in inner if part is not None)
        match one:
            case Sequence() if len(known) < len(inner) or sum(map(len, known)) > _MOST_WORDS:
                return None
            case Sequence():
                return tuple(word for part in known for word in part)
            case Choice():
                return min(known, key=order, default=None)
            case Repeat(quantifier=quantifier):
                return inner[0] if quantifier is Quantifier.PLUS else ()
            case Literal(text=text):
                return (text.encode(),) if text else ()
            case Characters(ranges=ranges):
                return (usual(one).encode(),) if ranges else None
            case Reference() if one.name in grammar.rules:
                return found.get(one.name)
            case Reference():
                word = tokens.get(one.name)
                return (word,) if word is not None else None if one.name in grammar.tokens else ()

    new = fold(grammar.rules[name].body, combine)
    if new is None:
        return False
    old = found.get(name)
    if old is not None and order(new) >= order(old):
        sorts_before = b" ".join(new) < b" ".join(old)
        if not (by_text and order(new) == order(old) and sorts_before):
            return False
    found[name] = new
    return True


#: How many rules a message names: as many as fit on a line.
_NAMES_SHOWN: Final = 6


def problems(grammar: Grammar) -> list[Note]:
    """Return what makes a grammar unusable (errors) or is of no use in it (notes)."""
    first = grammar.start
    notes = undefined(grammar)
    if any(note.error for note in notes):
        return notes
    good = productive(grammar)
    used = reachable(grammar)
    for name, rule in grammar.rules.items():
        if name not in good:
            message = f"rule {name!r} derives no text: every alternative leads back to a rule"
            advice = "Add an alternative that does not refer to such a rule."
            note = Note(rule.position, f"{message} without an end.", advice, error=name == first)
            notes.append(note)
        elif name not in used:
            message = f"rule {name!r} cannot be reached from {first!r}."
            advice = "Refer to it, remove it, or choose another start rule."
            notes.append(Note(rule.position, message, advice))
    return notes


def undefined(grammar: Grammar) -> list[Note]:
    """Return an error for every name that is used but defined nowhere."""
    notes = []
    if grammar.start not in grammar.rules:
        known = ", ".join(list(grammar.rules)[:_NAMES_SHOWN])
        position = next((rule.position for rule in grammar.rules.values()), NOWHERE)
        message = f"the start rule {grammar.start!r} is not defined."
        advice = f"Choose one of the rules: {known}." if known else "The grammar has no rules."
        notes.append(Note(position, message, advice, error=True))
    defined = {END_OF_INPUT, *grammar.rules, *grammar.tokens}
    for rule in grammar.rules.values():
        for one in references(rule.body):
            if one.name not in defined:
                where = one.position if one.position.line else rule.position
                notes.append(_undefined_name(grammar, rule.name, one.name, where))
    for token in grammar.tokens.values():
        for one in references(token.body):
            if one.name in grammar.tokens or one.name == END_OF_INPUT:
                continue
            where = one.position if one.position.line else token.position
            message = f"{one.name!r}, which the token {token.name!r} uses, is not defined."
            advice = "Define it as a token or fragment, or correct the name."
            if one.name in grammar.rules:
                message = f"the token {token.name!r} uses {one.name!r}, which is a parser rule."
                advice = "Tokens are made of characters and other tokens: use one of these."
            notes.append(Note(where, message, advice, error=True))
    return notes


def _undefined_name(grammar: Grammar, rule: str, name: str, where: Position) -> Note:
    """Report a name. A token that no rule makes is never found; the rest can still be used.

    ANTLR's authors declare such tokens for actions to make: indentation, mostly.
    """
    alike = (
        f"Is {known!r} meant?"
        for known in (*grammar.rules, *grammar.tokens)
        if known.replace("_", "").lower() == name.replace("_", "").lower()
    )
    advice = next(alike, "Define it as a rule or a token, or correct the name.")
    if grammar.tokens and name[:1].isupper():
        message = f"no token rule makes {name!r}, which rule {rule!r} uses: no text has it."
        return Note(where, message, advice)
    return Note(where, f"{name!r}, which rule {rule!r} uses, is not defined.", advice, error=True)


def require_usable(grammar: Grammar) -> None:
    """Raise `GrammarError` for the first error: an undefined name, a start that derives no text."""
    for note in problems(grammar):
        if note.error:
            advice = f" {note.advice}" if note.advice else ""
            raise GrammarError(note.message + advice, note.position)
