"""Texts of generated tokens where blocks are indented: lines, each as far in as its block is.

INDENT and DEDENT have no text of their own; they say how far the next line is indented. Whether the
lines come out as the tokens that were drawn, the same code decides that reads texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from marrow.grammar.generation.token_texts import Modes, TokenSpelling
from marrow.grammar.model.rules import DEFAULT_MODE, Grammar
from marrow.grammar.parser.lexer import Lexemes, Lexer
from marrow.grammar.parser.token_layout import Indentation

#: How far a block is indented: what most style guides ask for.
_STEP: Final = "    "

_LINE_BREAK: Final = "\n"


class IndentedSpelling(TokenSpelling):
    """Spells the terminals of grammars whose blocks are made by indentation."""

    def __init__(
        self,
        grammar: Grammar,
        lexer: Lexer,
        terminals: Sequence[str],
        fresh: float,
        indentation: Indentation,
    ) -> None:
        super().__init__(grammar, lexer, terminals, fresh)
        self._indentation: Final = indentation
        self.silent = frozenset((indentation.indent, indentation.dedent))
        newline = indentation.newline
        self._breaks: Final = newline is not None and self._reads(
            terminals[newline], DEFAULT_MODE, _LINE_BREAK
        )

    def available(self, terminal: int) -> bool:
        """Whether there is a text that is read as a terminal; indentation always is."""
        return terminal in self.silent or super().available(terminal)

    def draw(self, terminal: int, random: Random) -> str:
        """Return a text for a terminal: nothing for indentation, the plainest line break."""
        if terminal in self.silent:
            return ""
        if terminal == self._indentation.newline and self._breaks:
            return _LINE_BREAK
        return super().draw(terminal, random)

    def write(
        self, kinds: list[int], words: Sequence[str], preceding: str, *, whole: bool = False
    ) -> Lexemes | None:
        """Return the text of tokens in lines; None if others would be read."""
        text = self._lines(kinds, words, self.modes(preceding) or Modes(self))
        if text is None:
            return None
        spelled = [kind for kind in kinds if kind not in self.silent]
        if len(self._gaps) == 1:
            preceding = ""
        lexemes = self._read(spelled, text, preceding, whole=whole)
        if lexemes is None:
            return None
        found = self._indentation.applied(lexemes, inside=not whole)
        count = len(kinds)
        # Behind a part, lines and blocks are closed that others will close.
        closed = {self._indentation.newline, self._indentation.dedent}
        if found.kinds[:count] != kinds or not closed.issuperset(found.kinds[count:]):
            return None
        if whole and len(found.kinds) != count:
            return None
        glue = found.glue if isinstance(found.glue, int) else found.glue[:count]
        return Lexemes(text, kinds, found.starts[:count], found.ends[:count], glue)

    def _lines(self, kinds: list[int], words: Sequence[str], modes: Modes) -> str | None:
        """Return the text of tokens; None if more blocks are closed than opened."""
        pieces: list[str] = []
        level = 0
        begins = False
        for kind, word in zip(kinds, words, strict=True):
            if kind in self.silent:
                level += 1 if kind == self._indentation.indent else -1
                if level < 0:
                    return None
                begins = True
                continue
            if kind == self._indentation.newline:
                pieces.append(word)
                modes.advance(word)
                begins = True
                continue
            if begins:
                pieces.append(_STEP * level)
                if self._indentation.newline is None:
                    pieces.insert(-1, _LINE_BREAK)
            elif modes.last is not None:
                pieces.append(self._gap(modes.current, modes.last, modes.before, word))
            pieces.append(word)
            modes.advance(word)
            begins = False
        return "".join(pieces)
