"""Samples: trees to put in the place of a node, drawn so that they are likely to be valid inputs.

A grammar knows nothing of declarations and types, so most of what it generates is not valid in a
programming language. Samples are drawn from fragments of the input and of earlier valid samples
first, then from the grammar: small trees and larger ones, of the productions that the input uses
and of all of them, with the words of the input and with fresh ones. Each draw has a random seed of
its own, made of what it is for, so that the same samples come out whatever happens elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from random import Random
from typing import Final

from marrow.abstraction.pattern import Hole, Mark, Marked, Pattern
from marrow.abstraction.renaming import name_of, names_outside, respelled, words_of
from marrow.grammar.generation.generate import foreign
from marrow.grammar.language import Language
from marrow.grammar.model.rules import GrammarError
from marrow.tree import Branch, Glue, Node, Place, Replace, Token, Tree
from marrow.tree.find import child_index
from marrow.tree.node import render

#: How many tokens generated trees have at most, in turn: mostly a few, since small samples are more
#: often valid, and now and then some lines (60 is what `Generator` calls a few lines).
_SIZES: Final = (3, 8, 1, 20, 5, 60)

#: How many fragments of the input and of earlier samples are tried before the grammar is asked.
_FRAGMENTS: Final = 3

#: How many fragments are remembered for a nonterminal.
_REMEMBERED: Final = 32

#: How often another tree is drawn for a name that is taken, or for a text that is known to make
#: inputs invalid; then it is used all the same.
_REDRAWN: Final = 8

#: After so many draws in a row without a new text there is taken to be none. A text that comes up
#: in one draw of ten is missed in fewer than 2 of 1,000 such cases.
_BARREN_DRAWS: Final = 60

#: Only so few texts are taken for all there are: the generator draws half of a token's texts from
#: 64 that it keeps, however many there may be.
_MOST_TEXTS: Final = 32

#: How often, of all draws for a sample in which everything varies, a text that was valid in this
#: place before is taken rather than a new tree: at least, and at most.
_KNOWN_LEAST: Final = 0.3
_KNOWN_MOST: Final = 0.8

#: Between these, so often that a hole leaves its samples valid with this chance. Of ten holes whose
#: new trees are valid in half of all cases not one sample in 1,000 is, but three of five with this.
_WANTED_VALID: Final = 0.95

#: How often a tree is drawn from the productions that the input uses rather than from all: often
#: enough to have valid ones among few samples, seldom enough to see much of the grammar in many.
_BIASED_SHARE: Final = 0.3

#: How often a tree's words are those of the input: declared names are valid, fresh ones general.
_WORDS_SHARE: Final = 0.5


#: How often a part that may be empty is, while everything varies: it is one of two alternatives, as
#: in the paper's grammars. Dozens of optional parts in one input hardly ever make a valid one.
_EMPTY_SHARE: Final = 0.5

#: How often a token's text is drawn afresh. A part that is a single token has only a few dozen
#: texts otherwise; a sample costs a test, so it does not matter that this takes longer.
_FRESH_SHARE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Fill:
    """A tree for the places that vary as one."""

    places: tuple[Place, ...]
    node: Node


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """An input made from a tree by filling some places."""

    text: bytes
    fills: tuple[Fill, ...]


def fill(tree: Tree, fills: Sequence[Fill]) -> Sample:
    """Put trees into the places of a tree."""
    edits = [Replace(place, one.node) for one in fills for place in one.places]
    return Sample(tree.edit(edits).text, tuple(fills))


class Sampler:
    """Draws trees for nonterminals of a language.

    `source` is a tree of the input, for its fragments and words; None draws from the grammar alone,
    as the paper does.
    """

    def __init__(self, language: Language, seed: int, source: Tree | None = None) -> None:
        self._language: Final = language
        self._seed: Final = seed
        self._plain: Final = language.generator(_FRESH_SHARE)
        self._drawable: Final = frozenset(self._plain.symbols)
        self._biased: Final = None if source is None else self._plain.biased_to(source)
        self._words: Final = {} if source is None else words_of(source)
        self._fragments: Final[dict[str, dict[bytes, Node]]] = {}
        self._counterexamples: Final[dict[str, dict[bytes, Node]]] = {}
        self._failing_at: Final[dict[tuple[Place, ...], dict[bytes, Node]]] = {}
        self._invalid_at: Final[dict[tuple[Place, ...], set[bytes]]] = {}
        self._empties: Final[dict[str, Node | None]] = {}
        if source is not None:
            for node in source.nodes():
                if isinstance(node, Branch):
                    self._remember(self._fragments, node)

    @classmethod
    def of(cls, pattern: Pattern, seed: int) -> Sampler:
        """Return a sampler that draws for a pattern as its search did when it ended."""
        sampler = cls(pattern.language, seed, pattern.tree)
        touching = pattern.language.grammar.scannerless
        glue = int(Glue.BEFORE | Glue.AFTER) if touching else 0
        for hole in pattern.holes():
            # Of these trees only the text is known, and only the text is needed.
            known = sampler._failing_at.setdefault(hole.places, {})
            for text in filter(None, hole.marked.samples):
                known[text] = Token(hole.symbol, text, glue=glue)
            sampler._invalid_at[hole.places] = set(hole.marked.invalid)
        return sampler

    def can_draw(self, tree: Tree, place: Place) -> bool:
        """Whether there are trees to put in the place of a node."""
        node = tree.at(place)
        if node is None or node.symbol not in self._drawable:
            return False
        try:
            self._plain.minimal(node.symbol, _behind(tree, place))
        except GrammarError:
            return False
        return True

    def learn(self, fills: Iterable[Fill], *, fails: bool) -> None:
        """Remember what was in a valid sample, to use it elsewhere.

        What made a sample pass is a good first sample where something else is doubted.
        """
        for one in fills:
            if fails:
                kept = self._failing_at.setdefault(one.places, {})
                if len(kept) < _REMEMBERED:
                    kept.setdefault(render((one.node,)), one.node)
            self._remember(self._fragments if fails else self._counterexamples, one.node)

    def learn_invalid(self, fills: Sequence[Fill]) -> None:
        """Remember a tree that alone made an input invalid: it is drawn no more there."""
        if len(fills) == 1:
            text = render((fills[0].node,))
            self._invalid_at.setdefault(fills[0].places, set()).add(text)

    def invalid_at(self, places: tuple[Place, ...]) -> tuple[bytes, ...]:
        """Return texts that made inputs invalid in these places."""
        return tuple(sorted(self._invalid_at.get(places, ())))

    def validity(self, hole: Hole) -> float:
        """Return how likely a hole leaves a sample valid in which everything varies."""
        known = _known_share(hole.marked.validity) if hole.places in self._failing_at else 0.0
        drawn = known + (1.0 - known) * hole.marked.validity
        empty = 0.0 if self._empty(hole.symbol) is None else _EMPTY_SHARE
        return empty + (1.0 - empty) * drawn

    def failing_at(self, places: tuple[Place, ...]) -> tuple[bytes, ...]:
        """Return texts that stood in these places in valid failing samples."""
        return tuple(self._failing_at.get(places, ()))

    def samples(
        self,
        tree: Tree,
        places: tuple[Place, ...],
        symbol: str,
        label: str,
        others: Sequence[Hole] = (),
    ) -> Samples:
        """Return samples of a tree with a tree of a symbol in some places, while others vary."""
        node = tree.at(places[0])
        assert node is not None
        drawn = self._nodes(symbol, label, _behind(tree, places[0]))
        nodes = _other_than(render((node,)), drawn)
        if self._biased is not None:
            taken = names_outside(tree, [Hole(places, symbol, Marked(Mark.ABSTRACT, symbol))])
            nodes = _with_other_names(nodes, taken)
        filled = ((Fill(places, node),) for node in nodes)
        varied = self._fillings(tree, others, f"{label}/others")
        both = (one + two for one, two in zip(filled, varied, strict=False))
        return Samples(self._language, tree, both)

    def joint(
        self, tree: Tree, holes: Sequence[Hole], label: str, *, repeats: bool = False
    ) -> Samples:
        """Return samples of a tree in which all holes vary at once."""
        return Samples(self._language, tree, self._fillings(tree, holes, label), repeats=repeats)

    def _nodes(self, symbol: str, label: str, behind: str) -> Iterator[Node]:
        """Yield trees of a symbol without end, equal ones among them."""
        if self._biased is not None:
            yield from self._seen(symbol, behind)
        for number in count():
            size = _SIZES[number % len(_SIZES)]
            node = self._generated(symbol, self._random(label, number), size, behind)
            if node is not None:
                yield node

    def _seen(self, symbol: str, behind: str) -> list[Node]:
        """Return what to try first: counter-examples of others, the least tree, fragments."""
        found = list(islice(self._counterexamples.get(symbol, {}).values(), _FRAGMENTS))
        found.append(foreign(self._plain.minimal(symbol, behind).root))
        found += islice(self._fragments.get(symbol, {}).values(), _FRAGMENTS)
        return found

    def _fillings(
        self, tree: Tree, holes: Sequence[Hole], label: str
    ) -> Iterator[tuple[Fill, ...]]:
        behind = [_behind(tree, hole.places[0]) for hole in holes]
        others = names_outside(tree, holes)
        for number in count():
            fills = []
            taken = set(others)
            for index, hole in enumerate(holes):
                random = self._random(f"{label}/{index}", number)
                node = self._filling(hole, random, behind[index], taken)
                if node is not None:
                    fills.append(Fill(hole.places, node))
                    taken.update(name_of(node))
            yield tuple(fills)

    def _filling(self, hole: Hole, random: Random, behind: str, taken: set[bytes]) -> Node | None:
        """Return a tree for a hole: neither a name that is taken nor a text known to be invalid."""
        if random.random() < _EMPTY_SHARE and (empty := self._empty(hole.symbol)) is not None:
            return empty
        if self._biased is None:
            return self._generated(hole.symbol, random, random.choice(_SIZES), behind)
        known = self._failing_at.get(hole.places)
        invalid = self._invalid_at.get(hole.places, set())
        share = _known_share(hole.marked.validity)
        node: Node | None = None
        for _ in range(_REDRAWN):
            if known and random.random() < share:
                node = random.choice(list(known.values()))
            else:
                node = self._generated(hole.symbol, random, random.choice(_SIZES), behind)
            if node is None or not (taken & name_of(node) or render((node,)) in invalid):
                break
        return node

    def _generated(self, symbol: str, random: Random, size: int, behind: str) -> Node | None:
        generator = self._plain
        if self._biased is not None and random.random() < _BIASED_SHARE:
            generator = self._biased
        try:
            node = generator.node(random, symbol, size=size, behind=behind)
        except GrammarError:
            # No text of this size is read as it was meant; others may be.
            return None
        if self._words and isinstance(node, Branch) and random.random() < _WORDS_SHARE:
            node = respelled(node, lambda token: self._word(token, random))
        return node

    def _empty(self, symbol: str) -> Node | None:
        """Return the tree of a symbol that has no text, if there is one."""
        if symbol not in self._empties:
            try:
                least = self._plain.minimal(symbol)
            except GrammarError:
                least = None
            self._empties[symbol] = foreign(least.root) if least and not least.text else None
        return self._empties[symbol]

    def _word(self, token: Token, random: Random) -> bytes:
        known = self._words.get(token.symbol)
        return random.choice(known) if known else token.text

    def _random(self, label: str, number: int) -> Random:
        return Random(f"{self._seed}/{label}/{number}")

    @staticmethod
    def _remember(memory: dict[str, dict[bytes, Node]], node: Node) -> None:
        kept = memory.setdefault(node.symbol, {})
        if len(kept) < _REMEMBERED:
            kept.setdefault(render((node,)), foreign(node))


class Samples:
    """A stream of samples that match the grammar, no text twice unless `repeats` says so.

    `exhausted` is true when the stream ended because there are no other texts.
    """

    def __init__(
        self,
        language: Language,
        tree: Tree,
        fillings: Iterator[tuple[Fill, ...]],
        *,
        repeats: bool = False,
    ) -> None:
        self._language: Final = language
        self._tree: Final = tree
        self._fillings: Final = fillings
        self._repeats: Final = repeats
        self.exhausted = False

    def __iter__(self) -> Iterator[Sample]:
        seen = {self._tree.text}
        barren = unread = 0
        for fills in self._fillings:
            sample = fill(self._tree, fills)
            if sample.text in seen and not self._repeats:
                barren += 1
            elif self._language.matches(sample.text):
                barren = 0
                yield sample
            else:
                # Tokens run together, or are read differently here: not an input to test.
                barren += 1
                unread += 1
            seen.add(sample.text)
            if barren > _BARREN_DRAWS:
                self.exhausted = not unread and len(seen) <= _MOST_TEXTS
                return


def _known_share(validity: float) -> float:
    """Return how often a known text is taken, given how often a new tree is valid."""
    wanted = 1.0 - (1.0 - _WANTED_VALID) / max(1.0 - validity, 1.0 - _WANTED_VALID)
    return min(_KNOWN_MOST, max(_KNOWN_LEAST, wanted))


def _other_than(text: bytes, nodes: Iterator[Node]) -> Iterator[Node]:
    """Leave out nodes of a text, which would show nothing; end if there seem to be no others."""
    left_out = 0
    for node in nodes:
        if render((node,)) != text:
            left_out = 0
            yield node
        elif (left_out := left_out + 1) > _BARREN_DRAWS:
            return


def _with_other_names(nodes: Iterator[Node], taken: frozenset[bytes]) -> Iterator[Node]:
    """Leave out names that are taken, unless there seem to be no others."""
    left_out = 0
    for node in nodes:
        if left_out < _REDRAWN and taken & name_of(node):
            left_out += 1
        else:
            left_out = 0
            yield node


def _behind(tree: Tree, place: Place) -> str:
    """Return the text in front of a node."""
    start = len(tree.head)
    parent = place.parent
    if parent is not None:
        # The finder keeps the offsets of branches only.
        above = tree.at(parent)
        assert isinstance(above, Branch)
        index = child_index(above, place.key)
        assert index is not None
        start += tree.finder.offset(parent) + above.starts[index]
    return tree.text[:start].decode("utf-8", "surrogateescape")
