"""Samples: inputs made from a tree by filling places of it, and what they have shown.

A stream gives no text twice, and leaves out trees that would show nothing or take a name that is
already used. Names that a filled place takes from the rest of the tree go there, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from marrow.abstraction.fragments import FragmentSource
from marrow.abstraction.hole_rules import conditions_hold, differ
from marrow.abstraction.pattern import Hole
from marrow.tree import Node, Place, Replace, Token, Tree
from marrow.tree.name_spelling import spelled_like_name
from marrow.tree.node import render, tokens_of, with_tokens

#: How long a made-up name is: with fewer letters it may be a word that means something.
_LETTERS: Final = (6, 9)

_NAMES: Final = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")


def name_of(node: Node) -> frozenset[bytes]:
    """Return the name that a tree consists of; nothing if it is anything else.

    Names that differ in the input differ in the samples: two functions of the same name are another
    program, and mostly not a valid one.
    """
    text = render((node,))
    return frozenset((text,)) if spelled_like_name(text) else frozenset()


def names_in(node: Node) -> frozenset[bytes]:
    """Return all that is spelled like a name in a tree, of which only the text may be known."""
    return frozenset(_NAMES.findall(render((node,))))


def made_up_name(old: bytes, random: Random) -> bytes:
    """Return a name that nobody has given, in the letters of another one."""
    made = bytes(random.choice(range(97, 123)) for _ in range(random.randint(*_LETTERS)))
    if len(old) > 1 and old.isupper():
        return made.upper()
    return made.capitalize() if old[:1].isupper() else made


def names_outside(tree: Tree, places: Iterable[Place]) -> frozenset[bytes]:
    """Return the names in a tree outside of some places."""
    inside = set(places)
    nodes = tree.walk(into=lambda place, _: place not in inside)
    return frozenset[bytes]().union(
        *(name_of(node) for place, node in nodes if isinstance(node, Token) and place not in inside)
    )


def words_in(node: Node) -> frozenset[bytes]:
    """Return the texts of a node's tokens."""
    return frozenset(token.text for token in tokens_of((node,)))


def words_of(tree: Tree) -> dict[str, list[bytes]]:
    """Return the texts of a tree's tokens that have several; a token with one text has none."""
    found: dict[str, dict[bytes, None]] = {}
    for token in tree.tokens():
        if not (token.symbol.startswith("'") and token.symbol.endswith("'")):
            found.setdefault(token.symbol, {})[token.text] = None
    return {symbol: list(texts) for symbol, texts in found.items()}


def respelled(node: Node, spell: Callable[[Token], bytes]) -> Node:
    """Return a node with other texts for its tokens."""
    return with_tokens(node, lambda token: token.changed(text=spell(token)))


def new_names(tree: Tree, fills: Sequence[tuple[tuple[Place, ...], Node]]) -> dict[bytes, bytes]:
    """Return the names of a tree that disappear, each with the name that replaces it."""
    filled = [place for places, _ in fills for place in places]
    found: dict[bytes, bytes] = {}
    for places, node in fills:
        before = tree.at(places[0])
        assert before is not None
        for old, new in zip(name_of(before), name_of(node), strict=False):
            if old != new:
                found.setdefault(old, new)
    if found and any(not name_of(node) for _, node in fills):
        for name in names_outside(tree, filled) & found.keys():
            del found[name]
    return found


def with_new_names(node: Node, renamed: Mapping[bytes, bytes]) -> Node:
    """Return a tree with other names; one that is a name itself stays as it is."""
    if not renamed or name_of(node):
        return node
    words = re.compile(rb"(?<![\w$])(?:%s)(?![\w$])" % b"|".join(map(re.escape, renamed)))
    # Of some trees only the text is known: a token may hold several words.
    return respelled(node, lambda token: words.sub(lambda one: renamed[one[0]], token.text))


#: A stream ends after this number of draws in a row without a new text. A text that comes up in one
#: draw of fifty is missed in 2 of 1,000 such cases.
BARREN_DRAWS: Final = 300

#: After this number of draws in a row without a new text, known texts are not drawn any more.
_STALE_DRAWS: Final = 10


@dataclass(frozen=True, slots=True)
class Fill:
    """A tree for the places that vary as one; `near` says that it is one near the input."""

    places: tuple[Place, ...]
    node: Node
    near: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """An input made from a tree by filling some places."""

    text: bytes
    fills: tuple[Fill, ...]

    @property
    def near(self) -> bool:
        """Whether everything in it is near the input."""
        return all(one.near for one in self.fills)


@dataclass(slots=True)
class SamplePace:
    """How many draws in a row gave no new text."""

    barren: int = 0

    @property
    def stale(self) -> bool:
        """Whether what is known has been drawn often enough."""
        return self.barren > _STALE_DRAWS


@dataclass(slots=True)
class Samples:
    """A stream of samples of the language, no text twice unless `repeats` says so.

    `most` is how many texts there can be, the tree's own included. `exhausted` is true when the
    stream ended because all of them were drawn. `renames` is as in `filled`. `unlike` are pairs of
    places that must differ, and `holes` have conditions that must hold.
    """

    material: FragmentSource
    tree: Tree
    fillings: Iterator[tuple[Fill, ...]]
    pace: SamplePace
    most: float
    repeats: bool = False
    renames: bool = True
    unlike: Sequence[tuple[Place, Place]] = ()
    holes: Sequence[Hole] = ()
    exhausted: bool = False

    def __iter__(self) -> Iterator[Sample]:
        seen = {self.tree.text}
        for fills in self.fillings:
            tree = filled(self.material, self.tree, fills, renames=self.renames)
            sample = Sample(tree.text, fills)
            known = sample.text in seen
            seen.add(sample.text)
            if known and not self.repeats:
                self.pace.barren += 1
            elif (
                differ(tree, self.unlike)
                and conditions_hold(tree, self.holes)
                and self.material.matches(sample.text)
            ):
                self.pace.barren = 0
                yield sample
            else:
                # Tokens run together, or are read differently here: not an input to test.
                self.pace.barren += 1
            if len(seen) >= self.most and not self.repeats:
                self.exhausted = True
                return
            if self.pace.barren > BARREN_DRAWS:
                return


def filled(
    material: FragmentSource, tree: Tree, fills: Sequence[Fill], *, renames: bool = True
) -> Tree:
    """Put trees into the places of a tree.

    With `renames`, what other trees say of a name that gets another one says it of the new name: a
    block that leaves the label `done` is valid only as long as that is the name of the label.
    """
    renamed = new_names(tree, [(one.places, one.node) for one in fills]) if renames else {}
    edits = []
    for one in fills:
        node = with_new_names(one.node, renamed)
        for place in one.places:
            old = tree.at(place)
            assert old is not None
            edits.append(Replace(place, material.placed(old, node)))
    return tree.edit(edits)


#: How often another tree is drawn for a name that is taken, or for a text that is known to make
#: inputs invalid; then it is used all the same.
REDRAWN: Final = 8


def apart(one: Node, other: Node) -> bool:
    """Whether two trees for different places are not the same, nor a name one that is in both."""
    if render((one,)) == render((other,)):
        return False
    return not (name_of(one) & names_in(other) or name_of(other) & names_in(one))


def leaving_out(fills: Iterator[Fill], unwanted: Callable[[Node], bool]) -> Iterator[Fill]:
    """Leave out trees that would show nothing; end if there seem to be no others."""
    left_out = 0
    for one in fills:
        left_out = left_out + 1 if unwanted(one.node) else 0
        if not left_out:
            yield one
        elif left_out > BARREN_DRAWS:
            return


def with_other_names(fills: Iterator[Fill], taken: frozenset[bytes]) -> Iterator[Fill]:
    """Leave out names that are taken, unless there seem to be no others."""
    left_out = 0
    for one in fills:
        named = left_out < REDRAWN and taken & name_of(one.node)
        left_out = left_out + 1 if named else 0
        if not named:
            yield one


#: Larger pieces of the input are not tried elsewhere.
_LARGEST: Final = 200

#: How many fragments are remembered for a nonterminal.
_REMEMBERED: Final = 64


class SampleMemory:
    """Texts and trees by what is known of them.

    By their nonterminals: `fragments` of inputs, the `nearest` of them, and `counterexamples`,
    which made a sample pass. By the places they stood in: those in `failing` and in `invalid`
    samples.
    """

    def __init__(self, material: FragmentSource) -> None:
        self._material: Final = material
        self.fragments: Final[dict[str, dict[bytes, Node]]] = {}
        self.nearest: Final[dict[str, dict[bytes, Node]]] = {}
        self.counterexamples: Final[dict[str, dict[bytes, Node]]] = {}
        self.failing: Final[dict[tuple[Place, ...], dict[bytes, Node]]] = {}
        self.invalid: Final[dict[tuple[Place, ...], set[bytes]]] = {}
        self.passing: Final[dict[tuple[Place, ...], set[bytes]]] = {}

    def take(self, tree: Tree, memory: dict[str, dict[bytes, Node]]) -> None:
        """Remember the fragments of a tree."""
        for node in tree.nodes():
            if 0 < node.token_count <= _LARGEST:
                self._remember(memory, node)

    def learn(self, fills: Iterable[Fill], *, fails: bool) -> None:
        """Remember what was in a valid sample, to use it elsewhere.

        What made a sample pass is a good first sample where something else is doubted.
        """
        for one in fills:
            if fails:
                kept = self.failing.setdefault(one.places, {})
                if len(kept) < _REMEMBERED:
                    kept.setdefault(render((one.node,)), one.node)
            memory = self.fragments if fails else self.counterexamples
            self._remember(memory, one.node)
            if not fails:
                self.passing.setdefault(one.places, set()).add(render((one.node,)))
                # Below a chain the same text is a sample that needs no test.
                inner = one.node
                while len(inner.children) == 1:
                    inner = inner.children[0]
                    self._remember(memory, inner)

    def learn_invalid(self, fills: Sequence[Fill]) -> None:
        """Remember what made an input invalid: the largest tree of those that it took.

        It is drawn no more there. Of several names each may be fine with others.
        """
        largest = max(fills, key=lambda one: one.node.token_count, default=None)
        if largest is not None and (len(fills) == 1 or not name_of(largest.node)):
            text = render((largest.node,))
            self.invalid.setdefault(largest.places, set()).add(text)

    def invalid_at(self, places: tuple[Place, ...]) -> tuple[bytes, ...]:
        """Return texts that made inputs invalid in these places."""
        return tuple(sorted(self.invalid.get(places, ())))

    def _remember(self, memory: dict[str, dict[bytes, Node]], node: Node) -> None:
        kept = memory.setdefault(self._material.key(node), {})
        if len(kept) < _REMEMBERED:
            kept.setdefault(render((node,)), self._material.taken(node))
