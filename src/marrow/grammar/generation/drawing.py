"""What can be drawn, and one random derivation: its productions and the tokens it came to.

A token that the grammar allows may be one that the lexer does not read at that point (in Go a line
break is a token only after some others). The derivation is then taken back to the start of the
innermost rule, which is drawn again, or of one further out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final, TypeAlias

from marrow.grammar.generation.budget import Chooser, Expansion, divide, draw_count
from marrow.grammar.generation.token_texts import Spelling, Written
from marrow.grammar.parser.bnf import (
    ABSENT,
    END_TERMINAL,
    Bnf,
    Derivation,
    Entry,
    Production,
    Shape,
)
from marrow.tree import Branch

#: How often a rule is drawn again before the one around it is: with 3 or 12 JavaScript is slower.
_AGAIN: Final = 6

#: How often a derivation is taken back at least before it is given up; large ones, as often as
#: they may have tokens.
_BACK: Final = 100

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
    written: Written | None
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
        #: The texts of the tokens, each with the gap before it.
        self.texts: Final[list[str]] = []

    def derive(
        self, symbol: int, size: int, depth: int, preceding: str, first: Sequence[Expansion] = ()
    ) -> Derivation:
        """Return a random derivation of a symbol; raise `DeadEnd` if none was found.

        It begins with the productions `first`, each of which holds nothing but the next.
        """
        self._first = first
        written: Written | None = self._spelling.begin(preceding)  # None after the end of the text
        most = max(_BACK, size)
        marks: list[_Mark] = []
        work, done, kinds = self._work, self._done, self.kinds
        work.append((symbol, size, 0))
        while work:
            item = work.pop()
            one, budget, level = item
            if one.__class__ is not int:
                _finish(done, one)
                while marks and marks[-1].work >= len(work):
                    marks.pop()
            elif one >= self._terminals:
                marks.append(_Mark(item, len(work), len(done), len(kinds), written))
                self._expand(one, budget, level, depth)
            elif one == END_TERMINAL:
                done.append(len(kinds))
                written = None
            else:
                word = self._spelling.draw(one, self._random)
                written = written and self._spelling.write(written, one, word)
                if written is None:
                    most -= 1
                    if most < 0:
                        raise DeadEnd
                    written = self._take_back(marks, depth)
                    continue
                done.append(len(kinds))
                kinds.append(one)
                self.texts.append(written.gap + word)
        return self._done[0]

    def _take_back(self, marks: list[_Mark], depth: int) -> Written | None:
        """Draw the innermost rule again that was not drawn too often yet."""
        while marks and (marks[-1].tries >= _AGAIN or marks[-1].written is None):
            marks.pop()
        if not marks:
            raise DeadEnd
        mark = marks[-1]
        mark.tries += 1
        del self._work[mark.work :]
        del self._done[mark.done :]
        del self.kinds[mark.tokens :]
        del self.texts[mark.tokens :]
        self._expand(*mark.item, depth)
        return mark.written

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
        for share in reversed(shares[1:]):
            self._open(more.choose(share, random), share, level)
        self._open(first.choose(shares[0], random), shares[0], level)


def _finish(done: list[Derivation], option: Expansion) -> None:
    """Make the derivation of a production out of those of its symbols."""
    # A step of a list has the list so far as its first child.
    children = done[-len(option.production.right) :]
    del done[-len(children) :]
    start = children[0] if children[0].__class__ is int else children[0][1]
    done.append((option.number, start, *children))


@dataclass(frozen=True, slots=True)
class Root:
    """A symbol to derive, and how it is shown; `empty` is the node if it derives nothing.

    `number` is the production that holds the symbol as its only child, or -1 for rules, which need
    none.
    """

    symbol: int
    number: int = -1
    empty: Branch | None = None


class Roots:
    """The symbols that a random tree may start with: all that a node of a parsed tree may be.

    These are the rules, the tokens, and the quantifiers and groups inside rules, by the names that
    the parser gives their nodes; `productions` has those that they need beyond the grammar's.
    """

    def __init__(self, bnf: Bnf) -> None:
        #: By name, rules first.
        self.found: Final[dict[str, Root]] = {}
        self.productions: Final[list[Production]] = list(bnf.productions)
        empties = {
            entry.wrap_name: bnf.empties[entry.empty][0]
            for production in bnf.productions
            for entry in production.entries
            if entry.child == ABSENT and entry.wrap and len(bnf.empties[entry.empty]) == 1
        }
        for name, symbol in bnf.starts.items():
            self.found[name] = Root(symbol, -1, bnf.empty_rules.get(name))
        for production in bnf.productions:
            for entry in production.entries:
                if entry.child == ABSENT:
                    continue
                symbol = production.right[entry.child]
                if entry.wrap is not None:
                    whole = replace(entry, child=0, wrap_slot=entry.wrap_name)
                    self._hold(entry.wrap_name, symbol, whole, empties.get(entry.wrap_name))
                if entry.token:
                    self._hold(entry.token, symbol, Entry(0, entry.token, entry.token))
            if production.shape is Shape.NODE:
                self._hold(production.name, production.left, Entry(0, production.name))

    def _hold(self, name: str, symbol: int, entry: Entry, empty: Branch | None = None) -> None:
        if name not in self.found:
            self.found[name] = Root(symbol, len(self.productions), empty)
            self.productions.append(Production(-1, (symbol,), 0, 0, Shape.NODE, "", (entry,)))
