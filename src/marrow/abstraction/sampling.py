"""Samples: trees to put in the place of a node, drawn so that they are likely to be valid inputs.

Nothing in a grammar or a parser knows of declarations and types, so most of what fits a
place is not valid in a programming language. Samples near the input come first: pieces of it, its
own text with one change, the forms that people write most. They are the same for every seed. Then
come far ones: trees of any size that are drawn by lot. Each draw has a random seed of its own, made
of what it is for, so that the same samples come out whatever happens elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice
from math import prod
from random import Random
from typing import Final

from marrow.abstraction.condition_samples import drawn_for, settled, texts_of
from marrow.abstraction.conditions import OneOf, compared, holding
from marrow.abstraction.fragments import (
    FragmentSource,
    each_in_turn,
    inner_forms,
    mutations_of,
    text_before,
)
from marrow.abstraction.hole_rules import conditions_hold, differ, spelled, unlike
from marrow.abstraction.pattern import NEW_NAME, Hole, Pattern
from marrow.abstraction.samples import (
    BARREN_DRAWS,
    REDRAWN,
    Fill,
    Sample,
    SampleMemory,
    SamplePace,
    Samples,
    apart,
    filled,
    leaving_out,
    made_up_name,
    name_of,
    names_in,
    names_outside,
    with_other_names,
    words_in,
    words_of,
)
from marrow.tree import Node, Place, Token, Tree
from marrow.tree.name_spelling import is_name
from marrow.tree.node import render

#: How many tokens far trees have at most, in turn: mostly a few, since small samples are more
#: often valid, and now and then some lines (60 is what `Generator` calls a few lines).
_SIZES: Final = (3, 1, 5, 8, 2, 20, 3, 1, 5, 60)

#: How many near samples there are of each sort: pieces of the input, changes of the node itself,
#: forms of its nonterminal, made-up names, and counter-examples of other nodes.
_FRAGMENTS: Final = 4
_CHANGES: Final = 6
_FORMS: Final = 12
_NEW_NAMES: Final = 3
_COUNTEREXAMPLES: Final = 3

#: How often, of all draws for a sample in which everything varies, a text that was valid in this
#: place before is taken rather than a new tree: at least, and at most.
_KNOWN_LEAST: Final = 0.3
_KNOWN_MOST: Final = 0.98

#: Between these, so often that all holes together leave a sample valid with this chance. Of ten
#: holes whose new trees are valid in half of all cases not one sample in 1,000 is without.
_WANTED_VALID: Final = 0.98

#: Who produces inputs of a pattern whose last check had fewer valid samples than this wants to be
#: surer, and takes nearly everything from what is known: parts that are valid alone need not be so
#: together, and the search has seen enough of what is new.
_FEW_VALID: Final = 0.95
_WANTED_SURE: Final = 0.999

#: Then most parts are as they were in one failing sample; up to this share of them is drawn anew.
_CHANGED_SHARE: Final = 1 / 3

#: How often a tree that is not known is one near the input.
_NEAR_SHARE: Final = 0.4

#: How often a part that may be empty is, while everything varies: it is one of two alternatives, as
#: in the paper's grammars. Dozens of optional parts in one input hardly ever make a valid one.
_EMPTY_SHARE: Final = 0.5


class Sampler:
    """Draws trees for the places of a tree.

    `source` is a tree of the input, for its fragments; None draws from the material by lot alone,
    as the paper does. `reduced` is what is left of it: its own fragments are the nearest.
    """

    def __init__(
        self,
        material: FragmentSource,
        seed: int,
        source: Tree | None = None,
        reduced: Tree | None = None,
    ) -> None:
        self.material: Final = material
        self._seed: Final = seed
        self._naive: Final = source is None
        #: What samples have shown.
        self.memory: Final = SampleMemory(material)
        self._near_at: Final[dict[tuple[Place, str], list[Node]]] = {}
        self._empties: Final[dict[str, Node | None]] = {}
        self._wanted, self._known_most = _WANTED_VALID, _KNOWN_MOST
        self._together: Sequence[Sequence[bytes | None]] = ()
        #: The words of the input, by their symbols.
        self.words: Final = {} if source is None else words_of(source)
        if source is not None:
            self.memory.take(source, self.memory.fragments)
            self.memory.take(reduced or source, self.memory.nearest)

    @classmethod
    def of(cls, pattern: Pattern, material: FragmentSource, seed: int) -> Sampler:
        """Return a sampler that draws for a pattern as its search did when it ended, or surer."""
        sampler = cls(material, seed, pattern.tree)
        if pattern.joint.validity < _FEW_VALID:
            sampler._wanted, sampler._known_most = _WANTED_SURE, 1.0
            sampler._together = pattern.together
        for hole in pattern.holes():
            # Of these trees only the text is known, and only the text is needed.
            known = sampler.memory.failing.setdefault(hole.places, {})
            for text in filter(None, hole.marked.samples):
                known[text] = material.held(hole.symbol.removeprefix(NEW_NAME), text)
            sampler.memory.invalid[hole.places] = set(hole.marked.invalid)
        return sampler

    def fill(self, tree: Tree, fills: Sequence[Fill]) -> Sample:
        """Put trees into the places of a tree."""
        return Sample(self.filled(tree, fills).text, tuple(fills))

    def filled(self, tree: Tree, fills: Sequence[Fill]) -> Tree:
        """Return a tree with other trees in some places."""
        return filled(self.material, tree, fills, renames=not self._naive)

    def fit_together(self, tree: Tree, fills: Sequence[Fill], holes: Sequence[Hole] = ()) -> bool:
        """Whether names that fill places are not those of others, and what must differ does."""
        others = names_outside(tree, [place for one in fills for place in one.places])
        if any(others & name_of(one.node) for one in fills):
            return False
        pairs = unlike(holes)
        if not pairs and not any(hole.marked.conditions for hole in holes):
            return True
        made = self.filled(tree, fills)
        return differ(made, pairs) and conditions_hold(made, holes)

    def known_at(self, hole: Hole) -> tuple[bytes, ...]:
        """Return texts that were in a hole in valid failing samples, and meet its conditions."""
        known = self.memory.failing.get(hole.places, {})
        return tuple(text for text, node in known.items() if holding(hole.marked.conditions, node))

    def with_another(
        self, tree: Tree, fills: Sequence[Fill], place: Place, number: int
    ) -> list[Sample]:
        """Return samples with some fills, and another text near the input in one more place.

        It is not the one that was in the place before, nor in one of the fills.
        """
        if not self.material.can_draw(tree, place):
            return []
        kept = [one for one in fills if all(place not in two.upwards() for two in one.places)]
        spellings = [spelled(one.node) for one in fills]
        others = (one for one in self.near_at(tree, place) if spelled(one) not in spellings)
        samples = (self.fill(tree, [*kept, Fill((place,), one)]) for one in others)
        return list(islice((one for one in samples if self.material.matches(one.text)), number))

    def new_name(self, node: Node) -> str:
        """Return the key of names that occur nowhere else; nothing if a node is not a name."""
        return (
            NEW_NAME + self.material.key(node) if isinstance(node, Token) and is_name(node) else ""
        )

    def validity(self, hole: Hole) -> float:
        """Return how likely a hole leaves a sample valid if its texts are taken from the known."""
        known = _KNOWN_MOST if self.memory.failing.get(hole.places) else 0.0
        drawn = known + (1.0 - known) * hole.marked.validity
        invalid = self.memory.invalid.get(hole.places, set())
        may_be_empty = b"" not in invalid and self._empty(hole.symbol) is not None
        empty = _EMPTY_SHARE if may_be_empty else 0.0
        return empty + (1.0 - empty) * drawn

    def near_at(self, tree: Tree, place: Place, key: str = "") -> list[Node]:
        """Return trees near the input for a place, other texts than its own, the best first."""
        node = tree.at(place)
        assert node is not None
        key = key or self.material.key(node)
        known = self._near_at.get((place, key))
        if known is None:
            own = render((node,))
            found = {
                text: one
                for one in self._near(node, key, text_before(tree, place))
                if (text := render((one,))) != own
            }
            known = self._near_at[place, key] = list(found.values())
        return known

    def samples(
        self,
        tree: Tree,
        places: tuple[Place, ...],
        label: str,
        others: Sequence[Hole] = (),
        *,
        key: str = "",
        other_names: bool = True,
        without: frozenset[bytes] = frozenset(),
        twins: Sequence[Place] = (),
    ) -> Samples:
        """Return samples of a tree with another tree in some places, while others vary.

        `key` is their nonterminal, if it is not that of the first node. Names are other ones than
        those of the tree, unless `other_names` is false. Trees are `without` some names, and not
        what the places of their `twins` hold.
        """
        node = tree.at(places[0])
        assert node is not None
        key = key or self.material.key(node)
        drawn = self._fills(tree, places, key, label)
        own = render((node,))
        filled = leaving_out(
            drawn, lambda one: render((one,)) == own or bool(without & words_in(one))
        )
        if not self._naive and other_names:
            taken = names_outside(tree, places)
            filled = with_other_names(filled, taken)
        pace = SamplePace()
        varied = self._fillings(tree, others, f"{label}/others", pace)
        both = (
            (one, *two)
            for one, two in zip(filled, varied, strict=False)
            if all(apart(one.node, other.node) for other in two)
        )
        most = self.material.bound(key) * self._texts(others)
        pairs = [*((places[0], twin) for twin in twins), *unlike(others)]
        return Samples(
            *(self.material, tree, both, pace, most),
            renames=not self._naive,
            unlike=pairs,
            holes=others,
        )

    def joint(
        self, tree: Tree, holes: Sequence[Hole], label: str, *, repeats: bool = False
    ) -> Samples:
        """Return samples of a tree in which all holes vary at once."""
        pace = SamplePace()
        return Samples(
            *(self.material, tree, self._fillings(tree, holes, label, pace), pace),
            self._texts(holes),
            repeats=repeats,
            renames=not self._naive,
            unlike=unlike(holes),
            holes=holes,
        )

    def near(self, tree: Tree, hole: Hole, holes: Sequence[Hole]) -> Iterator[Sample]:
        """Yield samples of a tree in which one of its holes has a text near the input."""
        for node in self.near_at(tree, hole.places[0], hole.symbol):
            fills = [Fill(hole.places, node, near=True)]
            if not self.fit_together(tree, fills, holes):
                continue
            sample = self.fill(tree, fills)
            if sample.text != tree.text and self.material.matches(sample.text):
                yield sample

    def _texts(self, holes: Sequence[Hole]) -> float:
        return prod(
            texts_of(hole.marked.conditions) or self.material.bound(hole.symbol) for hole in holes
        )

    def _near(self, node: Node, key: str, preceding: str) -> Iterator[Node]:
        """Yield trees near the input for a node: all sorts in turn."""
        if key.startswith(NEW_NAME):
            for number in range(_NEW_NAMES):
                yield self._new_name(node, Random(f"new name {number}"))
            return
        least = self.material.least(key, preceding)
        found = each_in_turn(
            () if least is None else (least,),
            islice(list(self.memory.nearest.get(key, {}).values()), _FRAGMENTS),
            islice(list(self.memory.fragments.get(key, {}).values()), _FRAGMENTS),
            islice(mutations_of(node, self.material), _CHANGES),
            islice(self.material.forms(key, preceding), _FORMS),
            islice(inner_forms(key, preceding, self.material), _FORMS),
        )
        yield from map(self.material.taken, found)

    def _fills(self, tree: Tree, places: tuple[Place, ...], key: str, label: str) -> Iterator[Fill]:
        """Yield trees for places without end, equal ones among them."""
        preceding = text_before(tree, places[0])
        node = tree.at(places[0])
        assert node is not None
        if not self._naive:
            known = islice(self.memory.counterexamples.get(key, {}).values(), _COUNTEREXAMPLES)
            for one in (*known, *self.near_at(tree, places[0], key)):
                yield Fill(places, one, near=True)
        for number in count():
            size = _SIZES[number % len(_SIZES)]
            drawn = self._draw(node, key, self._random(label, number), size, preceding)
            if drawn is not None:
                yield Fill(places, drawn)
            elif number > BARREN_DRAWS:
                return

    def _fillings(
        self, tree: Tree, holes: Sequence[Hole], label: str, pace: SamplePace
    ) -> Iterator[tuple[Fill, ...]]:
        preceding = [text_before(tree, hole.places[0]) for hole in holes]
        others = names_outside(tree, [place for hole in holes for place in hole.places])
        words = names_in(tree.root)
        doubtful = sum(hole.marked.validity < _WANTED_VALID for hole in holes)
        wanted = self._wanted ** (1 / max(1, doubtful))
        for number in count():
            taken, new = set(others), set[bytes]()
            fills = {} if pace.stale else self._base(holes, self._random(label, number))
            for one in fills.values():
                taken |= names_in(one.node)
                new |= name_of(one.node) - words
            for index, hole in enumerate(holes):
                if index in fills:
                    continue
                random = self._random(f"{label}/{index}", number)
                known = 0.0 if pace.stale else self._known_share(hole.marked.validity, wanted)
                found = self._filling(tree, hole, random, preceding[index], taken, new, known)
                if found is not None:
                    fills[index] = found
                    taken |= names_in(found.node)
                    new |= name_of(found.node) - words
            settled = self._settled(tree, holes, fills, self._random(f"{label}/settled", number))
            yield tuple(settled[index] for index in sorted(settled))

    def _settled(
        self, tree: Tree, holes: Sequence[Hole], fills: dict[int, Fill], random: Random
    ) -> dict[int, Fill]:
        """Give parts that are compared with others a measure that fits."""
        for index, hole in enumerate(holes):
            for one in compared(hole.marked.conditions):
                at = next((n for n, two in enumerate(holes) if one.other in two.places), None)
                other = fills[at].node if at in fills else tree.at(one.other)
                own = tree.at(hole.places[0])
                assert own is not None
                assert other is not None
                node = settled(self.material, own, one, other, hole.marked.conditions, random)
                if node is not None:
                    fills[index] = Fill(hole.places, node)
        return fills

    def _base(self, holes: Sequence[Hole], random: Random) -> dict[int, Fill]:
        """Return what most holes had in one failing sample, by their numbers, where it is needed.

        Parts that were valid together mostly stay so when few of them change.
        """
        if not self._together:
            return {}
        texts = random.choice(self._together)
        most = max(1, int(len(holes) * _CHANGED_SHARE))
        changed = set(random.sample(range(len(holes)), random.randint(1, most)))
        found: dict[int, Fill] = {}
        for index, (hole, text) in enumerate(zip(holes, texts, strict=True)):
            if index in changed or text is None:
                continue
            node = self._empty(hole.symbol)
            if text:
                held = self.material.held(hole.symbol.removeprefix(NEW_NAME), text)
                node = self.memory.failing.get(hole.places, {}).get(text, held)
            if node is not None:
                found[index] = Fill(hole.places, node)
        return found

    def _filling(
        self,
        tree: Tree,
        hole: Hole,
        random: Random,
        preceding: str,
        taken: set[bytes],
        new: set[bytes],
        share: float,
    ) -> Fill | None:
        """Return a tree for a hole, if possible not a text known to be invalid.

        Nor is it a name that is taken, or anything with a name that is new elsewhere.
        """
        invalid = self.memory.invalid.get(hole.places, set())
        if not hole.marked.conditions and random.random() < _EMPTY_SHARE and b"" not in invalid:
            empty = self._empty(hole.symbol)
            if empty is not None:
                return Fill(hole.places, empty, near=True)
        if self._naive:
            node = self.material.draw(hole.symbol, random, random.choice(_SIZES), preceding)
            return None if node is None else Fill(hole.places, node)
        known = self.memory.failing.get(hole.places)
        near = self.near_at(tree, hole.places[0], hole.symbol)
        own = tree.at(hole.places[0])
        assert own is not None
        found: Fill | None = None
        if any(not (isinstance(one, OneOf) and one.negated) for one in hole.marked.conditions):
            texts = self.known_at(hole)
            made = drawn_for(self.material, own, hole.marked.conditions, random, texts)
            return None if made is None else Fill(hole.places, made)
        for _ in range(REDRAWN):
            if known and random.random() < share:
                node = random.choice(list(known.values()))
                found = Fill(hole.places, node, near=any(one is node for one in near))
            elif near and random.random() < _NEAR_SHARE:
                found = Fill(hole.places, random.choice(near), near=True)
            else:
                drawn = self._draw(own, hole.symbol, random, random.choice(_SIZES), preceding)
                found = None if drawn is None else Fill(hole.places, drawn)
            if found is None:
                continue
            unfit = taken & name_of(found.node) or new & names_in(found.node)
            if not (unfit or render((found.node,)) in invalid):
                break
        return found

    def _draw(self, node: Node, key: str, random: Random, size: int, preceding: str) -> Node | None:
        """Return a tree for the place of a node."""
        if key.startswith(NEW_NAME):
            return self._new_name(node, random)
        return self.material.draw(key, random, size, preceding)

    def _new_name(self, node: Node, random: Random) -> Node:
        assert isinstance(node, Token)
        return node.changed(text=made_up_name(node.text, random))

    def _known_share(self, validity: float, wanted: float) -> float:
        """Return how often a known text is taken, given how often a new tree is valid."""
        share = 1.0 - (1.0 - wanted) / max(1.0 - validity, 1.0 - wanted)
        return min(self._known_most, max(_KNOWN_LEAST, share))

    def _empty(self, key: str) -> Node | None:
        """Return the tree of a nonterminal that has no text, if there is one."""
        if key.startswith(NEW_NAME):
            return None
        if key not in self._empties:
            least = self.material.least(key, "")
            self._empties[key] = least if least is not None and not render((least,)) else None
        return self._empties[key]

    def _random(self, label: str, number: int) -> Random:
        return Random(f"{self._seed}/{label}/{number}")
