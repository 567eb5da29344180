"""Lexer rules that match only in some places, written with modes: what every lexer understands.

Whether `/` starts a regular expression depends on the token before it, whether `}` ends the code
inside a template string on the brackets in between. Authors leave that to predicates. Here a mode
is copied for each state that such predicates can tell apart; every token changes to the copy of
the state behind it, and a copy has just those rules whose predicates hold in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from marrow.grammar.model.characters import shortest_words
from marrow.grammar.model.conditions import Condition, PlaceFact, Ways
from marrow.grammar.model.literal_names import literal_name
from marrow.grammar.model.rules import (
    DEFAULT_MODE,
    Action,
    Characters,
    Choice,
    Command,
    Expression,
    Grammar,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Sequence,
    TokenRule,
    alternatives,
)

#: Words that are values, so that no operand comes behind them; any other word of a fixed text is
#: a keyword. Those of JavaScript and its kin, in lower case.
_VALUES: Final = frozenset(
    ("this", "super", "null", "true", "false", "nil", "none", "self", "undefined", "nan")
)

#: Ends of tokens behind which an operator comes: names, numbers, and these signs.
_CLOSING_SIGNS: Final = (")", "]", "++", "--", '"', "'", "`", "/", "$", "_")

_PARTNERS: Final = {"}": "{", ")": "(", "]": "["}

_LINE_ENDS: Final = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))


@dataclass(frozen=True, slots=True)
class _State:
    """What a place is like, as far as predicates ask: the facts that hold in it.

    `frame` says what opened the mode: nothing, a command of the author, or a bracket.
    """

    facts: frozenset[Condition]
    frame: str = ""


#: What opened a mode: a command of the author's (the guarded bracket closes it), or a bracket.
_OPENED: Final = "opened"
_BRACKET: Final = "bracket"


def with_place_modes(
    tokens: dict[str, TokenRule], places: Mapping[str, Ways], literals: Iterable[Literal]
) -> dict[str, TokenRule]:
    """Return token rules without predicates about places.

    `places` has those of rules; `literals` are those of parser rules, tokens of the first mode
    that have no rule yet.
    """
    if not places:
        return tokens
    named: dict[str, TokenRule] = {}
    for literal in dict.fromkeys(literals):
        name = literal_name(literal.text) + ("i" if literal.ignore_case else "")
        named[name] = TokenRule(name, literal, position=literal.position)
    return _Copying({**named, **tokens}, places).copied()


class _Copying:
    """Makes the copies of modes, from the first one on, as states are met."""

    def __init__(self, tokens: dict[str, TokenRule], places: Mapping[str, Ways]) -> None:
        self._places: Final = places
        self._rules: dict[str, list[TokenRule]] = {}
        asked = {replace(one, negated=False) for w in places.values() for way in w for one in way}
        self._asked: Final = sorted(asked, key=lambda one: (one.fact.value, one.words))
        self._closers: Final = self._find_closers(tokens, places)
        self._fragments: Final = {name: rule for name, rule in tokens.items() if rule.fragment}
        by_line = any(one.fact is PlaceFact.LINE_START for one in self._asked)
        for rule in tokens.values():
            if not rule.fragment:
                own = _split_at_line_ends(rule) if by_line else [rule]
                self._rules.setdefault(rule.mode, []).extend(own)
        #: The modes that have rules which match only in some places.
        self._asking: Final = {tokens[name].mode for name in places}
        whole = Grammar("", "", {}, tokens)
        self._texts: Final = shortest_words(whole)
        self._tokens: Final = tokens
        self._modes: dict[tuple[str, _State], str] = {}
        self._todo: deque[tuple[str, _State]] = deque()
        self._made: dict[str, TokenRule] = {}

    def copied(self) -> dict[str, TokenRule]:
        first = frozenset(
            one
            for one in self._asked
            if one.fact in (PlaceFact.START, PlaceFact.LINE_START, PlaceFact.OPERAND)
        )
        self._mode(DEFAULT_MODE, _State(first))
        seen: set[str] = set()
        while self._todo:
            mode, state = self._todo.popleft()
            seen.add(mode)
            self._copy(mode, state)
        for mode, rules in self._rules.items():
            if mode not in seen:  # nobody goes there; what is wrong with it is said elsewhere
                self._made.update({rule.name: rule for rule in rules})
        return {**self._fragments, **self._made}

    def _find_closers(
        self, tokens: dict[str, TokenRule], places: Mapping[str, Ways]
    ) -> dict[str, set[str]]:
        """Return for each mode the texts of brackets that close it only where they opened it."""
        found: dict[str, set[str]] = {}
        for name, ways in places.items():
            body = tokens[name].body
            closing = any(one.fact is PlaceFact.CLOSING for way in ways for one in way)
            if closing and isinstance(body, Literal):
                found.setdefault(tokens[name].mode, set()).add(body.text)
        return found

    def _mode(self, mode: str, state: _State) -> str:
        """Return the name of the copy of a mode for a state."""
        if mode not in self._asking:
            state = _State(frozenset())
        key = (mode, state)
        if key not in self._modes:
            copies = sum(one == mode for one, _ in self._modes)
            name = f"{mode}_{copies + 1}" if copies else mode
            while copies and name in self._rules:
                name += "_"
            self._modes[key] = name
            self._todo.append(key)
        return self._modes[key]

    # -- copies -------------------------------------------------------------------------------

    def _copy(self, mode: str, state: _State) -> None:
        name = self._modes[mode, state]
        for rule in self._rules.get(mode, ()):
            kept = self._kept(rule, state)
            if kept is None:
                continue
            new = rule.name
            while new in self._made or (new != rule.name and new in self._tokens):
                new = f"{rule.name}_{name}" if new == rule.name else f"{new}_"
            commands = self._commands(rule, mode, state)
            typed = any(
                one.action in (Action.TYPE, Action.SKIP, Action.MORE) for one in rule.commands
            )
            if new != rule.name and not typed:
                commands = (Command(Action.TYPE, rule.name), *commands)
            self._made[new] = replace(kept, name=new, mode=name, commands=commands)

    def _kept(self, rule: TokenRule, state: _State) -> TokenRule | None:
        """Return a rule as it is in a state; None if it does not match there."""
        ways = self._places.get(rule.name)
        if ways is not None:
            if not any(all(self._holds(one, state) for one in way) for way in ways):
                return None
            # A literal in a parser rule still means the rule that needs no predicate.
            return replace(rule, guarded=rule.guarded or isinstance(rule.body, Literal))
        return None if state.frame == _OPENED and self._is_plain_closer(rule) else rule

    @staticmethod
    def _holds(condition: Condition, state: _State) -> bool:
        if condition.fact is PlaceFact.CLOSING:
            return (state.frame == _OPENED) != condition.negated
        return (replace(condition, negated=False) in state.facts) != condition.negated

    def _is_plain_closer(self, rule: TokenRule) -> bool:
        """Whether a rule closes a bracket, in a mode where another one closes the mode."""
        body = rule.body
        return (
            rule.name not in self._places
            and isinstance(body, Literal)
            and body.text in self._closers.get(rule.mode, ())
            and not _changes_mode(rule)
        )

    def _is_opener(self, rule: TokenRule) -> bool:
        closers = self._closers.get(rule.mode, set())
        openers = {_PARTNERS[text] for text in closers if text in _PARTNERS}
        body = rule.body
        return isinstance(body, Literal) and body.text in openers and not _changes_mode(rule)

    def _commands(self, rule: TokenRule, mode: str, state: _State) -> tuple[Command, ...]:
        """Return a rule's commands, and those that change to the state behind it."""
        if any(one.action is Action.MORE for one in rule.commands) and not _changes_mode(rule):
            return rule.commands
        after = self._after(rule, state)
        if self._is_opener(rule):
            back = self._mode(mode, replace(self._behind_closer(mode, after), frame=state.frame))
            inside = self._mode(mode, replace(after, frame=_BRACKET))
            return (*rule.commands, Command(Action.MODE, back), Command(Action.PUSH_MODE, inside))
        if self._is_plain_closer(rule) and state.frame == _BRACKET:
            return (*rule.commands, Command(Action.POP_MODE))
        if not _changes_mode(rule):
            there = self._mode(mode, after)
            here = self._modes[mode, state]
            return rule.commands if there == here else (*rule.commands, Command(Action.MODE, there))
        found: list[Command] = []
        here = mode
        for one in rule.commands:
            if one.action is Action.MODE:
                here = one.argument
                one = replace(one, argument=self._mode(here, after))
            elif one.action is Action.PUSH_MODE:
                back = self._mode(
                    here, replace(self._popped(one.argument, after), frame=after.frame)
                )
                found.append(Command(Action.MODE, back))
                here = one.argument
                one = replace(one, argument=self._mode(here, replace(after, frame=_OPENED)))
            found.append(one)
        return tuple(found)

    # -- states -------------------------------------------------------------------------------

    def _after(self, rule: TokenRule, state: _State) -> _State:
        """Return what a place is like behind a token."""
        facts = {one for one in self._asked if self._holds_after(one, rule, state)}
        return replace(state, facts=frozenset(facts))

    def _holds_after(self, condition: Condition, rule: TokenRule, state: _State) -> bool:
        match condition.fact:
            case PlaceFact.LINE_START:
                return _ends_line(self._tokens, rule.body)
            case PlaceFact.OPERAND if not rule.hidden:
                return self._before_operand(rule)
            case PlaceFact.PREVIOUS_TOKEN if not rule.hidden:
                return _type(rule) in condition.words
            case PlaceFact.OPERAND | PlaceFact.PREVIOUS_TOKEN:
                return condition in state.facts
            case _:
                return False

    def _before_operand(self, rule: TokenRule) -> bool:
        """Whether an operand may follow a token: it is an operator, a keyword, an opening sign."""
        fixed = [one.text for one in alternatives(rule.body) if isinstance(one, Literal)]
        if len(fixed) == len(alternatives(rule.body)):
            return not any(
                text.lower() in _VALUES or text.endswith(_CLOSING_SIGNS) or text[-1:].isdigit()
                for text in fixed
            )
        text = self._texts.get(rule.name, "a")
        return not (text[-1:].isalnum() or text.endswith(_CLOSING_SIGNS))

    def _behind_closer(self, mode: str, after: _State) -> _State:
        closers = [rule for rule in self._rules[mode] if self._is_plain_closer(rule)]
        return self._after(closers[0], after) if closers else after

    def _popped(self, mode: str, after: _State) -> _State:
        """Return what a place is like when a mode has been left again."""
        for rule in self._rules.get(mode, ()):
            if any(one.action is Action.POP_MODE for one in rule.commands):
                return self._after(rule, after)
        return after


def _changes_mode(rule: TokenRule) -> bool:
    changes = (Action.MODE, Action.PUSH_MODE, Action.POP_MODE)
    return any(one.action in changes for one in rule.commands)


def _type(rule: TokenRule) -> str:
    types = [one.argument for one in rule.commands if one.action is Action.TYPE]
    return types[-1] if types else rule.name


def _split_at_line_ends(rule: TokenRule) -> list[TokenRule]:
    """Cut a rule of blanks and line breaks in two: texts that end with a line break come first."""
    body = rule.body
    if not (isinstance(body, Repeat) and isinstance(body.item, Characters) and body.greedy):
        return [rule]
    ends = tuple(one for one in _LINE_ENDS if _contains(body.item, one[0]))
    others = any(not _contains(Characters(_LINE_ENDS), low) for low, _ in body.item.ranges)
    if not ends or not others:
        return [rule]
    first = Sequence((Repeat(body.item, Quantifier.STAR), Characters(ends)))
    typed = any(one.action in (Action.TYPE, Action.SKIP, Action.MORE) for one in rule.commands)
    commands = rule.commands if typed else (Command(Action.TYPE, rule.name), *rule.commands)
    return [replace(rule, name=f"{rule.name}_LINES", body=first, commands=commands), rule]


def _contains(characters: Characters, code: int) -> bool:
    return any(low <= code <= high for low, high in characters.ranges)


def _ends_line(tokens: Mapping[str, TokenRule], body: Expression) -> bool:
    """Whether a token ends with a line break: what may stand last in it can be nothing else."""
    stack: list[Expression] = [body]
    seen: set[str] = set()
    lasts: list[bool] = []
    while stack:
        one = stack.pop()
        match one:
            case Literal(text=text):
                lasts.append(text[-1:] in "\r\n\u2028\u2029" and text != "")
            case Characters(ranges=ranges):
                lasts.append(all(_contains(Characters(_LINE_ENDS), low) for low, _ in ranges))
            case Sequence(items=items) if items:
                stack.append(items[-1])
            case Choice(alternatives=inner):
                stack.extend(inner)
            case Repeat(item=item):
                stack.append(item)
            case Reference(name=name) if name in tokens and name not in seen:
                seen.add(name)
                stack.append(tokens[name].body)
            case _:
                lasts.append(False)
    return bool(lasts) and all(lasts)
