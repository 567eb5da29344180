"""From a grammar to what the parser works with: productions, a lexer, and the empty trees."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from marrow.base.reachability import reached
from marrow.grammar.model.analysis import require_usable
from marrow.grammar.model.expressions import references, within
from marrow.grammar.model.literal_tokens import implicit_tokens
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    Action,
    Expression,
    Grammar,
    Reference,
    Repeat,
    alternatives,
    bare,
)
from marrow.grammar.model.rules import Sequence as SequenceOf
from marrow.grammar.parser.bnf import Bnf, CharacterClasses, Entry, Production
from marrow.grammar.parser.lexer import Lexer
from marrow.grammar.parser.lower import Lowering
from marrow.grammar.parser.shared_expressions import Form, ListFinder, Part, Pool, list_body
from marrow.tree.node import Branch, Extent, Kind

_NOTHING: Final = Extent(0, 0, None, None)


def nullable_parts(pool: Pool, rules: Mapping[str, tuple[int, ...]]) -> list[int]:
    """Return the parts that derive the empty text, each after what proves it.

    What is proved in fewer steps comes first; it decides which empty tree a rule gets.
    """
    users: dict[int, list[int]] = {}
    missing: list[int] = []  # how many more parts below have to be empty
    waiting: deque[int] = deque()
    for number, part in enumerate(pool.parts):
        below = {*rules[part.name]} if part.form is Form.RULE else {*part.parts}
        missing.append(len(below) if part.form is Form.SEQUENCE else 1)
        if part.form in (Form.STAR, Form.OPTIONAL) or part == Part(Form.SEQUENCE):
            waiting.append(number)
        elif part.form is not Form.LIST:  # whose elements are not empty
            for one in below:
                users.setdefault(one, []).append(number)
    proved: dict[int, None] = {}
    while waiting:
        number = waiting.popleft()
        proved[number] = None
        for user in users.get(number, ()):
            missing[user] -= 1
            if not missing[user]:
                waiting.append(user)
    return list(proved)


class Empties:
    """Builds the empty trees, in the order in which parts were proved to be empty."""

    def __init__(
        self,
        pool: Pool,
        rules: Mapping[str, tuple[int, ...]],
        proved: list[int],
        entry: Callable[[int], Entry],
    ) -> None:
        self._pool: Final = pool
        self._entry: Final = entry
        self.nodes: Final[dict[int, tuple[Branch, ...]]] = {}
        self.rules: Final[dict[str, Branch]] = {}
        users: dict[int, list[str]] = {}
        for name, numbers in rules.items():
            for number in numbers:
                users.setdefault(number, []).append(name)
        for number in proved:
            self.nodes[number] = self._make(number)
            for name in users.get(number, ()):
                if name not in self.rules:
                    self.rules[name] = _regular(name, self.sequence(number))

    def sequence(self, number: int) -> tuple[Branch, ...]:
        """Return the nodes of a sequence of which every part is empty."""
        return tuple(node for item in self._pool.items(number) for node in self.nodes[item])

    def _make(self, number: int) -> tuple[Branch, ...]:
        """Return what an empty part shows as a child."""
        part = self._pool.parts[number]
        match part.form:
            case Form.RULE:
                return (self.rules[part.name],)
            case Form.SEQUENCE:
                return self.sequence(number) if part.parts else ()
            case Form.CHOICE:
                slot = self._entry(number).slot
                chosen = next(one for one in part.parts if one in self.nodes)
                if self._pool.form(chosen) is Form.SEQUENCE:
                    return (_regular(slot, self.sequence(chosen)),)
                return tuple(node.placed(key=0, slot=slot) for node in self.nodes[chosen])
        entry, inner = self._entry(number), part.parts[0]
        children: tuple[Branch, ...] = ()
        if part.form is Form.PLUS:
            children = self.nodes[inner]
            if self._pool.form(inner) is Form.SEQUENCE:
                children = (_regular(self._entry(inner).slot, children),)
        return (_branch(entry.wrap or Kind.STAR, entry.wrap_name, children),)


def _regular(name: str, children: tuple[Branch, ...]) -> Branch:
    return _branch(Kind.REGULAR, name, children)


def _branch(kind: Kind, name: str, children: tuple[Branch, ...]) -> Branch:
    placed = [child.placed(key=key, slot=child.slot) for key, child in enumerate(children)]
    return Branch(kind, name, placed, slot=name, extent=_NOTHING)


@dataclass(frozen=True, slots=True)
class Translation:
    """A grammar, ready for tables. `implicit` has the tokens that no token rule defines."""

    bnf: Bnf
    lexer: Lexer
    implicit: Mapping[str, Expression]


def translate(grammar: Grammar, *, lists: bool = True) -> Translation:
    """Translate a grammar; raise `GrammarError` if it cannot be used.

    Without `lists` none is looked for: trees are those of the rules as their author wrote them.
    """
    require_usable(grammar)
    literals, named = implicit_tokens(grammar)
    inlined = _inlined(grammar)
    pool = Pool(frozenset(grammar.rules), None if grammar.scannerless else literals, inlined)
    rules, right = _rules(grammar, pool, lists=lists)
    classes = CharacterClasses(pool.parts) if grammar.scannerless else None
    implicit: Mapping[str, Expression] = named if classes is None else classes.tokens
    terminals = {name: number for number, name in enumerate(_terminals(grammar, implicit))}
    # What was inlined keeps the name that it has in the normal form.
    hints = {pool.number(body): name for name, body in reversed(inlined.items())}
    bnf = _lower(pool, rules, right, terminals, classes, hints, lists=lists)
    return Translation(bnf, Lexer(grammar, terminals, implicit), implicit)


def _inlined(grammar: Grammar) -> dict[str, Expression]:
    """Return the auxiliary rules that only name a quantifier or a sequence, and their bodies.

    Normalising makes such rules. Shown as nodes of their own they would separate a list and
    its elements; in their place, lists with separators are found as the author wrote them.
    """
    auxiliary = [rule for rule in grammar.rules.values() if rule.auxiliary]
    bodies = {rule.name: bare(rule.body) for rule in auxiliary}
    bodies = {name: one for name, one in bodies.items() if isinstance(one, Repeat | SequenceOf)}
    below = {
        name: {one.name for one in references(body) if one.name in bodies}
        for name, body in bodies.items()
    }
    # A rule that reaches itself through such rules alone would be put into itself for ever.
    return {
        name: body
        for name, body in bodies.items()
        if name not in reached(below[name], below.__getitem__)
    }


def _terminals(grammar: Grammar, implicit: Iterable[str]) -> list[str]:
    """Return the names of the terminals, the end of the input first."""
    names = dict.fromkeys([END_OF_INPUT, *implicit])
    for token in grammar.tokens.values():
        if not token.fragment:
            names[token.name] = None
        names.update(dict.fromkeys(token.arguments(Action.TYPE)))
    for one in within(grammar.rules, Reference):
        if one.name not in grammar.rules:
            names[one.name] = None
    return list(names)


def _rules(
    grammar: Grammar, pool: Pool, *, lists: bool
) -> tuple[dict[str, tuple[int, ...]], dict[str, dict[int, bool]]]:
    """Return the alternatives of the rules, and which of them associate to the right."""
    rules: dict[str, tuple[int, ...]] = {}
    right: dict[str, dict[int, bool]] = {}
    for name, rule in grammar.rules.items():
        flat: dict[int, bool] = {}
        for alternative in alternatives(rule.body):
            to_right = isinstance(alternative, SequenceOf) and alternative.right
            for number in pool.alternatives(pool.number(alternative)):
                flat.setdefault(number, to_right)
        rules[name] = tuple(flat)
        right[name] = {index: flag for index, flag in enumerate(flat.values()) if flag}
    nullable = frozenset(nullable_parts(pool, rules))
    for name, numbers in rules.items():
        listed = list_body(pool, name, numbers, nullable) if lists else None
        if listed is not None:
            rules[name] = (listed,)
        elif pool.empty in numbers and len(numbers) > 1:
            itself = (pool.add(Part(Form.RULE, name=name)),)
            if all(pool.items(number)[:1] != itself for number in numbers):
                rules[name] = (pool.choice(numbers),)
    return rules, right


def _lower(
    pool: Pool,
    rules: dict[str, tuple[int, ...]],
    right: Mapping[str, Mapping[int, bool]],
    terminals: dict[str, int],
    classes: CharacterClasses | None,
    hints: Mapping[int, str],
    *,
    lists: bool,
) -> Bnf:
    proved = nullable_parts(pool, rules)
    nullable = frozenset(proved)
    finder = ListFinder(pool, rules, nullable) if lists else None
    lowering = Lowering(pool, rules, nullable, terminals, classes, hints, finder)
    empties = Empties(pool, rules, proved, lambda number: lowering.item(number).entry)
    nodes = {
        entry.empty: empties.nodes.get(entry.empty) or empties.sequence(entry.empty)
        for production in lowering.productions
        for entry in production.entries
        if entry.empty >= 0
    }
    splitter = Splitter(len(lowering.names))
    by_left: dict[int, list[Production]] = {}
    for one in lowering.productions:
        by_left.setdefault(one.left, []).append(one)
    names = {symbol: name for name, symbol in lowering.starts.items()}
    productions: list[Production] = []
    for symbol, own in by_left.items():
        name = names.get(symbol)
        productions += own if name is None else splitter.split(symbol, name, own, right[name])
    return Bnf(
        terminals=tuple(terminals),
        names=(*lowering.names, *splitter.names),
        productions=tuple(productions),
        starts=lowering.starts,
        groups=splitter.groups,
        empties=nodes,
        empty_rules=empties.rules,
        units={slot: frozenset(symbols) for slot, symbols in lowering.units.items()},
    )


@dataclass(frozen=True, slots=True)
class _Operator:
    """The part of a recursive rule's production in precedence; a higher level is tighter."""

    level: int
    left: bool  # starts with the rule itself
    right: bool  # ends with it
    to_right: bool

    def takes_left(self, child: _Operator) -> bool:
        """Whether a child may be the left operand."""
        tighter = not child.left or child.to_right
        return not child.right or child.level >= self.level + tighter

    def takes_right(self, child: _Operator) -> bool:
        """Whether a child may be the right operand."""
        tighter = self.left and not self.to_right
        return not child.left or child.level >= self.level + tighter


class Splitter:
    """Gives left-recursive rules the precedence and associativity that ANTLR means.

    In `e: e '*' e | e '+' e | '-' e | ID` an earlier alternative binds tighter, and operators
    associate to the left unless their alternative says `right`. ANTLR calls the rule with a level.
    Here it is split into variants, one for each set of alternatives that may be in the same operand
    places, and each operand place lists the variants it takes. No production is added, so an
    expression takes as many steps as without precedence, and no text is lost: what a place does not
    take can be derived by turning the tree around.
    """

    def __init__(self, first_free: int) -> None:
        self._next = first_free
        self._groups: Final[dict[tuple[int, tuple[int, ...]], int]] = {}
        #: Symbols that mean any of several others.
        self.groups: Final[dict[int, tuple[int, ...]]] = {}
        #: The names of the symbols that were added, by number.
        self.names: Final[list[str]] = []

    def split(
        self, symbol: int, name: str, productions: Sequence[Production], right: Mapping[int, bool]
    ) -> list[Production]:
        """Return a rule's productions with variants; `right` has alternatives to the right."""
        operators = [
            _Operator(
                -one.alternative,
                one.right[0] == symbol,
                one.right[-1] == symbol,
                right.get(one.alternative, False),
            )
            for one in productions
        ]
        if not any(operator.left for operator in operators):
            return list(productions)
        # What tells alternatives apart as children: which operand places take them.
        signatures = [
            tuple(
                (not parent.left or parent.takes_left(child))
                + 2 * (not parent.right or parent.takes_right(child))
                for parent in operators
            )
            for child in operators
        ]
        kinds = list(dict.fromkeys(signatures))
        if len(kinds) == 1:
            return list(productions)
        variants = {kind: self._new(f"{name}.{index}") for index, kind in enumerate(kinds)}
        self.groups[symbol] = tuple(variants.values())
        result = []
        for parent, (operator, one) in enumerate(zip(operators, productions, strict=True)):
            body = list(one.right)
            if operator.left:
                body[0] = self._group(symbol, name, [variants[k] for k in kinds if k[parent] & 1])
            if operator.right:
                body[-1] = self._group(symbol, name, [variants[k] for k in kinds if k[parent] & 2])
            left = variants[signatures[parent]]
            result.append(replace(one, left=left, right=tuple(body)))
        return result

    def _new(self, name: str) -> int:
        self.names.append(name)
        self._next += 1
        return self._next - 1

    def _group(self, symbol: int, name: str, members: list[int]) -> int:
        """Return the symbol that means any of these variants."""
        if len(members) == len(self.groups[symbol]):
            return symbol
        if len(members) == 1:
            return members[0]
        key = (symbol, tuple(members))
        if key not in self._groups:
            self._groups[key] = self._new(f"{name}.any")
            self.groups[self._groups[key]] = tuple(members)
        return self._groups[key]
