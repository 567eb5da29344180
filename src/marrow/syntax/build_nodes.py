"""From tree-sitter's concrete tree to marrow's nodes: tokens, lists, and what may be left out.

Works from the leaves to the root. Every concrete node becomes *parts*: loose nodes that have no
place yet. A hidden node with one part lends it its name as a slot (`expression` for `identifier`).
The nodes of a repetition become one list, together with the first element and the trailing
separator that the grammar writes beside it. A run of children becomes an optional if the parser
accepts the text without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Final

from marrow.base.deadline import look
from marrow.syntax.concrete_tree import ConcreteNode
from marrow.syntax.reparse import ParserProber
from marrow.syntax.tokens import Tokens
from marrow.tree import SEPARATOR, Branch, Kind, Node, Splice, Token


@dataclass(slots=True)
class LooseNode:
    """A node that has no place yet.

    `units` are the parts of a list. `pair` is a separator and an element of one hidden rule, which
    come apart if the node turns out to be in a list. `inner` are its own parts, until its place
    is known.
    """

    kind: Kind
    symbol: str
    slot: str
    start: int
    end: int
    named: bool = True
    token: Token | None = None
    children: Sequence[Node] = ()
    units: Sequence[list[LooseNode]] = ()
    pair: list[LooseNode] | tuple[()] = ()
    inner: Sequence[LooseNode] = ()

    def node(self, key: int, slot: str | None = None) -> Node:
        """Return the node as it is at this place."""
        where = self.slot if slot is None else slot
        if self.token is not None and not self.children:
            return self.token.placed(key=key, slot=where)
        return Branch(self.kind, self.symbol, self.children, slot=where, key=key)


@dataclass(slots=True)
class Knowledge:
    """Facts about a language that were learned from a text.

    `windows` gives the runs of children that are optional, by the node's symbol and the slots of
    its children; `unconfirmed` counts the nodes on which they have yet to be checked. `fits` pairs
    slots with the symbols seen in them. `stand_ins` are further nodes that the parser accepts in a
    slot, by their own slot and symbol (the `x` of `x = 0` does not count as an expression).
    `asked` are the questions they answer: a rule, a child of it, and the replacement.
    """

    windows: dict[tuple[str, tuple[str, ...]], tuple[tuple[int, int], ...]] = field(
        default_factory=dict
    )
    unconfirmed: dict[tuple[str, tuple[str, ...]], int] = field(default_factory=dict)
    fits: set[tuple[str, str]] = field(default_factory=set)
    stand_ins: set[tuple[str, str, str]] = field(default_factory=set)
    asked: set[tuple[str, str, str]] = field(default_factory=set)

    def copy(self) -> Knowledge:
        """Return the same knowledge, to learn more without changing this."""
        return Knowledge(*(copy(getattr(self, one.name)) for one in fields(self)))


# Up to so many neighbouring children are tried as one optional: `-> type` and `extends Base` are
# two, `where T : Bound` is three; longer ones are rules of their own in the grammars we looked at.
_WIDEST_WINDOW: Final = 3

# A node with more children than this (lists already folded) is a list that the grammar does not
# show as one; probing all its windows would cost more than it brings.
_MOST_CHILDREN: Final = 40


# An optional run is checked on so many more nodes of its shape: a deletion that works by chance
# once (a key of YAML that starts a file) does not work everywhere. Without the check 73% of the
# deletions in the YAML sample were valid, with two 100%.
_CONFIRMATIONS: Final = 2

#: The symbol of what was hidden from the parser.
HIDDEN: Final = "hidden"

_LISTS: Final = frozenset({Kind.STAR, Kind.PLUS})
_OPENING: Final = frozenset("([{")
_BRACKETS: Final = frozenset("()[]{}")


class NodeBuilder:
    """Builds the nodes of one input."""

    def __init__(self, tokens: Tokens, prober: ParserProber, knowledge: Knowledge) -> None:
        self._tokens: Final = tokens
        self._prober: Final = prober
        self._knowledge: Final = knowledge

    def build(self, root: ConcreteNode) -> Branch:
        """Return the root node of the tree."""
        parts: dict[int, list[LooseNode]] = {}
        order = [root]
        for raw in order:
            if raw.serial < 0:
                order.extend(raw.children)
        # `order` lists parents before their children, so that backwards children come first.
        while order:
            if not len(order) & 0xFF:
                look()
            raw = order.pop()
            below = [part for child in raw.children for part in parts.pop(id(child), ())]
            parts[id(raw)] = self._parts(raw, below)
            raw.children = []  # so that no node is there twice
        top = parts[id(root)]
        if len(top) == 1 and top[0].token is None:
            made = top[0].node(0, root.label)
            assert isinstance(made, Branch)
            return made
        children = [part.node(key) for key, part in enumerate(top)]
        return Branch(Kind.REGULAR, root.label, children, slot=root.label)

    def _parts(self, raw: ConcreteNode, below: list[LooseNode]) -> list[LooseNode]:
        """Return the parts that a concrete node hands to the node above it."""
        if raw.serial >= 0:
            token = self._tokens.token(raw.serial, raw.label)
            # Tree-sitter does not say whether a hidden token is named: a word is, a sign is not.
            named = raw.named if raw.visible else token.text[:1].isalnum()
            part = LooseNode(
                Kind.TOKEN, raw.label, raw.label, raw.start, raw.end, named, token=token
            )
            return [self._with_hidden(part, raw.serial)]
        if not below:
            return []
        if raw.repeat:
            return [self._repetition(raw, below)]
        if raw.error:
            return [self._error(raw, below)]
        if not raw.visible and len(below) == 1:
            return [self._named_by(raw, below[0])]
        regular = self._regular(raw, below)
        if not raw.visible and (_separator(below, first=True) or _separator(below, first=False)):
            regular.pair = below
        return [regular]

    def _with_hidden(self, part: LooseNode, serial: int) -> LooseNode:
        """Return a token with the hidden ones around it (`masking`), each of which may go."""
        attached = self._tokens.attached(serial)
        if attached is None or part.token is None:
            return part
        children: list[Node] = []
        for number in sorted((*attached[0], serial, *attached[1])):
            if number == serial:
                children.append(part.token.placed(key=len(children), slot=part.slot))
                continue
            token = self._tokens.token(number, HIDDEN).placed(key=0, slot=HIDDEN)
            key = len(children)
            children.append(Branch(Kind.STAR, HIDDEN, [token], slot=HIDDEN, key=key))
        part.kind, part.children = Kind.REGULAR, children
        return part

    def _named_by(self, raw: ConcreteNode, part: LooseNode) -> LooseNode:
        """Name the slot of a part by the hidden node around it."""
        self._knowledge.fits.add((raw.label, part.symbol))
        self._knowledge.fits.add((raw.label, part.slot))
        if not part.units:
            part.slot = raw.label
        return part

    def _repetition(self, raw: ConcreteNode, below: list[LooseNode]) -> LooseNode:
        """Return one part for a whole repetition, with the units of nested repetitions in a row."""
        units: list[list[LooseNode]] = []
        run: list[LooseNode] = []
        for part in below:
            if part.units and part.symbol == raw.label:
                units.extend(_units(run))
                run = []
                units.extend(part.units)
            elif part.pair:
                units.extend(_units(run))
                run = []
                units.append(part.pair)
            else:
                run.append(part)
        units.extend(_units(run))
        return LooseNode(
            Kind.STAR, raw.label, raw.label, below[0].start, below[-1].end, units=units
        )

    def _error(self, raw: ConcreteNode, below: list[LooseNode]) -> LooseNode:
        """Return a list of the parts of a region that does not parse."""
        flat = [part for one in below for part in (_flat(one) if one.units else [one])]
        children = [part.node(key) for key, part in enumerate(flat)]
        return LooseNode(Kind.STAR, raw.label, raw.label, raw.start, raw.end, children=children)

    def _regular(self, raw: ConcreteNode, below: list[LooseNode]) -> LooseNode:
        """Return a rule node with its lists folded and its optional runs wrapped."""
        parts = self._fold_lists(raw, below)
        slots = tuple(part.slot for part in parts)
        for part in parts:
            self._knowledge.fits.add((part.slot, part.symbol))
            if part.inner:
                self._ask_for_stand_ins(raw, part)
        children: list[Node] = []
        windows = dict(self._windows(raw, slots, parts))
        index = 0
        while index < len(parts):
            width = windows.get(index, 0)
            key = len(children)
            if not width:
                part = parts[index]
                if part.kind is Kind.STAR and part.symbol != "ERROR":
                    part.kind = Kind.PLUS
                children.append(part.node(key))
                index += 1
                continue
            children.append(self._optional(raw, parts[index : index + width], key))
            index += width
        return LooseNode(
            Kind.REGULAR, raw.label, raw.label, raw.start, raw.end, children=children, inner=parts
        )

    def _ask_for_stand_ins(self, raw: ConcreteNode, part: LooseNode) -> None:
        """Ask the parser which inner nodes may replace a part whose slot no hidden rule names.

        So `x` may replace `x = 0` in a declaration even if no such declaration was seen.
        """
        inner, part.inner = part.inner, ()
        if part.slot != part.symbol:
            return
        for one in inner:
            question = (raw.label, part.symbol, one.symbol)
            known = one.symbol == part.symbol or question in self._knowledge.asked
            if known or not one.named or one.kind in _LISTS:
                continue
            self._knowledge.asked.add(question)
            text = self._prober.text(one.start, one.end)
            if self._prober.stays(raw, Splice(part.start, part.end, text)):
                self._knowledge.stand_ins.add((part.slot, one.slot, one.symbol))

    @staticmethod
    def _optional(raw: ConcreteNode, parts: Sequence[LooseNode], key: int) -> Node:
        """Return a run of parts as an optional."""
        if len(parts) == 1:
            part = parts[0]
            if part.kind is Kind.STAR:
                return part.node(key)
            return Branch(Kind.OPTIONAL, part.slot, [part.node(0)], slot=part.slot, key=key)
        inner = [part.node(at) for at, part in enumerate(parts)]
        name = f"{raw.label}_part"
        group = Branch(Kind.REGULAR, name, inner, slot=name)
        return Branch(Kind.OPTIONAL, name, [group], slot=name, key=key)

    def _fold_lists(self, raw: ConcreteNode, below: list[LooseNode]) -> list[LooseNode]:
        """Turn each repetition into a list node, with the neighbours that belong to it."""
        parts: list[LooseNode] = []
        index = 0
        while index < len(below):
            part = below[index]
            index += 1
            if not part.units:
                parts.append(part)
                continue
            children: list[tuple[LooseNode, bool]] = []
            leading = _common_separator(part.units, first=True)
            trailing = _common_separator(part.units, first=False)
            if leading and parts and parts[-1].named and not parts[-1].units:
                children.append((parts.pop(), False))
            for unit in part.units:
                children.extend(_elements(unit, raw.label, bool(leading or trailing)))
            if leading and index < len(below) and below[index].symbol == leading:
                children.append((below[index], True))
                index += 1
            elif trailing and index < len(below) and below[index].slot == part.units[0][0].slot:
                children.append((below[index], False))
                index += 1
            parts.append(self._list(raw, part.symbol, children))
        return parts

    def _list(
        self, raw: ConcreteNode, repetition: str, children: list[tuple[LooseNode, bool]]
    ) -> LooseNode:
        """Make the list node. It is a star until the parser refuses an empty one.

        All lists of a repetition accept the same elements, so their elements have one slot.
        """
        name = f"{raw.label}_list"
        slot = f"{repetition} item".replace("_repeat1 ", " ")
        nodes: list[Node] = []
        for part, separates in children:
            for inner in _flat(part) if part.units else [part]:
                if not separates:
                    self._knowledge.fits.add((slot, inner.symbol))
                    self._knowledge.fits.add((slot, inner.slot))
                nodes.append(inner.node(len(nodes), SEPARATOR if separates else slot))
        start, end = children[0][0].start, children[-1][0].end
        return LooseNode(Kind.STAR, name, name, start, end, children=nodes)

    def _windows(
        self, raw: ConcreteNode, slots: tuple[str, ...], parts: Sequence[LooseNode]
    ) -> tuple[tuple[int, int], ...]:
        """Return the optional runs of parts, as (start, width)."""
        key = (raw.label, slots)
        known = self._knowledge.windows.get(key)
        if known is None:
            known = self._probe(raw, parts) if len(parts) <= _MOST_CHILDREN else ()
            self._knowledge.windows[key] = known
            self._knowledge.unconfirmed[key] = _CONFIRMATIONS if known else 0
        elif self._knowledge.unconfirmed[key]:
            self._knowledge.unconfirmed[key] -= 1
            known = tuple(one for one in known if self._spare(raw, parts, *one))
            self._knowledge.windows[key] = known
        return known

    def _probe(self, raw: ConcreteNode, parts: Sequence[LooseNode]) -> tuple[tuple[int, int], ...]:
        """Ask the parser which runs of parts are optional, narrow ones first."""
        found: list[tuple[int, int]] = []
        taken: set[int] = set()
        for width in range(1, _WIDEST_WINDOW + 1):
            for start in range(len(parts) - width + 1):
                inside = range(start, start + width)
                if taken.intersection(inside):
                    continue
                if width == len(parts) and parts[0].kind is not Kind.STAR:
                    continue  # a whole node: its parent decides
                if not _promising(parts[start : start + width]):
                    continue
                if self._spare(raw, parts, start, width):
                    found.append((start, width))
                    taken.update(inside)
        return tuple(found)

    def _spare(self, raw: ConcreteNode, parts: Sequence[LooseNode], start: int, width: int) -> bool:
        here, there = parts[start].start, parts[start + width - 1].end
        return self._prober.spare(raw, here, there, self._tokens.cut(here, there))


def _promising(window: Sequence[LooseNode]) -> bool:
    """Return whether to ask the parser about a run of parts, which is what costs most.

    Brackets go together or not at all. Parts that only go together have a word or a sign at one of
    their ends, such as `-> type`.
    """
    signs = [part.symbol for part in window if part.token is not None and not part.named]
    if any(sign in _BRACKETS for sign in signs):
        opened = sum(sign in _OPENING for sign in signs)
        if 2 * opened != sum(sign in _BRACKETS for sign in signs):
            return False
    ends = (window[0], window[-1])
    return len(window) == 1 or any(part.token is not None and not part.named for part in ends)


def _units(run: list[LooseNode]) -> list[list[LooseNode]]:
    """Split the parts of one repetition node into units.

    Named parts and tokens together are one unit, such as a comma and its element. Without tokens,
    each named part is a unit, as the parser does not wrap units of one part.
    """
    if not run:
        return []
    if any(part.named for part in run) and any(not part.named for part in run):
        return [run]
    return [[part] for part in run]


def _flat(part: LooseNode) -> list[LooseNode]:
    return [inner for unit in part.units for inner in unit]


def _separator(unit: Sequence[LooseNode], *, first: bool) -> str:
    """Return the separator's symbol if a unit is one element with a separator on that side."""
    if len(unit) != 2:
        return ""
    separator, element = unit if first else (unit[1], unit[0])
    return separator.symbol if element.named and _is_sign(separator) else ""


def _common_separator(units: Sequence[Sequence[LooseNode]], *, first: bool) -> str:
    """Return the separator that all units have on that side, if they do.

    A sign that only some have belongs to them: `public:` among the members of a class.
    """
    symbols = {_separator(unit, first=first) for unit in units}
    return symbols.pop() if len(symbols) == 1 else ""


def _is_sign(part: LooseNode) -> bool:
    return part.token is not None and not part.named


def _elements(unit: list[LooseNode], label: str, separated: bool) -> list[tuple[LooseNode, bool]]:
    """Return a unit's parts, each with whether it is a separator."""
    if len(unit) == 1:
        return [(unit[0], False)]
    if separated:
        return [(part, not part.named) for part in unit]
    name = f"{label}_item"
    children: list[Node] = []
    for part in unit:
        for inner in _flat(part) if part.units else [part]:
            children.append(inner.node(len(children)))
    group = LooseNode(Kind.REGULAR, name, name, unit[0].start, unit[-1].end, children=children)
    return [(group, False)]
