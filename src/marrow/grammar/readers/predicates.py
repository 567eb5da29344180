"""What is known of predicates without running their code: what the user says, and what is usual.

A predicate is a call, perhaps negated, compared with `true` or `false`, or several of them with
`&&` and `||`. `assume` says of calls by their names whether they hold, or at which tokens. Without
it, tables of usual names tell: some never hold (strict mode), others ask about their place in the
text, which marrow can see (`Condition`). Of the rest nobody knows; they are taken to be true.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from marrow.grammar.model.conditions import ALWAYS, NEVER, Condition, PlaceFact, Ways, both
from marrow.grammar.model.rules import Note, Position

#: More ways than this (`||` multiplied out) are taken to be true: nobody writes such a predicate.
_MOST_WAYS: Final = 16


@dataclass(frozen=True, slots=True)
class AtTokens:
    """An assumption: a predicate holds at these tokens, or at all others."""

    names: tuple[str, ...]
    others: bool = False


Assumptions: TypeAlias = Mapping[str, bool | AtTokens]

#: Finds the condition that a word in the name of a call stands for (`closeBrace`), if it does.
Named: TypeAlias = Callable[[str], Condition | None]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a predicate asks for; `unknown` if a part of it is only taken to be true."""

    ways: Ways
    unknown: bool = False


_CALL: Final = re.compile(
    r"""(?P<not>(?:!|\bnot\b|\s)*)\(?\s*(?:[\w$]+\s*(?:\.|->|::)\s*)*(?P<name>\w+)
        \s*(?:\((?P<inside>(?:[^()"']|"[^"]*"|'[^']*')*)\))?\s*\)?
        (?:\s*(?P<sign>===?|!==?)\s*(?P<value>true|false|True|False))?\s*;?\s*""",
    re.VERBOSE,
)

#: A look at the token stream: `_input.LT(1).getText().equals("get")`, `LA(1) != P.CloseBrace`.
_LOOK: Final = re.compile(
    r"""(?P<not>(?:!|\bnot\b|\s)*)\(?\s*(?:[\w$]+(?:\(\))?\s*(?:\.|->)\s*)*L[TA]\(\s*(?P<at>-?1)\s*\)
        \s*(?:(?:\.|->)\s*(?:get_?)?(?:text|type)(?:\(\))?)?\s*
        (?:(?P<sign>===?|!==?)\s*(?P<value>"[^"]*"|'[^']*'|[\w.:]+)
          |\.\s*equals\(\s*(?P<equal>"[^"]*"|'[^']*')\s*\))\s*\)?\s*;?""",
    re.VERBOSE | re.IGNORECASE,
)

#: The column of the token that begins: `getCharPositionInLine() == 0`.
_COLUMN: Final = re.compile(
    r"(?:\w+\s*(?:\.|->)\s*)*(?:get_?)?\w*(?:charPositionInLine|column)(?:\(\))?\s*===?\s*0\s*;?",
    re.IGNORECASE,
)

_SIGNS: Final = re.compile(r"""("[^"]*"|'[^']*')|(\|\||&&)""")

_STRINGS: Final = re.compile(r"""\s*(?:"[^"]*"|'[^']*')(?:\s*,\s*(?:"[^"]*"|'[^']*'))*\s*""")
_STRING: Final = re.compile(r""""([^"]*)"|'([^']*)'""")

#: A call that asks for the opposite: `notLineTerminator`, `isNotNewLine`.
_NOT: Final = re.compile(r"(?:is|has)?_?(?:not|no|without)(?=[A-Z_]|line|new|eol)", re.IGNORECASE)


def _named(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_STRICT: Final = _named(r"strict")
_START: Final = _named(r"start_?of_?(?:input|file|text)|^sof$|line_?1_?col(?:umn)?_?0")
_LINE_BREAK: Final = _named(r"line_?(?:terminator|break|feed|end)|new_?line|\beol")

#: Calls with a text: the next token's, or that of the token before.
_BEFORE: Final = _named(r"p|(?:is|check|was)?_?(?:not)?_?(?:prev|previous|last|behind)\w*")
_NEXT: Final = _named(
    r"n|at|(?:is|at|has|check)?_?(?:not)?_?"
    r"(?:next|peek|look_?ahead|key_?word|word|token|text|name|ident|contextual)\w*"
)

#: Facts that calls in lexer rules ask for, by their names.
_LEXICAL: Final = (
    (_START, PlaceFact.START, False),
    (_named(r"reg_?ex|regular_?exp"), PlaceFact.OPERAND, False),
    (_named(r"div(?:ision|ide)?_?(?:is_?)?(?:possible|allowed|ok)"), PlaceFact.OPERAND, True),
    (
        _named(
            r"start_?of_?line|line_?start|begin\w*_?of_?line|column_?zero|first_?column|at_?bol"
            r"|new_?line_?at_?pos"
        ),
        PlaceFact.LINE_START,
        False,
    ),
)

#: Calls with the names of tokens, as marrow writes them.
_TOKEN_CALLS: Final = {"nextToken": PlaceFact.NEXT_TOKEN, "previousToken": PlaceFact.PREVIOUS_TOKEN}

#: What is in front of the name of a token that must not come next.
_WITH_NOT: Final = re.compile(r"^(?:[iI]s|[nN]ext|[aA]t|[cC]heck)?_?(?:not|Not)(?=[A-Z_])")

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
        tokens = tuple(token.strip() for token in value.removeprefix("!").split(","))
        if not equals or not name or (known is None and not all(map(_is_word, tokens))):
            raise ValueError(
                f"{one!r} is not of the form NAME=true, NAME=false, NAME=TOKEN,TOKEN or "
                "NAME=!TOKEN,TOKEN"
            )
        found[name] = AtTokens(tokens, others) if known is None else known
    return found


def _is_word(text: str) -> bool:
    return re.fullmatch(r"\w+", text) is not None


def meaning(
    text: str,
    assume: Assumptions,
    *,
    lexical: bool,
    closing: bool = False,
    named: Named = lambda _: None,
) -> Meaning:
    """Return what a predicate asks for.

    `closing` says that a lexer rule has the shape of one that closes what opened its mode; `named`
    finds conditions in the names of calls.
    """
    reader = _Reader(assume, lexical, closing, named)
    ways: list[tuple[Condition, ...]] = []
    unknown = False
    for part in _split(text, "||"):
        some: Ways = ALWAYS
        vague = False
        for one in _split(part, "&&"):
            found = reader.atom(one)
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
    """Cut a text at a sign, but not inside of quotes."""
    cuts = [found.span() for found in _SIGNS.finditer(text) if found[2] == sign]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def judged_alone(found: Meaning) -> Meaning:
    """Return a meaning without places: what holds in few of them does not, the rest does."""
    if found.ways in (ALWAYS, NEVER):
        return found
    rare = all(
        any(one.fact is PlaceFact.START and not one.negated for one in way) for way in found.ways
    )
    return Meaning(NEVER) if rare else Meaning(ALWAYS, unknown=True)


def tell(notes: list[Note], found: Meaning, text: str, rule: str, position: Position) -> None:
    """Keep what there is to say about a predicate, once for each rule."""
    note = _told(found, text, rule, position)
    if all(one.message != note.message for one in notes):
        notes.append(note)


def _told(found: Meaning, text: str, rule: str, position: Position) -> Note:
    call = " ".join(text.split())
    predicate = f"{{{call}}}? in {rule}"
    if found.ways == NEVER:
        return Note(position, f"an alternative of {rule} is left out: {call}.", predicate=predicate)
    if found.unknown:
        message = f"a predicate in {rule} is taken to be true: {call}."
        advice = "`--assume NAME=true|false|TOKEN,...` says otherwise, by the name of the call."
        return Note(position, message, advice, predicate=predicate)
    said = " or ".join("; ".join(map(str, way)) or "always" for way in found.ways)
    message = f"a predicate in {rule} is read by its name: {call} ({said})."
    return Note(position, message, predicate=predicate)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one call after the other."""

    assume: Assumptions
    lexical: bool
    closing: bool
    named: Named

    def atom(self, text: str) -> Ways | None:
        """Return what one call asks for; None if nobody knows."""
        text = text.strip()
        if self.lexical and _COLUMN.fullmatch(text):
            return ((Condition(PlaceFact.LINE_START, call=text),),)
        look = None if self.lexical else _LOOK.fullmatch(text)
        if look is not None:
            return self._looked(look, text)
        found = _CALL.fullmatch(text)
        if found is None:
            return None
        negated = bool(len(re.findall(r"!|not", found["not"])) % 2)
        if found["sign"]:
            same = (found["value"].lower() == "true") == found["sign"].startswith("=")
            negated = negated == same
        ways = self._call(found["name"], found["inside"], text)
        return _negated(ways) if negated and ways is not None else ways

    def _looked(self, look: re.Match[str], text: str) -> Ways:
        value = look["value"] or look["equal"]
        negated = bool(len(re.findall(r"!|not", look["not"])) % 2)
        negated = negated != (look["sign"] or "=").startswith("!")
        before = look["at"] == "-1"
        if value[0] in "\"'":
            fact, word = PlaceFact.PREVIOUS_TEXT if before else PlaceFact.NEXT_TEXT, value[1:-1]
        else:
            fact, word = (
                PlaceFact.PREVIOUS_TOKEN if before else PlaceFact.NEXT_TOKEN,
                _last_name(value),
            )
        return ((Condition(fact, (word,), negated, text),),)

    def _call(self, name: str, inside: str | None, text: str) -> Ways | None:
        if name in ("true", "false", "True", "False") and inside is None:
            # What marrow writes for a predicate that it does not know is `true`: not an answer.
            return None if name in ("true", "True") else NEVER
        given = self.assume.get(name)
        if isinstance(given, AtTokens):
            fact = PlaceFact.PREVIOUS_TOKEN if self.lexical else PlaceFact.NEXT_TOKEN
            return ((Condition(fact, given.names, given.others, text),),)
        if given is not None:
            return ALWAYS if given else NEVER
        if _STRICT.search(name):
            return NEVER
        found = self._in_lexer(name) if self.lexical else self._in_parser(name, inside or "")
        if found is None and not self.lexical and not inside:
            return self._spelled(name, text)
        return found if not found else tuple((replace(one, call=text),) for (one,) in found)

    def _in_lexer(self, name: str) -> Ways | None:
        for pattern, fact, negated in _LEXICAL:
            if pattern.search(name):
                return ((Condition(fact, negated=negated != bool(_NOT.match(name))),),)
        return ((Condition(PlaceFact.CLOSING),),) if self.closing else None

    def _in_parser(self, name: str, inside: str) -> Ways | None:
        if _START.search(name):
            return NEVER
        if _LINE_BREAK.search(f"{name} {inside}"):
            return ((Condition(PlaceFact.LINE_BREAK, negated=bool(_NOT.match(name))),),)
        if _STRINGS.fullmatch(inside):
            words = tuple(one or other for one, other in _STRING.findall(inside))
            negated = bool(_NOT.match(name))
            if _BEFORE.fullmatch(name):
                return ((Condition(PlaceFact.PREVIOUS_TEXT, words, negated),),)
            if _NEXT.fullmatch(name):
                return ((Condition(PlaceFact.NEXT_TEXT, words, negated),),)
        if name in _TOKEN_CALLS and inside:
            words = tuple(word.strip() for word in inside.split(","))
            return ((Condition(_TOKEN_CALLS[name], words),),)
        return None

    def _spelled(self, name: str, text: str) -> Ways | None:
        """Read a name that says what comes next: `closeBrace`, `notOpenBraceAndNotFunction`."""
        ways: Ways = NEVER
        for part in re.split(r"_?Or(?=[A-Z_])", name):
            some: Ways = ALWAYS
            for word in re.split(r"_?And(?=[A-Z_])", part):
                bare = _WITH_NOT.sub("", word)
                condition = self.named(bare)
                if condition is None:
                    return None
                negated = bare != word
                some = both(some, ((replace(condition, negated=negated, call=text),),))
            ways = (*ways, *some)
        return ways


def _negated(ways: Ways) -> Ways | None:
    """Return when none of the ways is taken: by De Morgan, multiplied out."""
    found: Ways = ALWAYS
    for way in ways:
        found = both(found, tuple((replace(one, negated=not one.negated),) for one in way))
        if len(found) > _MOST_WAYS:
            return None
    return found


def _last_name(value: str) -> str:
    return re.split(r"[.:]+", value)[-1]
