"""Writes a grammar as an ANTLR v4 combined grammar.

ANTLR has no character sets in parser rules. In a grammar with tokens they become tokens of their
own; a scannerless grammar that has some is written as BNF instead.
"""

from __future__ import annotations

import re
from typing import Final

from marrow.grammar.model.analysis import default_start
from marrow.grammar.model.charset import any_case, complement
from marrow.grammar.model.literal_tokens import literal_tokens
from marrow.grammar.model.rules import (
    DEFAULT_MODE,
    END_OF_INPUT,
    Action,
    Characters,
    Command,
    Expression,
    Grammar,
    GrammarError,
    Literal,
    Note,
    Reference,
    Rule,
    Sequence,
    TokenRule,
    alternatives,
    walk,
)
from marrow.grammar.writers.write_style import (
    Names,
    Style,
    Written,
    bodies_in,
    escaped_ranges,
    escaped_text,
    is_mostly_everything,
    rendered,
    written_alternatives,
)

#: Words that mean something in a `.g4` file, or that ANTLR keeps for itself.
_RESERVED: Final = (
    "options", "tokens", "channels", "import", "fragment", "lexer", "parser", "grammar",
    "protected", "public", "private", "returns", "locals", "throws", "catch", "finally", "mode",
    "rule", "parserRule", "tree",
)  # fmt: skip


def write_g4(grammar: Grammar) -> Written:
    """Write a grammar."""
    if grammar.scannerless and not can_be_g4(grammar):
        raise GrammarError(
            "ANTLR has no character sets in parser rules, and this grammar has no tokens. "
            "Write it as bnf."
        )
    writer = _Writer(grammar)
    return Written(writer.text(), writer.start, tuple(writer.notes))


def can_be_g4(grammar: Grammar) -> bool:
    """Whether ANTLR's notation can express a grammar: one without tokens only has plain texts."""
    leaves = (one for body in bodies_in(grammar) for one in walk(body))
    return not grammar.scannerless or not any(
        isinstance(one, Characters) or (isinstance(one, Literal) and one.ignore_case)
        for one in leaves
    )


class _Writer:
    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self.notes: list[Note] = []
        self._names = Names(grammar, (END_OF_INPUT, *_RESERVED), _rule_name, _token_name)
        self.start = self._names[grammar.start]
        self._any_case = _is_case_insensitive(grammar)
        self._extra: dict[Expression, str] = {}
        self._literals = literal_tokens(grammar)

        def reference(one: Reference) -> str:
            return self._names[one.name]

        self._in_rules = Style(self._rule_literal, self._rule_characters, reference)
        self._in_tokens = Style(self._token_literal, _characters, reference)

    def text(self) -> str:
        grammar = self._grammar
        order = [grammar.start, *(name for name in grammar.rules if name != grammar.start)]
        rules = [self._rule(grammar.rules[name]) for name in order]
        head = [f"grammar {_rule_name(grammar.name, first='')};"]
        if self._any_case:
            head.append("options { caseInsensitive = true; }")
        if grammar.encoding != "utf-8":
            head.append(f"options {{ encoding = '{grammar.encoding}'; }}")
        imaginary = [token for token in grammar.tokens.values() if _is_imaginary(token)]
        names = [self._names[token.name] for token in imaginary]
        names.extend(name for one, name in self._extra.items() if one == Characters(()))
        if names:
            head.append(f"tokens {{ {', '.join(names)} }}")
        if default_start({name: grammar.rules[name] for name in order}) != grammar.start:
            start = self._names[grammar.start]
            message = f"ANTLR has no start rule: say `--start {start}` when you read this."
            self.notes.append(Note(grammar.rules[grammar.start].position, message))
        extra = [
            f"{name} : {rendered(one, self._in_tokens, outer=True)} ;"
            for one, name in self._extra.items()
            if one != Characters(())
        ]
        sections = ["\n".join(head), "\n\n".join(rules), "\n".join(extra), *self._modes()]
        return "\n\n".join(section for section in sections if section) + "\n"

    # Parser rules

    def _rule(self, rule: Rule) -> str:
        lines = written_alternatives(rule.body, self._in_rules)
        for at, one in enumerate(alternatives(rule.body)):
            if isinstance(one, Sequence) and one.right:
                lines[at] = f"<assoc=right> {lines[at]}".strip()
        return _definition(self._names[rule.name], lines)

    def _rule_literal(self, literal: Literal) -> str:
        if not literal.text:
            return "()"
        named = self._literals.get((literal.text, literal.ignore_case))
        if named is not None and literal.ignore_case and not self._any_case:
            return self._names[named]  # a new token would win over the lexer's own
        if literal.ignore_case and not self._any_case:
            return self._extra_token(literal, f"K_{literal.text.upper()}")
        return _quoted(literal.text)

    def _rule_characters(self, characters: Characters) -> str:
        return self._extra_token(characters, "CHARACTER" if characters.ranges else "NOTHING")

    def _extra_token(self, body: Expression, wanted: str) -> str:
        """Return the name of a token made for something that parser rules cannot have."""
        if body not in self._extra:
            self._extra[body] = self._names.free(_token_name(wanted))
        return self._extra[body]

    # Tokens

    def _modes(self) -> list[str]:
        modes: dict[str, list[str]] = {DEFAULT_MODE: []}
        for token in self._grammar.tokens.values():
            if not _is_imaginary(token):
                modes.setdefault(token.mode, []).append(self._token(token))
        heads = ("" if mode == DEFAULT_MODE else f"mode {mode};\n\n" for mode in modes)
        return [
            head + "\n".join(own) for head, own in zip(heads, modes.values(), strict=True) if own
        ]

    def _token(self, token: TokenRule) -> str:
        body = written_alternatives(token.body, self._in_tokens)
        commands = ", ".join(self._command(command) for command in token.commands)
        if (commands or token.guarded) and len(body) > 1:
            body = [f"({rendered(token.body, self._in_tokens, outer=True)})"]
        guard = "{true}? " if token.guarded else ""
        fragment = "fragment " if token.fragment else ""
        tail = f" -> {commands}" if commands else ""
        lines = [f"{guard}{one}{tail}" for one in body]
        return _definition(fragment + self._names[token.name], lines)

    def _command(self, command: Command) -> str:
        if not command.argument:
            return command.action.value
        named = command.action is Action.TYPE
        argument = self._names[command.argument] if named else command.argument
        return f"{command.action.value}({argument})"

    def _token_literal(self, literal: Literal) -> str:
        if not literal.ignore_case or self._any_case or not literal.text:
            return _quoted(literal.text) if literal.text else "()"
        pieces = []
        for part in re.split(r"([^\W\d_])", literal.text):
            ranges = any_case(((ord(part), ord(part)),)) if len(part) == 1 else ()
            if len(ranges) > 1 or (ranges and ranges[0][0] != ranges[0][1]):
                pieces.append(_characters(Characters(ranges)))
            elif part:
                pieces.append(_quoted(part))
        return pieces[0] if len(pieces) == 1 else f"({' '.join(pieces)})"


def _definition(head: str, lines: list[str]) -> str:
    if sum(len(line) + 3 for line in lines) + len(head) <= 90:
        return f"{head} : {' | '.join(lines)} ;"
    return f"{head}\n    : " + "\n    | ".join(lines) + "\n    ;"


def _quoted(text: str) -> str:
    return f"'{escaped_text(text, chr(39) + chr(92))}'"


def _characters(characters: Characters) -> str:
    if is_mostly_everything(characters.ranges):
        outside = complement(characters.ranges)
        return f"~[{escaped_ranges(outside, ']-' + chr(92))}]" if outside else "."
    return f"[{escaped_ranges(characters.ranges, ']-' + chr(92))}]"


def _is_imaginary(token: TokenRule) -> bool:
    """Whether no text makes the token: it is only listed."""
    return token.body == Characters(()) and not token.commands and not token.fragment


def _is_case_insensitive(grammar: Grammar) -> bool:
    """Whether the whole grammar ignores case, so that one option says it."""
    found = False
    for body in bodies_in(grammar):
        for one in walk(body):
            if isinstance(one, Literal) and one.text.lower() != one.text.upper():
                if not one.ignore_case:
                    return False
                found = True
            elif isinstance(one, Characters) and any_case(one.ranges) != one.ranges:
                return False
    return found


def _word(name: str) -> str:
    return re.sub(r"\W", "_", name) or "x"


def _rule_name(name: str, first: str = "r") -> str:
    """Return a name that ANTLR takes for a parser rule's; any identifier if `first` is empty."""
    word = _word(name)
    if not first:
        return word if word[0].isalpha() else f"G{word}"
    if word[0].isalpha() and word[0].lower() != word[0].upper():
        return word[0].lower() + word[1:]
    return first + word


def _token_name(name: str) -> str:
    """Return a name that ANTLR takes for a token's."""
    word = _word(name)
    if word[0].isalpha() and len(word[0].upper()) == 1 and word[0].upper().isupper():
        return word[0].upper() + word[1:]
    return f"T{word}"
