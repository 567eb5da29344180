"""Texts of generated tokens: one for each terminal, and the gaps between them.

The lexer has the last word. A text is used for a token only if the lexer reads it as that token,
and a gap between two tokens is one with which it reads both of them.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Final, NamedTuple

from marrow.grammar.generation.random_words import RandomWords
from marrow.grammar.model.literal_tokens import keyword_kinds
from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.model.rules import DEFAULT_MODE, Grammar, TokenRule
from marrow.grammar.parser.lexer import FIRST_STATE, Lexemes, LexerState
from marrow.grammar.parser.translate import Translation
from marrow.tree.layout import runs_together

#: What may separate two tokens, the first that the lexer takes for a gap.
_GAPS: Final = (" ", "\n", "\t", "\r\n")

#: How many pairs of neighbours are kept with the gap between them; most words come from a few
#: hundred.
_REMEMBERED: Final = 50_000


class Written(NamedTuple):
    """The token that was written last: the gap before it, and the lexer's state there.

    `kind` is -1 before the first token.
    """

    state: LexerState
    kind: int = -1
    gap: str = ""
    word: str = ""


class Spelling:
    """Spells the terminals of a grammar. `fresh` is the share of words that are drawn afresh."""

    def __init__(self, grammar: Grammar, translation: Translation, fresh: float) -> None:
        self._lexer: Final = translation.lexer
        self._terminals: Final = translation.bnf.terminals
        self._numbers: Final = {name: number for number, name in enumerate(self._terminals)}
        implicit = {name: TokenRule(name, body) for name, body in translation.implicit.items()}
        whole = replace(grammar, tokens={**grammar.tokens, **implicit})
        self._words: Final = RandomWords(whole, self._reads, fresh)
        self._has_modes: Final = len(self._lexer.dfas) > 1
        # A scannerless grammar has no gaps, and its tokens are characters.
        self._gaps: Final = () if grammar.scannerless else _GAPS
        words = () if grammar.scannerless else keyword_kinds(whole)
        #: The terminals that are a single word, whatever its case.
        self.keywords: Final = {self._numbers[name] for name in words if name in self._numbers}
        self.write: Final = lru_cache(_REMEMBERED)(self._write)
        # The state after the text that was last asked for: many trees are drawn for one place.
        self._state_after: Final = lru_cache(1)(self._lexer.state_after)

    def available(self, terminal: int) -> bool:
        """Whether there is a text that the lexer reads as a terminal."""
        return self._words.has(self._terminals[terminal])

    def draw(self, terminal: int, random: Random) -> str:
        """Return a text that the lexer reads as a terminal."""
        name = self._terminals[terminal]
        if self._gaps:
            return self._words.draw(name, random)
        characters = self._words.some(name)
        return characters[int(random.random() * len(characters))]

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
        for gap in ("", *self._gaps) if apart else (*self._gaps, ""):
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
