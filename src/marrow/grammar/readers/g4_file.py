r"""Reads one ANTLR file, before imports and vocabularies are resolved.

`~` in a parser rule, and `.`, become references to *holes*, which are filled in once all tokens are
known. In a lexer rule they are sets of characters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, cast

from lark import Token

from marrow.grammar.model.charset import Ranges, any_case, complement, normalised
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
    walk,
)
from marrow.grammar.readers.g4_syntax import G4_SYNTAX, refine
from marrow.grammar.readers.predicates import Assumptions, add_note, holds
from marrow.grammar.readers.regex import unicode_property
from marrow.grammar.readers.scan import ExpressionBuilder, Source, escaped, set_ranges


@dataclass(frozen=True, slots=True)
class Excluded:
    """`~` or `.` in a parser rule: any token but these. Known only once all tokens are."""

    position: Position
    names: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Alternative:
    """An alternative of a rule; `guarded` says that a predicate may keep it from matching."""

    body: Expression
    commands: tuple[Command, ...] = ()
    guarded: bool = False


@dataclass(frozen=True, slots=True)
class G4Token:
    """A lexer rule."""

    name: str
    alternatives: tuple[Alternative, ...]
    fragment: bool
    mode: str
    position: Position


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
    tokens: dict[str, G4Token] = field(default_factory=dict)
    modes: list[str] = field(default_factory=lambda: [DEFAULT_MODE])
    excluded: dict[str, Excluded] = field(default_factory=dict)
    #: The code of every predicate.
    calls: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    #: What the user says about predicates, by the names of the calls in them.
    assume: Assumptions = field(default_factory=dict)


#: Grammars for other targets write `-> Channel(HIDDEN)`.
_COMMANDS: Final = {action.value.lower(): action for action in Action}

#: The second half of a character that is escaped as two.
_LOW_HALF: Final = re.compile(r"\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})")

_PROPERTY: Final = re.compile(r"\\([pP])(?:\{([^{}\]\r\n]*)\}|(\w))")


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


@dataclass(frozen=True, slots=True)
class _Hole:
    """What `~` excludes; None for `.`, which excludes nothing."""

    token: Token
    body: Expression | None


class _Builder(ExpressionBuilder):
    """Fills in the file, rule by rule: what a rule is made of comes before the rule itself."""

    escaped = "'\\\"]-["

    def __init__(self, source: Source, file: G4File) -> None:
        super().__init__(source)
        self.file: Final = file
        # Of the rule being read:
        self._holes: dict[str, _Hole] = {}
        self._predicates: list[tuple[Token, str, bool | None]] = []
        self._passed: dict[str, Token] = {}

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

    _mode = DEFAULT_MODE

    def action(self, _: list[Token]) -> None:
        """Pass over `@header {...}`."""

    handler = action

    def modifier(self, items: list[Token]) -> str:
        """Return the modifier of a rule, if it matters."""
        return "".join(items)

    def arguments(self, items: list[Token]) -> None:
        """Pass over the arguments of a rule, with a note."""
        self._passed.setdefault("arguments", items[0])

    # -- rules --------------------------------------------------------------------------------

    def rule(self, items: list[Any]) -> None:
        """Read a parser rule."""
        name = next(one for one in items if isinstance(one, Token))
        alternatives = next(one for one in items if isinstance(one, list))
        position = self._named(name)
        if self.file.kind == "lexer":
            self.fail(name, f"{name} is a parser rule, in a lexer grammar. Rename it.")
        for hole, found in self._holes.items():
            self.file.excluded[hole] = self._excluded(found)
        body = self._cased(choice([one.body for one in alternatives]), items)
        self.file.rules[str(name)] = Rule(str(name), body, position)

    def token(self, items: list[Any]) -> None:
        """Read a lexer rule."""
        name = next(one for one in items if isinstance(one, Token) and one.type == "TOKEN")
        position = self._named(name)
        sets: dict[str, Characters] = {}
        ignore_case = self._ignores_case(items)
        for hole, found in self._holes.items():
            ranges = () if found.body is None else self._characters(found.token, found.body, sets)
            cased = any_case(normalised(ranges)) if ignore_case else ranges
            sets[hole] = Characters(complement(cased), self.position(found.token))

        def change(leaf: Expression) -> Expression:
            return sets.get(leaf.name, leaf) if isinstance(leaf, Reference) else leaf

        alternatives = tuple(
            Alternative(map_leaves(self._cased(one.body, items), change), one.commands, one.guarded)
            for one in items[-1]
        )
        self.file.tokens[str(name)] = G4Token(
            str(name), alternatives, "fragment" in items, self._mode, position
        )

    def _named(self, name: Token) -> Position:
        """Return where a rule is, which must be new; say what was passed over in it."""
        earlier = self.file.rules.get(name) or self.file.tokens.get(name)
        if earlier is not None:
            where = f"line {earlier.position.line}"
            self.fail(name, f"the rule {name} is already defined in {where}. Rename one.")
        for what, token in self._passed.items():
            self.note(token, f"{what} in the rule {name} are passed over.")
        for token, text, found in self._predicates:
            add_note(self.notes, found, text, str(name), self.position(token))
        self._passed, self._predicates = {}, []
        return self.position(name)

    def _ignores_case(self, items: list[Any]) -> bool:
        options = [one for one in items if isinstance(one, Token) and one.type == "OPTIONS"]
        value = {**self.file.options, **_options(options)}.get("caseInsensitive", "false")
        return value.lower() == "true"

    def _cased(self, body: Expression, items: list[Any]) -> Expression:
        """Return a body that ignores case if the rule or the grammar says so; end the rule."""
        self._holes = {}

        def change(leaf: Expression) -> Expression:
            match leaf:
                case Literal():
                    return replace(leaf, ignore_case=True)
                case Characters(ranges=ranges):
                    return replace(leaf, ranges=any_case(ranges))
                case _:
                    return leaf

        return map_leaves(body, change) if self._ignores_case(items) else body

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
                self._passed.setdefault("actions", items[0])
            return None
        self.file.calls.append(text)
        found = holds(text, self.file.assume)
        self._predicates.append((items[0], text, found))
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
        return Command(action, str(items[1]) if len(items) > 1 else "")

    # -- sets ---------------------------------------------------------------------------------

    def wildcard(self, items: list[Token]) -> Expression:
        """Return `.`: any token, or any character."""
        return self._hole(_Hole(items[0], None))

    def negated(self, items: list[Any]) -> Expression:
        """Return `~x`: any token but some, or any character but some."""
        return self._hole(_Hole(*items))

    def _hole(self, hole: _Hole) -> Reference:
        name = f"~{self.file.name}~{len(self.file.excluded) + len(self._holes)}"
        self._holes[name] = hole
        return Reference(name, self.position(hole.token))

    def _excluded(self, hole: _Hole) -> Excluded:
        """Return the tokens that `~` excludes in a parser rule."""
        names: list[str] = []
        texts: list[str] = []
        for one in () if hole.body is None else walk(hole.body):
            match one:
                case Reference(name=name) if name not in self._holes:
                    names.append(name)
                case Literal(text=text):
                    texts.append(text)
                case Choice() | Sequence(items=()) | Sequence(items=(_,)):
                    continue
                case _:
                    self.fail(hole.token, "`~` excludes single tokens: list them with `|`.")
        return Excluded(self.position(hole.token), tuple(names), tuple(texts))

    def _characters(self, token: Token, body: Expression, sets: Mapping[str, Characters]) -> Ranges:
        """Return the characters that `~` excludes in a lexer rule."""
        found: list[tuple[int, int]] = []
        for one in walk(body):
            match one:
                case Characters(ranges=ranges):
                    found.extend(ranges)
                case Literal(text=text) if len(text) == 1:
                    found.append((ord(text), ord(text)))
                case Choice() | Reference(name="EOF"):
                    continue
                case Reference(name=name) if name in sets:
                    found.extend(sets[name].ranges)
                case Reference(name=name):
                    self.fail(
                        token, f"`~` cannot exclude the rule {name}. Write its characters out."
                    )
                case _:
                    message = "`~` excludes single characters. List them with `|` or in brackets."
                    self.fail(token, message)
        return normalised(found)

    def set(self, items: list[Token]) -> Expression:
        """Return a set of characters."""
        start = items[0].start_pos or 0
        read = partial(self._member, items[0])
        ranges = set_ranges(self.source, start + 1, start + len(items[0]) - 1, read)
        if not ranges:
            self.note(items[0], "this character set is empty: nothing matches it.")
        return Characters(ranges, self.position(items[0]))

    def _member(self, token: Token, offset: int) -> tuple[Ranges, int]:
        """Read one character of a set, or a property."""
        source = self.source
        code = ord(source.text[offset])
        if code != ord("\\"):
            return ((code, code),), offset + 1
        if source.text.startswith(("\\p", "\\P"), offset):
            return self._property(token, offset)
        one = escaped(source, offset, len(source.text), "]\\-'\"[^")
        if not one.known:
            message = f"the escape \\{one.text} in a character set means {one.text!r}."
            self.note(token, message, "Leave out the backslash.")
        code, end = ord(one.text), one.end
        low = _LOW_HALF.match(source.text, end) if 0xD800 <= code <= 0xDBFF else None
        if low:
            code = 0x10000 + ((code - 0xD800) << 10) + int(low[1], 16) - 0xDC00
            end = low.end()
        return ((code, code),), end

    def _property(self, token: Token, offset: int) -> tuple[Ranges, int]:
        r"""Read `\p{...}` or `\P{...}`."""
        found = _PROPERTY.match(self.source.text, offset)
        if found is None:
            self.source.fail(offset, r"`\p` needs the name of a property, as in `\p{Lu}`.")
        name = found[2] if found[2] is not None else found[3]
        known = unicode_property(name)
        if known is None:
            message = f"the Unicode property {name!r} is not known: no character is taken for it."
            self.note(token, message, "Write its characters as ranges.")
            return (), found.end()
        return complement(known) if found[1] == "P" else known, found.end()


def _options(items: list[Token]) -> dict[str, str]:
    """Return what `options { name = value; ... }` says."""
    found = (re.findall(r"(\w+)\s*=\s*([^;,}]+)", _uncommented(one)) for one in items)
    return {name: value.strip(" \t\r\n'\"") for some in found for name, value in some}


def _uncommented(text: str) -> str:
    """Return a text with blanks in the place of comments."""
    return re.sub(r"//[^\r\n]*|/\*.*?\*/", lambda one: " " * len(one[0]), text, flags=re.DOTALL)
