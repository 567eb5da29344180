"""Abstraction: which nodes may be any text of their nonterminal (DDSET, Algorithm 2).

From the root down, each node is replaced by samples of its nonterminal while the rest of the input
stays as it is; if a valid one passes, the node is concrete and its children are looked at. Only a
few samples are spent on a node here: most concrete nodes fall to the first one, and the nodes that
stay are varied all at once, many times, in `isolation`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Final

from marrow.abstraction.checks import Checker, CheckResult, Demand
from marrow.abstraction.conditions import depth_of, value_of
from marrow.abstraction.fragments import TOKEN
from marrow.abstraction.hole_rules import MOST_TWINS, spelled, twin_of
from marrow.abstraction.parser_language import Visibility
from marrow.abstraction.pattern import (
    NEW_NAME,
    VARIABLE,
    Evidence,
    Hole,
    Mark,
    Marked,
    holes_of,
    kept_mark,
)
from marrow.abstraction.samples import Fill, Sample, words_in
from marrow.abstraction.sampling import Sampler
from marrow.tree import Branch, Node, Place, Token, Tree
from marrow.tree.name_spelling import is_word, quote_of
from marrow.tree.node import render, tokens_of
from marrow.tree.node_words import node_words

#: Failing samples that make a node abstract for the time being, at least. One that passes in a
#: tenth of all cases gets through in 6 of 10 cases, and is then found out by `isolation` within ten
#: samples.
QUICK: Final = 5

#: All samples near the input are tried, up to this number: there are rarely more than 30.
#: They are the same for every seed: what they decide does not hang on chance.
THOROUGH: Final = 40

#: How many more unresolved than valid samples a node may have. Fragments and small samples come
#: first: where five of them say nothing, others seldom do.
PATIENCE: Final = 5

#: And how many more for each valid one: where some are valid and none passes, more samples say what
#: few leave to chance. A node whose samples are valid in one of four cases varies; those that are
#: known to be valid in its place are what it is mostly given while everything varies.
LENIENCY: Final = 3.0

#: The same for a token that is known to vary together with others of the same text: alone it is
#: mostly an undeclared name.
PATIENCE_RENAMED: Final = 1


#: For a node below one whose samples were too often invalid: three unresolved samples are enough to
#: go on to what is below, since each such step costs dozens of tests once everything varies.
_CAREFUL: Final = Demand(QUICK, 2, 0.25)

#: For a made-up name: where it is valid once, it always is.
_NEW_NAMES: Final = Demand(QUICK, 1)


@dataclass(slots=True)
class Board:
    """The pattern in the making: the tree and the marks so far, and who helps with it."""

    tree: Tree
    checker: Checker
    sampler: Sampler
    visibility: Visibility
    parse: Callable[[bytes], Tree]
    marks: dict[Place, Marked] = field(default_factory=dict)
    groups: int = 0

    def sampled(self, fills: Sequence[Fill]) -> Sample | None:
        """Return the tree with some places filled; None if it is not read as it was made."""
        sample = self.sampler.fill(self.tree, fills)
        if sample.text == self.tree.text or not self.sampler.material.matches(sample.text):
            return None
        tree = self.parse(sample.text)
        for one in fills:
            for place in one.places:
                node = tree.at(place)
                if node is None or spelled(node) != spelled(one.node):
                    return None
                if isinstance(one.node, Branch) and depth_of(node) != depth_of(one.node):
                    return None  # blocks that are told by their indentation
        return sample

    def alternatives(self, place: Place) -> list[bytes]:
        """Return other texts of a token: signs and keywords of the language, words of the input."""
        node = self.node(place)
        if node.token_count != 1:
            return []
        own, token = render((node,)).strip(), next(tokens_of((node,)))
        if is_word(token):
            return [one for one in self.sampler.words.get(token.symbol, ()) if one != own]
        near = self.sampler.near_at(self.tree, place)
        texts = [render((one,)).strip() for one in near if one.token_count == 1]
        if isinstance(node, Token):
            texts += self.sampler.material.signs()
        alike = (one for one in dict.fromkeys(texts) if one.isalpha() is own.isalpha())
        others = [one for one in alike if one and one != own and plain_sign(one)]
        # `<=` is more like `<` than `+` is, and `ASC` more like `DESC` than `FROM` is.
        return sorted(others, key=lambda one: -len({*one} & {*own}) / len({*one} | {*own}))

    def holes(self) -> list[Hole]:
        """Return what varies, in the order of the text."""
        return holes_of(self.tree, self.marks)

    def mark(self, places: Iterable[Place], marked: Marked) -> None:
        """Mark nodes."""
        for place in places:
            self.marks[place] = marked

    def group(self, places: Sequence[Place], evidence: Evidence, key: str) -> None:
        """Mark nodes as a context-sensitive group."""
        self.groups += 1
        name = self.visibility.name(self.tree, places[0])
        if key.startswith(TOKEN):
            name = plain_key(key)
        self.mark(places, found(Mark.CONTEXT_SENSITIVE, name, evidence, self.groups, key))

    def change(self, hole: Hole, changed: Callable[[Marked], Marked]) -> None:
        """Change the marks of a hole's nodes: those of a group may differ in their evidence."""
        for place in hole.places:
            self.marks[place] = changed(self.marks[place])

    def concrete(self, places: Iterable[Place], evidence: Evidence) -> None:
        """Mark nodes as concrete; what other samples showed of them is counted in."""
        for place in places:
            before = self.marks[place]
            total = added(before.evidence, evidence)
            self.marks[place] = Marked(kept_mark(total), before.name, evidence=total)

    def credit(self, holes: Iterable[Hole], finding: CheckResult) -> None:
        """Count samples in which all holes could vary as evidence for those that did."""
        changed: Counter[tuple[Place, ...]] = Counter()
        for sample in finding.failing:
            changed.update(
                one.places
                for one in sample.fills
                if render((one.node,)) != render((self.node(one.places[0]),))
            )
        for hole in holes:
            evidence = replace(finding.evidence, failing=changed[hole.places])
            total = added(hole.marked.evidence, evidence)
            self.change(hole, partial(replace, evidence=total))

    def node(self, place: Place) -> Node:
        """Return the node at a place of the tree."""
        node = self.tree.at(place)
        assert node is not None
        return node


def plain_sign(text: bytes) -> bool:
    """Whether a text is neither a number nor a string: another one of its kind is another sign."""
    return value_of(text) is None and not quote_of(text)[0] and b" " not in text


def plain_key(key: str) -> str:
    """Return the key of a kind of tokens in plain words; those of a grammar have their names."""
    return node_words(key.removeprefix(TOKEN)) if key.startswith(TOKEN) else key.replace("_", " ")


def found(mark: Mark, name: str, evidence: Evidence, group: int = 0, key: str = "") -> Marked:
    """Return the mark of nodes that were checked on their own."""
    return Marked(mark, name, group, evidence, validity=evidence.validity, key=key)


def added(one: Evidence, two: Evidence) -> Evidence:
    """Return the evidence of two checks together; what the second says in words counts."""
    return replace(
        two,
        failing=one.failing + two.failing,
        near=one.near + two.near,
        passing=one.passing + two.passing,
        unresolved=one.unresolved + two.unresolved,
        timeouts=one.timeouts + two.timeouts,
        exhaustive=one.exhaustive,
        counterexample=two.counterexample or one.counterexample,
    )


class Search:
    """A part of the search, with all that helps to fill a board."""

    def __init__(self, board: Board) -> None:
        self._board: Final = board
        self._checker: Final = board.checker
        self._sampler: Final = board.sampler
        self._material: Final = board.sampler.material
        self._visibility: Final = board.visibility


class Abstraction(Search):
    """Looks for abstract nodes."""

    def __init__(self, board: Board, thorough: int) -> None:
        """`thorough` is how many of the samples near the input are tried."""
        super().__init__(board)
        self._thorough: Final = thorough

    def below(
        self,
        starts: Iterable[Place],
        renamed: Collection[Place] = (),
        others: Sequence[Hole] = (),
        *,
        careful: bool = False,
    ) -> None:
        """Mark the nodes at and below some places.

        `renamed` are known to vary with others of the same text; `others` vary in all samples.
        `careful` lets only nodes vary whose samples are nearly always valid inputs.
        """
        tree = self._board.tree
        shared = self._shared_names(renamed)
        stack = list(starts)[::-1]
        self._checker.judge.phase("abstracting nodes one by one")
        whole = sum(self._board.node(place).token_count for place in stack)
        done = 0
        while stack:
            self._checker.judge.advance(done, whole)
            place = stack.pop()
            node = self._board.node(place)
            done += node.token_count
            if self._visibility.left_alone(node):
                continue
            if self._visibility.lexical(node):
                if self._visibility.authored(node.symbol):
                    self._board.mark([place], Marked(Mark.LEXICAL, node.symbol))
                continue
            if self._material.can_draw(tree, place) and not self._shared(place):
                patience = PATIENCE_RENAMED if place in renamed else PATIENCE
                names = shared.get(place, frozenset())
                if any(
                    self._varies(place, key, others, patience, names, careful=careful)
                    for key in self._keys(place)
                ):
                    continue
            children = self.children(place)
            done -= sum(self._board.node(child).token_count for child in children)
            stack.extend(reversed(children))

    def children(self, place: Place) -> list[Place]:
        """Return what is looked at below a node."""
        node = self._board.node(place)
        if self._visibility.atomic(node):
            return []
        return [place.child(child.key) for child in node.children]

    def narrow(self, hole: Hole, others: Sequence[Hole], *, careful: bool) -> None:
        """Look whether a node that cannot be anything of its kind may be something narrower."""
        if len(hole.places) > 1 or hole.new_name:
            return
        place = hole.places[0]
        for key in islice(self._keys(place), 1, None):
            if key != hole.symbol and self._varies(
                place, key, others, PATIENCE, frozenset(), careful=careful
            ):
                return

    def _keys(self, place: Place) -> Iterator[str]:
        """Yield what a node may be anything of, the most general first.

        A name with which the input passes may be one that means something: others may not.
        """
        node = self._board.node(place)
        yield self._material.key(node)
        if narrower := self._material.narrower(node):
            yield narrower
        new = self._sampler.new_name(node)
        marked = self._board.marks.get(place)
        if new and marked is not None and marked.evidence.passing:
            yield new

    def _varies(
        self,
        place: Place,
        key: str,
        others: Sequence[Hole],
        patience: int,
        without: frozenset[bytes],
        *,
        careful: bool,
    ) -> bool:
        """Mark a node: whether it may be any text of a nonterminal, `without` some names."""
        tree, node = self._board.tree, self._board.node(place)
        few = sum(not without & words_in(one) for one in self._sampler.near_at(tree, place, key))
        demand = Demand(QUICK, patience, LENIENCY, tried=min(few, self._thorough))
        own = key == self._material.key(node)
        label = f"{place}" if own else f"{place}/{key}"
        demand = _CAREFUL if careful else _NEW_NAMES if key.startswith(NEW_NAME) else demand
        twins: list[Place] = []
        alike: bytes | None = None
        while True:
            samples = self._sampler.samples(
                tree, (place,), label, others, key=key, without=without, twins=twins
            )
            finding = self._checker.check(samples, demand)
            twin = self._twin(place, finding)
            if twin is None or len(twins) == MOST_TWINS:
                break
            twins.append(twin)
            alike = alike or finding.evidence.counterexample
        evidence = explained(finding)
        before = self._board.marks.get(place)
        if not finding.holds and not own and before is not None:
            evidence = added(before.evidence, evidence)
        mark = shown_mark(node) if finding.holds else kept_mark(evidence)
        name = self._visibility.name(tree, place)
        if finding.holds and not own:
            name = plain_key(key)
            if key.startswith(NEW_NAME):
                name = f"new {plain_key(self._material.kin(node))}"
        marked = found(mark, name, evidence, key=key)
        if finding.holds:
            marked = replace(marked, differs=tuple(twins), alike=alike)
        self._board.mark([place], marked)
        return finding.holds

    def _twin(self, place: Place, finding: CheckResult) -> Place | None:
        """Return the place that had the text of a sample which passed, if only one was filled."""
        passing = finding.passing
        if passing is None or len(passing.fills) > 1:
            return None
        tree = self._board.tree
        twin = twin_of(tree, self._sampler.filled(tree, passing.fills), (place,), ())
        if twin is None or not self._checker.fails_with_another(passing, tree, twin):
            return None
        return twin

    def _shared_names(self, renamed: Collection[Place]) -> dict[Place, frozenset[bytes]]:
        """Return, for nodes that hold names which occur elsewhere too, these names.

        Only samples without them say that such a node may be anything: with them, it may be
        anything in which the name is.
        """
        holders: dict[bytes, list[set[Place]]] = {}
        for place in renamed:
            name = render((self._board.node(place),))
            holders.setdefault(name, []).append(set(place.upwards()) - {place})
        found: dict[Place, frozenset[bytes]] = {}
        for name, above in holders.items():
            some = above[0].union(*above)
            for place in some - some.intersection(*above):
                found[place] = found.get(place, frozenset()) | {name}
        return found

    def _shared(self, place: Place) -> bool:
        """Give a node the verdict of the one above, if that holds nothing else."""
        above = place.parent
        if above is None or not self._visibility.same_as_child(self._board.node(above)):
            return False
        marked = self._board.marks.get(above)
        if marked is None or marked.mark in VARIABLE:
            return False
        name = self._visibility.name(self._board.tree, place)
        self._board.mark([place], replace(marked, name=name, key=""))
        return True


def shown_mark(node: Node) -> Mark:
    """Return how a node is marked that may be any text of its nonterminal."""
    return Mark.ABSTRACT if render((node,)).strip() else Mark.INVISIBLE


def explained(finding: CheckResult) -> Evidence:
    """Return the evidence, with words for a node that stays concrete."""
    evidence = finding.evidence
    if finding.holds:
        return evidence
    if evidence.passing:
        return replace(evidence, reason="with another text the input passes")
    if evidence.unresolved or evidence.timeouts:
        said = f"only {evidence.valid} of {evidence.samples} samples were valid inputs"
        return replace(evidence, reason=said)
    return replace(evidence, reason="no other text was found")
