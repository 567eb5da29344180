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
from collections.abc import Container
from dataclasses import dataclass
from typing import Final

from marrow.grammar.model.charset import Ranges, complement
from marrow.grammar.model.expressions import choice
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    EPSILON,
    Action,
    Characters,
    Command,
    Expression,
    Grammar,
    Position,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    TokenRule,
)
from marrow.grammar.readers.build import BodyReader
from marrow.grammar.readers.scan import (
    END,
    Lexeme,
    Loader,
    Scanner,
    Source,
    escaped,
    plain_name,
    set_ranges,
    stem,
    text_expression,
)

#: The signs between a rule's name and its body.
DEFINES: Final = ("::=", ":=", "=", ":", "->", "→", "⟶")

_DEFINE: Final = r"::=|:=|=|:|->|→|⟶"
_NAME: Final = r"<[\w$][^<>|\"\r\n]*>|⟨[^⟨⟩\r\n]+⟩"
_WORD: Final = r"[^\W]\w*(?:-\w+)*"
_BLANK: Final = r"[\s\ufeff]+|//[^\r\n]*|/\*.*?\*/|\(\*.*?\*\)|\#(?!x[0-9A-Fa-f])[^\r\n]*"

_PATTERN: Final = re.compile(
    rf"""
    (?P<blank> {_BLANK} )
  | (?P<name> {_NAME} )
  | (?P<text> (?: "(?:[^"\\\r\n]|\\.)*" | '(?:[^'\\\r\n]|\\.)*' ) (?:i(?!\w))? )
  | (?P<hex> \#x[0-9A-Fa-f]{{1,8}} )
  | (?P<directive> %(?:token|skip|fragment|start|encoding)\b )
  | (?P<define> {_DEFINE} )
  | (?P<word> {_WORD} | &epsilon; )
  | (?P<quantifier> \^?[*+?∗⁺]\?? )
  | (?P<sign> \.\. | … | \((?!\*) | [][){{}}|,;.\-] )
    """,
    re.VERBOSE | re.DOTALL,
)

_UNCLOSED: Final = {
    "/*": "this comment is never closed. Add `*/`.",
    "(*": "this comment is never closed. Add `*)`.",
    "'": r"this text is never closed on its line. Add a `'`; write `\\` for a backslash.",
    '"': r'this text is never closed on its line. Add a `"`; write `\\` for a backslash.',
    "<": "this is not a name: names look like `<name>`. Quote it if it is text.",
}

#: Character sets, after the bracket. Signs that an optional part would have need an escape.
_PLAIN_SET: Final = re.compile(r"""((?:\\.|[^\]\\\s<>⟨⟩"'{}()|])+)\]""", re.DOTALL)
_NEGATED_SET: Final = re.compile(r"\^((?:\\.|[^\]\\\r\n])*)\]", re.DOTALL)

_HEX: Final = re.compile(r"#x[0-9A-Fa-f]{1,8}")

#: A rule's name and its define sign; everything else is passed over.
_HEADS: Final = re.compile(
    rf"""{_BLANK}|"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'"""
    rf"""|(?P<head>{_NAME}|{_WORD})\s*(?P<define>{_DEFINE})|{_WORD}""",
    re.DOTALL,
)


def _outline(text: str) -> tuple[frozenset[str], str]:
    """Return the names that a file defines, brackets included, and the sign it does so with.

    All rules use the sign that the first one uses. Character sets are not known yet, so that there
    may be a few names too many.
    """
    heads = [found for found in _HEADS.finditer(text) if found["head"]]
    define = heads[0]["define"] if heads else DEFINES[0]
    names = (found["head"] for found in heads if found["define"] == define)
    return frozenset(re.sub(r"\s+", " ", name) for name in names), define


class BnfScanner(Scanner):
    """A scanner that knows where rules begin, and character sets."""

    def __init__(self, source: Source, define: str) -> None:
        super().__init__(source, _PATTERN, _UNCLOSED)
        self.define = define
        self._head = re.compile(rf"(?:{_NAME}|{_WORD})\s*{re.escape(define)}")

    def at_rule(self) -> bool:
        """Whether a rule ends here, because the next one begins or the file ends."""
        lexeme = self.peek()
        if lexeme.kind in ("name", "word"):
            return self._head.match(self.source.text, lexeme.start) is not None
        return lexeme.kind in (END, "directive")

    def code(self, offset: int, text: str) -> int:
        """Return the code point of `#x41`."""
        code = int(text[2:], 16)
        if code > 0x10FFFF:
            self.source.fail(offset, f"there is no character {text}. The last one is #x10FFFF.")
        return code

    def character_set(self, bracket: Lexeme, names: Container[str]) -> Ranges | None:
        """Read the character set whose bracket was taken; None if it is an optional part."""
        text = self.source.text
        negated = text.startswith("^", bracket.end)
        found = (_NEGATED_SET if negated else _PLAIN_SET).match(text, bracket.end)
        if found is None or (not negated and found[1] in names):
            return None
        ranges = set_ranges(self.source, found.start(1), found.end(1), self._character)
        self.go_to(found.end())
        return complement(ranges) if negated else ranges

    def _character(self, offset: int) -> tuple[Ranges, int]:
        text = self.source.text
        if text[offset] == "\\":
            one = escaped(self.source, offset, len(text), "]\\-^")
            return ((ord(one.text), ord(one.text)),), one.end
        found = _HEX.match(text, offset)
        code = self.code(offset, found[0]) if found else ord(text[offset])
        return ((code, code),), found.end() if found else offset + 1


#: What people write for the empty text.
_EMPTY: Final = ("ε", "ϵ", "λ", "&epsilon;")


def read_bnf(text: str, name: str, start: str | None, _: Loader) -> Grammar:
    """Read a grammar; without `start` it starts at `<start>`, or else at the first rule."""
    return BnfReader(Source(text, name)).read(start)


@dataclass(slots=True)
class _Definition:
    """The alternatives of a name, from all its definitions, and what it is."""

    kind: str
    position: Position
    alternatives: list[Expression]


class BnfReader:
    """Reads the file rule by rule."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.names, define = _outline(source.text)
        self._scanner = BnfScanner(source, define)
        self._bare = any(key[0] not in "<⟨" for key in self.names)
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
        return plain_name(bare, self.names)

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
        body = _BodyReader(scanner, self, name, optional=sign.text == "=").read()
        position = scanner.position(lexeme)
        earlier = self._found.setdefault(name, _Definition(kind, position, []))
        if earlier.kind != kind:
            scanner.fail(lexeme, f"{name} is defined twice, as different kinds. Rename one.")
        earlier.alternatives.extend(body)

    def atom(self, lexeme: Lexeme) -> Expression:
        """Return the expression for a name or a bare word."""
        position = self._scanner.position(lexeme)
        if lexeme.text in _EMPTY and lexeme.text not in self.names:
            return EPSILON
        if lexeme.kind == "name" or self._bare or lexeme.text == END_OF_INPUT:
            name = self._name(lexeme)
            if name == f"<{END_OF_INPUT}>" and name not in self.names:
                name = END_OF_INPUT
            return Reference(name, position)
        if lexeme.text not in self._plain:
            self._plain.add(lexeme.text)
            message = f"{lexeme} has no quotes and no angle brackets: it is taken for text."
            self._scanner.note(lexeme, message, "Quote it.")
        return text_expression(lexeme.text, False, position)


class _BodyReader(BodyReader):
    """Reads the body of one rule; brackets are character sets unless they are `optional` parts."""

    ranges = ("..", "…")

    def __init__(self, scanner: BnfScanner, reader: BnfReader, name: str, optional: bool) -> None:
        super().__init__(scanner, f"the rule {name}")
        self._scanner = scanner
        self._reader = reader
        self._optional = optional

    def read(self) -> list[Expression]:
        while not self._scanner.at_rule():
            lexeme = self._scanner.take()
            if lexeme.text in (";", ".") and lexeme.kind == "sign":
                break
            self._element(lexeme)
        return self.finish()

    def _element(self, lexeme: Lexeme) -> None:
        match lexeme.kind:
            case "text":
                self.add(self.text(lexeme))
            case "name" | "word":
                self.add(self._reader.atom(lexeme))
            case "hex":
                code = self._scanner.code(lexeme.start, lexeme.text)
                self.add(Characters(((code, code),), self._scanner.position(lexeme)))
            case "quantifier":
                sign = lexeme.text.lstrip("^").replace("∗", "*").replace("⁺", "+")
                self.quantify(lexeme, sign[0], greedy=len(sign) == 1)
            case _:
                self.sign(lexeme)

    def sign(self, lexeme: Lexeme) -> None:
        match lexeme.text:
            case "[" if not self._optional:
                names = self._reader.names
                ranges = self._scanner.character_set(lexeme, names)
                if ranges is None:
                    self.open(lexeme)
                else:
                    self.add(Characters(ranges, self._scanner.position(lexeme)))
            case "{":
                self.open(lexeme)
            case "}":
                self._close_brace(lexeme)
            case ",":
                pass
            case "-":
                message = "exceptions (`a - b`) are not supported. Write out what remains."
                self._scanner.fail(lexeme, message)
            case _:
                super().sign(lexeme)

    def _close_brace(self, lexeme: Lexeme) -> None:
        """Repeat a group as often as the sign right after it says."""
        scanner = self._scanner
        body = choice(self.close(lexeme))
        more = scanner.peek()
        plus = more.start == lexeme.end and scanner.accept("+", "-") is not None
        if not plus and more.start == lexeme.end:
            scanner.accept("*")
        self.add(Repeat(body, Quantifier.PLUS if plus else Quantifier.STAR))
