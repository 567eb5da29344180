"""Budgets: the least that each symbol needs, and choices of a random derivation within a budget.

A derivation is given a budget of tokens. What a production needs at least is set aside, and the
rest is divided among those of its symbols that can use it. When nothing is left, or the derivation
is too deep, the cheapest production is taken, which leads to ever cheaper ones: every derivation
ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate
from math import exp, inf, log
from random import Random
from typing import Final, NamedTuple, TypeAlias

from marrow.grammar.model.graph import closed, cycles
from marrow.grammar.parser.bnf import END_TERMINAL, Bnf, Production, Shape

#: How often, while there is a budget left, only productions are considered that can use all of it.
#: Without, most trees are tiny: many rules have more short alternatives than long ones.
_FILL: Final = 0.75

#: How much room the elements of lists get: with less most lists would be long, and their elements
#: the smallest there are.
_ROOM: Final = 2

#: Below this budget any production will do.
_LITTLE: Final = 8

#: How often a keyword is drawn where a word may be one of its own: one in twenty.
_KEYWORDS: Final = 0.05

#: How much less often the end of the text is drawn than what may be in its place: of thirty lines
#: that may each end so, two in three texts have none before the last.
_ENDS: Final = 0.02


class Cost(NamedTuple):
    """The least that a symbol needs: tokens first, then steps of the derivation."""

    tokens: float
    steps: float


_NEVER: Final = Cost(inf, inf)


@dataclass(slots=True)
class Expansion:
    """A production as a choice: what it needs, and which symbols can use more, without a bound?"""

    number: int
    production: Production
    right: tuple[int, ...]
    cost: Cost
    needs: tuple[int, ...]
    growing: tuple[int, ...]
    endless: bool


#: Gives the weight of a production, given how many belong to the same alternative.
Weigh: TypeAlias = Callable[[Expansion, int], float]


def evenly(_: Expansion, shared: int) -> float:
    """Give all alternatives the same weight, whatever may be left out in them."""
    return 1.0 / shared


#: Options to draw from, and the sums of their weights.
_Weighted: TypeAlias = tuple[Sequence[Expansion], list[float]]


class Expansions:
    """The productions of a symbol, the cheapest one apart.

    Productions that differ only in what is left out belong to one alternative of the author.
    """

    def __init__(self, options: Sequence[Expansion], weigh: Weigh) -> None:
        self.cheapest: Final = min(options, key=lambda one: one.cost)
        self.least: Final = int(self.cheapest.cost.tokens)
        #: What an element of a list takes that has some room; the least if it can take no more.
        least = max(1, self.least)
        growing = len({one.cost.tokens for one in options}) > 1 or any(
            one.growing for one in options
        )
        self.usual: Final = _ROOM * least + _ROOM if growing else least
        self._most_needed: Final = max(one.cost.tokens for one in options)
        self.all: Final = options
        self._all: Final = _weighted(options, weigh)
        self._roomy: Final = _weighted([one for one in options if one.endless], weigh)
        self._weigh: Final = weigh
        self._fitting: Final[dict[int, _Weighted]] = {}

    def choose(self, budget: int, random: Random) -> Expansion:
        """Choose a production that needs no more than the budget, or as little as possible."""
        if budget < self._most_needed:
            if budget not in self._fitting:
                enough = max(budget, self.least)
                few = [one for one in self.all if one.cost.tokens <= enough]
                self._fitting[budget] = _weighted(few, self._weigh)
            options, sums = self._fitting[budget]
        elif budget >= _LITTLE and self._roomy[0] and random.random() < _FILL:
            options, sums = self._roomy
        else:
            options, sums = self._all
        return options[0] if len(options) == 1 else random.choices(options, cum_weights=sums)[0]


def _weighted(options: Sequence[Expansion], weigh: Weigh) -> _Weighted:
    sizes = Counter(one.production.alternative for one in options)
    weights = (weigh(one, sizes[one.production.alternative]) for one in options)
    return options, list(accumulate(weights))


class Chooser:
    """All choices of a grammar's productions. `available` says which terminals have a text."""

    def __init__(
        self,
        bnf: Bnf,
        available: Callable[[int], bool],
        keywords: Set[int],
        weigh: Weigh,
    ) -> None:
        numbers = _by_left(bnf)
        self._costs: Final = _costs(bnf, numbers, available)
        #: The symbols that are only ever a keyword.
        self.keywords: Final = _only_keywords(bnf, numbers, keywords)
        growth = _growth(bnf, numbers, self._costs)
        options = [
            _option(number, production, self._costs, growth)
            for number, production in enumerate(bnf.productions)
        ]
        self.options: Final[dict[int, Expansions]] = {}
        self.steps: Final[dict[int, Expansions]] = {}
        for symbol, members in numbers.items():
            usable = [options[number] for number in members if options[number].cost != _NEVER]
            again = [one for one in usable if is_step(one.production)]
            # A list that a production continues is drawn as a whole, not step by step.
            once = [one for one in usable if not is_step(one.production)]
            if once:
                self.options[symbol] = Expansions(once, self._seldom(once, weigh))
                if again:
                    self.steps[symbol] = Expansions(again, weigh)

    def is_keyword(self, option: Expansion) -> bool:
        """Whether a production is nothing but a keyword."""
        return len(option.right) == 1 and option.right[0] in self.keywords

    def _seldom(self, options: Sequence[Expansion], weigh: Weigh) -> Weigh:
        """Return the weights of productions, with little for those that are seldom meant.

        Where a name may be one of seven contextual keywords, most names would be one of them. And
        where a line may end with the text, only the last one can.
        """
        few = sum(map(self.is_keyword, options))
        factor = min(1.0, _KEYWORDS * (len(options) - few) / few) if 0 < few < len(options) else 1.0

        def seldom(option: Expansion, shared: int) -> float:
            weight = weigh(option, shared) * (factor if self.is_keyword(option) else 1.0)
            return weight * _ENDS if END_TERMINAL in option.right else weight

        return seldom

    def usable(self, symbol: int) -> bool:
        """Whether a symbol derives a text."""
        return self._costs.get(symbol, _NEVER) != _NEVER


def is_step(production: Production) -> bool:
    """Whether a production continues a list: `list -> list element`."""
    return (
        production.shape is Shape.SPLICE
        and len(production.right) > 1
        and production.right[0] == production.left
    )


def _by_left(bnf: Bnf) -> dict[int, list[int]]:
    """Return the productions of each symbol; a group has those of its members."""
    numbers: dict[int, list[int]] = {}
    for number, production in enumerate(bnf.productions):
        numbers.setdefault(production.left, []).append(number)
    for group, members in bnf.groups.items():
        numbers[group] = [number for member in members for number in numbers.get(member, ())]
    return numbers


def _costs(
    bnf: Bnf, numbers: dict[int, list[int]], available: Callable[[int], bool]
) -> dict[int, Cost]:
    """Return the least cost of each symbol that derives a text."""
    costs = {
        terminal: Cost(1, 1) for terminal in range(1, len(bnf.terminals)) if available(terminal)
    }
    # The end of the text is dearer than a line break in its place.
    costs[END_TERMINAL] = Cost(1, 2)
    users: dict[int, set[int]] = {}
    for symbol, members in numbers.items():
        for number in members:
            for other in bnf.productions[number].right:
                users.setdefault(other, set()).add(symbol)
    waiting = dict.fromkeys(numbers)
    while waiting:
        symbol, _ = waiting.popitem()
        best = min(_cost(bnf.productions[number], costs) for number in numbers[symbol])
        if best < costs.get(symbol, _NEVER):
            costs[symbol] = best
            waiting.update(dict.fromkeys(users.get(symbol, ())))
    return costs


def _cost(production: Production, costs: dict[int, Cost]) -> Cost:
    tokens, steps = 0.0, 1.0
    for symbol in production.right:
        cost = costs.get(symbol, _NEVER)
        tokens += cost.tokens
        steps += cost.steps
    if production.shape is Shape.TOKEN and tokens != inf:
        tokens = 1
    return Cost(tokens, steps)


def _only_keywords(bnf: Bnf, numbers: dict[int, list[int]], keywords: Set[int]) -> set[int]:
    """Return the keywords, and the symbols that derive nothing but one."""
    found = set(keywords)
    size = -1
    while size < len(found):
        size = len(found)
        for symbol, members in numbers.items():
            rights = [bnf.productions[number].right for number in members]
            if rights and all(len(right) == 1 and right[0] in found for right in rights):
                found.add(symbol)
    return found


#: What a symbol may take: more than it needs, or without a bound.
_MORE: Final = 1
_ENDLESS: Final = 2


def _growth(bnf: Bnf, numbers: dict[int, list[int]], costs: dict[int, Cost]) -> dict[int, int]:
    """Return what each symbol may take, as bits."""
    graph: dict[int, list[int]] = {}
    growth: dict[int, int] = {}
    for symbol, members in numbers.items():
        productions = [bnf.productions[number] for number in members]
        usable = [one for one in productions if _cost(one, costs) != _NEVER]
        graph[symbol] = [other for one in usable for other in one.right]
        if len({_cost(one, costs).tokens for one in usable}) > 1:
            growth[symbol] = _MORE
    for cycle in cycles(graph):
        growth.update(dict.fromkeys(cycle, _MORE | _ENDLESS))
    return closed(graph, growth)


def _option(
    number: int, production: Production, costs: dict[int, Cost], growth: dict[int, int]
) -> Expansion:
    cost = _cost(production, costs)
    right = production.right[1:] if is_step(production) else production.right
    if cost == _NEVER or production.shape is Shape.TOKEN:
        return Expansion(number, production, right, cost, (), (), False)
    if is_step(production):
        # The list so far is paid for already.
        first = costs[production.right[0]]
        cost = Cost(cost.tokens - first.tokens, cost.steps - first.steps)
    needs = tuple(int(costs[symbol].tokens) for symbol in right)
    growing = tuple(index for index, symbol in enumerate(right) if growth.get(symbol))
    endless = any(growth.get(symbol, 0) & _ENDLESS for symbol in right)
    return Expansion(number, production, right, cost, needs, growing, endless)


def divide(budget: int, needs: Sequence[int], growing: Sequence[int], random: Random) -> list[int]:
    """Divide a budget: what each needs, and the rest at random among those that can use it."""
    shares = list(needs)
    rest = budget - sum(needs)
    if rest <= 0 or not growing:
        return shares
    if len(growing) == 1:
        shares[growing[0]] += rest
        return shares
    weights = [random.random() for _ in growing]
    scale = rest / (sum(weights) or 1.0)
    for index, weight in zip(growing, weights, strict=True):
        shares[index] += int(weight * scale)
    return shares


def draw_count(most: int, random: Random) -> int:
    """Draw how many elements a list gets besides the first, up to a number: few or many alike."""
    if most <= 0:
        return 0
    return int(exp(random.random() * log(most + 1)) - 1 + random.random())
