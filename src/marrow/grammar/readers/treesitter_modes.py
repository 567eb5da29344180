"""Strings with code inside them in tree-sitter's grammars, as lexer modes.

The inside of a template string is a token of the external scanner, and what is between `${` and `}`
in it are tokens as everywhere. A lexer that does not ask the parser needs a mode for the inside,
which the code leaves and comes back to. Such rules are known by their shape: they begin with one
fixed text and end with another, and in between stand a token of the scanner, escapes, and rules
that have fixed texts at both ends themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from marrow.grammar.model.charset import ANY_CHARACTER, complement, intersection
from marrow.grammar.model.conditions import Condition, PlaceFact, Ways
from marrow.grammar.model.expressions import references
from marrow.grammar.model.rules import (
    DEFAULT_MODE,
    Action,
    Characters,
    Choice,
    Command,
    Expression,
    Grammar,
    Literal,
    Position,
    Quantifier,
    Reference,
    Repeat,
    Sequence,
    TokenRule,
    alternatives,
    walk,
)
from marrow.grammar.model.transform import map_leaves
from marrow.grammar.readers.place_modes import with_place_modes

#: The sign that divides, or begins a regular expression where an operand may stand.
_DIVISION: Final = {"/"}
_WHERE_AN_OPERAND_STANDS: Final[Ways] = (
    (Condition(PlaceFact.OPERAND, call="regular expression"),),
)

_WHERE_IT_OPENED: Final[Ways] = ((Condition(PlaceFact.CLOSING, call="template string"),),)


#: How deep a pattern may nest where its first character is looked for.
_DEEPEST: Final = 50


@dataclass(slots=True)
class StringModes:
    """Rules as they are with modes, the tokens that this needs, and where some of them match."""

    bodies: dict[str, Expression]
    tokens: dict[str, TokenRule] = field(default_factory=dict)
    places: dict[str, Ways] = field(default_factory=dict)
    #: The tokens of the scanner that have a text now.
    known: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Shape:
    """A string: what opens and closes it, and what may stand inside."""

    opening: Expression
    closing: Literal
    content: str
    escapes: tuple[str, ...]
    holes: tuple[str, ...]


def with_string_modes(
    bodies: dict[str, Expression],
    lexical: Mapping[str, Expression],
    lost: Iterable[str],
    position: Position,
) -> StringModes:
    """Return rules in which strings with code have modes; `lost` are tokens without a text."""
    found = StringModes(dict(bodies))
    contents = set(lost)
    shapes = {
        name: shape
        for name, body in bodies.items()
        if (shape := _shape(body, bodies, lexical, contents)) is not None
    }
    inside = {hole for shape in shapes.values() for hole in shape.holes}
    for name, body in bodies.items():
        if name not in shapes:
            others = {one.name for one in references(body)}
            contents -= others
            inside -= others
    adding = _Adding(found, lexical, position)
    for name, shape in shapes.items():
        # Nothing of it may stand outside of such strings.
        if shape.content in contents and inside.issuperset(shape.holes):
            adding.add(name, shape)
    return found


def _shape(
    body: Expression,
    bodies: Mapping[str, Expression],
    lexical: Mapping[str, Expression],
    contents: set[str],
) -> _Shape | None:
    """Return the shape of a string, if a rule has it."""
    match body:
        case Sequence(items=(opening, Repeat(item=item), Literal() as closing)):
            pass
        case _:
            return None
    if isinstance(opening, Reference) and opening.name in lexical:
        opening = lexical[opening.name]  # a quote with letters in front
    elif not isinstance(opening, Literal):
        return None
    names: list[str] = []
    for part in alternatives(item):
        if not isinstance(part, Reference):
            return None
        names.append(part.name)
    content = [name for name in names if name in contents]
    escapes = tuple(name for name in names if name in lexical)
    holes = tuple(name for name in names if name in bodies and _ends(bodies[name]) is not None)
    if len(content) != 1 or len(escapes) + len(holes) + 1 != len(names):
        return None
    return _Shape(opening, closing, content[0], escapes, holes)


def _ends(body: Expression) -> tuple[Literal, Literal] | None:
    match body:
        case Sequence(items=(Literal() as first, *_, Literal() as last)):
            return first, last
    return None


def _starts(body: Expression) -> set[str]:
    """Return the fixed texts that the alternatives of a token begin with, as far as they have."""
    found = set()
    for one in alternatives(body):
        first = one.items[0] if isinstance(one, Sequence) and one.items else one
        if isinstance(first, Literal) and first.text:
            found.add(first.text)
    return found


def _not_starting(
    body: Expression, signs: set[str], bodies: Mapping[str, Expression], depth: int = 0
) -> Expression:
    """Return a token without the texts that begin with one of some characters.

    `//` and `/*` begin comments, not regular expressions. What is nested deeper than anybody writes
    stays as it is, as does what may be empty.
    """
    if depth > _DEEPEST:
        return body
    deeper = depth + 1
    match body:
        case Literal(text=text):
            return Characters(()) if text[:1] in signs else body
        case Characters(ranges=ranges):
            outside = complement(tuple(sorted((ord(sign), ord(sign)) for sign in signs)))
            return Characters(intersection(ranges, outside))
        case Choice(alternatives=inner):
            return Choice(tuple(_not_starting(one, signs, bodies, deeper) for one in inner))
        case Sequence(items=(first, *rest)):
            return Sequence((_not_starting(first, signs, bodies, deeper), *rest))
        case Repeat(item=item, quantifier=Quantifier.PLUS):
            more = Repeat(item, Quantifier.STAR, greedy=body.greedy)
            return Sequence((_not_starting(item, signs, bodies, deeper), more))
        case Reference(name=name) if name in bodies:
            return _not_starting(bodies[name], signs, bodies, deeper)
        case _:
            return body


def inside_of_string(
    body: Expression, plain: set[str], known: Mapping[str, Expression]
) -> Expression:
    """Return the body of a string as that of a token; only `plain` names are left in it.

    A backslash is not a character by itself where it begins an escape.
    """
    used = [one.name for one in references(body)]
    escapes = any(name in known and "\\" in _starts(known[name]) for name in used)

    def change(leaf: Expression) -> Expression:
        if not isinstance(leaf, Reference):
            return leaf
        if leaf.name not in plain:
            return Characters(())
        found = known.get(leaf.name)
        if escapes and isinstance(found, Characters):
            return _not_starting(found, {"\\"}, {})
        return leaf

    return map_leaves(body, change)


def same_string(name: str, body: Expression, strings: Mapping[str, Expression]) -> str | None:
    """Return the string that a hidden one is a variant of: it has the same quotes.

    tree-sitter knows by the place which one is meant (in JSX); here one would hide the other.
    """
    quotes = _starts(body)
    if name[:1] != "_" or not quotes:
        return None
    same = (one for one, other in strings.items() if one[:1] != "_" and _starts(other) >= quotes)
    return next(same, None)


def read_as_operands(
    strings: Iterable[str],
    lexical: dict[str, Expression],
    hidden: Iterable[Expression],
    signs: set[str],
) -> dict[str, Ways]:
    """Return where tokens match that begin as division does: regular expressions.

    They are changed so that they do not begin as comments do, which are longer than the operator.
    Other tokens that begin as an operator does stand behind operands as well (`<iri>`).
    """
    places: dict[str, Ways] = {}
    divide = signs & _DIVISION
    longer = {one for body in hidden for one in _starts(body)}
    for name in strings:
        match lexical.get(name):
            case Sequence(items=(Literal(text=text) as first, second, *rest)) if text in divide:
                places[name] = _WHERE_AN_OPERAND_STANDS
                after = {one[len(text)] for one in longer if one[:-1].startswith(text)}
                second = _not_starting(second, after, lexical)
                lexical[name] = Sequence((first, second, *rest))
    return places


def in_places(grammar: Grammar, places: Mapping[str, Ways]) -> Grammar:
    """Return a grammar whose lexer has modes for tokens that match only in some places."""
    asked = {name: ways for name, ways in places.items() if name in grammar.tokens}
    named = {
        token.body
        for token in grammar.tokens.values()
        if not token.fragment and token.mode == DEFAULT_MODE and token.name not in asked
    }
    written = literals(rule.body for rule in grammar.rules.values())
    tokens = with_place_modes(
        dict(grammar.tokens), asked, [one for one in written if one not in named]
    )
    return replace(grammar, tokens=tokens)


def literals(bodies: Iterable[Expression]) -> list[Literal]:
    """Return the literals in rules."""
    return [one for body in bodies for one in walk(body) if isinstance(one, Literal) and one.text]


class _Adding:
    """Adds the tokens of strings, one string after the other."""

    def __init__(
        self, found: StringModes, lexical: Mapping[str, Expression], position: Position
    ) -> None:
        self._found: Final = found
        self._lexical: Final = lexical
        self._position: Final = position
        self._holes: Final[dict[str, Literal]] = {}

    def add(self, name: str, shape: _Shape) -> None:
        """Give a string a mode of its own."""
        mode = name.upper()
        push, pop = Command(Action.PUSH_MODE, mode), Command(Action.POP_MODE)
        opening = self._token(f"{name}_open", shape.opening, DEFAULT_MODE, push)
        closing = self._token(f"{name}_close", shape.closing, mode, pop)
        texts = [shape.closing.text, *(self._hole(one, mode) for one in shape.holes)]
        parts: list[Expression] = [Reference(one, self._position) for one in shape.holes]
        for one in shape.escapes:
            parts.append(self._token(f"{name}_{one}", self._lexical[one], mode))
        signs = {text[0] for text in texts} | ({"\\"} if shape.escapes else set())
        outside = complement(tuple(sorted((ord(sign), ord(sign)) for sign in signs)))
        plain = Repeat(Characters(outside), Quantifier.PLUS)
        parts.append(self._token(shape.content, plain, mode, kind=shape.content))
        # A sign that begins something else, and then does not go on as that, is a character.
        self._token(shape.content, Characters(ANY_CHARACTER), mode, kind=shape.content)
        self._found.known.add(shape.content)
        inside = Repeat(Choice(tuple(parts)), Quantifier.STAR)
        self._found.bodies[name] = Sequence((opening, inside, closing))

    def _hole(self, name: str, mode: str) -> str:
        """Add the tokens around code in a string; return the text that opens it."""
        enter = Command(Action.PUSH_MODE, DEFAULT_MODE)
        if name in self._holes:
            opening = self._holes[name]
            self._token(f"{name}_open", opening, mode, enter, kind=f"{name}_open")
            return opening.text
        body = self._found.bodies[name]
        assert isinstance(body, Sequence)
        opening, closing = _ends(body) or (Literal(""), Literal(""))
        self._holes[name] = opening
        first = self._token(f"{name}_open", opening, mode, enter)
        last = self._token(f"{name}_close", closing, DEFAULT_MODE, Command(Action.POP_MODE))
        self._found.places[last.name] = _WHERE_IT_OPENED
        self._found.bodies[name] = Sequence((first, *body.items[1:-1], last))
        return opening.text

    def _token(
        self, name: str, body: Expression, mode: str, *commands: Command, kind: str = ""
    ) -> Reference:
        """Add a token with a free name; `kind` is the name of the token that it counts as."""
        tokens = self._found.tokens
        while name in tokens or name in self._found.bodies or name in self._lexical:
            name += "_"
        if kind and kind != name:
            commands = (Command(Action.TYPE, kind), *commands)
        tokens[name] = TokenRule(name, body, False, mode, commands, position=self._position)
        return Reference(kind or name, self._position)
