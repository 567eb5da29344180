r"""Reads one ANTLR file, before imports and vocabularies are resolved.

`~` in a parser rule, and `.`, are filled in once all tokens are known (`Excluded`). In a lexer rule
they are sets of characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from lark import Token

from marrow.grammar.model.charset import (
    ANY_CHARACTER,
    any_case,
    complement,
    literal_ranges,
)
from marrow.grammar.model.expressions import choice, map_leaves, sequence
from marrow.grammar.model.rules import (
    DEFAULT_MODE,
    Action,
    Characters,
    Choice,
    Command,
    Expression,
    Literal,
    Note,
    Position,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
    TokenRule,
    walk,
)
from marrow.grammar.readers.g4_syntax import G4_SYNTAX, refine
from marrow.grammar.readers.predicates import Assumptions, add_note, holds
from marrow.grammar.readers.scan import ExpressionBuilder, Source


@dataclass(frozen=True, slots=True)
class Excluded(Reference):
    """`~` or `.` in a parser rule: any token but these. Known only once all tokens are."""

    names: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Alternative:
    """An alternative of a rule; `guarded` says that a predicate may keep it from matching."""

    body: Expression
    commands: tuple[Command, ...] = ()
    guarded: bool = False


@dataclass(slots=True)
class G4File:
    """A grammar file. `kind` is "lexer", "parser", or empty for a combined grammar."""

    source: str
    name: str = ""
    kind: str = ""
    options: dict[str, str] = field(default_factory=dict)
    imports: list[tuple[str, Position]] = field(default_factory=list)
    vocabulary: tuple[str, Position] | None = None
    named_tokens: dict[str, Position] = field(default_factory=dict)
    rules: dict[str, Rule] = field(default_factory=dict)
    tokens: dict[str, TokenRule] = field(default_factory=dict)
    modes: list[str] = field(default_factory=lambda: [DEFAULT_MODE])
    #: The code of every predicate.
    calls: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    #: What the user says about predicates, by the names of the calls in them.
    assume: Assumptions = field(default_factory=dict)


#: Grammars for other targets write `-> Channel(HIDDEN)`.
_COMMANDS: Final = {action.value.lower(): action for action in Action}

#: Where tokens go anyway.
_DEFAULT_CHANNELS: Final = ("0", "DEFAULT_CHANNEL", "DEFAULT_TOKEN_CHANNEL")


def parse_g4(
    text: str, name: str, *, imported: bool = False, assume: Assumptions | None = None
) -> G4File:
    """Read a grammar file; `name` is the file's name for messages.

    Only a grammar that others import may be without rules: some hold nothing but actions.
    """
    source = Source(text, name)
    builder = _Builder(source, G4File(name, assume=assume or {}))
    G4_SYNTAX.read(source, builder, refine)
    file = builder.file
    if not (imported or file.rules or file.tokens or file.imports):
        source.fail(len(text), "the grammar has no rules. Add one: `name : 'text' ;`.")
    file.notes.extend(builder.notes)
    return file


#: A predicate that may keep its alternative from matching.
_GUARD: Final = object()


class _Builder(ExpressionBuilder):
    """Fills in the file, rule by rule: the head of a rule comes before what it is made of."""

    escaped = "'\\\"]-["

    def __init__(self, source: Source, file: G4File) -> None:
        super().__init__(source)
        self.file: Final = file
        self._mode = DEFAULT_MODE
        # Of the rule being read:
        self._name = ""
        self._ignore_case = False
        self._passed: set[str] = set()

    # -- around rules -------------------------------------------------------------------------

    def head(self, items: list[Token]) -> None:
        """Read `parser grammar X;`."""
        self.file.name = str(items[-2])
        self.file.kind = str(items[0]) if len(items) > 3 else ""

    def options(self, items: list[Token]) -> None:
        """Read the options of the file."""
        found = _options(items)
        self.file.options.update(found)
        if "tokenVocab" in found:
            self.file.vocabulary = (found["tokenVocab"], self.position(items[0]))

    def names(self, items: list[Token]) -> None:
        """Read `tokens { A, B }`; channels need no names."""
        if items[0].startswith("tokens"):
            for found in re.finditer(r"[{,;]\s*([^\W\d]\w*)", _uncommented(items[0])):
                offset = (items[0].start_pos or 0) + found.start(1)
                self.file.named_tokens[found[1]] = self.source.position(offset)

    def imported(self, items: list[Token]) -> None:
        """Read the name of a grammar to import."""
        self.file.imports.append((str(items[-1]), self.position(items[-1])))

    def mode(self, items: list[Token]) -> None:
        """Read `mode X;`, to which the lexer rules after it belong."""
        if items[0] not in self.file.modes:
            self.file.modes.append(str(items[0]))
        self._mode = str(items[0])

    def action(self, _: list[Token]) -> None:
        """Pass over `@header {...}`."""

    handler = action

    def modifier(self, items: list[Token]) -> str:
        """Return the modifier of a rule, if it matters."""
        return "".join(items)

    def arguments(self, items: list[Token]) -> None:
        """Pass over the arguments of a rule, with a note."""
        self._pass_over("arguments", items[0])

    # -- rules --------------------------------------------------------------------------------

    def rule_head(self, items: list[Token]) -> Token:
        """Begin a parser rule."""
        if self.file.kind == "lexer":
            self.fail(items[-1], f"{items[-1]} is a parser rule, in a lexer grammar. Rename it.")
        return self._begin(items[-1])

    def rule_options(self, items: list[Token]) -> None:
        """Read the options of a rule."""
        options = {**self.file.options, **_options(items)}
        self._ignore_case = options.get("caseInsensitive", "false").lower() == "true"

    def rule(self, items: list[Any]) -> None:
        """Read a parser rule."""
        name = str(items[0])
        body = choice([one.body for one in next(one for one in items if isinstance(one, list))])
        self.file.rules[name] = Rule(name, body, self.position(items[0]))

    def token_head(self, items: list[Any]) -> tuple[Token, bool]:
        """Begin a lexer rule; return its name and whether it is a fragment."""
        name, *options = (one for one in items if isinstance(one, Token))
        self._begin(name)
        self.rule_options(options)
        return name, "fragment" in items

    def token(self, items: list[Any]) -> None:
        """Read a lexer rule."""
        (name, fragment), alternatives = items
        commands = alternatives[0].commands
        if any(one.commands != commands for one in alternatives):
            advice = "Make each alternative a rule of its own."
            self.fail(name, f"the alternatives of {name} have different commands. {advice}")
        self.file.tokens[str(name)] = TokenRule(
            str(name),
            choice([one.body for one in alternatives]),
            fragment,
            self._mode,
            commands,
            all(one.guarded for one in alternatives),
            self.position(name),
        )

    def _begin(self, name: Token) -> Token:
        """Begin a rule, which must be new."""
        earlier = self.file.rules.get(name) or self.file.tokens.get(name)
        if earlier is not None:
            where = f"line {earlier.position.line}"
            self.fail(name, f"the rule {name} is already defined in {where}. Rename one.")
        self._name, self._passed = str(name), set()
        self.rule_options([])
        return name

    def _pass_over(self, what: str, token: Token) -> None:
        if what not in self._passed:
            self._passed.add(what)
            self.note(token, f"{what} in the rule {self._name} are passed over.")

    def _cased(self, found: Expression) -> Expression:
        """Return an expression that ignores case if the rule or the grammar says so."""

        def change(leaf: Expression) -> Expression:
            match leaf:
                case Literal():
                    return replace(leaf, ignore_case=True)
                case Characters(ranges=ranges):
                    return replace(leaf, ranges=any_case(ranges))
                case _:
                    return leaf

        return map_leaves(found, change) if self._ignore_case else found

    def body(self, items: list[Alternative]) -> list[Alternative]:
        """Return the alternatives of a rule or group."""
        return items

    def alternative(self, items: list[Any]) -> Alternative:
        """Return an alternative, with the commands of a lexer rule."""
        commands = next((one for one in items if isinstance(one, tuple)), ())
        marks = [re.sub(r"\s", "", one) for one in items if isinstance(one, Token)]
        found = sequence([one for one in items if isinstance(one, Expression)])
        if "<assoc=right>" in marks:
            found = Sequence(found.items if isinstance(found, Sequence) else (found,), right=True)
        return Alternative(found, commands, _GUARD in items)

    def commands(self, items: list[Command | None]) -> tuple[Command, ...]:
        """Return the commands of an alternative."""
        return tuple(one for one in items if one is not None)

    def group(self, items: list[Any]) -> Expression:
        """Return a group; what opens it besides the bracket is passed over."""
        return choice([one.body for one in items[-1]])

    # -- what alternatives are made of --------------------------------------------------------

    def element(self, items: list[Any]) -> Expression:
        """Return an atom with what is around it: a label, which is passed over, and `*?`."""
        if not isinstance(items[-1], Token):
            return cast("Expression", items[-1])
        *_, atom, suffix = items
        return Repeat(atom, Quantifier(suffix[0]), greedy=len(suffix) == 1)

    def named(self, _: list[Token]) -> None:
        """Pass over a label."""

    label = opening = named

    def reference(self, items: list[Token]) -> Expression:
        """Return the reference to a rule or token."""
        if len(items) > 1:
            self.arguments(items[1:])
        return Reference(str(items[0]), self.position(items[0]))

    def predicate(self, items: list[Token]) -> object:
        """Pass over an action; let a predicate that never holds match nothing."""
        text = items[0][1:-1]
        if len(items) == 1:
            if text.strip():
                self._pass_over("actions", items[0])
            return None
        self.file.calls.append(text)
        found = holds(text, self.file.assume)
        add_note(self.notes, found, text, self._name, self.position(items[0]))
        if found is None:
            return _GUARD
        return None if found else Characters((), self.position(items[0]))

    def command(self, items: list[Token]) -> Command | None:
        """Return a lexer command."""
        name = items[0]
        action = _COMMANDS.get(name.lower())
        if action is None:
            self.note(name, f"the lexer command {str(name)!r} is not known: passed over.")
            return None
        if len(items) == 1 and action not in (Action.SKIP, Action.MORE, Action.POP_MODE):
            self.fail(name, f"{name} needs an argument, as in `{name}(NAME)`.")
        argument = str(items[1]) if len(items) > 1 else ""
        default = action is Action.CHANNEL and argument in _DEFAULT_CHANNELS
        return None if default else Command(action, argument)

    # -- tokens and characters ----------------------------------------------------------------

    def text(self, items: list[Token]) -> Expression:
        """Return a text, or a range of characters."""
        return self._cased(super().text(items))

    def any_token(self, items: list[Token]) -> Expression:
        """Return `.` in a parser rule."""
        return Excluded("~", self.position(items[0]))

    def other_tokens(self, items: list[Any]) -> Expression:
        """Return `~x` in a parser rule."""
        names: list[str] = []
        texts: list[str] = []
        for one in walk(items[1]):
            match one:
                case Literal(text=text):
                    texts.append(text)
                case Reference(name=name) if not isinstance(one, Excluded):
                    names.append(name)
                case Choice() | Sequence(items=()) | Sequence(items=(_,)):
                    continue
                case _:
                    self.fail(items[0], "`~` excludes single tokens: list them with `|`.")
        return Excluded("~", self.position(items[0]), tuple(names), tuple(texts))

    def any_character(self, items: list[Token]) -> Expression:
        """Return `.` in a lexer rule."""
        return Characters(ANY_CHARACTER, self.position(items[0]))

    def other_characters(self, items: list[Any]) -> Expression:
        """Return `~x` in a lexer rule."""
        found: list[tuple[int, int]] = []
        for one in walk(items[1]):
            match one:
                case Characters(ranges=ranges):
                    found.extend(ranges)
                case Literal(text=text, ignore_case=ignore_case) if len(text) == 1:
                    found.extend(literal_ranges(text, ignore_case))
                case Choice() | Reference(name="EOF"):
                    continue
                case Reference(name=name):
                    message = f"`~` cannot exclude the rule {name}. Write its characters out."
                    self.fail(items[0], message)
                case _:
                    message = "`~` excludes single characters. List them with `|` or in brackets."
                    self.fail(items[0], message)
        return Characters(complement(found), self.position(items[0]))

    def set(self, items: list[Token]) -> Expression:
        """Return a set of characters."""
        ranges = self.members(items[0], 1)
        if not ranges:
            self.note(items[0], "this character set is empty: nothing matches it.")
        return self._cased(Characters(ranges, self.position(items[0])))


def _options(items: list[Token]) -> dict[str, str]:
    """Return what `options { name = value; ... }` says."""
    found = (re.findall(r"(\w+)\s*=\s*([^;,}]+)", _uncommented(one)) for one in items)
    return {name: value.strip(" \t\r\n'\"") for some in found for name, value in some}


def _uncommented(text: str) -> str:
    """Return a text with blanks in the place of comments."""
    return re.sub(r"//[^\r\n]*|/\*.*?\*/", lambda one: " " * len(one[0]), text, flags=re.DOTALL)
