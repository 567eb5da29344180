"""Cuts a text into tokens: the longest match, then the earlier rule; modes and lexer commands.

The tokens are kept as parallel lists of numbers, because a list of objects would cost more time
than finding the tokens does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from marrow.base.deadline import look
from marrow.grammar.model.parse_error import ParseError, line_and_column, quoted
from marrow.grammar.model.rules import (
    DEFAULT_MODE,
    Action,
    Expression,
    Grammar,
    GrammarError,
    Literal,
    TokenRule,
)
from marrow.grammar.parser.dfa import END_MARK, STOP, Automaton, Dfa, State
from marrow.tree.node import Glue

#: The number of a token that the parser does not see.
HIDDEN: Final = -1

#: A chain of empty matches in one place that only switch modes; longer ones are loops.
_MOST_EMPTY: Final = 100


class LexerState(NamedTuple):
    """The mode that a lexer is in, and those it will go back to."""

    mode: str = DEFAULT_MODE
    stack: tuple[str, ...] = ()


FIRST_STATE: Final = LexerState()


@dataclass(slots=True)
class Lexemes:
    """The tokens of a text: terminal numbers, and where they start and end in it."""

    text: str
    kinds: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    #: Where tokens must touch their neighbours.
    glue: list[int] = field(default_factory=list)

    def part(self, text: str, first: int, last: int, offset: int = 0) -> Lexemes:
        """Return some of the tokens, for a text that begins at an offset of this one."""
        starts, ends = self.starts[first:last], self.ends[first:last]
        if offset:
            starts, ends = [at - offset for at in starts], [at - offset for at in ends]
        return Lexemes(text, self.kinds[first:last], starts, ends, self.glue[first:last])


@dataclass(frozen=True, slots=True)
class TokenMatch:
    """The effect of a rule that has matched."""

    name: str
    kind: int
    more: bool
    modes: tuple[tuple[Action, str], ...]

    @property
    def simple(self) -> bool:
        """Whether it makes a token, or a gap, and does nothing else."""
        return not self.more and not self.modes


class Lexer:
    """The lexer of a grammar.

    `terminals` numbers the tokens that the parser knows; `implicit` are tokens that occur only in
    rules, each with its body: they come before all token rules.
    """

    def __init__(
        self,
        grammar: Grammar,
        terminals: dict[str, int],
        implicit: Mapping[str, Expression],
    ) -> None:
        tokens = dict(grammar.tokens)
        self._automaton: Final = Automaton(tokens)
        #: By mode: its automaton, and what its rules do.
        self.dfas: Final[dict[str, Dfa]] = {}
        self.matches: Final[dict[str, list[TokenMatch]]] = {}
        for mode, ordered in rules_by_mode(tokens, implicit).items():
            entries = [self._automaton.entry(rule.name, rule.body) for rule in ordered]
            self.matches[mode] = [_match(rule, terminals) for rule in ordered]
            self.dfas[mode] = Dfa(self._automaton, entries)
        for rule in grammar.tokens.values():
            for mode in rule.arguments(Action.MODE, Action.PUSH_MODE):
                if mode not in self.dfas:
                    message = f"token rule {rule.name} enters the mode {mode!r}, which has no rules"
                    raise GrammarError(message, rule.position)
        #: By mode: the terminals that its rules make, None for those that do more. Kept, because
        #: grammars that change modes at every other token start as many scans.
        self.kinds: Final = {
            mode: [match.kind if match.simple else None for match in matches]
            for mode, matches in self.matches.items()
        }
        #: By mode: whether its tokens must touch.
        self.glue: Final = {mode: self._spaces_matter(mode) for mode in self.dfas}

    def _spaces_matter(self, mode: str) -> bool:
        """Whether a space between tokens would be a token, or an error, in this mode."""
        state = self.dfas[mode].start[" "]
        if state is None or state.accept is None:
            return True
        match = self.matches[mode][state.accept]
        return match.kind != HIDDEN or not match.simple

    def run(self, text: str) -> Lexemes:
        """Cut a text into tokens; raise `ParseError` where no token rule matches."""
        return self.resume(text, FIRST_STATE)[0]

    def resume(self, text: str, state: LexerState) -> tuple[Lexemes, LexerState]:
        """Cut a text into tokens that follows another one; return the state after it, too."""
        run = _Run(self, text, state)
        return run.lexemes, LexerState(run.mode, tuple(run.stack))

    def rule_of(self, text: str, mode: str) -> str | None:
        """Return the name of the rule that reads a whole text in a mode."""
        state: State | None = self.dfas[mode].start
        for character in text:
            state = state[character] if state is not None else None
        if state is None or state.accept is None:
            return None
        return self.matches[mode][state.accept].name

    def state_after(self, text: str) -> LexerState:
        """Return the state after a text; the first one if the text is not one of whole tokens."""
        try:
            return self.resume(text, FIRST_STATE)[1]
        except ParseError:
            return FIRST_STATE


class _Run:
    """One text on its way through the lexer."""

    def __init__(self, lexer: Lexer, text: str, state: LexerState) -> None:
        self._lexer: Final = lexer
        self._text: Final = text
        self._padded: Final = text + END_MARK + STOP
        self.mode = state.mode
        self.stack = list(state.stack)
        self._empty = 0
        self._empty_at = -1
        self.lexemes: Final = Lexemes(text)
        position = start = 0
        while position < len(text):
            position, start = self._scan(position, start)
        self._finish(position, start)

    def _scan(self, position: int, start: int) -> tuple[int, int]:
        """Read tokens until the mode changes; `start` is where the current token starts."""
        text = self._padded
        size = len(self._text)
        first = self._lexer.dfas[self.mode].start
        matches = self._lexer.matches[self.mode]
        simple = self._lexer.kinds[self.mode]
        glue = int(Glue.BEFORE | Glue.AFTER) if self._lexer.glue[self.mode] else 0
        kinds, starts, ends = self.lexemes.kinds, self.lexemes.starts, self.lexemes.ends
        glues = self.lexemes.glue
        while position < size:
            state = first
            at = position
            while True:
                after = state[text[at]]
                if after is None:
                    break
                at += 1
                state = after
            rule = state.accept
            if rule is None or at == position or at > size:
                rule, at = self._longest(first, position)
            kind = simple[rule]
            if kind is None:
                glue_after = len(kinds)
                done = self._act(matches[rule], position, at, start, glue)
                if not matches[rule].more:
                    start = at
                if done:
                    return at, start
                if glue_after == len(kinds) and at == position:
                    raise self._stuck(position)
                position = at
                continue
            if kind >= 0:
                kinds.append(kind)
                starts.append(start)
                ends.append(at)
                if not len(kinds) & 0x3FF:
                    look()
                glues.append(glue)
            position = start = at
        return position, start

    def _longest(self, first: State, position: int) -> tuple[int, int]:
        """Find the longest match with care: short of where reading stopped, or an empty one."""
        text = self._padded
        state: State | None = first
        best: tuple[int, int] | None = None
        at = position
        while state is not None:
            if state.accept is not None:
                best = (state.accept, min(at, len(self._text)))
            state = state[text[at]]
            at += 1
        if best is not None and best[1] == position:
            match = self._lexer.matches[self.mode][best[0]]
            self._empty = self._empty + 1 if position == self._empty_at else 1
            self._empty_at = position
            if match.simple or self._empty > _MOST_EMPTY:
                best = None
        if best is None:
            raise self._stuck(position)
        return best

    def _stuck(self, position: int) -> ParseError:
        place = line_and_column(self._text, position)
        if position == len(self._text):
            return ParseError(*place, "the end of the input", (), "a token is not finished")
        found = quoted(self._text[position : position + 1])
        mode = "" if self.mode == DEFAULT_MODE else f" in mode {self.mode}"
        return ParseError(*place, found, (), f"found {found}, with which no token starts{mode}")

    def _act(self, match: TokenMatch, position: int, end: int, start: int, glue: int) -> bool:
        """Make the token of a rule with commands; return whether the mode changed."""
        lexemes = self.lexemes
        before = self.mode
        for action, argument in match.modes:
            if action is Action.PUSH_MODE:
                self.stack.append(self.mode)
                self.mode = argument
            elif action is Action.MODE:
                self.mode = argument
            elif self.stack:
                self.mode = self.stack.pop()
            else:
                found = quoted(self._text[position:end])
                note = f"{found} closes a lexer mode that was not opened"
                raise ParseError(*line_and_column(self._text, position), found, (), note)
        if not match.more and match.kind >= 0:
            lexemes.kinds.append(match.kind)
            lexemes.starts.append(start)
            lexemes.ends.append(end)
            after = int(Glue.AFTER) if self._lexer.glue[self.mode] else 0
            lexemes.glue.append(glue & int(Glue.BEFORE) | after)
        return self.mode != before

    def _finish(self, position: int, start: int) -> None:
        """Let rules match at the end of the text that ask for it: empty ones, or with EOF."""
        state = self._lexer.dfas[self.mode].start[END_MARK]
        if state is not None and state.accept is not None:
            match = self._lexer.matches[self.mode][state.accept]
            if match.simple and match.kind >= 0:
                self.lexemes.kinds.append(match.kind)
                self.lexemes.starts.append(start)
                self.lexemes.ends.append(position)
                self.lexemes.glue.append(0)
        elif start != position:
            raise self._stuck(position)


def rules_by_mode(
    tokens: Mapping[str, TokenRule], implicit: Mapping[str, Expression]
) -> dict[str, list[TokenRule]]:
    """Return the rules of each mode in the order in which they win ties, implicit ones first.

    A rule with a predicate comes after all others. A keyword with a predicate keeps its place: it
    says more than the rule of all words after it. Unless another rule without a predicate is just
    that text, too.
    """
    modes: dict[str, list[TokenRule]] = {DEFAULT_MODE: []}
    for rule in tokens.values():
        if not rule.fragment:
            modes.setdefault(rule.mode, []).append(rule)
    for members in modes.values():
        fixed = [rule for rule in members if isinstance(rule.body, Literal)]
        plain = {rule.body for rule in fixed if not rule.guarded}
        kept = {rule.name for rule in fixed if rule.body not in plain}
        late = [rule for rule in members if rule.guarded and rule.name not in kept]
        members[:] = [rule for rule in members if not rule.guarded or rule.name in kept] + late
    modes[DEFAULT_MODE][:0] = (TokenRule(name, body) for name, body in implicit.items())
    return modes


def _match(rule: TokenRule, terminals: dict[str, int]) -> TokenMatch:
    more = rule.does(Action.MORE)
    modes = tuple(
        (command.action, command.argument)
        for command in rule.commands
        if command.action in (Action.MODE, Action.PUSH_MODE, Action.POP_MODE)
    )
    hidden = rule.hidden and not more
    # A token that no rule mentions still has a number, so that errors can name it.
    return TokenMatch(rule.name, HIDDEN if hidden else terminals[rule.type], more, modes)
