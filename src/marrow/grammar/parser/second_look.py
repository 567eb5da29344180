"""A second look at a token that does not fit: as what else could the text there be read?

tree-sitter's lexer asks the parser which tokens may come next; marrow's reads the text first. Where
the parser refuses a token, the text there is read again, as the longest of the tokens that it
would take, or as a gap (`>>` as `>` and `>`, a line break that only ends a directive). What stands
behind is then read as before.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.model.rules import DEFAULT_MODE, EXPECTED_MODE
from marrow.grammar.parser.dfa import Dfa, State
from marrow.grammar.parser.lexer import HIDDEN, UNREADABLE, Begun, Lexemes, Lexer, TokenMatch

#: How many tokens of a text are looked at twice, at most: more than any sensible text needs, and
#: few enough that a wrong one is refused soon.
_MOST: Final = 10_000

#: How many lexers for some of the tokens are kept; a text needs a few dozen.
_MOST_SOME: Final = 500


class SomeTokens:
    """Lexers of a grammar that know only some of its tokens, as places ask for them."""

    def __init__(self, lexer: Lexer) -> None:
        self.lexer: Final = lexer
        self._known: dict[tuple[str, frozenset[int]], tuple[Dfa, list[TokenMatch]]] = {}

    def longest(
        self, text: str, start: int, mode: str, allowed: frozenset[int]
    ) -> tuple[TokenMatch, int] | None:
        """Return the longest token that is of some kinds, or hidden, and its end."""
        known = self._known.get((mode, allowed))
        if known is None:
            rules = [
                (where, number)
                for where in (mode, EXPECTED_MODE)
                for number, match in enumerate(self.lexer.matches(where))
                if not match.more and (match.kind == HIDDEN or match.kind in allowed)
            ]
            if len(self._known) >= _MOST_SOME:
                self._known.clear()
            matches = [self.lexer.matches(where)[number] for where, number in rules]
            known = self._known[mode, allowed] = (self.lexer.some(rules), matches)
        dfa, matches = known
        found = _longest(dfa, text, start)
        return None if found is None else (matches[found[0]], found[1])


class SecondLook:
    """Reads parts of one text again, and changes its tokens in place."""

    def __init__(self, some: SomeTokens, lexemes: Lexemes) -> None:
        self._some: Final = some
        self._lexer: Final = some.lexer
        self._lexemes: Final = lexemes
        self._tried: Final[set[tuple[int, int, int]]] = set()

    def at(self, position: int, allowed: Iterable[int]) -> tuple[int, list[int]] | None:
        """Read a token as one of the kinds that fit.

        Return up to which token others have taken the place of those that were there, and the kinds
        of these. None if there is no other way to read it.
        """
        lexemes, lexer = self._lexemes, self._lexer
        if position >= len(lexemes.kinds) or len(self._tried) >= _MOST:
            return None
        text, start = lexemes.text, lexemes.starts[position]
        mode, stack = lexer.modes_after(text[:start]) if lexer.modal else (DEFAULT_MODE, ())
        found = self._some.longest(text, start, mode, frozenset(allowed))
        if found is None or (start, found[0].kind, found[1]) in self._tried:
            return None
        self._tried.add((start, found[0].kind, found[1]))
        try:
            if lexer.modal:
                rest = lexer.run_behind(text, Begun(found[0], start, found[1], mode, stack))
                end = len(lexemes.kinds)
            else:
                rest, end = self._near(found[0].kind, found[1], position)
        except ParseError:
            return None
        lexemes.kinds[position:end] = rest.kinds
        lexemes.starts[position:end] = rest.starts
        lexemes.ends[position:end] = rest.ends
        if isinstance(lexemes.glue, list) and isinstance(rest.glue, list):
            lexemes.glue[position:end] = rest.glue
        return end, rest.kinds

    def _near(self, kind: int, end: int, position: int) -> tuple[Lexemes, int]:
        """Read on until a token starts where one did before; return the tokens, and which it is."""
        old = self._lexemes
        start = old.starts[position]
        new = Lexemes(old.text)
        matches, dfa = self._lexer.matches(DEFAULT_MODE), self._lexer.dfa(DEFAULT_MODE)
        while True:
            if kind != HIDDEN:
                new.kinds.append(kind)
                new.starts.append(start)
                new.ends.append(end)
            position = bisect_left(old.starts, end, position)
            same = position < len(old.starts) and old.starts[position] == end
            if same or end >= len(old.text):
                return new, position
            start = end
            found = _longest(dfa, old.text, end)
            if found is None:
                kind, end = UNREADABLE, start + 1
            else:
                kind, end = matches[found[0]].kind, found[1]


def _longest(dfa: Dfa, text: str, start: int) -> tuple[int, int] | None:
    """Return the rule with the longest match at a place, and its end; None if there is none."""
    state: State | None = dfa.start
    best: tuple[int, int] | None = None
    at = start
    while state is not None and at < len(text):
        state = state[text[at]]
        at += 1
        if state is not None and state.accept is not None:
            best = (state.accept, at)
    return best
