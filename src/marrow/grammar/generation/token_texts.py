"""Texts of generated tokens: one for each terminal, and the gaps between them.

The lexer has the last word. A text is used for a token only if the lexer reads it as that token,
and two tokens are written without a gap only if the lexer stops between them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from random import Random
from typing import Final, TypeAlias

from marrow.grammar.generation.random_words import FRESH, RandomWords
from marrow.grammar.model.charset import USUAL
from marrow.grammar.model.literal_tokens import implicit_tokens
from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.model.rules import (
    DEFAULT_MODE,
    Action,
    Characters,
    Grammar,
    Literal,
    TokenRule,
    walk,
)
from marrow.grammar.parser.bnf import CharacterClasses
from marrow.grammar.parser.dfa import State
from marrow.grammar.parser.lexer import HIDDEN, Lexemes, Lexer
from marrow.tree.layout import runs_together
from marrow.tree.name_spelling import spelled_like_name
from marrow.tree.node import Glue

#: What may separate two tokens, the first that the lexer takes for a gap.
_GAPS: Final = (" ", "\n", "\t", "\r\n")

#: How many words the state after them is kept for; most words come from a few hundred.
_REMEMBERED: Final = 50_000

#: How many rules that match nothing may follow each other; grammars have one.
_EMPTY_MATCHES: Final = 4

_TOUCHING: Final = int(Glue.BEFORE | Glue.AFTER)


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

    def modes(self, _: str) -> None:
        """Return nothing: a scannerless grammar has no modes."""

    def draw(self, terminal: int, random: Random) -> str:
        """Return a character of a class."""
        members = self._members[terminal]
        return members[int(random.random() * len(members))]

    def write(
        self, kinds: list[int], words: Sequence[str], preceding: str, *, whole: bool = False
    ) -> Lexemes | None:
        """Return the characters in a row."""
        del preceding, whole
        count = len(words)
        return Lexemes(
            "".join(words), kinds, list(range(count)), list(range(1, count + 1)), _TOUCHING
        )


class Modes:
    """Follows the modes of a lexer while tokens are written one after the other."""

    def __init__(
        self, spelling: TokenSpelling, mode: str = DEFAULT_MODE, stack: tuple[str, ...] = ()
    ) -> None:
        self._spelling: Final = spelling
        self.stack = stack
        self.current = self.read_in = mode
        self.last: _End | None = None
        self.before = ""

    def restore(self, other: Modes) -> None:
        """Go back to where the lexer was."""
        vars(self).update(vars(other))

    def advance(self, word: str) -> _End:
        """Note that a token was written; return where the lexer is after it."""
        end = self._spelling.end(self.current, word)
        for _ in range(_EMPTY_MATCHES):
            leave = None if end.state is not None else self._spelling.end(self.current, "")
            if leave is None or leave.state is None or not leave.modes:
                break
            # A rule that matches nothing, and leads to another mode: the word is read there.
            self._change(leave)
            end = self._spelling.end(self.current, word)
        self.read_in = self.current
        self.last, self.before = end, word
        self._change(end)
        return end

    def _change(self, end: _End) -> None:
        for action, argument in end.modes:
            if action is Action.PUSH_MODE:
                self.stack = (*self.stack, self.current)
                self.current = argument
            elif action is Action.MODE:
                self.current = argument
            elif self.stack:
                self.current, self.stack = self.stack[-1], self.stack[:-1]

    def reads(self, terminal: int, word: str) -> bool:
        """Note that a token was written; return whether the lexer reads it here."""
        last, before = self.last, self.before
        end = self.advance(word)
        if last is not None and self._spelling.runs_on(self.read_in, last, before, word):
            return False
        if end.state is None:
            # Several rules make the token together, which is not followed here.
            return self._spelling.composed
        return end.name == self._spelling.name(terminal)


@dataclass(frozen=True, slots=True)
class _End:
    """The state of the lexer after a word, and the token it has read."""

    number: int
    state: State | None
    name: str = ""
    hidden: bool = False
    modes: tuple[tuple[Action, str], ...] = ()


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
        #: Whether tokens may be made by several rules, one after the other.
        self.composed: Final = any(rule.does(Action.MORE) for rule in tokens.values())
        modes = {DEFAULT_MODE, *(rule.mode for rule in tokens.values() if not rule.fragment)}
        self._ends: dict[tuple[str, str], _End] = {}
        #: By mode: the gaps that the lexer skips, each with the state it ends in.
        self._gaps: Final = {
            mode: [
                (gap, end.state)
                for gap, end in ((gap, self.end(mode, gap)) for gap in _GAPS)
                if end.state is not None and end.hidden and not end.modes
            ]
            for mode in sorted(modes)
        }
        self._between: dict[tuple[int, str, str, str], str] = {}
        # The modes after the text that was last asked for: many trees are drawn for one place.
        self._preceding = ("", Modes(self))

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

    def write(
        self, kinds: list[int], words: Sequence[str], preceding: str, *, whole: bool = False
    ) -> Lexemes | None:
        """Return the text of tokens in a row; None if the lexer would read others.

        `preceding` is the text before them, for a lexer that reads by what it has read. `whole`
        says that nothing follows them.
        """
        text = before = ""
        modes = self.modes(preceding) or Modes(self)
        last: _End | None = None
        for word in words:
            if last is not None:
                text += self._gap(modes.current, last, before, word)
            text += word
            last, before = modes.advance(word), word
        if not preceding or len(self._gaps) == 1:
            return self._read(kinds, text, "", whole=whole)
        found = self._read(kinds, text, preceding, whole=whole)
        if found is None and words and runs_together(preceding[-1].encode(), words[0][0].encode()):
            found = self._read(kinds, text, preceding + " ", whole=whole)
        return found

    def _read(self, kinds: list[int], text: str, preceding: str, *, whole: bool) -> Lexemes | None:
        """Return the tokens of a text; None if the lexer reads others after what precedes it."""
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

    def modes(self, preceding: str) -> Modes | None:
        """Return what tracks the lexer's modes after a text; None if there is only one."""
        if len(self._gaps) == 1:
            return None
        if preceding != self._preceding[0]:
            self._preceding = (preceding, Modes(self, *self._lexer.modes_after(preceding)))
        return copy(self._preceding[1])

    def name(self, terminal: int) -> str:
        """Return the name of a terminal."""
        return self._terminals[terminal]

    def runs_on(self, mode: str, last: _End, left: str, right: str) -> bool:
        """Whether two tokens would be read as one, because nothing may separate them."""
        return _extends(last.state, right[0]) and not self._gap(mode, last, left, right)

    def _gap(self, mode: str, last: _End, left: str, right: str) -> str:
        """Return what to write between two tokens."""
        state, start = last.state, right[0]
        key = (last.number, left[-1], start, mode)
        if key not in self._between:
            runs_on = state is not None and state[start] is not None
            apart = not runs_on and not runs_together(left[-1].encode(), start.encode())
            fitting = (
                gap
                for gap, after in self._gaps[mode]
                if not _extends(state, gap[0]) and not _extends(after, start)
            )
            self._between[key] = "" if apart else next(fitting, "")
        return self._between[key]

    def end(self, mode: str, word: str) -> _End:
        """Read a word in a mode; the state is None if it is not one token there."""
        key = (mode, word)
        known = self._ends.get(key)
        if known is None:
            state: State | None = self._lexer.dfas[mode].start
            for character in word:
                if state is None:
                    break
                state = state[character]
            if state is None or state.accept is None:
                known = _End(len(self._ends), None)
            else:
                match = self._lexer.matches[mode][state.accept]
                hidden = match.kind == HIDDEN
                name = "" if match.more else match.name
                known = _End(len(self._ends), state, name, hidden, match.modes)
            if len(self._ends) < _REMEMBERED:
                self._ends[key] = known
        return known

    def _reads(self, name: str, mode: str, word: str) -> bool:
        """Whether the lexer reads a word as one token with this name."""
        end = self.end(mode, word)
        if end.name == name and not end.hidden:
            return True
        if mode == DEFAULT_MODE:
            return False
        return self._read([self._numbers[name]], word, "", whole=True) is not None


#: Texts for the terminals of a grammar.
Spelling: TypeAlias = CharacterSpelling | TokenSpelling


def _extends(state: State | None, character: str) -> bool:
    """Whether a character makes a token longer.

    One that only begins something longer may not: whether it does is left to the lexer.
    """
    after = None if state is None else state[character]
    return after is not None and after.accept is not None
