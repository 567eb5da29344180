"""Finite automata for token rules, built lazily while text is read.

Token rules become one nondeterministic automaton in which a reference to another rule is a call
with a return address, so that recursive rules (nested comments) work and shared fragments cost
nothing. Deterministic states are made when the text first needs them. They keep their
configurations in order, because that is how ANTLR gives non-greedy quantifiers their meaning: once
a rule has accepted, its configurations of lower priority that came through a non-greedy choice are
dropped.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from marrow.grammar.model.charset import boundaries, literal_ranges
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    Characters,
    Choice,
    Expression,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    TokenRule,
)
from marrow.grammar.model.rules import Sequence as SequenceOf

#: Stands for the end of the text. A lone surrogate outside U+DC80..U+DCFF never comes out of UTF-8
#: that was decoded with `surrogateescape`, so no input contains it.
END_MARK: Final = "\ud800"

#: Follows the end, and matches nothing.
STOP: Final = "\ud801"

# The empty stack, of a rule that no other one has called.
_NO_STACK: Final = 0


class _Config(NamedTuple):
    """A state of the nondeterministic automaton, for a rule, below return addresses."""

    rule: int
    state: int
    stack: int
    lazy: bool  # has passed a non-greedy choice


class Automaton:
    """The nondeterministic automaton of all token rules of a grammar."""

    def __init__(self, rules: dict[str, TokenRule]) -> None:
        self._rules: Final = rules
        self._entries: dict[str, int] = {}
        self._free: list[list[int]] = []  # moves without a character, in order of priority
        self._reads: list[tuple[int, int] | None] = []  # (set of characters, target)
        self._calls: list[tuple[int, int] | None] = []  # (entry, return address)
        self._lazy: list[bool] = []
        self._final: list[bool] = []
        self._sets: dict[tuple[tuple[int, int], ...] | None, int] = {}
        self._todo: list[tuple[Expression, int, int]] = []
        self._stacks: dict[tuple[int, int], int] = {}
        self._frames: list[tuple[int, int]] = [(-1, -1)]
        self._depths: list[int] = [0]
        self._bounds: list[int] = []
        self._masks: list[int] = []

    # -- building -----------------------------------------------------------------------------

    def entry(self, name: str, body: Expression) -> int:
        """Return the state in which a rule starts, building the rule if it is new."""
        start = self._entry(name, body)
        while self._todo:
            self._build(*self._todo.pop())
        self._masks = []
        return start

    def _entry(self, name: str, body: Expression) -> int:
        if name not in self._entries:
            start, end = self._state(), self._state()
            self._final[end] = True
            self._entries[name] = start
            self._todo.append((body, start, end))
        return self._entries[name]

    def _state(self) -> int:
        self._free.append([])
        self._reads.append(None)
        self._calls.append(None)
        self._lazy.append(False)
        self._final.append(False)
        return len(self._free) - 1

    def _build(self, expression: Expression, start: int, end: int) -> None:
        match expression:
            case Literal(text=text, ignore_case=ignore_case):
                here = start
                for index, character in enumerate(text):
                    there = end if index == len(text) - 1 else self._state()
                    self._read(here, literal_ranges(character, ignore_case), there)
                    here = there
                if not text:
                    self._free[start].append(end)
            case Characters(ranges=ranges):
                self._read(start, ranges, end)
            case Reference(name=name) if name == END_OF_INPUT:
                self._read(start, None, end)
            case Reference(name=name):
                self._calls[start] = (self._entry(name, self._rules[name].body), end)
            case SequenceOf(items=items):
                here = start
                for item in items:
                    there = self._state()
                    self._todo.append((item, here, there))
                    here = there
                self._free[here].append(end)
            case Choice(alternatives=alternatives):
                for alternative in alternatives:
                    first = self._state()
                    self._free[start].append(first)
                    self._todo.append((alternative, first, end))
            case Repeat():
                self._repeat(expression, start, end)

    def _read(self, start: int, ranges: tuple[tuple[int, int], ...] | None, end: int) -> None:
        """Add a move over a character, or over the end of the text for None."""
        self._reads[start] = (self._sets.setdefault(ranges, len(self._sets)), end)

    def _repeat(self, repeat: Repeat, start: int, end: int) -> None:
        first = self._state()
        if repeat.quantifier is Quantifier.OPTIONAL:
            decision, after = start, end
        else:
            decision = after = self._state()
            plus = repeat.quantifier is Quantifier.PLUS
            self._free[start].append(first if plus else decision)
        self._free[decision] += [first, end] if repeat.greedy else [end, first]
        self._lazy[decision] = not repeat.greedy
        self._todo.append((repeat.item, first, after))

    # -- characters ---------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Cut the code points into intervals, and make a mask of them for each set."""
        self._bounds = boundaries(ranges or () for ranges in self._sets)
        count = len(self._bounds)
        self._masks = []
        for ranges in self._sets:
            # The end of the text comes after all intervals.
            mask = 1 << count if ranges is None else 0
            for low, high in ranges or ():
                after, first = (bisect_left(self._bounds, one) for one in (high + 1, low))
                mask |= (1 << after) - (1 << first)
            self._masks.append(mask)

    def interval(self, character: str) -> int:
        """Return the number of the interval that a character is in."""
        if not self._masks:
            self._prepare()
        if character in (END_MARK, STOP):
            return len(self._bounds) + (character == STOP)
        return bisect_right(self._bounds, ord(character)) - 1

    # -- running ------------------------------------------------------------------------------

    def first(self, entries: Iterable[int]) -> tuple[tuple[_Config, ...], int | None]:
        """Return the configurations before the first character; entries come in rule order."""
        found: dict[_Config, None] = {}
        accepted: list[int] = []
        for rule, entry in enumerate(entries):
            self._close(_Config(rule, entry, _NO_STACK, False), False, found, accepted)
        return tuple(found), min(accepted, default=None)

    def step(
        self, configs: Iterable[_Config], interval: int
    ) -> tuple[tuple[_Config, ...], int | None]:
        """Return the configurations after a character, and the rule that accepts there, if any."""
        found: dict[_Config, None] = {}
        accepted: list[int] = []
        done = -1
        for config in configs:
            read = self._reads[config.state]
            if read is None or not self._masks[read[0]] >> interval & 1:
                continue
            over = done == config.rule
            if over and config.lazy:
                continue
            after = config._replace(state=read[1])
            if self._close(after, over, found, accepted):
                done = config.rule
        return tuple(found), min(accepted, default=None)

    def _close(
        self, config: _Config, over: bool, found: dict[_Config, None], accepted: list[int]
    ) -> bool:
        """Follow the moves without characters, by priority; return whether the rule accepts."""
        seen: set[_Config] = set()
        most = self._depths[config.stack] + len(self._entries)
        work = [config]
        while work:
            config = work.pop()
            if config in seen:
                continue
            seen.add(config)
            rule, state, stack, lazy = config
            if self._final[state]:
                if stack == _NO_STACK:
                    accepted.append(rule)
                    over = True
                else:
                    address, below = self._frames[stack]
                    work.append(_Config(rule, address, below, lazy))
                continue
            if self._reads[state] is not None:
                if not (over and lazy):
                    found[config] = None
                continue
            call = self._calls[state]
            if call is not None:
                deeper = self._push(call[1], stack)
                # More open calls than rules without a character read: a rule that is recursive at
                # its left end. Such a derivation adds nothing, and following it would never end.
                if self._depths[deeper] <= most:
                    work.append(_Config(rule, call[0], deeper, lazy))
                continue
            lazy = lazy or self._lazy[state]
            for target in reversed(self._free[state]):
                work.append(_Config(rule, target, stack, lazy))
        return over

    def _push(self, address: int, stack: int) -> int:
        """Return the stack with another return address; a call in tail position needs none."""
        while len(self._free[address]) == 1 and self._calls[address] is None:
            address = self._free[address][0]
        if self._final[address]:
            return stack
        key = (address, stack)
        known = self._stacks.get(key)
        if known is None:
            known = self._stacks[key] = len(self._frames)
            self._frames.append(key)
            self._depths.append(self._depths[stack] + 1)
        return known


class State(dict[str, Any]):
    """A deterministic state: a dict from characters to states (None where nothing matches)."""

    __slots__ = ("_by_interval", "_configs", "_dfa", "accept")

    def __init__(self, dfa: Dfa, configs: tuple[_Config, ...], accept: int | None) -> None:
        super().__init__()
        self._dfa = dfa
        self._configs = configs
        self._by_interval: dict[int, State | None] = {}
        #: The rule that has matched when reading ends here.
        self.accept: Final = accept

    def __missing__(self, character: str) -> State | None:
        interval = self._dfa.automaton.interval(character)
        if interval not in self._by_interval:
            found = self._dfa.automaton.step(self._configs, interval)
            self._by_interval[interval] = self._dfa.state(*found)
        self[character] = target = self._by_interval[interval]
        return target


class Dfa:
    """The deterministic automaton of one lexer mode, as far as it has been needed."""

    def __init__(self, automaton: Automaton, entries: Sequence[int]) -> None:
        self.automaton: Final = automaton
        self._states: dict[tuple[tuple[_Config, ...], int | None], State] = {}
        self.start: Final = State(self, *automaton.first(entries))

    def state(self, configs: tuple[_Config, ...], accept: int | None) -> State | None:
        """Return the state of these configurations, None if there is nothing left to match."""
        if not configs and accept is None:
            return None
        key = (configs, accept)
        if key not in self._states:
            self._states[key] = State(self, configs, accept)
        return self._states[key]
