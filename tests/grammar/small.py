"""Small grammars for tests: a one-line notation, how they print, and a reference recogniser."""

from __future__ import annotations

from functools import cache

from marrow.grammar.model.rules import (
    Characters,
    Choice,
    Expression,
    Grammar,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
)

_QUANTIFIERS = {one.value: one for one in Quantifier}


def small(*lines: str, start: str = "") -> Grammar:
    """Read rules such as `A ::= B c* | ε`: capital letters start rules, all else is a literal."""
    rules = {}
    for line in lines:
        name, _, body = line.partition("::=")
        options = [_option(one) for one in body.split("|")]
        rules[name.strip()] = Rule(
            name.strip(), options[0] if len(options) == 1 else Choice(tuple(options))
        )
    return Grammar("small", start or next(iter(rules)), rules)


def _option(text: str) -> Expression:
    items = tuple(_atom(word) for word in text.split() if word != "ε")
    return Sequence(items)


def _atom(word: str) -> Expression:
    if len(word) > 1 and word[-1] in _QUANTIFIERS:
        return Repeat(_atom(word[:-1]), _QUANTIFIERS[word[-1]])
    return Reference(word) if word[0].isupper() else Literal(word)


def show(grammar: Grammar) -> list[str]:
    """Print the rules in the notation that `small` reads."""
    return [f"{name} ::= {text(rule.body)}" for name, rule in grammar.rules.items()]


def text(expression: Expression) -> str:
    match expression:
        case Choice(alternatives=options):
            return " | ".join(text(option) for option in options)
        case Sequence(items=items):
            return " ".join(text(item) for item in items) or "ε"
        case Repeat(item=item, quantifier=quantifier):
            return text(item) + quantifier.value
        case Reference(name=name):
            return name
        case Literal(text=word):
            return word
        case Characters(ranges=ranges):
            return "".join(f"[{chr(a)}-{chr(b)}]" for a, b in ranges)


Words = frozenset[tuple[str, ...]]


def language(grammar: Grammar, longest: int) -> Words:
    """Return all sequences of terminals up to a length that a grammar derives, by brute force."""
    known: dict[str, Words] = {name: frozenset() for name in grammar.rules}

    @cache
    def joined(left: Words, right: Words) -> Words:
        return frozenset(a + b for a in left for b in right if len(a) + len(b) <= longest)

    def words(expression: Expression) -> Words:
        match expression:
            case Choice(alternatives=options):
                return frozenset().union(*map(words, options))
            case Sequence(items=items):
                result: Words = frozenset({()})
                for item in items:
                    result = joined(result, words(item))
                return result
            case Repeat(item=item, quantifier=quantifier):
                once = words(item)
                if quantifier is Quantifier.OPTIONAL:
                    return once | {()}
                result = once | {()} if quantifier is Quantifier.STAR else once
                while (more := result | joined(result, once)) != result:
                    result = more
                return result
            case Reference(name=name) if name in known:
                return known[name]
            case _:
                return frozenset({(text(expression),)}) if text(expression) else frozenset({()})

    changed = True
    while changed:
        changed = False
        for name, rule in grammar.rules.items():
            now = words(rule.body)
            if now != known[name]:
                known[name] = now
                changed = True
    return known[grammar.start]


def recognises(grammar: Grammar, word: tuple[str, ...]) -> bool:
    """Whether a grammar derives a sequence of terminals; finds the spans of each rule."""
    spans: dict[str, set[tuple[int, int]]] = {name: set() for name in grammar.rules}

    def ends(expression: Expression, start: int) -> set[int]:
        match expression:
            case Choice(alternatives=options):
                return {end for option in options for end in ends(option, start)}
            case Sequence(items=items):
                here = {start}
                for item in items:
                    here = {end for place in here for end in ends(item, place)}
                return here
            case Repeat(item=item, quantifier=quantifier):
                once = ends(item, start)
                if quantifier is Quantifier.OPTIONAL:
                    return once | {start}
                found = set(once)
                waiting = list(once)
                while waiting:
                    for end in ends(item, waiting.pop()) - found:
                        found.add(end)
                        waiting.append(end)
                return found | {start} if quantifier is Quantifier.STAR else found
            case Reference(name=name) if name in spans:
                return {end for begin, end in spans[name] if begin == start}
            case _:
                if text(expression) == "":
                    return {start}
                return {start + 1} if word[start : start + 1] == (text(expression),) else set()

    changed = True
    while changed:
        changed = False
        for name, rule in grammar.rules.items():
            now = {(start, end) for start in range(len(word) + 1) for end in ends(rule.body, start)}
            if now != spans[name]:
                spans[name] = now
                changed = True
    return (0, len(word)) in spans[grammar.start]
