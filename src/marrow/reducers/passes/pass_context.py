"""What a pass needs besides the tree: the syntax, the stock of small nodes, the options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

from marrow.reducers.algorithms.settings import Settings
from marrow.reducers.passes.templates import Rewrite
from marrow.reducers.streams.minimal_replacement import Slots
from marrow.tree import QUANTIFIED, SEPARATOR, Node, Token, Tree
from marrow.tree.name_spelling import is_name, is_number, quote_of
from marrow.tree.node import foreign
from marrow.tree.outline import SeeParts

if TYPE_CHECKING:
    from marrow.reducers.passes.proposals import Proposer


# Longer nodes are not minimal values: `""` and `{}` are two tokens, `f()` three.
_MOST_TOKENS: Final = 3


class Stock:
    """The smallest nodes of the input, one for each symbol, by the slots that they fit.

    They take the place of larger ones. They are those of the original input, so a `0` is still
    known when the last number is gone. Names are left out: their meaning goes with their
    definition.
    """

    def __init__(self, tree: Tree, slots: Slots) -> None:
        self._tree: Final = tree
        self._slots: Final = slots
        self._fitting: Final[dict[str, tuple[Node, ...]]] = {}

    def fitting(self, slot: str) -> tuple[Node, ...]:
        """Return the nodes that fit a slot, smallest first."""
        if slot == SEPARATOR:
            return ()
        found = self._fitting.get(slot)
        if found is None:
            found = tuple(node for node in self._nodes if self._slots.accepts(slot, node))
            self._fitting[slot] = found
        return found

    @cached_property
    def _nodes(self) -> list[Node]:
        """All of them, smallest first; found when first used, not before the first test."""
        smallest: dict[str, Node] = {}
        for node in self._tree.nodes():
            if node.slot == SEPARATOR or not 0 < node.token_count <= _MOST_TOKENS:
                continue
            if node.kind in QUANTIFIED or (isinstance(node, Token) and is_name(node)):
                continue
            node = _least(node)
            known = smallest.get(node.symbol)
            if known is None or order(node) < order(known):
                smallest[node.symbol] = node
        return sorted((foreign(node) for node in smallest.values()), key=order)


def order(node: Node) -> tuple[int, int, bytes]:
    """Return the key that orders nodes by size."""
    return node.token_count, node.length, node.text


def _least(node: Node) -> Node:
    """Return the least token of the same kind."""
    if not isinstance(node, Token):
        return node
    if is_number(node):
        return node.changed(text=b"0")
    opening, closing = quote_of(node.text)
    if opening:
        text = node.text
        return node.changed(text=text[:opening] + text[len(text) - closing :])
    return node


class ParsingSlots(Slots, Protocol):
    """Slots with a parser: another way to see a text than the usual one."""

    def parse(self, text: bytes, /) -> Tree:
        """Turn a text into a tree."""

    def compact(self, tree: Tree, /) -> bytes:
        """Return the text of a tree in compact layout."""


class Preprocessor(Protocol):
    """Expands texts; its answer to a text is always the same."""

    def expanded(self, text: bytes, language: str) -> bytes | None:
        """Return a text with its headers expanded; None if it has none, or that fails."""


#: A text with at most so many tokens is small. What hardly ever succeeded on small texts waits for
#: `--effort max` there. In ten runs (docs/lab/economy.md), on 60 tokens or fewer: `tokens` 0 of
#: 136 with five or more, `less` with a word or another subtree for more than eight tokens 0 of 143,
#: for five to eight 0 of 84 in eight others.
SMALL: Final = 60


@dataclass(frozen=True, slots=True)
class PassOptions:
    """The user's choices. `thorough` also tries what seldom pays:
    all pairs of names, and at the end candidates that the parser rejects. `language` is that of the
    input, for the few passes that are for one. `propose` is a program that proposes candidates.
    `one_file`: files are joined wherever the test agrees, or never; None is where that pays.
    `preprocessor` expands the headers of the system in what is left, as `one_file` or `thorough`
    ask for it.
    `pair`: the names of files that change together."""

    keep_names: bool = False
    keep_layout: bool = False
    thorough: bool = False
    rewrites: tuple[Rewrite, ...] = ()
    language: str = ""
    propose: Proposer | None = None
    one_file: bool | None = None
    preprocessor: Preprocessor | None = None
    pair: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PassContext:
    """What the passes of a reduction share.

    `compact` returns a tree's text in compact layout; with `lines=False` without line breaks, where
    they mean nothing. `parts` gives the parts of definitions that declarations do without. `large`:
    the input is, so batches pay. `commented` makes a front end to which comments are tokens,
    `injected` one for code in a language, given its name, if the code parses.
    """

    slots: Slots
    parse: Callable[[bytes], Tree]
    compact: Callable[..., bytes]
    stock: Stock
    options: PassOptions = field(default_factory=PassOptions)
    settings: Settings = field(default_factory=Settings)
    parts: SeeParts = lambda _: ()
    large: bool = False
    commented: Callable[[], ParsingSlots | None] = lambda: None
    injected: Callable[[str, bytes], ParsingSlots | None] = lambda _, __: None

    def seldom_pays(self, tree: Tree) -> bool:
        """Whether to leave out what hardly ever succeeds on a text as small as this."""
        return tree.token_count <= SMALL and not self.options.thorough

    def reparsed(self, tree: Tree) -> Tree:
        """Return the tree that the parser makes of a tree's text."""
        return self.parse(tree.text)
