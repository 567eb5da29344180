"""Predicates of ANTLR grammars, as far as `--assume` says when they hold.

A predicate is code, which marrow does not run. It is read as a call, perhaps negated, compared
with `true` or `false`, or joined with others by `&&` and `||`. An assumption says by the name of a
call whether it holds, or at which tokens; all other calls are taken to be true.

In a parser rule a call that holds at some tokens becomes a guard (see `token_guards`). In a lexer
rule it becomes lexer modes, which every lexer understands: a mode is copied for each state that
such predicates tell apart, and every token changes to the copy of the state after it.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from marrow.grammar.model.literal_tokens import literal_name
from marrow.grammar.model.rules import (
    ALWAYS,
    DEFAULT_MODE,
    NEVER,
    Action,
    Command,
    Condition,
    Literal,
    Note,
    Position,
    TokenRule,
    Ways,
    both,
)

#: A predicate with more ways than this (`||` multiplied out) is taken to be true.
_MOST_WAYS: Final = 16


@dataclass(frozen=True, slots=True)
class AtTokens:
    """An assumption: a predicate holds at these tokens, or at all others."""

    names: tuple[str, ...]
    others: bool = False


Assumptions: TypeAlias = Mapping[str, bool | AtTokens]


@dataclass(frozen=True, slots=True)
class Meaning:
    """When a predicate holds; `unknown` if a part of it is only taken to be true."""

    ways: Ways
    unknown: bool = False

    @property
    def anywhere(self) -> Meaning:
        """The meaning where the tokens around are not known: what depends on them may hold."""
        return self if self.ways in (ALWAYS, NEVER) else Meaning(ALWAYS, unknown=True)


_CALL: Final = re.compile(
    r"""(?P<not>(?:!|\bnot\b|\s)*)\(?+\s*+(?:[\w$]++\s*+(?:\.|->|::)\s*+)*(?P<name>\w++)
        \s*+(?:\((?P<inside>(?:[^()"']|"[^"]*+"|'[^']*+')*)\))?\s*+\)?+
        (?:\s*+(?P<sign>===?+|!==?+)\s*+(?P<value>true|false|True|False))?\s*+;?+\s*+""",
    re.VERBOSE,
)

_STRINGS_AND_SIGNS: Final = re.compile(r"""("[^"]*"|'[^']*')|(\|\||&&)""")

#: The call that marrow writes for a guard: it holds before the tokens in its parentheses.
NEXT_TOKEN: Final = "nextToken"

_VALUES: Final = {"true": True, "false": False}


def parse_assumptions(given: Mapping[str, str] | tuple[str, ...]) -> dict[str, bool | AtTokens]:
    """Read what the user assumes (`NAME=true`); raise `ValueError` if it is something else."""
    if isinstance(given, Mapping):
        given = tuple(f"{name}={value}" for name, value in given.items())
    found: dict[str, bool | AtTokens] = {}
    for one in given:
        name, equals, value = (part.strip() for part in one.partition("="))
        known = _VALUES.get(value.lower())
        others = value.startswith("!")
        tokens = _words(value.removeprefix("!"))
        if not equals or not name or (known is None and not all(map(_is_word, tokens))):
            raise ValueError(
                f"{one!r} is not of the form NAME=true, NAME=false, NAME=TOKEN,TOKEN or "
                "NAME=!TOKEN,TOKEN"
            )
        found[name] = AtTokens(tokens, others) if known is None else known
    return found


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(","))


def _is_word(text: str) -> bool:
    return re.fullmatch(r"\w+", text) is not None


def meaning(text: str, assume: Assumptions) -> Meaning:
    """Return when a predicate holds."""
    ways: list[tuple[Condition, ...]] = []
    unknown = False
    for part in _split(text, "||"):
        some: Ways = ALWAYS
        vague = False
        for one in _split(part, "&&"):
            found = _call(one.strip(), assume)
            vague = vague or found is None
            some = both(some, ALWAYS if found is None else found)
        ways.extend(some)
        unknown = unknown or (vague and some != NEVER)
    if () in ways:
        return Meaning(ALWAYS, unknown)
    if len(ways) > _MOST_WAYS:
        return Meaning(ALWAYS, unknown=True)
    return Meaning(tuple(dict.fromkeys(ways)), unknown)


def _split(text: str, sign: str) -> list[str]:
    """Cut a text at a sign, but not inside quotes."""
    cuts = [found.span() for found in _STRINGS_AND_SIGNS.finditer(text) if found[2] == sign]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _call(text: str, assume: Assumptions) -> Ways | None:
    """Return when one call holds; None if nobody says."""
    found = _CALL.fullmatch(text)
    if found is None:
        return None
    negated = bool(len(re.findall(r"!|not", found["not"])) % 2)
    if found["sign"]:
        same = (found["value"].lower() == "true") == found["sign"].startswith("=")
        negated = negated == same
    name, inside = found["name"], found["inside"]
    given = assume.get(name)
    if isinstance(given, AtTokens):
        return ((Condition(given.names, given.others != negated, text),),)
    if given is not None:
        return ALWAYS if given != negated else NEVER
    if name == NEXT_TOKEN and inside:
        return ((Condition(_words(inside), negated, text),),)
    if name.lower() == "false" and inside is None:
        return ALWAYS if negated else NEVER
    # marrow writes `true` for a predicate that nothing is known about: it is not an answer.
    return NEVER if name.lower() == "true" and inside is None and negated else None


def add_note(notes: list[Note], found: Meaning, text: str, rule: str, position: Position) -> None:
    """Add the note about a predicate, once for each rule."""
    call = " ".join(text.split())
    advice = ""
    if found.ways == NEVER:
        message = f"an alternative of {rule} is left out: {call}."
    elif found.unknown:
        message = f"a predicate in {rule} is taken to be true: {call}."
        advice = "`--assume NAME=true|false|TOKEN,...` says otherwise, by the name of the call."
    else:
        said = " or ".join("; ".join(map(str, way)) or "always" for way in found.ways)
        message = f"a predicate in {rule} is read as assumed: {call} ({said})."
    note = Note(position, message, advice, predicate=f"{{{call}}}? in {rule}")
    if all(one.message != note.message for one in notes):
        notes.append(note)


def with_modes(
    tokens: dict[str, TokenRule], places: Mapping[str, Ways], literals: Iterable[Literal]
) -> dict[str, TokenRule]:
    """Return token rules whose predicates are written with modes.

    `places` says after which tokens rules match. `literals` are those of parser rules: tokens of
    the first mode that have no rule yet.
    """
    if not places:
        return tokens
    named: dict[str, TokenRule] = {}
    for literal in dict.fromkeys(literals):
        name = literal_name(literal.text) + ("i" if literal.ignore_case else "")
        named[name] = TokenRule(name, literal, position=literal.position)
    return _ModeCopies({**named, **tokens}, places).copied()


#: The conditions that hold in a place, none of them negated.
_State: TypeAlias = frozenset[Condition]


class _ModeCopies:
    """Copies modes, beginning with the first one, as their states are reached."""

    def __init__(self, tokens: dict[str, TokenRule], places: Mapping[str, Ways]) -> None:
        self._tokens: Final = tokens
        self._places: Final = places
        self._asked: Final = {
            replace(one, negated=False) for ways in places.values() for way in ways for one in way
        }
        self._rules: Final[dict[str, list[TokenRule]]] = {}
        for rule in tokens.values():
            if not rule.fragment:
                self._rules.setdefault(rule.mode, []).append(rule)
        #: The modes that have rules with predicates.
        self._asking: Final = {tokens[name].mode for name in places}
        self._modes: Final[dict[tuple[str, _State], str]] = {}
        self._todo: Final[deque[tuple[str, _State]]] = deque()
        self._made: Final[dict[str, TokenRule]] = {}

    def copied(self) -> dict[str, TokenRule]:
        """Return all rules, with the modes that take the place of predicates."""
        self._mode(DEFAULT_MODE, frozenset())
        seen: set[str] = set()
        while self._todo:
            mode, state = self._todo.popleft()
            seen.add(mode)
            self._copy(mode, state)
        for mode, rules in self._rules.items():
            if mode not in seen:  # unreachable; the checks say so
                self._made.update({rule.name: rule for rule in rules})
        fragments = {name: rule for name, rule in self._tokens.items() if rule.fragment}
        return {**fragments, **self._made}

    def _mode(self, mode: str, state: _State) -> str:
        """Return the name of the copy of a mode for a state."""
        key = (mode, state if mode in self._asking else frozenset())
        if key not in self._modes:
            copies = sum(one == mode for one, _ in self._modes)
            name = f"{mode}_{copies + 1}" if copies else mode
            while copies and name in self._rules:
                name += "_"
            self._modes[key] = name
            self._todo.append(key)
        return self._modes[key]

    def _copy(self, mode: str, state: _State) -> None:
        name = self._modes[mode, state]
        for rule in self._rules.get(mode, ()):
            ways = self._places.get(rule.name)
            if ways is not None and not any(_hold(way, state) for way in ways):
                continue
            new = rule.name
            while new in self._made or (new != rule.name and new in self._tokens):
                new = f"{rule.name}_{name}" if new == rule.name else f"{new}_"
            commands = self._commands(rule, mode, state)
            typed = rule.does(Action.TYPE, Action.SKIP, Action.MORE)
            if new != rule.name and not typed:
                commands = (Command(Action.TYPE, rule.name), *commands)
            # A literal in a parser rule still means the rule that needs no predicate.
            guarded = rule.guarded or (ways is not None and isinstance(rule.body, Literal))
            self._made[new] = replace(rule, name=new, mode=name, commands=commands, guarded=guarded)

    def _commands(self, rule: TokenRule, mode: str, state: _State) -> tuple[Command, ...]:
        """Return a rule's commands, with those that change to the state after it."""
        after = self._after(rule, state)
        if not rule.does(Action.MODE, Action.PUSH_MODE, Action.POP_MODE):
            there = self._mode(mode, after)
            same = there == self._modes[mode, state] or rule.does(Action.MORE)
            return rule.commands if same else (*rule.commands, Command(Action.MODE, there))
        found: list[Command] = []
        here = mode
        for one in rule.commands:
            if one.action is Action.MODE:
                here = one.argument
                one = replace(one, argument=self._mode(here, after))
            elif one.action is Action.PUSH_MODE:
                back = self._mode(here, self._popped(one.argument, after))
                found.append(Command(Action.MODE, back))
                here = one.argument
                one = replace(one, argument=self._mode(here, after))
            found.append(one)
        return tuple(found)

    def _after(self, rule: TokenRule, state: _State) -> _State:
        """Return the state after a token; layout does not change it."""
        if rule.hidden:
            return state
        return frozenset(one for one in self._asked if rule.type in one.tokens)

    def _popped(self, mode: str, after: _State) -> _State:
        """Return the state after a mode has been left again."""
        for rule in self._rules.get(mode, ()):
            if rule.does(Action.POP_MODE):
                return self._after(rule, after)
        return after


def _hold(way: tuple[Condition, ...], state: _State) -> bool:
    return all((replace(one, negated=False) in state) != one.negated for one in way)
