"""Conditions: what holds for the texts of a part that varies, beyond its nonterminal.

A part is measured: the value of a number, the length of a text, the number of a list's elements,
how deep a node nests in its own kind. `Within` bounds a measure, `Compared` compares it with that
of another part; `Spelled` and `OneOf` are about the text itself. Each has its evidence: how many
samples failed where it holds, and how many of those passed where it does not.
"""

from __future__ import annotations

import enum
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final, TypeAlias

from marrow.tree import QUANTIFIED, Node, Place, Tree
from marrow.tree.name_spelling import quote_of
from marrow.tree.node import render

#: What is a number in most languages: with a sign, digits, a fraction, an exponent, or in hex.
_NUMBER: Final = re.compile(
    rb"[-+]?(?:0[xX][0-9a-fA-F]+|[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,4})?)"
)


class Feature(enum.Enum):
    """What is measured of a part."""

    VALUE = "value"
    LENGTH = "length"
    COUNT = "count"
    DEPTH = "depth"


def content_of(text: bytes) -> bytes:
    """Return what is between the quotes of a string; any other text as it is."""
    opening, closing = quote_of(text)
    return text[opening : len(text) - closing] if opening else text


def value_of(text: bytes) -> Decimal | None:
    """Return the value of a number; None if the text is not one."""
    plain = text.strip()
    if not _NUMBER.fullmatch(plain):
        return None
    if b"x" in plain.lower():
        return Decimal(int(plain, 16))
    try:
        return Decimal(plain.decode("ascii"))
    except InvalidOperation:
        return None


def depth_of(node: Node) -> int:
    """Return how many nodes of a node's symbol are in one another, itself included."""
    deepest = 0
    stack = [(node, 1)]
    while stack:
        one, depth = stack.pop()
        deepest = max(deepest, depth)
        stack += [(child, depth + (child.symbol == node.symbol)) for child in one.children]
    return deepest


def measure(feature: Feature, node: Node) -> Decimal | None:
    """Return a measure of a node; None if it has none."""
    if feature is Feature.VALUE:
        return value_of(render((node,)))
    if feature is Feature.LENGTH:
        text = content_of(render((node,)).strip())
        return Decimal(len(text.decode("utf-8", "replace")))
    if feature is Feature.DEPTH:
        return Decimal(depth_of(node))
    while node.kind not in QUANTIFIED and len(node.children) == 1:
        node = node.children[0]
    return Decimal(len(node.elements)) if node.kind in QUANTIFIED else None


#: A range of numbers with its ends; None is an open end.
Range: TypeAlias = tuple[Decimal | None, Decimal | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What holds for a part, with its evidence: `odd` samples are against it."""

    failing: int = 0
    passing: int = 0
    odd: int = 0

    def holds(self, node: Node, tree: Tree | None = None) -> bool:
        """Whether the condition holds for a node of a tree."""
        raise NotImplementedError

    def words(self) -> str:
        """Return the condition in words."""
        raise NotImplementedError


def _some(values: Sequence[object]) -> None:
    if not values:
        raise ValueError("a condition that no text can meet: it has no values")


@dataclass(frozen=True, slots=True)
class Within(Condition):
    """A measure is in one of some ranges; `whole` without a fraction, and divided by a `modulus`
    it leaves a `remainder`."""

    feature: Feature
    ranges: tuple[Range, ...]
    whole: bool = True
    modulus: int = 1
    remainder: int = 0

    def __post_init__(self) -> None:
        _some(self.ranges)
        for low, high in self.ranges:
            if low is not None and high is not None and low > high:
                raise ValueError(f"a condition that no number can meet: from {low} to {high}")

    def admits(self, number: Decimal | None) -> bool:
        """Whether a measure is as it has to be."""
        if number is None or (self.whole and number != number.to_integral_value()):
            return False
        inside = any(
            (low is None or low <= number) and (high is None or number <= high)
            for low, high in self.ranges
        )
        return inside and (self.modulus == 1 or int(number) % self.modulus == self.remainder)

    def holds(self, node: Node, _: Tree | None = None) -> bool:
        """Whether the measure of a node is as it has to be."""
        return self.admits(measure(self.feature, node))

    def words(self) -> str:
        """Return the condition in words; nothing for one that no text was seen to break."""
        if not self.passing:
            return ""
        said = " or ".join(self._range(low, high) for low, high in self.ranges)
        if self.feature is Feature.VALUE and self.whole and self.modulus == 1:
            said = f"{said}, whole".removeprefix(", ")
        if self.modulus == 2:
            said = f"{'odd' if self.remainder else 'even'}, {said}"
        elif self.modulus > 1:
            rest = f" plus {self.remainder}" if self.remainder else ""
            said = f"a multiple of {self.modulus}{rest}, {said}"
        return said.removesuffix(", ")

    def _range(self, low: Decimal | None, high: Decimal | None) -> str:
        unit = _UNITS.get(self.feature, "")
        if low is not None and high is not None:
            return f"{low:f}{unit}" if low == high else f"{low:f} to {high:f}{unit}"
        if self.feature is Feature.VALUE:
            return f"≥ {low:f}" if low is not None else f"≤ {high:f}" if high is not None else ""
        if low == 1 and self.feature is not Feature.DEPTH:
            return "not empty"
        if low is not None:
            return f"{low:f}{unit} or more"
        return f"{high:f}{unit} or fewer" if high is not None else f"any number of{unit}"


_UNITS: Final = {
    Feature.LENGTH: " characters",
    Feature.COUNT: " elements",
    Feature.DEPTH: " levels deep",
}


@dataclass(frozen=True, slots=True)
class Spelled(Condition):
    """The content of a text has a match of a regular expression; `negated` has none."""

    regex: str
    said: str
    negated: bool = False

    def __post_init__(self) -> None:
        try:
            re.compile(self.regex)
        except re.error as error:
            raise ValueError(f"{self.regex!r} is not a regular expression") from error

    def admits(self, content: str) -> bool:
        """Whether a text without its quotes is as it has to be."""
        return (re.search(self.regex, content) is None) is self.negated

    def holds(self, node: Node, _: Tree | None = None) -> bool:
        """Whether the content of a node is as it has to be."""
        return self.admits(content_of(render((node,)).strip()).decode("utf-8", "replace"))

    def words(self) -> str:
        """Return the condition in words."""
        return f"{'not ' if self.negated else ''}{self.said}"


@dataclass(frozen=True, slots=True)
class OneOf(Condition):
    """The text is one of a few; `negated` is none of them."""

    texts: tuple[bytes, ...]
    negated: bool = False

    def __post_init__(self) -> None:
        _some(self.texts)

    def holds(self, node: Node, _: Tree | None = None) -> bool:
        """Whether the text of a node is one of those."""
        return (render((node,)).strip() in self.texts) is not self.negated

    def words(self) -> str:
        """Return the condition in words."""
        texts = " or ".join(one.decode("utf-8", "backslashreplace") for one in self.texts)
        return f"not {texts}" if self.negated else texts


#: Which alternative of its nonterminal a node is, by the symbols in it.
Form: TypeAlias = tuple[str, ...]


def form_of(node: Node) -> Form:
    """Return which alternative of its nonterminal a node is: its symbol, and those in it."""
    if node.slot != node.symbol:
        return (node.symbol,)  # without a grammar, a node is an alternative of its slot
    return (node.symbol, *(one.symbol for one in node.children if one.length))


def chain_of(node: Node) -> Form:
    """Return the symbols of a node down to where it branches or ends."""
    symbols = [node.symbol]
    while inner := [one for one in node.children if one.length]:
        symbols += (one.symbol for one in inner)
        if len(inner) > 1:
            break
        node = inner[0]
    return tuple(symbols)


@dataclass(frozen=True, slots=True)
class Shaped(Condition):
    """The node is one of some alternatives of its nonterminal; `each` element of a list is one of
    some in full."""

    forms: tuple[Form, ...]
    each: bool = False

    def holds(self, node: Node, _: Tree | None = None) -> bool:
        """Whether a node is one of those alternatives."""
        if self.each:
            return all(chain_of(one) in self.forms for one in node.elements)
        return form_of(node) in self.forms

    def words(self) -> str:
        """Return the condition in words."""
        if self.each:
            return f"each {' or '.join(dict.fromkeys(one[-1] for one in self.forms))}"
        return " or ".join(" ".join(one[1:] or one) for one in self.forms)


_SIGNS: Final[dict[str, Callable[[Decimal, Decimal], bool]]] = {
    "<": operator.lt,
    "≤": operator.le,
    "=": operator.eq,
    "≠": operator.ne,
    "≥": operator.ge,
    ">": operator.gt,
}


@dataclass(frozen=True, slots=True)
class Compared(Condition):
    """A measure is less than, equal to, ... that of another part plus an offset.

    `label` is what the other part is called.
    """

    feature: Feature
    sign: str
    other: Place
    other_feature: Feature
    offset: int = 0
    label: str = "a"

    def __post_init__(self) -> None:
        if self.sign not in _SIGNS:
            raise ValueError(f"{self.sign!r} does not compare numbers")

    def admits(self, one: Decimal | None, other: Decimal | None) -> bool:
        """Whether two measures are as they have to be."""
        return one is not None and other is not None and _SIGNS[self.sign](one, other + self.offset)

    def holds(self, node: Node, tree: Tree | None = None) -> bool:
        """Whether the measures of a node and of the other part are as they have to be."""
        other = None if tree is None else tree.at(self.other)
        return other is not None and self.admits(
            measure(self.feature, node), measure(self.other_feature, other)
        )

    def words(self) -> str:
        """Return the condition in words."""
        other = self.label
        if self.other_feature is not Feature.VALUE:
            other = f"the {self.other_feature.value} of {other}"
        if self.offset:
            other += f" {'+' if self.offset > 0 else '-'} {abs(self.offset)}"
        what = "" if self.feature is Feature.VALUE else f"{self.feature.value} "
        return f"{what}{self.sign} {other}"


#: The kinds of conditions, by their names in JSON.
KINDS: Final[dict[str, type[Condition]]] = {
    one.__name__.lower(): one for one in (Within, Spelled, OneOf, Shaped, Compared)
}


def structural(condition: Condition) -> bool:
    """Whether a condition is about a tree: its text alone does not tell."""
    if isinstance(condition, Shaped):
        return True
    features = {getattr(condition, name, None) for name in ("feature", "other_feature")}
    return not features.isdisjoint((Feature.COUNT, Feature.DEPTH))


def holding(conditions: Sequence[Condition], node: Node, tree: Tree | None = None) -> bool:
    """Whether conditions hold for a node; without a tree, those that are about it alone."""
    return all(
        one.holds(node, tree)
        for one in conditions
        if tree is not None or not isinstance(one, Compared)
    )


def evidence_of(condition: Condition) -> str:
    """Return the evidence of a condition in words."""
    said = f"{condition.failing} failed inside, {condition.passing} passed outside"
    return f"{said}, {condition.odd} did not" if condition.odd else said


def compared(conditions: Sequence[Condition]) -> Iterator[Compared]:
    """Yield the comparisons with other parts."""
    return (one for one in conditions if isinstance(one, Compared))
