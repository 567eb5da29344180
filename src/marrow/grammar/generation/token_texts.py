"""Texts of generated tokens: one for each terminal, and the gaps between them.

The lexer has the last word. A text is used for a token only if the lexer reads it as that token,
and a gap between two tokens is one with which it reads both of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Final, NamedTuple, TypeAlias

from marrow.grammar.generation.random_words import FRESH, RandomWords
from marrow.grammar.model.charset import USUAL
from marrow.grammar.model.literal_tokens import implicit_tokens
from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.model.rules import (
    DEFAULT_MODE,
    Characters,
    Grammar,
    Literal,
    TokenRule,
    walk,
)
from marrow.grammar.parser.bnf import CharacterClasses
from marrow.grammar.parser.lexer import FIRST_STATE, Lexemes, Lexer, LexerState
from marrow.tree.layout import runs_together
from marrow.tree.name_spelling import spelled_like_name
from marrow.tree.node import Glue

#: What may separate two tokens, the first that the lexer takes for a gap.
_GAPS: Final = (" ", "\n", "\t", "\r\n")

#: How many pairs of neighbours are kept with the gap between them; most words come from a few
#: hundred.
_REMEMBERED: Final = 50_000

_TOUCHING: Final = int(Glue.BEFORE | Glue.AFTER)


class Written(NamedTuple):
    """The token that was written last: the gap before it, and the lexer's state there.

    `kind` is -1 before the first token.
    """

    state: LexerState
    kind: int = -1
    gap: str = ""
    word: str = ""


class CharacterSpelling:
    """Spells the terminals of scannerless grammars, which are classes of characters."""

    def __init__(self, grammar: Grammar, classes: CharacterClasses) -> None:
        self._members: Final[dict[int, list[str]]] = {}
        seen = dict.fromkeys(USUAL)
        for rule in grammar.rules.values():
            for one in walk(rule.body):
                if isinstance(one, Literal):
                    seen.update(dict.fromkeys(one.text + one.text.lower() + one.text.upper()))
                elif isinstance(one, Characters):
                    seen.update(dict.fromkeys(chr(code) for pair in one.ranges for code in pair))
        for character in seen:
            if character.encode(errors="ignore"):
                self._members.setdefault(classes[character], []).append(character)

    def available(self, terminal: int) -> bool:
        """Whether there is a character of a class."""
        return terminal in self._members

    def keyword(self, _: int) -> bool:
        """Return false: characters are not words."""
        return False

    def draw(self, terminal: int, random: Random) -> str:
        """Return a character of a class."""
        members = self._members[terminal]
        return members[int(random.random() * len(members))]

    def begin(self, _: str) -> Written:
        """Return what comes before the first character."""
        return Written(FIRST_STATE)

    def write(self, _: Written, kind: int, word: str) -> Written | None:
        """Write a character: any may follow any other."""
        return Written(FIRST_STATE, kind, "", word)

    def read(
        self, kinds: list[int], text: str, preceding: str, *, whole: bool = False
    ) -> Lexemes | None:
        """Return the characters in a row."""
        del preceding, whole
        count = len(text)
        return Lexemes(text, kinds, list(range(count)), list(range(1, count + 1)), _TOUCHING)


class TokenSpelling:
    """Spells the terminals of grammars with token rules."""

    def __init__(
        self, grammar: Grammar, lexer: Lexer, terminals: Sequence[str], fresh: float | None
    ) -> None:
        self._lexer: Final = lexer
        self._terminals: Final = terminals
        self._numbers: Final = {name: number for number, name in enumerate(terminals)}
        _, implicit = implicit_tokens(grammar)
        tokens = dict(grammar.tokens)
        tokens.update((name, TokenRule(name, body)) for name, body in implicit.items())
        whole = Grammar(grammar.name, grammar.start, grammar.rules, tokens)
        self._words: Final = RandomWords(whole, self._reads, FRESH if fresh is None else fresh)
        self._has_modes: Final = len(lexer.dfas) > 1
        self.write: Final = lru_cache(_REMEMBERED)(self._write)
        # The state after the text that was last asked for: many trees are drawn for one place.
        self._state_after: Final = lru_cache(1)(lexer.state_after)

    def available(self, terminal: int) -> bool:
        """Whether there is a text that the lexer reads as a terminal."""
        return self._words.has(self._terminals[terminal])

    def keyword(self, terminal: int) -> bool:
        """Whether a terminal is a single word, whatever its case."""
        word = self._words.only(self._terminals[terminal])
        return word is not None and spelled_like_name(word.encode())

    def draw(self, terminal: int, random: Random) -> str:
        """Return a text that the lexer reads as a terminal."""
        return self._words.draw(self._terminals[terminal], random)

    def begin(self, preceding: str) -> Written:
        """Return what comes before the first token, for a lexer that reads by what it has read."""
        return Written(self._state_after(preceding) if self._has_modes else FIRST_STATE)

    def _write(self, last: Written, kind: int, word: str) -> Written | None:
        """Write a token after another; None if the lexer reads others, whatever the gap."""
        if last.kind < 0:
            return (
                Written(last.state, kind, "", word) if self._is(last.state, [kind], word) else None
            )
        apart = not runs_together(last.word[-1].encode(), word[0].encode())
        for gap in ("", *_GAPS) if apart else (*_GAPS, ""):
            if self._is(last.state, [last.kind, kind], last.word + gap, word):
                _, state = self._lexer.resume(last.word + gap, last.state)
                return Written(state, kind, gap, word)
        return None

    def _is(self, state: LexerState, kinds: list[int], *texts: str) -> bool:
        """Whether texts are read as some tokens, of which the last one is the last text."""
        text = "".join(texts)
        try:
            lexemes, _ = self._lexer.resume(text, state)
        except ParseError:
            return False
        # Some lexers make another token at the end of the text, out of nothing.
        if lexemes.starts[-1:] == [len(text)]:
            lexemes = lexemes.part(text, 0, len(lexemes.kinds) - 1)
        start = len(text) - len(texts[-1])
        return lexemes.kinds == kinds and (lexemes.starts[-1], lexemes.ends[-1]) == (
            start,
            len(text),
        )

    def read(
        self, kinds: list[int], text: str, preceding: str, *, whole: bool = False
    ) -> Lexemes | None:
        """Return the tokens of a text; None if the lexer reads others.

        `preceding` is the text before it, `whole` says that nothing follows it.
        """
        if not self._has_modes:
            preceding = ""
        found = self._read(kinds, text, preceding, whole=whole)
        if found or not (preceding and text):
            return found
        if not runs_together(preceding[-1].encode(), text[0].encode()):
            return None
        return self._read(kinds, text, preceding + " ", whole=whole)

    def _read(self, kinds: list[int], text: str, preceding: str, *, whole: bool) -> Lexemes | None:
        try:
            lexemes = self._lexer.run(preceding + text)
        except ParseError:
            return None
        if preceding or not whole:
            start = len(preceding)
            first, last = bisect_left(lexemes.starts, start), len(lexemes.kinds)
            # Some lexers make another token at the end of the text, out of nothing.
            if last - first == len(kinds) + 1 and lexemes.starts[-1] == start + len(text):
                last -= 1
            lexemes = lexemes.part(text, first, last, start)
        return lexemes if lexemes.kinds == kinds else None

    def _reads(self, name: str, mode: str, word: str) -> bool:
        """Whether the lexer reads a word as one token with this name, in a mode or from the start.

        The latter is for tokens that several rules make, one after the other.
        """
        kinds = [self._numbers[name]]
        if mode == DEFAULT_MODE:
            return self._is(FIRST_STATE, kinds, word)
        inside = LexerState(mode, (DEFAULT_MODE,))
        return self._is(inside, kinds, word) or self._is(FIRST_STATE, kinds, word)


#: Texts for the terminals of a grammar.
Spelling: TypeAlias = CharacterSpelling | TokenSpelling
