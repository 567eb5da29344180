"""One random derivation: the productions that were drawn, and the tokens it came to.

Where the lexer has modes, a token that the grammar allows may be one that the lexer does not read
at that point (in Go a line break is a token only after some others). The derivation is then taken
back to the start of the innermost rule, which is drawn again, or of one further out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, TypeAlias

from marrow.grammar.generation.budget import Chooser, Expansion, divide, draw_count
from marrow.grammar.generation.token_texts import Modes, Spelling
from marrow.grammar.parser.bnf import (
    END_TERMINAL,
    Derivation,
)

#: How often a rule is drawn again before the one around it is: with 3 or 12 JavaScript is slower.
_AGAIN: Final = 6

#: How often a derivation is taken back for each token it may have, and at least; then it is given
#: up.
_BACK: Final = 1
_BACK_AT_LEAST: Final = 100

#: A symbol to derive with its budget and depth, or an option whose symbols are done by then.
_Work: TypeAlias = tuple[Any, int, int]


class DeadEnd(Exception):
    """The lexer reads none of the tokens that were drawn at some point."""


@dataclass(slots=True)
class _Mark:
    """A place to come back to: where a rule was started, and the state before it."""

    item: _Work
    work: int
    done: int
    tokens: int
    lexer: Modes
    tries: int = 0


class Drawing:
    """A derivation in the making."""

    def __init__(
        self, chooser: Chooser, spelling: Spelling, random: Random, terminals: int
    ) -> None:
        self._chooser: Final = chooser
        self._spelling: Final = spelling
        self._random: Final = random
        self._terminals: Final = terminals
        self._work: list[_Work] = []
        self._done: list[Derivation] = []
        self._first: Sequence[Expansion] = ()
        self.kinds: Final[list[int]] = []
        self.words: Final[list[str]] = []

    def derive(
        self, symbol: int, size: int, depth: int, preceding: str, first: Sequence[Expansion] = ()
    ) -> Derivation:
        """Return a random derivation of a symbol; raise `DeadEnd` if none was found.

        It begins with the productions `first`, each of which holds nothing but the next.
        """
        self._first = first
        modes = self._spelling.modes(preceding)
        self._work.append((symbol, size, 0))
        if modes is None:
            self._run(depth)
        else:
            self._run_with_modes(depth, modes, max(_BACK_AT_LEAST, _BACK * size))
        return self._done[0]

    def _run(self, depth: int) -> None:
        work, done, kinds = self._work, self._done, self.kinds
        random, draw, terminals = self._random, self._spelling.draw, self._terminals
        while work:
            one, budget, level = work.pop()
            if one.__class__ is not int:
                _finish(done, one)
            elif one >= terminals:
                self._expand(one, budget, level, depth)
            else:
                done.append(len(kinds))
                if one != END_TERMINAL:
                    kinds.append(one)
                    self.words.append(draw(one, random))

    def _run_with_modes(self, depth: int, modes: Modes, most: int) -> None:
        work, done, kinds, words = self._work, self._done, self.kinds, self.words
        marks: list[_Mark] = []
        while work:
            item = work.pop()
            one, budget, level = item
            if one.__class__ is not int:
                _finish(done, one)
                while marks and marks[-1].work >= len(work):
                    marks.pop()
            elif one >= self._terminals:
                sizes = len(work), len(done), len(kinds)
                marks.append(_Mark(item, *sizes, modes.copy()))
                self._expand(one, budget, level, depth)
            else:
                done.append(len(kinds))
                if one == END_TERMINAL:
                    continue
                kinds.append(one)
                words.append(self._spelling.draw(one, self._random))
                if not modes.reads(one, words[-1]):
                    most -= 1
                    if most < 0:
                        raise DeadEnd
                    self._take_back(marks, modes, depth)

    def _take_back(self, marks: list[_Mark], modes: Modes, depth: int) -> None:
        """Draw the innermost rule again that was not drawn too often yet."""
        while marks and marks[-1].tries >= _AGAIN:
            marks.pop()
        if not marks:
            raise DeadEnd
        mark = marks[-1]
        mark.tries += 1
        del self._work[mark.work :]
        del self._done[mark.done :]
        del self.kinds[mark.tokens :]
        del self.words[mark.tokens :]
        modes.restore(mark.lexer)
        self._expand(*mark.item, depth)

    def _expand(self, symbol: int, budget: int, level: int, depth: int) -> None:
        """Choose what a symbol is derived by."""
        choices = self._chooser.options[symbol]
        if level < len(self._first):
            self._open(self._first[level], budget, level)
        elif level >= depth:
            self._open(choices.cheapest, 0, level)
        elif symbol in self._chooser.steps:
            self._start_list(symbol, budget, level)
        else:
            self._open(choices.choose(budget, self._random), budget, level)

    def _open(self, option: Expansion, budget: int, level: int) -> None:
        """Put a production's symbols on the list of work, the first on top."""
        work = self._work
        work.append((option, 0, 0))
        if option.growing:
            shares: Sequence[int] = divide(budget, option.needs, option.growing, self._random)
        else:
            shares = option.needs or (0,) * len(option.right)
        level += 1
        for symbol, share in zip(reversed(option.right), reversed(shares), strict=True):
            work.append((symbol, share, level))

    def _start_list(self, symbol: int, budget: int, level: int) -> None:
        """Put the elements of a list on the list of work: how many, the budget decides."""
        random = self._random
        first, more = self._chooser.options[symbol], self._chooser.steps[symbol]
        rest = budget - first.least
        count = draw_count(rest // more.usual, random) if rest > 0 else 0
        needs = [first.least] + [more.least] * count
        shares = divide(budget, needs, range(count + 1), random)
        if count:
            # Only the last element may end the text.
            self._open(more.choose(shares[-1], random), shares[-1], level)
            inner = self._chooser.inside(symbol)
            first, more = self._chooser.options[inner], self._chooser.steps.get(inner, more)
        for share in reversed(shares[1:-1]):
            self._open(more.choose(share, random), share, level)
        self._open(first.choose(shares[0], random), shares[0], level)


def _finish(done: list[Derivation], option: Expansion) -> None:
    """Make the derivation of a production out of those of its symbols."""
    # A step of a list has the list so far as its first child.
    count = len(option.production.right)
    children = done[len(done) - count :]
    del done[len(done) - count :]
    first = children[0]
    start = first if first.__class__ is int else first[1]
    done.append((option.number, start, *children))
