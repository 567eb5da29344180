"""Tokens of tree-sitter's external scanners, which are C code: the usual ones, by their names.

An automatic semicolon stands where a line ends or a block does; `_newline`, `_indent` and `_dedent`
come from indentation; strings that a scanner cuts up are opened and closed by quotes. Of others
nobody knows a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from marrow.grammar.model.charset import ANY_CHARACTER, complement
from marrow.grammar.model.conditions import Condition, PlaceFact
from marrow.grammar.model.expressions import references
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    EPSILON,
    Action,
    Characters,
    Choice,
    Command,
    Expression,
    Literal,
    Position,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
    TokenRule,
)

_SEMICOLON: Final = re.compile(r"\w*(?:semi|semicolon|statement_terminator)")
_NEWLINE: Final = re.compile(r"_*(?:newline|line_?break|eol)")
_INDENT: Final = re.compile(r"_*indent")
_DEDENT: Final = re.compile(r"_*dedent")
_LINE_END: Final = re.compile(r"\w*line_ending_or_eof")
_END: Final = re.compile(r"_*(?:eof|end_of_file)")
_BLOCK_COMMENT: Final = re.compile(r"\w*(?:block|multi_?line)_comment")
_TERNARY: Final = re.compile(r"_*ternary_qmark")
_STRING: Final = re.compile(r"_*string_(start|content|end)")

#: Where a semicolon may be left out: at the end of a line, and before what closes a block.
_LEFT_OUT: Final = (
    Condition(PlaceFact.LINE_BREAK, call="automatic semicolon"),
    Condition(PlaceFact.NEXT_TEXT, ("}", ")"), call="automatic semicolon"),
)

#: Quotes of strings, longer ones first.
_QUOTES: Final = ('"""', "'''", '"', "'")

_ANY: Final = Characters(ANY_CHARACTER)


@dataclass(slots=True)
class Externals:
    """What stands for external tokens in rules, and the rules and tokens that this needs.

    `content` is the token inside of strings, between `quotes`. `lost` are those that nobody knows
    a text of.
    """

    stand_ins: dict[str, Expression] = field(default_factory=dict)
    rules: dict[str, Rule] = field(default_factory=dict)
    tokens: dict[str, TokenRule] = field(default_factory=dict)
    indentation: bool = False
    content: str = ""
    quotes: tuple[str, str] = ("", "")
    lost: list[str] = field(default_factory=list)


def externals(
    names: Iterable[str], bodies: Mapping[str, Expression], position: Position
) -> Externals:
    """Return what is known of external tokens, by their names and the rules that use them."""
    ordered = sorted(names)
    found = Externals()
    newline = next((one for one in ordered if _NEWLINE.fullmatch(one)), None)
    indent = next((one for one in ordered if _INDENT.fullmatch(one)), None)
    dedent = next((one for one in ordered if _DEDENT.fullmatch(one)), None)
    if newline and indent and dedent and _only_ends(newline, bodies.values()):
        _add_indentation(found, newline, indent, dedent, position)
    strings = {m[1]: one for one in ordered if (m := _STRING.fullmatch(one))}
    if len(strings) == 3:
        _add_strings(found, strings, position)
    for name in ordered:
        if name in found.tokens:
            continue
        if _SEMICOLON.fullmatch(name):
            found.stand_ins[name] = _semicolon(found, position)
        elif _END.fullmatch(name):
            found.stand_ins[name] = Reference(END_OF_INPUT, position)
        elif _LINE_END.fullmatch(name):
            found.tokens[name] = TokenRule(name, _line_break(), position=position)
            ends = (Reference(name, position), Reference(END_OF_INPUT, position))
            found.stand_ins[name] = Choice(ends)
        elif _TERNARY.fullmatch(name):
            found.stand_ins[name] = Literal("?", position=position)
        elif _BLOCK_COMMENT.fullmatch(name):
            inside = Repeat(_ANY, Quantifier.STAR, greedy=False)
            body = Sequence((Literal("/*"), inside, Literal("*/")))
            found.tokens[name] = TokenRule(name, body, position=position)
        else:
            found.lost.append(name)
    return found


def _only_ends(newline: str, bodies: Iterable[Expression]) -> bool:
    """Whether a token only stands at the end of alternatives: it ends lines as in Python."""
    for body in bodies:
        uses = sum(one.name == newline for one in references(body))
        stack = [body]
        while stack:
            match stack.pop():
                case Sequence(items=(*_, last)):
                    stack.append(last)
                case Choice(alternatives=inner):
                    stack.extend(inner)
                case Reference(name=name) if name == newline:
                    uses -= 1
        if uses:
            return False
    return True


def _line_break() -> Expression:
    return Sequence((Repeat(Literal("\r"), Quantifier.OPTIONAL), Literal("\n")))


def _semicolon(found: Externals, position: Position) -> Expression:
    """Return what stands for an automatic semicolon: nothing, in some places."""
    names = ("at_line_end", "at_block_end")
    for name, condition in zip(names, _LEFT_OUT, strict=True):
        found.rules[name] = Rule(name, EPSILON, position, auxiliary=True, guard=(condition,))
    return Choice(tuple(Reference(name, position) for name in names))


def _add_indentation(
    found: Externals, newline: str, indent: str, dedent: str, position: Position
) -> None:
    """Add tokens of indentation; a scanner makes one INDENT of the line break in front of it."""
    blanks = Repeat(Characters(((0x09, 0x09), (0x20, 0x20))), Quantifier.STAR)
    lines = Repeat(Sequence((_line_break(), blanks)), Quantifier.PLUS)
    found.tokens[newline] = TokenRule(newline, lines, position=position)
    for name in (indent, dedent):
        found.tokens[name] = TokenRule(name, Characters(()), position=position)
    before = Repeat(Reference(newline, position), Quantifier.OPTIONAL)
    found.stand_ins[indent] = Sequence((before, Reference(indent, position)))
    found.indentation = True


def _add_strings(found: Externals, names: dict[str, str], position: Position) -> None:
    """Add the three tokens of a string: letters and a quote, what is inside, the same quote."""
    found.content, found.quotes = names["content"], (names["start"], names["end"])
    letter = Characters(((0x41, 0x5A), (0x61, 0x7A)))
    prefix = [Repeat(letter, Quantifier.OPTIONAL)] * 2
    for number, quote in enumerate(_QUOTES):
        mode = f"STRING_{number + 1}"
        sign = ord(quote[0])
        outside = [(sign, sign), (0x5C, 0x5C)]
        if len(quote) == 1:
            outside += [(0x0A, 0x0A), (0x0D, 0x0D)]
        plain = Choice(
            (Characters(complement(tuple(sorted(outside)))), Sequence((Literal("\\"), _ANY)))
        )
        few = [Repeat(Literal(quote[0]), Quantifier.OPTIONAL)] * (len(quote) - 1)
        pieces: dict[str, tuple[Expression, str, tuple[Command, ...]]] = {
            "start": (
                Sequence((*prefix, Literal(quote))), "DEFAULT_MODE",
                (Command(Action.PUSH_MODE, mode),),
            ),
            "content": (Repeat(Sequence((*few, plain)), Quantifier.PLUS), mode, ()),
            "end": (Literal(quote), mode, (Command(Action.POP_MODE),)),
        }  # fmt: skip
        for kind, (body, where, commands) in pieces.items():
            name = names[kind]
            if number:
                commands = (Command(Action.TYPE, name), *commands)
                name = f"{name}_{number + 1}"
            found.tokens[name] = TokenRule(name, body, False, where, commands, position=position)


def with_whole_strings(
    bodies: dict[str, Expression], found: Externals, position: Position
) -> dict[str, Expression]:
    """Return rules in which strings are quotes and what is between them, one token.

    Rules that only took the inside apart (interpolations, formats) are left out, since their tokens
    could be read anywhere.
    """
    if not found.content:
        return bodies
    start, end = found.quotes
    inside = Repeat(Reference(found.content, position), Quantifier.STAR)
    uses = {name: {one.name for one in references(body)} for name, body in bodies.items()}
    changed: dict[str, Expression] = {}
    for name, body in bodies.items():
        if found.content in uses[name] and not uses[name] & {start, end}:
            body = Reference(found.content, position)
        elif {start, end} <= uses[name]:
            body = Sequence((Reference(start, position), inside, Reference(end, position)))
        changed[name] = body
    first = next(iter(bodies), "")
    gone = _reached(first, bodies) - _reached(first, changed)
    return {name: body for name, body in changed.items() if name not in gone}


def _reached(first: str, bodies: dict[str, Expression]) -> set[str]:
    reached = {first}
    work = [first]
    while work:
        body = bodies.get(work.pop())
        new = {one.name for one in references(body)} - reached if body is not None else set()
        reached |= new
        work.extend(new)
    return reached
