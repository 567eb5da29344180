"""From rules with quantifiers to plain productions without ε.

Whatever can be empty is left out of a production instead (one production for each way to leave
things out), because an ε reduction has to be decided before anything of it was seen: without them
there are far fewer conflicts, and each token costs fewer steps. Entries remember what was left out,
so that trees show it.

`E (S E)*` with tokens for S becomes one list with separators, and so does a rule that spells a list
by recursion (`list: list ',' item | item`): an element and a separator then go together.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import prod
from typing import Final

from marrow.grammar.model.literal_tokens import literal_name, set_name
from marrow.grammar.parser.bnf import (
    ABSENT,
    END_TERMINAL,
    CharacterClasses,
    Entry,
    Production,
    Shape,
)
from marrow.grammar.parser.shared_expressions import Form, ListFinder, Part, Pool
from marrow.tree.node import SEPARATOR, Kind

#: A sequence with more parts that may be empty is cut in two: four make at most 16 productions.
_MOST_NULLABLE: Final = 4

#: Choices between tokens or rules are multiplied out as long as a sequence stays below this number
#: of productions; it saves a reduction for each operator, and conflicts.
_MOST_PRODUCTIONS: Final = 24

_WRAPS: Final = {Form.STAR: Kind.STAR, Form.PLUS: Kind.PLUS, Form.OPTIONAL: Kind.OPTIONAL}
_SUFFIXES: Final = {Kind.STAR: "star", Kind.PLUS: "plus", Kind.OPTIONAL: "opt"}


@dataclass(frozen=True, slots=True)
class Item:
    """A part as a child: its symbol, and the entry for it; `real` names what it holds."""

    symbol: int
    entry: Entry
    real: str


class Lowering:
    """Makes the productions of all rules."""

    def __init__(
        self,
        pool: Pool,
        rules: dict[str, tuple[int, ...]],
        nullable: frozenset[int],
        terminals: dict[str, int],
        classes: CharacterClasses | None,
        hints: Mapping[int, str],
        lists: ListFinder | None,
    ) -> None:
        self._pool: Final = pool
        self._nullable: Final = nullable
        self._terminals: Final = terminals
        self._classes: Final = classes
        self._taken: Final = {*rules, *terminals}
        self._numbered: dict[str, int] = {}  # the last number given to a name
        self._hints: Final = hints
        self._lists: Final = lists
        self._owner = ""
        self._items: dict[int, Item] = {}
        self._symbols: dict[tuple[object, ...], int] = {}
        self._todo: deque[tuple[str, Callable[[], None]]] = deque()
        self._seen: set[tuple[int, tuple[int, ...]]] = set()
        self.names: Final[list[str]] = list(terminals)
        self.productions: Final[list[Production]] = []
        self.units: Final[dict[str, set[str]]] = {}
        self.starts: Final[dict[str, int]] = {}
        for name in rules:
            self.starts[name] = self._symbol(name)
            self._todo.append((name, partial(self._lower_rule, name, rules[name])))
        while self._todo:
            self._owner, work = self._todo.popleft()
            work()

    def _symbol(self, name: str) -> int:
        self.names.append(name)
        return len(self.names) - 1

    def _shared(self, key: tuple[object, ...], name: str, work: Callable[[int], None]) -> int:
        """Return the symbol for a key; one that is new is handed to `work` later."""
        symbol = self._symbols.get(key)
        if symbol is None:
            symbol = self._symbols[key] = self._symbol(name)
            self._todo.append((self._owner, partial(work, symbol)))
        return symbol

    def _new_name(self, number: int, part: int | None, suffix: str) -> str:
        """Return a readable name for a part: after what is repeated, else after the rule."""
        if number in self._hints:
            return self._hints[number]
        base = self._owner
        if part is not None:
            inside = self._pool.parts[part]
            if inside.form is Form.RULE or inside.name.isidentifier():
                base = inside.name
        name = wanted = f"{base}_{suffix}"
        count = self._numbered.get(wanted, 1)
        while name in self._taken:
            count += 1
            name = f"{wanted}{count}"
        self._numbered[wanted] = count
        self._taken.add(name)
        return name

    def _listed(self, parts: Sequence[int]) -> tuple[int, ...]:
        """Return a sequence with its lists found, if they are wanted."""
        return tuple(parts) if self._lists is None else self._lists.listed(parts)

    # -- parts as children --------------------------------------------------------------------

    def item(self, number: int) -> Item:
        """Return a part as a child of something."""
        if number not in self._items:
            self._items[number] = self._make_item(number)
        return self._items[number]

    def _make_item(self, number: int) -> Item:
        part = self._pool.parts[number]
        match part.form:
            case Form.TERMINAL:
                return Item(self._terminals[part.name], Entry(0, part.name, part.name), part.name)
            case Form.TEXT | Form.SET:
                return self._spelled(part)
            case Form.RULE:
                return Item(self.starts[part.name], Entry(0, part.name), part.name)
            case Form.STAR | Form.PLUS:
                return self._list_item(number, part.parts[0], None, _WRAPS[part.form])
            case Form.LIST:
                return self._list_item(number, part.parts[0], part.parts[1], Kind.PLUS)
            case Form.OPTIONAL:
                return self._optional_item(number, part.parts[0])
            case Form.CHOICE:
                name = self._new_name(number, None, "choice")
                return Item(self._choice_symbol(number, name), Entry(0, name), name)
            case Form.SEQUENCE:
                listed = self._listed(part.parts)
                if len(listed) == 1:  # `(E (S E)*)` is nothing but a list
                    return self.item(listed[0])
                name = self._new_name(number, None, "item")
                body = partial(self._produce, parts=part.parts, shape=Shape.NODE, name=name)
                return Item(self._shared(("item", number), name, body), Entry(0, name), name)

    def _spelled(self, part: Part) -> Item:
        """Return a literal or a set of characters of a scannerless grammar."""
        name = literal_name(part.name) if part.form is Form.TEXT else set_name(part.ranges)
        if part.ignore_case:
            name += "i"
        assert self._classes is not None, "a grammar with tokens has no such parts"
        spelled = self._classes.spell(part)
        entry = Entry(0, name, name)
        if len(spelled) == 1 and len(spelled[0]) == 1:
            return Item(spelled[0][0], entry, name)
        symbol = self._symbol(name)
        if len(spelled) > 1 and prod(map(len, spelled)) > _MOST_PRODUCTIONS:
            spelled = [[self._one_of(kinds)] for kinds in spelled]
        self._spell(symbol, name, spelled)
        return Item(symbol, entry, name)

    def _spell(self, symbol: int, name: str, spelled: Sequence[Sequence[int]]) -> None:
        for option, right in enumerate(product(*spelled)):
            self.productions.append(Production(symbol, right, 0, option, Shape.TOKEN, name, ()))

    def _one_of(self, kinds: Sequence[int]) -> int:
        """Return a symbol for one character of a literal whose case does not matter."""
        key = ("one of", *kinds)
        if key not in self._symbols:
            self._symbols[key] = self._symbol("")
            self._spell(self._symbols[key], "", [kinds])
        return self._symbols[key]

    def _list_item(self, number: int, element: int, separator: int | None, kind: Kind) -> Item:
        inside = self.item(element)
        suffix = _SUFFIXES[kind] if separator is None else "list"
        if separator is not None and kind is Kind.STAR:
            suffix = "list_opt"
        name = self._new_name(number, element, suffix)
        self._unit(name, inside.entry.wrap_name or inside.entry.slot)
        self._unit(inside.entry.slot, inside.real)
        body = partial(self._lower_list, element=element, separator=separator)
        symbol = self._shared(("list", element, separator), name, body)
        return Item(symbol, Entry(0, "", "", kind, name, name), name)

    def _optional_item(self, number: int, inner: int) -> Item:
        items = self._listed(self._pool.items(inner))
        if len(items) == 1 and self._pool.form(items[0]) is Form.LIST:
            element, separator = self._pool.parts[items[0]].parts
            return self._list_item(number, element, separator, Kind.STAR)
        inside = self.item(inner)
        name = self._new_name(number, inner, "opt")
        self._unit(name, inside.entry.slot)
        self._unit(inside.entry.slot, inside.real)
        entry = replace(inside.entry, wrap=Kind.OPTIONAL, wrap_name=name, wrap_slot=name)
        return Item(inside.symbol, entry, name)

    def _choice_symbol(self, number: int, slot: str) -> int:
        body = partial(self._lower_choice, number=number, slot=slot)
        return self._shared(("choice", number, slot), slot, body)

    # -- bodies -------------------------------------------------------------------------------

    def _lower_rule(self, name: str, alternatives: tuple[int, ...]) -> None:
        symbol = self.starts[name]
        for index, number in enumerate(alternatives):
            self._produce(symbol, self._pool.items(number), Shape.NODE, name, index)

    def _lower_choice(self, symbol: int, number: int, slot: str) -> None:
        """A choice inside a rule: sequences get a node, single parts have the choice's slot."""
        for index, alternative in enumerate(self._pool.alternatives(number)):
            items = self._listed(self._pool.items(alternative))
            if len(items) == 1:
                self._unit(slot, self.item(items[0]).real)
                self._produce(symbol, items, Shape.SPLICE, slot, index, slot)
            else:
                self._produce(symbol, items, Shape.NODE, slot, index)

    def _lower_list(self, symbol: int, element: int, separator: int | None) -> None:
        first = self._options(element)
        between = [] if separator is None else [self._separator(separator)]
        itself = Item(symbol, Entry(0, ""), "")
        self._combine(symbol, [first], 0, Shape.SPLICE, "")
        self._combine(symbol, [[itself], *between, first], 1, Shape.SPLICE, "")

    def _separator(self, number: int) -> list[Item]:
        return [
            replace(item, entry=replace(item.entry, slot=SEPARATOR))
            for item in self._choices(number, SEPARATOR)
        ]

    def _produce(
        self,
        symbol: int,
        parts: Sequence[int],
        shape: Shape,
        name: str,
        alternative: int = 0,
        slot: str = "",
    ) -> None:
        """Make the productions of a sequence; `slot` replaces the slot of a single part."""
        parts = self._listed(parts)
        count = sum(part in self._nullable for part in parts)
        if count > _MOST_NULLABLE:
            middle = len(parts) // 2
            options = [self._half(parts[:middle]), self._half(parts[middle:])]
        else:
            options = self._multiplied(parts)
        if slot:
            options = [[_in_slot(item, slot) for item in one] for one in options]
        self._combine(symbol, options, alternative, shape, name)

    def _half(self, parts: Sequence[int]) -> list[Item]:
        """Return a part of a long sequence, as a symbol without a node of its own."""
        number = self._pool.add(Part(Form.SEQUENCE, tuple(parts)))
        body = partial(self._produce, parts=tuple(parts), shape=Shape.SPLICE, name="")
        whole = Item(self._shared(("half", number), "", body), Entry(0, ""), "")
        if all(part in self._nullable for part in parts):
            return [whole, Item(ABSENT, Entry(ABSENT, "", empty=number), "")]
        return [whole]

    def _multiplied(self, parts: Sequence[int]) -> list[list[Item]]:
        """Return the ways to write each part, choices multiplied out as long as they are few."""
        plain = [self._options(part, inline=False) for part in parts]
        total = prod(map(len, plain))
        for index, part in enumerate(parts):
            inlined = self._options(part)
            grown = total // len(plain[index]) * len(inlined)
            if grown <= _MOST_PRODUCTIONS:
                plain[index] = inlined
                total = grown
        return plain

    def _options(self, number: int, inline: bool = True) -> list[Item]:
        """Return the ways to write a part: as itself, multiplied out, or left out."""
        item = self.item(number)
        options: list[Item] = [item]
        part = self._pool.parts[number]
        if inline:
            choice = part.parts[0] if part.form is Form.OPTIONAL else number
            if self._pool.form(choice) is Form.CHOICE:
                options = [
                    replace(one, entry=replace(item.entry, token=one.entry.token))
                    for one in self._choices(choice, item.entry.slot)
                ]
        if number in self._nullable:
            empty = replace(item.entry, child=ABSENT, empty=number)
            options.append(Item(ABSENT, empty, ""))
        return options

    def _choices(self, number: int, slot: str) -> list[Item]:
        """Return the alternatives of a choice between tokens and rules, else its symbol."""
        alternatives = self._pool.alternatives(number)
        simple = all(
            self._pool.form(one) in (Form.TERMINAL, Form.RULE, Form.TEXT, Form.SET)
            and one not in self._nullable
            for one in alternatives
        )
        items = [self.item(one) for one in alternatives] if simple else []
        if not simple or any(item.symbol == END_TERMINAL for item in items):
            return [Item(self._choice_symbol(number, slot), Entry(0, slot), slot)]
        if len(alternatives) > 1:
            for item in items:
                self._unit(slot, item.real)
        return items

    def _combine(
        self,
        symbol: int,
        options: Sequence[Sequence[Item]],
        alternative: int,
        shape: Shape,
        name: str,
    ) -> None:
        for option, chosen in enumerate(product(*options)):
            right: list[int] = []
            entries: list[Entry] = []
            units: list[str] = []
            for item in chosen:
                if item.entry.child == ABSENT:
                    entries.append(item.entry)
                    continue
                if item.symbol != END_TERMINAL:
                    entries.append(_placed(item.entry, len(right)))
                    units.append(item.entry.wrap_name or item.entry.slot)
                    # A quantifier has its own slot; what it holds, the slot inside.
                    whole = item.entry.wrap is not None and item.real == item.entry.wrap_name
                    self._unit(item.entry.wrap_slot if whole else item.entry.slot, item.real)
                right.append(item.symbol)
            key = symbol, tuple(right)
            if not right or right == [symbol] or key in self._seen:
                continue
            self._seen.add(key)
            if shape is Shape.NODE and len(units) == 1:
                self._unit(name, units[0])
            made = Production(*key, alternative, option, shape, name, tuple(entries))
            self.productions.append(made)

    def _unit(self, slot: str, symbol: str) -> None:
        """Note that a slot accepts a symbol."""
        if slot and symbol and slot != symbol and slot != SEPARATOR:
            self.units.setdefault(slot, set()).add(symbol)


def _placed(entry: Entry, child: int) -> Entry:
    """Return the entry of another child; written out, as large grammars do this often."""
    if entry.child == child:
        return entry
    wrap = entry.wrap, entry.wrap_name, entry.wrap_slot
    return Entry(child, entry.slot, entry.token, *wrap, entry.empty)


def _in_slot(item: Item, slot: str) -> Item:
    """Return a child with another slot: that of the quantifier node, if it has one."""
    if item.entry.wrap is not None:
        return replace(item, entry=replace(item.entry, wrap_slot=slot))
    return replace(item, entry=replace(item.entry, slot=slot))
