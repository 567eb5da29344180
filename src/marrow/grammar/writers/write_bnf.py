"""Writes a grammar as BNF, in the notation that `bnf_read` reads."""

from __future__ import annotations

import re
from typing import Final

from marrow.grammar.model.charset import ANY_CHARACTER, Ranges, complement
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    Action,
    Characters,
    Expression,
    Grammar,
    GrammarError,
    Literal,
    Note,
    TokenRule,
)
from marrow.grammar.writers.write_style import (
    Names,
    Style,
    Written,
    escaped_text,
    is_mostly_everything,
    written_alternatives,
)

#: What has a meaning in a character set.
_IN_SET: Final = "]\\-^"

#: What would make the brackets an optional part, or a comment.
_NOT_PLAIN: Final = "<>⟨⟩\"'{}()|# "


def write_bnf(grammar: Grammar) -> Written:
    """Write a grammar; raise `GrammarError` if it has lexer modes, which BNF cannot say."""
    writer = _Writer(grammar)
    return Written(writer.text(), writer.start, tuple(writer.notes))


class _Writer:
    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self.notes: list[Note] = []
        self._names = Names(grammar, (END_OF_INPUT,), _allowed, _allowed)
        self._style = Style(_literal, _characters, lambda one: f"<{self._names[one.name]}>")
        self.start = self._names[grammar.start]

    def text(self) -> str:
        grammar = self._grammar
        lines = []
        if grammar.encoding != "utf-8":
            lines.append(f'%encoding "{grammar.encoding}"')
        first = next(iter(grammar.rules), "")
        if grammar.start != ("start" if "start" in grammar.rules else first):
            lines.append(f"%start <{self._names[grammar.start]}>")
        for rule in grammar.rules.values():
            lines.append(self._definition("", rule.name, rule.body))
        for token in grammar.tokens.values():
            lines.append(self._definition(self._kind(token), token.name, token.body))
        return "\n".join(lines) + "\n"

    def _definition(self, kind: str, name: str, body: Expression) -> str:
        written = written_alternatives(body, self._style)
        if not any(written):
            written = [one or "ε" for one in written]
        head = f"{kind}<{self._names[name]}> ::="
        if sum(map(len, written)) + len(head) <= 90:
            return f"{head} {' | '.join(written)}".rstrip()
        return f"{head} " + "\n    | ".join(written)

    def _kind(self, token: TokenRule) -> str:
        """Return the directive before a token."""
        for command in token.commands:
            if command.action not in (Action.SKIP, Action.CHANNEL):
                raise GrammarError(
                    f"BNF has no word for `{command.action.value}` of the token {token.name}. "
                    "Write the grammar as g4.",
                    token.position,
                )
        if token.guarded:
            message = f"that {token.name} loses ties is not written: BNF has no word for it."
            self.notes.append(Note(token.position, message))
        if token.fragment:
            return "%fragment "
        return "%skip " if token.hidden else "%token "


def _allowed(name: str) -> str:
    """Return a name that angle brackets can hold."""
    name = re.sub(r"\s+", " ", re.sub(r'[<>|"\r\n]', "_", name)).strip()
    return name if re.match(r"\w", name) else f"x{name}"


def _literal(literal: Literal) -> str:
    suffix = "i" if literal.ignore_case else ""
    return f'"{escaped_text(literal.text, chr(34) + chr(92))}"{suffix}'


def _characters(characters: Characters) -> str:
    ranges = characters.ranges
    if not ranges:
        return f"[^{_in_set(ANY_CHARACTER)}]"  # nothing is left
    if is_mostly_everything(ranges):
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
    return chr(code) if plain else f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"
