r"""Reads BNF and EBNF: the papers' notation, and the usual variants of it.

    <expr> ::= <expr> "+" <expr> | <int>
    <int>  ::= [0-9]+

A rule ends where the next one begins, or at `;` or `.`. Names have angle brackets; bare words
are names too if the file defines bare names, and texts otherwise. Quantifiers are `*`, `+`, `?`,
`{...}` and `[...]`; square brackets without blanks, quotes, angle brackets or a rule's name in them
are a character set. Such grammars are scannerless, unless rules are marked as tokens: `%token`,
`%skip` (layout) and `%fragment` (part of tokens) in front. `%start <name>` names the start rule,
and `%encoding "latin-1"` the encoding of the texts.

What ANTLR's lexers have can follow the mark of a token: `%in(MODE)` says in which mode it is read,
`%mode(MODE)`, `%pushMode(MODE)`, `%popMode`, `%more` and `%type(NAME)` are ANTLR's commands, and
`%guarded` says that it loses ties. `%right` before an alternative makes it associate to the right.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Container
from dataclasses import replace
from typing import Any, Final

from lark import Token

from marrow.grammar.model.charset import complement
from marrow.grammar.model.expressions import choice, sequence
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    EPSILON,
    Action,
    Characters,
    Command,
    Expression,
    Grammar,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
    TokenRule,
    alternatives,
)
from marrow.grammar.readers.scan import (
    ExpressionBuilder,
    Loader,
    Source,
    Syntax,
    plain_name,
    stem,
    text_expression,
)

_DEFINE: Final = r"(?:::=|:=|=|:|->|→|⟶)"
_NAME: Final = r"(?:<[\w$][^<>|\"\r\n]*>|⟨[^⟨⟩\r\n]+⟩)"
_WORD: Final = r"(?:[^\W]\w*(?:-\w+)*)"
_TEXT: Final = r"""(?:"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*')"""
_BLANK: Final = r"(?:[\s\ufeff]+|//[^\r\n]*|/\*.*?\*/|\(\*.*?\*\)|\#(?!x[0-9A-Fa-f])[^\r\n]*)"

_PATTERN: Final = re.compile(
    rf"""
    (?P<blank> {_BLANK} | , )
  | (?P<kind> %(?:token|skip|fragment)\b )
  | (?P<command> %(?:guarded|more|popMode)\b | %(?:in|mode|pushMode|type)\([^()\r\n]+\) )
  | (?P<sign> %(?:start|encoding|right)\b | \.\. | … | \((?!\*) | [])}}{{|;.\-] )
  | (?P<head> (?:{_NAME}|{_WORD})\s*(?P<define>{_DEFINE}) )
  | (?P<name> {_NAME} )
  | (?P<text> {_TEXT} (?:i(?!\w))? )
  | (?P<hex> \#x[0-9A-Fa-f]{{1,8}} )
  | (?P<word> {_WORD} | &epsilon; )
  | (?P<quantifier> \^?[*+?∗⁺]\?? )
  | (?P<bracket> \[ )
    """,
    re.VERBOSE | re.DOTALL,
)

_UNCLOSED: Final = {
    "/*": "this comment is never closed. Add `*/`.",
    "(*": "this comment is never closed. Add `*)`.",
    "'": r"this text is never closed on its line. Add a `'`; write `\\` for a backslash.",
    '"': r'this text is never closed on its line. Add a `"`; write `\\` for a backslash.',
    "<": "this is not a name: names look like `<name>`. Quote it if it is text.",
    "=": "this has no meaning here. Quote it if it is text.",
}

#: Character sets. Signs that an optional part would have need an escape.
_PLAIN_SET: Final = re.compile(r"""\[((?:\\.|[^\]\\\s<>⟨⟩"'{}()|])+)\]""", re.DOTALL)
_NEGATED_SET: Final = re.compile(r"\[\^((?:\\.|[^\]\\\r\n])*)\]", re.DOTALL)

#: A rule's name and its define sign; everything else is passed over.
_HEADS: Final = re.compile(
    rf"{_BLANK}|{_TEXT}|(?P<head>{_NAME}|{_WORD})\s*(?P<define>{_DEFINE})|{_WORD}", re.DOTALL
)

#: What people write for the empty text.
_EMPTY: Final = ("ε", "ϵ", "λ", "&epsilon;")

_SYNTAX: Final = Syntax(
    "bnf", _PATTERN, _UNCLOSED, {"HEAD": "the name of a rule", "KIND": "'%token'"}
)


def read_bnf(text: str, name: str, start: str | None, _: Loader) -> Grammar:
    """Read a grammar; without `start` it starts at `<start>`, or else at the first rule."""
    builder = _Builder(Source(text, name))
    _SYNTAX.read(builder.source, builder, builder.refine)
    return builder.grammar(start)


class _Builder(ExpressionBuilder):
    """Collects the rules of a file.

    All rules use the sign that the first one uses. Character sets are not known before the file is
    read, so that there may be a few names too many.
    """

    coded = re.compile(r"#x([0-9A-Fa-f]{1,8})")

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        heads = [found for found in _HEADS.finditer(source.text) if found["head"]]
        self._define: Final = heads[0]["define"] if heads else "::="
        own = (found["head"] for found in heads if found["define"] == self._define)
        self._names: Final = frozenset(re.sub(r"\s+", " ", name) for name in own)
        self._bare: Final = any(name[0] not in "<⟨" for name in self._names)
        self._found: Final[dict[str, tuple[list[Token], Token, list[Expression]]]] = {}
        self._start = ""
        self._encoding = "utf-8"
        self._plain: Final[set[str]] = set()

    def refine(
        self, source: Source, found: re.Match[str], _fitting: Container[str]
    ) -> tuple[str, int]:
        """Tell the names that rules begin with from others, and sets from optional parts."""
        kind, end = found.lastgroup or "", found.end()
        if kind == "head" and found["define"] != self._define:
            return "name" if found[0][0] in "<⟨" else "word", end - len(found["define"])
        if kind == "bracket":
            pattern = _NEGATED_SET if source.text.startswith("[^", found.start()) else _PLAIN_SET
            whole = None if self._define == "=" else pattern.match(source.text, found.start())
            if whole is None or whole[1] in self._names:
                return "sign", end
            return "set", whole.end()
        return kind, end

    def grammar(self, start: str | None) -> Grammar:
        """Return the grammar."""
        rules: dict[str, Rule] = {}
        tokens: dict[str, TokenRule] = {}
        for name, (directives, token, bodies) in self._found.items():
            body, position = choice(bodies), self.position(token)
            if directives:
                tokens[name] = self._token(TokenRule(name, body, position=position), directives)
            else:
                rules[name] = Rule(name, body, position)
        if not rules:
            message = 'the grammar has no rules. Add one: `<start> ::= "text"`.'
            self.source.fail(0, "every rule is a token. Add a rule." if tokens else message)
        chosen = start or self._start or ("start" if "start" in rules else next(iter(rules)))
        if chosen not in rules:
            chosen = plain_name(chosen, ())
        notes, name = tuple(self.notes), stem(self.source.name)
        return Grammar(name, chosen, rules, tokens, notes, encoding=self._encoding)

    def _token(self, token: TokenRule, directives: list[Token]) -> TokenRule:
        """Return a token as the directives before its name have it."""
        for directive in directives:
            name, _, argument = directive.strip("%)").partition("(")
            match name:
                case "token":
                    pass
                case "fragment":
                    token = replace(token, fragment=True)
                case "in":
                    token = replace(token, mode=argument)
                case "guarded":
                    token = replace(token, guarded=True)
                case _:
                    if name == "type":
                        argument = self._plain_name(f"<{argument}>")
                    command = Command(Action(name), argument)
                    token = replace(token, commands=(*token.commands, command))
        return token

    def first(self, items: list[Token]) -> None:
        """Read the name of the start rule."""
        self._start = self._plain_name(items[0])

    def encoding(self, items: list[Token]) -> None:
        """Read the encoding of the texts."""
        name = items[0][1:-1]
        try:
            self._encoding = codecs.lookup(name).name
        except LookupError:
            self.fail(items[0], f"{name!r} is not the name of an encoding.")

    def rule(self, items: list[Any]) -> None:
        """Read a rule; a name may be defined in several parts."""
        *directives, head, body = items
        name = self._plain_name(head.removesuffix(self._define).rstrip())
        known, _, bodies = self._found.setdefault(name, (directives, head, []))
        if known != directives:
            self.fail(head, f"{name} is defined twice, as different kinds. Rename one.")
        bodies.extend(alternatives(body))

    def _plain_name(self, text: str) -> str:
        bare = re.sub(r"\s+", " ", text)
        if bare[0] in "<⟨":
            bare = f"<{bare[1:-1].strip()}>"
        return plain_name(bare, self._names)

    def name(self, items: list[Token]) -> Expression:
        """Return the expression for a name or a bare word."""
        token = items[0]
        if token in _EMPTY and token not in self._names:
            return EPSILON
        if token.type == "NAME" or self._bare or token == END_OF_INPUT:
            name = self._plain_name(token)
            if name == f"<{END_OF_INPUT}>" and name not in self._names:
                name = END_OF_INPUT
            return Reference(name, self.position(token))
        if token not in self._plain:
            self._plain.add(token)
            what = f"{str(token)!r} has no quotes and no angle brackets"
            self.note(token, f"{what}: it is taken for text.", "Quote it.")
        return text_expression(str(token), False, self.position(token))

    def alternative(self, items: list[Any]) -> Expression:
        """Return an alternative, which `%right` makes associate to the right."""
        if items and isinstance(items[0], Token):
            found = sequence(items[1:])
            return Sequence(found.items if isinstance(found, Sequence) else (found,), right=True)
        return sequence(items)

    def element(self, items: list[Any]) -> Expression:
        """Return an atom with its quantifiers."""
        found: Expression = items[0]
        for quantifier in items[1:]:
            sign = quantifier.lstrip("^").replace("∗", "*").replace("⁺", "+")
            found = Repeat(found, Quantifier(sign[0]), greedy=len(sign) == 1)
        return found

    def braces(self, items: list[Any]) -> Expression:
        """Return `{x}`; `{x}+` and `{x}-` are there once at least."""
        plus = len(items) > 1 and items[1][0] in "+-"
        return Repeat(items[0], Quantifier.PLUS if plus else Quantifier.STAR)

    def exception(self, items: list[Token]) -> None:
        """Refuse `a - b`."""
        self.fail(items[0], "exceptions (`a - b`) are not supported. Write out what remains.")

    def hexadecimal(self, items: list[Token]) -> Expression:
        """Return the character `#x41`."""
        code = ord(self.character(items[0][2:], items[0].start_pos or 0))
        return Characters(((code, code),), self.position(items[0]))

    def set(self, items: list[Token]) -> Expression:
        """Return a set of characters."""
        negated = items[0].startswith("[^")
        ranges = self.members(items[0], 1 + negated)
        return Characters(complement(ranges) if negated else ranges, self.position(items[0]))
