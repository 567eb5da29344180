"""Random words: texts of tokens, drawn from their lexical rules.

Words are short and made of usual characters for the most part, but not only. A word that the lexer
would read as something else (a name that is a keyword, a string that ends too early) is not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Final

from marrow.grammar.model.charset import shortest_words, usual_members, writable
from marrow.grammar.model.expressions import fold, rebuilt
from marrow.grammar.model.rules import (
    DEFAULT_MODE,
    END_OF_INPUT,
    Action,
    Characters,
    Choice,
    Expression,
    Grammar,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Sequence,
    TokenRule,
    bare,
)

#: Tells whether the lexer reads a text, in a mode, as one token with a name.
Reads = Callable[[str, str, str], bool]

#: How likely another repetition is: two and a half characters in a name, on average.
_MORE: Final = 0.6

#: How likely a character is drawn from the whole set instead of the usual ones.
_UNUSUAL: Final = 0.03

#: After this many steps a word is finished with the shortest texts; rules may be recursive.
_STEPS: Final = 60

#: How many words are kept for each token, and how many are drawn at most to find them: most rules
#: give a good word nearly always, and those that do not must not hold up the rest.
_KEPT: Final = 64
_DRAWN: Final = 160

#: A token whose shortest word is longer has no other: its rule nests thousands deep, and each draw
#: would be far longer. Long words that people list are literals, which have only one word anyway.
_LONGEST: Final = 1_000

#: The share of words that are drawn afresh instead of taken from those that are kept, which is
#: much faster, unless somebody asks for more.
FRESH: Final = 0.03


#: How many fresh words are drawn to take the most usual: a grammar that lists the ways to write a
#: character knows nothing of how seldom escapes are.
_TRIED: Final = 3


#: How likely an alternative is drawn that is a fragment whose name begins with `Rare`: grammars
#: read there what people hardly ever write, or what looks like words that are not legal.
_RARE: Final = 0.0002


class RandomWords:
    """The words of a grammar's tokens. What is drawn depends on nothing but the random numbers.

    `fresh` is the share of words that are drawn afresh.
    """

    def __init__(self, grammar: Grammar, reads: Reads, fresh: float = FRESH) -> None:
        self._grammar: Final = grammar
        self._reads: Final = reads
        self._share: Final = fresh
        self._shortest: Final = shortest_words(grammar) | shortest_words(_without_rare(grammar))
        self._sources: Final[dict[str, list[TokenRule]]] = {}
        self._kept: dict[str, list[str]] = {}
        self._known: dict[str, bool] = {}
        for rule in grammar.tokens.values():
            unseen = rule.fragment or rule.hidden
            if not unseen and not rule.does(Action.MORE):
                self._sources.setdefault(rule.type, []).append(rule)
        self._prefixes: Final = _prefixes(grammar, self._shortest)

    def has(self, name: str) -> bool:
        """Whether there is a word for a token: some are drawn until one is found."""
        if name not in self._known:
            words = self._candidates(name, Random(f"words of {name}"))
            self._known[name] = next(words, None) is not None
        return self._known[name]

    def some(self, name: str) -> list[str]:
        """Return words for a token, short and usual ones first; none if none was found."""
        if name not in self._kept:
            # The words do not depend on what was asked for before.
            found = dict.fromkeys(self._candidates(name, Random(f"words of {name}")))
            self._kept[name] = sorted(found, key=_oddity)[:_KEPT]
        return self._kept[name]

    def draw(self, name: str, random: Random) -> str:
        """Return a word for a token that has one."""
        kept = self.some(name)
        if len(kept) > 1 and random.random() > 1 - self._share:
            fresh = self._fresh(name, random)
            if fresh is not None:
                return fresh
        # Short words are drawn more often.
        return kept[int(random.random() * random.random() * len(kept))]

    def _candidates(self, name: str, random: Random) -> Iterator[str]:
        for rule in self._sources.get(name, ()):
            shortest = self._shortest.get(rule.name)
            if shortest is None:
                continue
            yield from self._in_context(name, rule, shortest)
            fixed = isinstance(rule.body, Literal) and not rule.body.ignore_case
            if not fixed and len(shortest) <= _LONGEST:
                for _ in range(_DRAWN // len(self._sources[name])):
                    yield from self._in_context(name, rule, self._sample(rule, random))

    def _fresh(self, name: str, random: Random) -> str | None:
        found = []
        for _ in range(_TRIED):
            rule = random.choice(self._sources[name])
            found += [*self._in_context(name, rule, self._sample(rule, random))][:1]
        return min(found, key=lambda word: (*_oddity(word)[:1], word.count("\\")), default=None)

    def _in_context(self, name: str, rule: TokenRule, word: str) -> Iterator[str]:
        """Yield a word if it is read as the token, with what earlier rules begin that with, too."""
        prefix = self._prefixes.get(rule.mode)
        for one in (word,) if prefix is None else (prefix + word, word):
            if (one or prefix is not None) and self._reads(name, rule.mode, one):
                yield one

    def _choose(self, options: tuple[Expression, ...], random: Random) -> Expression:
        """Draw an alternative: one of usual characters nearly always, if there is any."""
        if random.random() >= _RARE:
            options = tuple(one for one in options if not _is_rare(one)) or options
        if random.random() >= _UNUSUAL:
            options = tuple(one for one in options if self._is_usual(one)) or options
        return options[int(random.random() * len(options))]

    def _is_usual(self, expression: Expression) -> bool:
        """Whether an alternative can be written in ASCII, as far as can be seen at a glance."""
        match expression:
            case Characters():
                return writable(expression) and usual_members(expression)[0].isascii()
            case Literal(text=text):
                return text.isascii()
            case Reference(name=name):
                return self._shortest.get(name, "").isascii()
            case Sequence(items=(only,)):
                return not isinstance(only, Characters) or self._is_usual(only)
            case _:
                return True

    def _sample(self, rule: TokenRule, random: Random) -> str:
        """Draw a text from a token rule, which may be one that the lexer reads differently."""
        text: list[str] = []
        stack: list[Expression] = [rule.body]
        steps = 0
        while stack:
            one = stack.pop()
            steps += 1
            match one:
                case Literal(text=word, ignore_case=ignore_case):
                    upper = ignore_case and random.random() < 0.25  # as people write it
                    cased = word.upper() if upper else word.lower()
                    text.append(cased if ignore_case else word)
                case Characters():
                    text.append(draw_character(one, random) if writable(one) else "")
                case Sequence(items=items):
                    stack.extend(reversed(items))
                case Choice(alternatives=options):
                    stack.append(self._choose(options, random))
                case Repeat(item=item, quantifier=quantifier):
                    stack.extend([item] * _times(quantifier, random, tired=steps > _STEPS))
                case Reference(name=name) if name != END_OF_INPUT:
                    other = self._grammar.tokens.get(name)
                    if other is None or steps > _STEPS:
                        text.append(self._shortest.get(name, ""))
                    else:
                        stack.append(other.body)
                case _:
                    pass
        return "".join(text)


def _without_rare(grammar: Grammar) -> Grammar:
    """Return a grammar whose tokens have no rare alternatives, where they have others."""

    def combine(one: Expression, inner: tuple[Expression, ...]) -> Expression:
        if isinstance(one, Choice):
            inner = tuple(part for part in inner if not _is_rare(part)) or inner
            return Choice(inner)
        return rebuilt(one, inner)

    tokens = {
        name: replace(rule, body=fold(rule.body, combine)) for name, rule in grammar.tokens.items()
    }
    return Grammar(grammar.name, grammar.start, grammar.rules, tokens)


def _is_rare(expression: Expression) -> bool:
    """Whether an alternative is a fragment that the author calls rare."""
    expression = bare(expression)
    return isinstance(expression, Reference) and expression.name.startswith("Rare")


def _oddity(word: str) -> tuple[bool, int]:
    """Return what words are sorted by: short ones of usual characters first."""
    return not (word.isascii() and word.isprintable()), len(word)


def draw_character(characters: Characters, random: Random) -> str:
    """Draw a character from a set: a usual one nearly always."""
    if random.random() < _UNUSUAL:
        low, high = characters.ranges[int(random.random() * len(characters.ranges))]
        character = chr(random.randint(low, high))
        if character.isprintable() or character in "\t\n":
            return character
    members = usual_members(characters)
    return members[int(random.random() * len(members))]


def _times(quantifier: Quantifier, random: Random, *, tired: bool) -> int:
    """Draw how often something is repeated."""
    if quantifier is Quantifier.OPTIONAL:
        return 0 if tired else int(random.random() * 2)
    times = 1 if quantifier is Quantifier.PLUS else 0
    while not tired and random.random() < _MORE:
        times += 1
    return times


def _prefixes(grammar: Grammar, shortest: Mapping[str, str]) -> dict[str, str]:
    """Return what tokens of other modes begin with if rules with `more` lead into their mode."""
    found = {DEFAULT_MODE: ""}
    waiting = [DEFAULT_MODE]
    while waiting:
        mode = waiting.pop(0)
        for rule in grammar.tokens.values():
            if rule.mode != mode or not rule.does(Action.MORE) or rule.name not in shortest:
                continue
            for other in rule.arguments(Action.MODE, Action.PUSH_MODE):
                if other not in found:
                    found[other] = found[mode] + shortest[rule.name]
                    waiting.append(other)
    del found[DEFAULT_MODE]
    return found
