"""Writes a grammar as BNF, in the notation that `readers.bnf_read` reads.

Reading the text gives a grammar of the same texts: nothing of the model is left out. Names that the
notation does not allow are spelled differently.
"""

from __future__ import annotations

import re
from typing import Final

from marrow.grammar.model.charset import ANY_CHARACTER, Ranges, complement
from marrow.grammar.model.expressions import bodies_of, fold, references
from marrow.grammar.model.rules import (
    DEFAULT_MODE,
    END_OF_INPUT,
    LAST_CHARACTER,
    Action,
    Characters,
    Choice,
    Command,
    Expression,
    Grammar,
    Literal,
    Reference,
    Repeat,
    Sequence,
    TokenRule,
    alternatives,
)

#: What has a meaning in a character set.
_IN_SET: Final = "]\\-^"

#: What would make the brackets an optional part, or a comment.
_NOT_PLAIN: Final = "<>⟨⟩\"'{}()|# "

#: What cannot be written as it is in a text.
_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}

#: A definition that is longer has a line for each alternative.
_LINE: Final = 90

# How tightly a piece of text holds together.
_CHOICE: Final = 0
_SEQUENCE: Final = 1
_REPEAT: Final = 2
_ATOM: Final = 3


def write_bnf(grammar: Grammar) -> tuple[str, str]:
    """Return a grammar as text, and how its start rule is spelled there."""
    names = _names(grammar)
    lines = []
    if grammar.encoding != "utf-8":
        lines.append(f'%encoding "{grammar.encoding}"')
    if grammar.start != ("start" if "start" in grammar.rules else next(iter(grammar.rules), "")):
        lines.append(f"%start <{names[grammar.start]}>")
    for rule in grammar.rules.values():
        lines.append(_definition(f"<{names[rule.name]}>", rule.body, names))
    for token in grammar.tokens.values():
        head = [*_directives(token, names), f"<{names[token.name]}>"]
        lines.append(_definition(" ".join(head), token.body, names))
    return "\n".join(lines) + "\n", names[grammar.start]


def _names(grammar: Grammar) -> dict[str, str]:
    """Return a spelling that angle brackets can hold for every name, each a different one."""
    found = {END_OF_INPUT: END_OF_INPUT}
    taken = {END_OF_INPUT}
    numbers: dict[str, int] = {}  # the last number added to each spelling
    bodies = [*bodies_of(grammar.rules).values(), *bodies_of(grammar.tokens).values()]
    used = (one.name for body in bodies for one in references(body))
    for name in (*grammar.rules, *grammar.tokens, *used, grammar.start):
        if name in found:
            continue
        wanted = re.sub(r"\s+", " ", re.sub(r'[<>|"\r\n]', "_", name)).strip()
        spelled = wanted = wanted if re.match(r"\w", wanted) else f"x{wanted}"
        while spelled in taken:
            numbers[wanted] = numbers.get(wanted, 1) + 1
            spelled = f"{wanted}_{numbers[wanted]}"
        found[name] = spelled
        taken.add(spelled)
    return found


def _directives(token: TokenRule, names: dict[str, str]) -> list[str]:
    """Return what comes before the name of a token."""
    kind = "%fragment" if token.fragment else "%skip" if token.hidden else "%token"
    found = [kind] if token.mode == DEFAULT_MODE else [kind, f"%in({token.mode})"]
    if token.guarded:
        found.append("%guarded")
    commands = (one for one in token.commands if one.action not in (Action.SKIP, Action.CHANNEL))
    return found + [_directive(one, names) for one in commands]


def _directive(command: Command, names: dict[str, str]) -> str:
    if not command.argument:
        return f"%{command.action.value}"
    named = command.action is Action.TYPE
    argument = names.get(command.argument, command.argument) if named else command.argument
    return f"%{command.action.value}({argument})"


def _definition(head: str, body: Expression, names: dict[str, str]) -> str:
    written = [_alternative(one, names) for one in alternatives(body)]
    if not any(written):
        written = ["ε"] * len(written)
    if sum(map(len, written)) + len(head) + len(" ::=") <= _LINE:
        return f"{head} ::= {' | '.join(written)}".rstrip()
    return f"{head} ::= " + "\n    | ".join(written)


def _alternative(one: Expression, names: dict[str, str]) -> str:
    """Write an alternative; an empty one is an empty text."""
    text = "" if one == Sequence(()) else _rendered(one, names)
    return f"%right {text}" if isinstance(one, Sequence) and one.right else text


def _rendered(expression: Expression, names: dict[str, str]) -> str:
    """Write an expression; a choice gets parentheses."""

    def combine(one: Expression, inner: tuple[tuple[str, int], ...]) -> tuple[str, int]:
        match one:
            case Literal(text=text, ignore_case=ignore_case):
                return f'"{"".join(map(_in_quotes, text))}"{"i" * ignore_case}', _ATOM
            case Characters(ranges=ranges):
                return _characters(ranges), _ATOM
            case Reference(name=name):
                return f"<{names[name]}>", _ATOM
            case Repeat(quantifier=quantifier, greedy=greedy):
                sign = quantifier.value + ("" if greedy else "?")
                return _at_least(_ATOM, *inner[0]) + sign, _REPEAT
            case Sequence() | Choice() if len(inner) == 1:
                return inner[0]
            case Sequence():
                text = " ".join(_at_least(_REPEAT, *part) for part in inner)
                return (text, _SEQUENCE) if inner else ("()", _ATOM)
            case Choice():
                return " | ".join(_at_least(_SEQUENCE, *part) for part in inner), _CHOICE

    return _at_least(_SEQUENCE, *fold(expression, combine))


def _at_least(level: int, text: str, own: int) -> str:
    return text if own >= level else f"({text})"


def _in_quotes(character: str) -> str:
    plain = " " <= character <= "~"
    return _ESCAPES.get(character) or (character if plain else _coded(ord(character)))


def _characters(ranges: Ranges) -> str:
    if not ranges:
        return f"[^{_in_set(ANY_CHARACTER)}]"  # nothing is left
    if ranges[0][0] == 0 and ranges[-1][1] == LAST_CHARACTER:
        return f"[^{_in_set(complement(ranges))}]"
    return f"[{_in_set(ranges)}]"


def _in_set(ranges: Ranges) -> str:
    return "".join(
        _in_brackets(first) + (f"-{_in_brackets(last)}" if last > first else "")
        for first, last in ranges
    )


def _in_brackets(code: int) -> str:
    """Write a character of a set, without what would make the brackets an optional part."""
    if chr(code) in _IN_SET:
        return "\\" + chr(code)
    plain = 0x20 < code < 0x7F and chr(code) not in _NOT_PLAIN
    return chr(code) if plain else _coded(code)


def _coded(code: int) -> str:
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"
