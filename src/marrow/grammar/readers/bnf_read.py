r"""Reads BNF and EBNF: the papers' notation, and the usual variants of it.

    <expr> ::= <expr> "+" <expr> | <int>
    <int>  ::= [0-9]+

A rule ends where the next one begins, or at `;` or `.`. Names have angle brackets; bare words
are names too if the file defines bare names, and texts otherwise. Quantifiers are `*`, `+`, `?`,
`{...}` and `[...]`; square brackets without blanks, quotes, angle brackets or a rule's name in them
are a character set. Such grammars are scannerless, unless rules are marked as tokens: `%token`,
`%skip` (layout) and `%fragment` (part of tokens) in front. `%start <name>` names the start rule,
and `%encoding "latin-1"` the encoding of the texts.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from marrow.grammar.model.charset import complement, normalised
from marrow.grammar.model.expressions import choice
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    EPSILON,
    Action,
    Characters,
    Command,
    Expression,
    Grammar,
    GrammarError,
    Position,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    TokenRule,
)
from marrow.grammar.readers.bnf_scan import BnfScanner, outline
from marrow.grammar.readers.build import QUANTIFIERS, Builder
from marrow.grammar.readers.scan import (
    END,
    Lexeme,
    Loader,
    Source,
    plain_name,
    stem,
    text_expression,
    unquoted,
)

_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}

#: A text of one backslash, not closed if that is an escape: such grammars have no escapes.
_LONE_BACKSLASH: Final = re.compile(r"""(["'])\\\1(?=\s*(?:[|)\]};,]|$))""", re.MULTILINE)

#: What people write for the end of a line without defining it, as in the BNF of BNF.
_LINE_ENDS: Final = ("<EOL>", "EOL")

#: What people write for the empty text.
_EMPTY: Final = ("ε", "ϵ", "λ", "&epsilon;")


def read_bnf(text: str, name: str, start: str | None, _: Loader) -> Grammar:
    """Read a grammar; without `start` it starts at `<start>`, or else at the first rule."""
    try:
        return BnfReader(Source(text, name)).read(start)
    except GrammarError:
        if not _LONE_BACKSLASH.search(text):
            raise
        return BnfReader(Source(text, name), raw=True).read(start)


@dataclass(slots=True)
class _Definition:
    """The alternatives of a name, from all its definitions, and what it is."""

    kind: str
    position: Position
    alternatives: list[Expression]


class BnfReader:
    """Reads the file rule by rule."""

    def __init__(self, source: Source, *, raw: bool = False) -> None:
        self._source = source
        found = outline(source.text)
        self._keys = found.names
        self._scanner = BnfScanner(source, found.define, raw=raw)
        self._bare = any(key[0] not in "<⟨" for key in self._keys)
        self._found: dict[str, _Definition] = {}
        self._start: str | None = None
        self._encoding = "utf-8"
        self._plain: set[str] = set()

    def read(self, start: str | None) -> Grammar:
        """Return the grammar."""
        scanner = self._scanner
        while (lexeme := scanner.take()).kind != END:
            if lexeme.text == "%start":
                self._start = self._name(scanner.take())
            elif lexeme.text == "%encoding":
                self._encoding = self._encoding_name(scanner.expect_kind("text", "its name"))
            elif lexeme.text != ";":
                self._definition(lexeme)
        if not self._found:
            scanner.fail(lexeme, 'the grammar has no rules. Add one: `<start> ::= "text"`.')
        return self._grammar(start)

    def _grammar(self, start: str | None) -> Grammar:
        rules: dict[str, Rule] = {}
        tokens: dict[str, TokenRule] = {}
        for name, one in self._found.items():
            body = choice(one.alternatives)
            if one.kind == "rule":
                rules[name] = Rule(name, body, one.position)
                continue
            commands = (Command(Action.SKIP),) if one.kind == "%skip" else ()
            fragment = one.kind == "%fragment"
            tokens[name] = TokenRule(name, body, fragment, commands=commands, position=one.position)
        if not rules:
            self._source.fail(0, "every rule is a token. Add a rule that uses them.")
        chosen = start or self._start or ("start" if "start" in rules else next(iter(rules)))
        if chosen not in rules:
            chosen = plain_name(chosen, ())
        notes = tuple(self._scanner.notes)
        name = stem(self._source.name)
        return Grammar(name, chosen, rules, tokens, notes, encoding=self._encoding)

    def _encoding_name(self, lexeme: Lexeme) -> str:
        name = lexeme.text[1:-1]
        try:
            return codecs.lookup(name).name
        except LookupError:
            self._scanner.fail(lexeme, f"{name!r} is not the name of an encoding.")

    def _name(self, lexeme: Lexeme) -> str:
        if lexeme.kind not in ("name", "word"):
            advice = "Rules look like `<name> ::= ...`."
            self._scanner.fail(lexeme, f"expected the name of a rule, found {lexeme}. {advice}")
        bare = re.sub(r"\s+", " ", lexeme.text)
        if lexeme.kind == "name":
            bare = f"<{bare[1:-1].strip()}>"
        return plain_name(bare, self._keys)

    def _definition(self, lexeme: Lexeme) -> None:
        scanner = self._scanner
        kind = "rule"
        if lexeme.kind == "directive":
            kind = lexeme.text
            lexeme = scanner.take()
        name = self._name(lexeme)
        sign = scanner.take()
        if sign.text != scanner.define:
            expected = f"expected `{scanner.define}` after the name {lexeme.text}"
            scanner.fail(sign, f"{expected}, found {sign}.")
        body = _BodyReader(scanner, self, optional=sign.text == "=").read(name)
        position = scanner.position(lexeme)
        earlier = self._found.setdefault(name, _Definition(kind, position, []))
        if earlier.kind != kind:
            scanner.fail(lexeme, f"{name} is defined twice, as different kinds. Rename one.")
        earlier.alternatives.extend(body)

    def is_defined(self, lexeme: Lexeme) -> bool:
        """Whether the file defines the name that a lexeme is."""
        return lexeme.text in self._keys

    def atom(self, lexeme: Lexeme) -> Expression:
        """Return the expression for a name or a bare word."""
        position = self._scanner.position(lexeme)
        if lexeme.text in _EMPTY and not self.is_defined(lexeme):
            return EPSILON
        if lexeme.kind == "name" or self._bare or lexeme.text == END_OF_INPUT:
            name = self._name(lexeme)
            if name == f"<{END_OF_INPUT}>" and name not in self._keys:
                name = END_OF_INPUT
            if name in _LINE_ENDS and name not in self._keys and f"<{name}>" not in self._keys:
                message = f"{name} is not defined: it is taken for the end of a line."
                self._scanner.note(lexeme, message, "Define it.")
                return Characters(((10, 10),), position)
            return Reference(name, position)
        if lexeme.text not in self._plain:
            self._plain.add(lexeme.text)
            message = f"{lexeme} has no quotes and no angle brackets: it is taken for text."
            self._scanner.note(lexeme, message, "Quote it.")
        return text_expression(lexeme.text, False, position)


class _BodyReader:
    """Reads the body of one rule."""

    def __init__(self, scanner: BnfScanner, reader: BnfReader, optional: bool) -> None:
        self._scanner = scanner
        self._reader = reader
        self._optional = optional
        self._builder: Builder[Lexeme | None] = Builder(None)
        self._signs: dict[str, Callable[[Lexeme], None]] = {
            "|": lambda _: self._builder.next_alternative(),
            ",": lambda _: None,
            "(": self._builder.open,
            "{": self._builder.open,
            "[": self._bracket,
            ")": self._close,
            "]": self._close,
            "}": self._close,
        }

    def read(self, name: str) -> list[Expression]:
        scanner, builder = self._scanner, self._builder
        while not scanner.at_rule():
            lexeme = scanner.take()
            if lexeme.text in (";", ".") and lexeme.kind == "sign":
                break
            self._element(lexeme)
        opened = builder.mark
        if opened is not None:
            closing = _PAIRS[opened.text]
            scanner.fail(
                opened, f"this {opened} in the rule {name} is never closed. Add {closing!r}."
            )
        return builder.finish_alternatives()

    def _element(self, lexeme: Lexeme) -> None:
        scanner, builder = self._scanner, self._builder
        if lexeme.kind == "text":
            builder.add(self._text(lexeme))
        elif lexeme.kind in ("name", "word"):
            builder.add(self._reader.atom(lexeme))
        elif lexeme.kind == "hex":
            code = scanner.code(lexeme)
            builder.add(Characters(((code, code),), scanner.position(lexeme)))
        elif lexeme.kind == "quantifier":
            self._quantify(lexeme)
        elif lexeme.text in self._signs:
            self._signs[lexeme.text](lexeme)
        elif lexeme.text == "-":
            scanner.fail(lexeme, "exceptions (`a - b`) are not supported. Write out what remains.")
        else:
            scanner.fail(lexeme, f"{lexeme} does not fit in a rule. Quote it if it is text.")

    def _text(self, lexeme: Lexeme) -> Expression:
        scanner = self._scanner
        text, ignore_case = self._unquoted(lexeme)
        position = scanner.position(lexeme)
        if not scanner.accept("..", "…"):
            return text_expression(text, ignore_case, position) if text else EPSILON
        last, _ = self._unquoted(scanner.expect_kind("text", "the end of the range, in quotes"))
        if len(text) != 1 or len(last) != 1 or text > last:
            advice = "Each end is one character, the lower one first."
            scanner.fail(lexeme, f"this is not a range of characters. {advice}")
        return Characters(((ord(text), ord(last)),), position)

    def _unquoted(self, lexeme: Lexeme) -> tuple[str, bool]:
        ignore_case = lexeme.text.endswith("i")
        if self._scanner.raw:
            return lexeme.text[1 : -1 - ignore_case], ignore_case
        bare = Lexeme(lexeme.kind, lexeme.text, lexeme.start, lexeme.end - ignore_case)
        return unquoted(self._scanner.source, bare, "'\"\\"), ignore_case

    def _quantify(self, lexeme: Lexeme) -> None:
        sign = lexeme.text.lstrip("^").replace("∗", "*").replace("⁺", "+")
        if not self._builder.quantify(QUANTIFIERS[sign[0]], greedy=len(sign) == 1):
            self._scanner.fail(
                lexeme, f"there is nothing that {lexeme} could repeat. Quote it if it is text."
            )

    def _bracket(self, lexeme: Lexeme) -> None:
        """Read a character set, or begin an optional part."""
        scanner = self._scanner
        found = None if self._optional else scanner.character_set(lexeme, self._reader.is_defined)
        if found is None:
            self._builder.open(lexeme)
            return
        ranges = complement(found.ranges) if found.negated else normalised(found.ranges)
        self._builder.add(Characters(ranges, scanner.position(lexeme)))

    def _close(self, lexeme: Lexeme) -> None:
        scanner, builder = self._scanner, self._builder
        opened = builder.mark
        if opened is None or _PAIRS[opened.text] != lexeme.text:
            advice = "Remove it, or add what opens it."
            if opened is not None:
                advice = f"Close {opened} in line {scanner.position(opened).line} first."
            scanner.fail(lexeme, f"this {lexeme} closes nothing. {advice}")
        body, _ = builder.close()
        if opened.text == "(":
            builder.add(body)
        elif opened.text == "[":
            builder.add(Repeat(body, Quantifier.OPTIONAL))
        else:
            more = scanner.peek()
            plus = more.start == lexeme.end and scanner.accept("+", "-") is not None
            if not plus and more.start == lexeme.end:
                scanner.accept("*")
            builder.add(Repeat(body, Quantifier.PLUS if plus else Quantifier.STAR))
