"""The search for conditions: what values, lengths, counts and spellings make a part fail.

For parts that are needed as they are, in the order of the text. A condition is guessed from a few
texts, the simplest first, and has to survive samples on both sides: where it holds they fail, where
it does not they pass. Bounds are found by bisection, relations by moving two parts at once.
Everything is a stream of samples that depends on nothing but the input and the answers, so the
search is the same for any number of workers. Cost: a dozen tests for a part that is needed as it
is, and what `measure_search` needs for bounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import combinations, islice
from random import Random
from typing import Final

from marrow.abstraction.abstraction import Board, Search, plain_key, shown_mark
from marrow.abstraction.condition_samples import (
    nested_in,
    with_content,
    with_text,
)
from marrow.abstraction.conditions import (
    Compared,
    Condition,
    Feature,
    Form,
    OneOf,
    Shaped,
    Within,
    chain_of,
    content_of,
    form_of,
    measure,
    value_of,
)
from marrow.abstraction.groups import concrete_nodes
from marrow.abstraction.measure_search import INSIDE, OUTSIDE, MeasureSearch, Variable
from marrow.abstraction.pattern import NEW_NAME, VARIABLE, Evidence, Hole, Mark, Marked
from marrow.abstraction.samples import Fill
from marrow.abstraction.spellings import spellings
from marrow.tree import QUANTIFIED, Kind, Node, Place, Token
from marrow.tree.name_spelling import quote_of, spelled_like_name
from marrow.tree.node import render

#: Samples that must agree with a condition on either side.
_LEAST: Final = 3

#: How many texts a part may be without that no condition explains: then it is needed as it is.
_MOST_ODD: Final = 2

#: How many measures are compared with one another: the number of pairs is quadratic.
_COMPARED: Final = 8

#: Ranges of all numbers, or of all without a sign: then it may be more than numbers.
_ANY_NUMBER: Final = (((None, None),), ((Decimal(0), None),))

#: How many trees are drawn to see alternatives, and how many are tried of each.
_DRAWN: Final = 30
_EACH: Final = 3

#: How many other signs, keywords or words of the input are tried in the place of one, and how many
#: are read.
_ALTERNATIVES: Final = 12
_READ: Final = 80


class ConditionSearch(Search):
    """Looks for conditions on the parts of a board that are needed."""

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        self._measures: Final = MeasureSearch(board)
        self._seen: Final[set[tuple[Place, ...]]] = set()
        self._contents: Final[dict[tuple[Place, ...], dict[str, bool]]] = {}
        self._odd: Final[Counter[tuple[Place, ...]]] = Counter()
        self._labels = 0

    def run(self) -> bool:
        """Mark the parts for which conditions were found; return whether there are any."""
        self._checker.judge.phase("looking for conditions")
        words, lists = self._variables()
        found = self._pairs([*words, *lists])
        for number, one in enumerate((*words, *lists)):
            self._checker.judge.advance(number, len(words) + len(lists))
            marked = self._board.marks.get(one.places[0])
            new_name = marked is not None and marked.key.startswith(NEW_NAME)
            if one.places in self._seen or (self._varies(one.places[0]) and not new_name):
                continue
            self._seen.add(one.places)
            if conditions := self._conditions(one):
                self._mark(one, conditions)
                found = True
        return found

    # -- what might have a condition -------------------------------------------------------------

    def _varies(self, place: Place) -> bool:
        """Whether a place is part of something that varies already."""
        marks = self._board.marks
        return any(step in marks and marks[step].mark in VARIABLE for step in place.upwards())

    def _variables(self) -> tuple[list[Variable], list[Variable]]:
        """Return words, equal ones as one, and lists and nests, in the order of the text."""
        words: dict[tuple[str, bytes], list[tuple[Place, Node]]] = {}
        lists: list[Variable] = []
        inside: Place | None = None
        nests: set[str] = set()
        for place, node in concrete_nodes(self._board):
            if inside is not None and inside in place.upwards():
                continue
            text = render((node,))
            if self._is_word(node, text.strip()):
                inside = place
                if self._chain_varies(place, node):
                    lists.append(Variable((place,), node))
                    continue
                words.setdefault((self._material.kin(node), text), []).append((place, node))
            elif node.kind in QUANTIFIED and node.elements:
                free = all(self._varies(place.child(one.key)) for one in node.elements)
                if not free and len(node.elements) < 2:
                    continue  # what it needs is in its element
                lists.append(Variable((place,), node, Feature.COUNT, Decimal(len(node.elements))))
            elif node.symbol not in nests and nested_in(node) is not None:
                nests.add(node.symbol)
                depth = measure(Feature.DEPTH, node)
                assert depth is not None
                lists.append(Variable((place,), node, Feature.DEPTH, depth))
            elif (
                len(node.children) == 1 and self._varies(place.child(node.children[0].key))
            ) or self._only_signs(node):
                lists.append(Variable((place,), node))
        holes = (hole for hole in self._board.holes() if hole.new_name)
        found = [self._word(hole.places, self._board.node(hole.places[0])) for hole in holes]
        for same in words.values():
            if len(same) > 1:
                found.append(self._word(tuple(place for place, _ in same), same[0][1]))
            found += (self._word((place,), node) for place, node in same)
        return found, lists

    def _only_signs(self, node: Node) -> bool:
        """Whether a node is one of several in its slot, and has nothing in it: `[]`."""
        lexical = self._board.visibility.lexical
        return bool(node.children) and node.slot != node.symbol and all(map(lexical, node.children))

    def _chain_varies(self, place: Place, node: Node) -> bool:
        """Whether what a node consists of varies as a whole."""
        while len(node.children) == 1:
            place, node = place.child(node.children[0].key), node.children[0]
            if self._varies(place):
                return True
        return False

    def _is_word(self, node: Node, text: bytes) -> bool:
        """Whether a node is a number, a string, a name, or another token with several texts."""
        visibility = self._board.visibility
        if not text or b"\n" in text or node.kind in QUANTIFIED:
            return False
        if value_of(text) is not None:
            return True
        if isinstance(node, Token):
            return True
        if visibility.lexical(node):
            return False
        if all(map(visibility.lexical, node.children)):
            return True  # a rule that is nothing but signs: an operator
        touching = all(len(one.text) < 2 for one in node.children if isinstance(one, Token))
        return node.token_count == len(text) and touching and text.replace(b".", b"").isalnum()

    def _word(self, places: tuple[Place, ...], node: Node) -> Variable:
        text = render((node,)).strip()
        value = value_of(text)
        if value is not None:
            return Variable(places, node, Feature.VALUE, value)
        if quote_of(text)[0] or spelled_like_name(text) or (len(text) > 1 and text.isalnum()):
            length = measure(Feature.LENGTH, node)
            return Variable(places, node, Feature.LENGTH, length or Decimal(0))
        return Variable(places, node)

    # -- one part --------------------------------------------------------------------------------

    def _conditions(self, one: Variable) -> tuple[Condition, ...]:
        """Return the conditions of a part; none if it is needed as it is.

        Of a name the spelling is looked at first, of a string the length.
        """
        searches: list[Callable[[Variable], tuple[Condition, ...]]] = [self._alternatives]
        if one.node.children and one.feature is not Feature.COUNT:
            searches.append(self._shaped)
        if one.feature is not None:
            searches.insert(0, self._measures.within)
        if one.feature is Feature.COUNT:
            searches.append(self._of_elements)
        if one.feature is Feature.LENGTH:
            name = spelled_like_name(render((one.node,)).strip())
            searches.insert(0 if name else 1, self._spelled)
        found = next(filter(None, (search(one) for search in searches)), ())
        if any(isinstance(two, Within) and two.ranges in _ANY_NUMBER for two in found):
            return self._shaped(one) or found
        return found

    def _spelled(self, one: Variable) -> tuple[Condition, ...]:
        """Return what the texts have in common with which the input fails."""
        known = self._contents.setdefault(one.places, {})

        def ask(texts: Sequence[str]) -> list[bool | None]:
            nodes = (with_content(self._material, one.node, text) for text in texts)
            return self._measures.ask([(Fill(one.places, node),) for node in nodes])

        return spellings(one.node, ask, one.label, known)

    def refined(self, hole: Hole, passing: Node) -> bool:
        """Narrow a part by an odd text with which a sample passes: by other conditions, or without
        this text, unless there are too many of them."""
        one = self._word(hole.places, self._board.node(hole.places[0]))
        content = content_of(render((passing,)).strip()).decode("utf-8", "replace")
        near = self._board.sampler.near_at(self._board.tree, hole.places[0], hole.symbol)
        if one.feature is Feature.LENGTH and all(two.token_count == 1 for two in near):
            self._contents.setdefault(one.places, {})[content] = False
            if found := self._spelled(one):
                self._mark(one, found)
                return True
        self._odd[hole.places] += 1
        if self._odd[hole.places] > _MOST_ODD:
            return False
        odd = OneOf((render((passing,)).strip(),), negated=True, passing=1)
        conditions = (*hole.marked.conditions, odd)
        self._board.change(hole, partial(replace, conditions=conditions))
        return True

    def _shaped(self, one: Variable) -> tuple[Condition, ...]:
        """Return the alternatives of a nonterminal with which the input fails."""
        said = self._said(one, self._drawn(one, 3), form_of)
        failing = tuple(form for form, fails in said.items() if all(fails))
        # One alternative alone is the child that varies, if there is one.
        least = 1 if self._only_signs(one.node) else 2
        if form_of(one.node) not in failing or not least <= len(failing) < len(said):
            return ()
        return (_with_answers(Shaped(failing), said),)

    def _of_elements(self, one: Variable) -> tuple[Condition, ...]:
        """Return how many elements a list may have if each is a word, and of which kinds."""
        first = one.node.elements[0]
        element = Variable((one.places[0].child(first.key),), first)
        words = [node for node in self._drawn(element, 1) if node.token_count == 1]
        said = self._said(element, words, chain_of)
        failing = tuple(form for form, fails in said.items() if all(fails))
        if chain_of(first) not in failing:
            return ()
        found = self._measures.within(replace(one, forms=failing))
        return found and (*found, _with_answers(Shaped(failing, each=True), said))

    def _drawn(self, one: Variable, size: int) -> list[Node]:
        """Return other nodes for a place: those near the input, and random ones."""
        place, key = one.places[0], self._material.key(one.node)
        drawn = (self._material.draw(key, Random(f"{place}/{n}"), size, "") for n in range(_DRAWN))
        near = self._board.sampler.near_at(self._board.tree, place)
        return [*near, *(node for node in drawn if node is not None)]

    def _said(
        self, one: Variable, nodes: Iterable[Node], form: Callable[[Node], Form]
    ) -> dict[Form, list[bool]]:
        """Return the answers for the first nodes of each form."""
        forms: dict[Form, list[Node]] = {}
        for node in nodes:
            few = forms.setdefault(form(node), [])
            if len(few) < _EACH and render((node,)) != render((one.node,)):
                few.append(node)
        asked = [node for few in islice(forms.values(), _ALTERNATIVES) for node in few]
        answers = self._measures.ask_others([(Fill(one.places, node),) for node in asked])
        said: dict[Form, list[bool]] = {}
        for node, fails in zip(asked, answers, strict=True):
            if fails is not None:
                said.setdefault(form(node), []).append(fails)
        return said

    def _alternatives(self, one: Variable) -> tuple[Condition, ...]:
        """Return the few texts that a part may have: other signs, or other keywords."""
        own = render((one.node,)).strip()
        place, known = one.places[0], self._contents.get(one.places, {})
        if sum(known.values()) > 1 or self._varies(place) or self._chain_varies(place, one.node):
            return ()  # it may be others, too
        texts = self._board.alternatives(place)[:_READ]
        fills = [(Fill(one.places, with_text(self._material, one.node, text)),) for text in texts]
        read = [fill for fill in fills if self._board.sampled(fill) is not None][:_ALTERNATIVES]
        texts = [render((one.node,)).strip() for (one,) in read]
        answers = self._measures.ask_others(read)
        failing = [text for text, fails in zip(texts, answers, strict=True) if fails]
        passing = answers.count(False)
        if not failing or not passing:
            return ()
        return (OneOf(tuple(sorted((own, *failing))), failing=len(failing), passing=passing),)

    # -- two parts -------------------------------------------------------------------------------

    def _pairs(self, every: Sequence[Variable]) -> bool:
        """Compare the numbers, lengths and counts of the input with one another."""
        measured = [
            one
            for one in (*every, *self._free_words())
            if one.feature not in (None, Feature.DEPTH) and len(one.places) == 1
        ][:_COMPARED]
        found = False
        for one, other in combinations(measured, 2):
            key = (*one.places, *other.places)
            if Feature.VALUE not in (one.feature, other.feature) or key in self._seen:
                continue
            self._seen.add(key)
            if not (self._held(one) or self._held(other)):
                found = self._compare(one, other) or found
        return found

    def _held(self, one: Variable) -> bool:
        """Whether a part has conditions, or is below one that varies."""
        place = one.places[0]
        marked = self._board.marks.get(place)
        if marked is not None and marked.mark in VARIABLE:
            return bool(marked.conditions) or bool(marked.group)
        return self._varies(place)

    def _free_words(self) -> Iterator[Variable]:
        """Yield numbers and strings that vary: samples seldom show what a large one does."""
        for hole in self._board.holes():
            node = self._board.node(hole.places[0])
            text = render((node,)).strip()
            alone = len(hole.places) == 1 and not hole.marked.differs
            if alone and (quote_of(text)[0] or value_of(text) is not None):
                yield self._word(hole.places, node)

    def _compare(self, one: Variable, other: Variable) -> bool:
        """Look for a relation between two parts, and mark them if there is one."""
        away = other.number - one.number
        signs = ["=", "≤", "≥"] if not away else ["<", "≠"] if away > 0 else [">", "≠"]
        if any(self._related(one, other, sign, 0) for sign in signs):
            return True
        near = away and abs(away) <= 3 and away == away.to_integral_value()
        return bool(near) and self._related(one, other, "=", -int(away))

    def _related(self, one: Variable, other: Variable, sign: str, offset: int) -> bool:
        """Whether two parts fail as long as the first is less than, ... the second."""
        assert one.feature is not None
        assert other.feature is not None
        relation = Compared(one.feature, sign, other.places[0], other.feature, offset)
        pairs = list(_pairs_of_numbers(one, other))
        inside = [pair for pair in pairs if relation.admits(*pair)]
        failing = 0
        for some in (inside[:2], inside[2:INSIDE]):
            answers = self._measures.both(one, other, some)
            if False in answers:
                return False
            failing += answers.count(True)
        if failing < _LEAST:
            return False
        outside = [pair for pair in pairs if not relation.admits(*pair)][:OUTSIDE]
        answers = self._measures.both(one, other, outside)
        passing, odd = answers.count(False), answers.count(True)
        equal = {fails for pair, fails in zip(outside, answers, strict=True) if pair[0] == pair[1]}
        if sign in "<>" and odd and equal == {True}:
            return self._related(one, other, {"<": "≤", ">": "≥"}[sign], offset)
        if passing < _LEAST or odd > passing // 3:
            return False
        self._labels += 1
        label = chr(ord("a") + (self._labels - 1) % 26)
        relation = replace(relation, label=label, failing=failing, passing=passing, odd=odd)
        domains = [self._domain(one, other, relation, of=two) for two in (one, other)]
        (place,) = self._mark(other, domains[1])
        self._board.marks[place] = replace(self._board.marks[place], label=label)
        self._mark(one, (replace(relation, other=place), *domains[0]))
        return True

    def _domain(
        self, one: Variable, other: Variable, relation: Compared, of: Variable
    ) -> tuple[Condition, ...]:
        """Return what bounds numbers that are compared: below zero, and with a fraction."""
        if of.feature is not Feature.VALUE:
            return ()
        low = [(Decimal(x), Decimal(y)) for x in (-7, -2, 3) for y in (-9, -4, -1)]
        below = self._measures.both(one, other, [two for two in low if relation.admits(*two)][:3])
        parts = [(x + Decimal("0.5"), y) for x, y in _pairs_of_numbers(one, other)]
        fraction = self._measures.both(
            one, other, [two for two in parts if relation.admits(*two)][:2]
        )
        least = None if True in below and False not in below else Decimal()
        whole = not (True in fraction and False not in fraction)
        seen = {"failing": relation.failing, "passing": below.count(False)}
        return (Within(Feature.VALUE, ((least, None),), whole, **seen),)

    # -- marks -----------------------------------------------------------------------------------

    def _mark(self, one: Variable, conditions: tuple[Condition, ...]) -> tuple[Place, ...]:
        board = self._board
        evidence = Evidence(failing=max((one.failing for one in conditions), default=0))
        shaped = any(isinstance(two, Shaped) for two in conditions)
        alone = len(one.places) == 1 and not shaped
        places = (self._narrowest(one),) if alone else one.places
        for place in places:
            for below in [step for step in board.marks if place in step.upwards()]:
                del board.marks[below]
        node = board.node(places[0])
        if len(places) > 1:
            board.group(places, evidence, self._material.kin(node))
        else:
            name = board.visibility.name(board.tree, places[0])
            if name.startswith("'"):
                name = "sign"
            key = ""
            if one.feature is Feature.LENGTH and isinstance(node, Token):
                # Only a string has the length of a string, whatever else may be there.
                key = self._material.kin(node)
                name = plain_key(key)
            board.mark(places, Marked(shown_mark(node), name, evidence=evidence, key=key))
        for place in places:
            marked = board.marks[place]
            mark = Mark.ABSTRACT if marked.mark is Mark.INVISIBLE else marked.mark
            board.marks[place] = replace(marked, mark=mark, conditions=conditions)
        self._seen.add(one.places)
        return places

    def _narrowest(self, one: Variable) -> Place:
        """Return the lowest node of a chain that may have all the texts that failed."""
        board, place = self._board, one.places[0]
        failing = board.sampler.memory.failing
        known = failing.get(one.places, {})
        if one.feature in (Feature.COUNT, Feature.DEPTH):
            return place
        node = one.node
        while len(node.children) == 1 and node.kind is Kind.REGULAR:
            lower, node = place.child(node.children[0].key), node.children[0]
            texts = [text for text in known if text != render((one.node,))]
            fills = [Fill((lower,), with_text(self._material, node, text)) for text in texts]
            if board.visibility.lexical(node) or None in [board.sampled((two,)) for two in fills]:
                break
            failing[(lower,)] = {render((two.node,)): two.node for two in fills}
            place = lower
        return place


def _with_answers(condition: Condition, said: Mapping[Form, Sequence[bool]]) -> Condition:
    """Return a condition with its evidence."""
    failing = sum(map(sum, said.values()))
    passing = sum(map(len, said.values())) - failing
    return replace(condition, failing=failing, passing=passing)


def _pairs_of_numbers(one: Variable, other: Variable) -> Iterator[tuple[Decimal, Decimal]]:
    """Yield numbers for two parts, in all orders, small and large ones."""
    small = Feature.COUNT in (one.feature, other.feature)
    away = int(other.number - one.number)
    scales = (1, 2, 3) if small else (4, 30, 9)
    for base in (*scales, 0) if small else (*scales, 120, 0):
        for distance in (away, 1, -1, 0, 7 if not small else 2, -3):
            if base + distance >= 0:
                yield Decimal(base), Decimal(base + distance)
