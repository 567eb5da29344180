"""Rule bodies as shared, numbered parts, tidied up: what lowering works on.

Equal expressions become the same part, so that `stmt*` is one list wherever it occurs and nothing
has to walk nested expressions again. On the way nested sequences are flattened, an empty
alternative becomes an optional, and quantifiers of quantifiers become one.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from marrow.grammar.model.expressions import fold
from marrow.grammar.model.graph import recursion
from marrow.grammar.model.literal_tokens import set_name
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    Characters,
    Choice,
    Expression,
    Literal,
    Quantifier,
    Reference,
    Repeat,
)
from marrow.grammar.model.rules import Sequence as SequenceOf


class Form(enum.Enum):
    """The form of a part."""

    TERMINAL = "terminal"  # a token, or the end of the input
    TEXT = "text"  # a literal of a scannerless grammar
    SET = "set"  # a set of characters of a scannerless grammar
    RULE = "rule"
    SEQUENCE = "sequence"
    CHOICE = "choice"
    STAR = "star"
    PLUS = "plus"
    OPTIONAL = "optional"
    LIST = "list"  # elements with separators between them


@dataclass(frozen=True, slots=True)
class Part:
    """A part: for leaves what it names, for others the numbers of the parts inside."""

    form: Form
    parts: tuple[int, ...] = ()
    name: str = ""
    ignore_case: bool = False
    ranges: tuple[tuple[int, int], ...] = ()


class Pool:
    """All parts of a grammar.

    `literals` maps a literal to its token; None if scannerless. `inlined` has the bodies of rules
    that are replaced by them: quantifiers anywhere, sequences where they are quantified.
    """

    def __init__(
        self,
        rules: frozenset[str],
        literals: dict[tuple[str, bool], str] | None,
        inlined: Mapping[str, Expression],
    ) -> None:
        self._rules: Final = rules
        self._inlined: Final = inlined
        self._literals: Final = literals
        self._numbers: dict[Part, int] = {}
        self.parts: Final[list[Part]] = []
        self.empty: Final = self.add(Part(Form.SEQUENCE))

    def add(self, part: Part) -> int:
        """Return the number of a part."""
        known = self._numbers.get(part)
        if known is None:
            known = self._numbers[part] = len(self.parts)
            self.parts.append(part)
        return known

    def form(self, number: int) -> Form:
        """Return the form of a part."""
        return self.parts[number].form

    def items(self, number: int) -> tuple[int, ...]:
        """Return the parts of a sequence; anything else is a sequence of itself."""
        part = self.parts[number]
        return part.parts if part.form is Form.SEQUENCE else (number,)

    def alternatives(self, number: int) -> tuple[int, ...]:
        """Return the parts of a choice; anything else has itself as its only alternative."""
        part = self.parts[number]
        return part.parts if part.form is Form.CHOICE else (number,)

    def number(self, expression: Expression) -> int:
        """Return the number of an expression, tidied up."""
        return fold(expression, self._make, self._resolved)

    def _resolved(self, expression: Expression) -> Expression:
        """Put the body of an inlined rule in the place of a reference to it."""
        while isinstance(expression, Reference):
            body = self._inlined.get(expression.name)
            if not isinstance(body, Repeat):
                return expression
            expression = body
        if isinstance(expression, Repeat) and isinstance(expression.item, Reference):
            body = self._inlined.get(expression.item.name)
            if isinstance(body, SequenceOf):
                return replace(expression, item=body)
        return expression

    def _make(self, expression: Expression, numbers: Sequence[int]) -> int:
        match expression:
            case Literal(text=""):
                return self.empty
            case Literal(text=text, ignore_case=ignore_case) if self._literals is not None:
                return self.add(Part(Form.TERMINAL, name=self._literals[text, ignore_case]))
            case Literal(text=text, ignore_case=ignore_case):
                return self.add(Part(Form.TEXT, name=text, ignore_case=ignore_case))
            case Characters(ranges=ranges) if self._literals is None:
                return self.add(Part(Form.SET, ranges=ranges))
            case Characters(ranges=ranges):
                return self.add(Part(Form.TERMINAL, name=set_name(ranges)))
            case Reference(name=name):
                is_rule = name != END_OF_INPUT and name in self._rules
                return self.add(Part(Form.RULE if is_rule else Form.TERMINAL, name=name))
            case SequenceOf():
                return self.sequence(numbers)
            case Choice():
                return self.choice(numbers)
            case Repeat(quantifier=quantifier):
                return self.repeat(numbers[0], quantifier)

    def sequence(self, numbers: Sequence[int]) -> int:
        """Return the sequence of some parts."""
        flat = [item for number in numbers for item in self.items(number)]
        return flat[0] if len(flat) == 1 else self.add(Part(Form.SEQUENCE, tuple(flat)))

    def choice(self, numbers: Sequence[int]) -> int:
        """Return the choice between some parts; an empty alternative makes it optional."""
        flat = dict.fromkeys(one for number in numbers for one in self.alternatives(number))
        optional = self.empty in flat
        flat.pop(self.empty, None)
        if not flat:
            return self.empty
        made = next(iter(flat)) if len(flat) == 1 else self.add(Part(Form.CHOICE, tuple(flat)))
        return self.repeat(made, Quantifier.OPTIONAL) if optional else made

    def repeat(self, number: int, quantifier: Quantifier) -> int:
        """Return a part with a quantifier; two quantifiers make one."""
        part = self.parts[number]
        if number == self.empty:
            return number
        if part.form not in (Form.STAR, Form.PLUS, Form.OPTIONAL):
            return self.add(Part(Form(quantifier.name.lower()), (number,)))
        if part.form.name == quantifier.name:
            return number
        return self.add(Part(Form.STAR, part.parts))


def list_body(
    pool: Pool, name: str, alternatives: Sequence[int], nullable: frozenset[int]
) -> int | None:
    """Return the list that a recursive rule spells, or None if it does not spell one.

    These are lists: `l: l x | x`, `l: l x | ε`, `l: x | l S x` for tokens S, with any number of
    recursive alternatives, and all of them with the recursion at the right end.
    """
    itself = pool.add(Part(Form.RULE, name=name))
    found = recursion([pool.items(one) for one in alternatives], itself)
    left = bool(found.suffix)
    rests = list((found.suffix if left else found.prefix).values())
    bases = [alternatives[at] for at in found.primary]
    if found.idle or found.binary or not rests or not bases or (left and found.prefix):
        return None
    if any(itself in items for items in (*rests, *found.primary.values())):
        return None
    repeated = [pool.sequence(rest) for rest in rests]
    if bases == [pool.empty]:
        return pool.repeat(pool.choice(repeated), Quantifier.STAR)
    if set(bases) == set(repeated):
        return pool.repeat(pool.choice(bases), Quantifier.PLUS)
    if len(bases) == 1 and bases[0] not in nullable:
        element = pool.items(bases[0])
        # Each rest is `S E`, or `E S` for recursion at the right end.
        fit = all((rest[1:] if left else rest[:-1]) == element for rest in rests)
        separators = [rest[0 if left else -1] for rest in rests]
        if fit and all(_token(pool, one) for one in separators):
            return pool.add(Part(Form.LIST, (bases[0], pool.choice(separators))))
    return None


def _token(pool: Pool, number: int) -> bool:
    part = pool.parts[number]
    return part.form in (Form.TERMINAL, Form.TEXT, Form.SET) and part.name != END_OF_INPUT


class ListFinder:
    """Finds `E (S E)*` and `(E S)* E` in sequences."""

    def __init__(
        self, pool: Pool, rules: dict[str, tuple[int, ...]], nullable: frozenset[int]
    ) -> None:
        self._pool: Final = pool
        self._rules: Final = rules
        self._nullable: Final = nullable

    def listed(self, parts: Sequence[int]) -> tuple[int, ...]:
        """Return a sequence in which such pairs have become lists."""
        result: list[int] = []
        index = 0
        while index < len(parts):
            pair = self._pair(parts[index], parts[index + 1]) if index + 1 < len(parts) else None
            if pair is None:
                result.append(parts[index])
                index += 1
            else:
                result.append(self._pool.add(Part(Form.LIST, pair)))
                index += 2
        return tuple(result)

    def _pair(self, first: int, second: int) -> tuple[int, int] | None:
        """Return (E, S) if two neighbours are a list."""
        for element, star, at in ((first, second, -1), (second, first, 0)):
            part = self._pool.parts[star]
            if part.form is not Form.STAR or element in self._nullable:
                continue
            inside = self._pool.items(part.parts[0])
            if len(inside) == 2 and inside[at] == element and self._separates(inside[-1 - at]):
                return element, inside[-1 - at]
        return None

    def _separates(self, number: int) -> bool:
        """Whether a part always is one token."""
        part = self._pool.parts[number]
        numbers = self._rules[part.name] if part.form is Form.RULE else (number,)
        ways = (way for one in numbers for way in self._pool.alternatives(one))
        return all(_token(self._pool, way) for way in ways)
