"""From derivations to trees.

Quantifiers are nodes, also when they hold nothing; lists are flat; what takes the place of a
rule says so in its slot. A first pass walks the derivation from the left and notes the nodes in the
order of the text, a second pass makes the branches from the right, children before parents.
Branches are measured by the positions of their tokens, not by looking at children.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice
from typing import Any, Final, NamedTuple, TypeAlias

from marrow.base.deadline import look as look_at_clock
from marrow.grammar.parser.bnf import ABSENT, HANDED_ON, Bnf, Derivation, Production, Shape
from marrow.grammar.parser.lexer import Lexemes
from marrow.tree import Tree
from marrow.tree.node import Branch, Kind, Node, Token

_LINE_START: Final = re.compile(rb"^[ \t]*", re.MULTILINE)

#: What a token is made of besides its place in the tree.
Leaf: TypeAlias = tuple[bytes, bytes, bytes, bytes, int]


class Layout:
    """The bytes of a text's tokens, the gaps between them, and the indentation of their lines."""

    def __init__(self, data: bytes, lexemes: Lexemes, encoding: str = "utf-8") -> None:
        starts, ends = lexemes.starts, lexemes.ends
        if len(data) != len(lexemes.text):
            starts, ends = _byte_offsets(lexemes, encoding)
        self.data: Final = data
        self.starts: Final = starts
        self.ends: Final = ends
        self.glue: Final = lexemes.glue

    def indents(self) -> list[bytes]:
        """Return the indentation of the line that each token starts on."""
        lines = [(found.start(), found[0]) for found in _LINE_START.finditer(self.data)]
        starts, indents = zip(*lines, strict=True)
        return [indents[bisect_right(starts, start) - 1] for start in self.starts]

    def gaps(self) -> list[bytes]:
        """Return the gap before each token, and the one after the last."""
        data = self.data
        before = [0, *self.ends]
        after = [*self.starts, len(data)]
        return [data[a:b] for a, b in zip(before, after, strict=True)]

    def leaves(self, gaps: list[bytes]) -> Iterator[Leaf]:
        """Return what each token is made of: text, gaps before and after, indentation, glue."""
        data = self.data
        texts = [data[a:b] for a, b in zip(self.starts, self.ends, strict=True)]
        glue = self.glue if isinstance(self.glue, list) else [self.glue] * len(texts)
        return zip(texts, gaps[:-1], gaps[1:], self.indents(), glue, strict=True)


def _byte_offsets(lexemes: Lexemes, encoding: str) -> tuple[list[int], list[int]]:
    """Turn offsets in characters into offsets in bytes."""
    starts, ends = [], []
    text = lexemes.text
    characters = size = 0
    for start, end in zip(lexemes.starts, lexemes.ends, strict=True):
        size += len(text[characters:start].encode(encoding, "surrogateescape"))
        starts.append(size)
        size += len(text[start:end].encode(encoding, "surrogateescape"))
        ends.append(size)
        characters = end
    return starts, ends


#: How a child looks: its slot; its symbol, if it is a token; and the kind, the name and the slot of
#: the quantifier node around it, if there is one, with the look of what an optional holds.
_Look: TypeAlias = tuple[str, str, Kind | None, str, str, Any]

#: Where a child is: its position in the derivation, or the empty node; and its look.
_Source: TypeAlias = tuple[int, Branch | None, _Look]

#: A child: its derivation, the position of its token, or an empty node; and its look.
_Spec: TypeAlias = tuple[Derivation, _Look]

#: A branch as it is found on the way down: kind, symbol, slot, key, how many children, first token.
_Found: TypeAlias = tuple[Kind, str, str, int, int, int]


class _Plan(NamedTuple):
    """The plan for building a production.

    `steps` says where to find the children, last one first: their position in the derivation or
    the empty node, look and key. It is None if a child is hidden, so that the number of children is
    not known beforehand. For `L -> L S x`, which makes lists, `again` is true and the steps are
    those of the children after L.
    """

    shape: Shape
    name: str
    steps: tuple[tuple[int, Branch | None, _Look, int], ...] | None
    again: bool


class TreeBuilder:
    """Builds the trees of one grammar's derivations."""

    def __init__(self, bnf: Bnf, productions: Sequence[Production]) -> None:
        # Where the children of each production are, or the empty nodes, last one first.
        self._prepared: Final = [_prepared(one, bnf) for one in productions]
        hidden = {one.left for one in productions if one.shape is Shape.SPLICE}
        #: The plans of the productions.
        self.plans: Final = [
            _plan(one, hidden, own) for one, own in zip(productions, self._prepared, strict=True)
        ]

    def build(self, root: Derivation, layout: Layout, start: str, *, chains: bool = True) -> Tree:
        """Return the tree of a derivation of the start rule.

        Without `chains` a rule that holds nothing but another one is left out.
        """
        return _Building(self, layout, chains).run(root, start)

    def children(self, derivation: Derivation) -> list[_Spec]:
        """Return the children of a derivation's node, with hidden parts spread out."""
        return self.unfold(self._entries(derivation))

    def _entries(self, derivation: Derivation) -> list[_Spec]:
        """Return what the entries of a production hold in a derivation, last one first."""
        return [
            (derivation[child] if node is None else node, look)
            for child, node, look in self._prepared[derivation[0]]
        ]

    def unfold(self, work: list[_Spec]) -> list[_Spec]:
        """Replace hidden parts by their children; `work` has the last child first."""
        found: list[_Spec] = []
        while work:
            spec = work.pop()
            one = spec[0]
            if one.__class__ is int or one.__class__ is Branch or spec[1][2] is not None:
                found.append(spec)
                continue
            while one[0] == HANDED_ON:
                one = one[2]
            if self.plans[one[0]].shape is Shape.SPLICE:
                work += self._entries(one)
            else:
                found.append((one, spec[1]))
        return found


def _prepared(production: Production, bnf: Bnf) -> list[_Source]:
    found: list[_Source] = []
    for entry in reversed(production.entries):
        slot, token, wrap = entry.slot, entry.token, entry.wrap
        if entry.child == ABSENT:
            for node in reversed(bnf.empties[entry.empty]):
                own = entry.wrap_slot or slot or node.slot
                found.append((ABSENT, node, (own, "", None, "", "", None)))
        else:
            inside = None if wrap is None else (slot, token, None, "", "", None)
            look = (slot, token, wrap, entry.wrap_name, entry.wrap_slot, inside)
            found.append((2 + entry.child, None, look))
    return found


def _plan(production: Production, hidden: set[int], prepared: Sequence[_Source]) -> _Plan:
    right = production.right
    again = production.shape is Shape.SPLICE and len(right) > 1 and right[0] == production.left
    own = prepared[:-1] if again else prepared
    steps = None
    if all(
        node is not None or look[2] is not None or right[child - 2] not in hidden
        for child, node, look in own
    ):
        count = len(own)
        steps = tuple(
            (child, node and node.placed(key=count - 1 - at, slot=look[0]), look, count - 1 - at)
            for at, (child, node, look) in enumerate(own)
        )
    return _Plan(production.shape, production.name, steps, again)


class _Building:
    """One tree in the making."""

    def __init__(self, builder: TreeBuilder, layout: Layout, chains: bool) -> None:
        self._builder: Final = builder
        self._layout: Final = layout
        self._chains: Final = chains
        self._tokens: list[Token] = []
        self._gaps: Final = layout.gaps()

    def run(self, root: Derivation, start: str) -> Tree:
        """Return the tree."""
        node = self._join(self._descend(root, start))
        # Without tokens there is one gap: the whole text, which must not be on both sides.
        tail = self._gaps[-1] if len(self._gaps) > 1 else b""
        return Tree(node, self._gaps[0], tail)

    def _descend(self, root: Derivation, slot: str) -> list[_Found | Node]:
        """Return the nodes in the order of the text, parents first; tokens are made at once."""
        plans = self._builder.plans
        tokens = self._tokens
        new: Callable[[type], Any] = object.__new__
        chains = self._chains
        # Tokens come in the order of the text, so what they are made of is read off in step.
        leaves = self._layout.leaves(self._gaps)
        found: list[_Found | Node] = []
        work: list[tuple[Derivation, _Look, int]] = [(root, (slot, "", None, "", "", None), 0)]
        while work:
            if not len(found) & 0x3F:
                look_at_clock()
            child, look, key = work.pop()
            slot, symbol, wrap, wrap_name, wrap_slot, inside = look
            if child.__class__ is int and wrap is None:
                # Filled in by hand, as are the branches below, which costs less than calling the
                # constructors. A test compares the nodes with constructed ones.
                token = new(Token)
                token.symbol = symbol
                token.slot = slot
                token.key = key
                token.serial = len(tokens)
                token.token_count = 1
                token.text, token.before, token.after, token.indent, token.glue = next(leaves)
                tokens.append(token)
                found.append(token)
                continue
            if wrap is not None:
                # What is handed on is a variant of a rule, and so a node.
                if wrap is Kind.OPTIONAL and (
                    child.__class__ is int
                    or child[0] == HANDED_ON
                    or plans[child[0]].shape is Shape.NODE
                ):
                    found.append((wrap, wrap_name, wrap_slot, key, 1, len(tokens)))
                    work.append((child, inside, 0))
                    continue
                below, below_looks = self._quantified(child, wrap, inside)
                count = len(below)
                found.append((wrap, wrap_name, wrap_slot, key, count, len(tokens)))
            elif child.__class__ is Branch:
                same = child.key == key and child.slot == slot
                found.append(child if same else child.placed(key=key, slot=slot))
                continue
            else:
                while child[0] == HANDED_ON:
                    child = child[2]
                shape, symbol, steps, _ = plans[child[0]]
                if shape is Shape.TOKEN:
                    # The characters of a scannerless grammar.
                    spelled = list(islice(leaves, len(child) - 2))
                    text, (indent, glue) = b"".join(one[0] for one in spelled), spelled[0][3:]
                    at = len(tokens)
                    token = Token(
                        symbol, text, slot=slot, key=key, serial=at, indent=indent, glue=glue
                    )
                    tokens.append(token)
                    found.append(token)
                    continue
                if steps is not None:
                    if len(steps) == 1 and not chains:
                        at, node, look, _ = steps[0]
                        if node is None and look[2] is None:
                            work.append((child[at], (slot, *look[1:]), key))
                            continue
                    found.append((Kind.REGULAR, symbol, slot, key, len(steps), len(tokens)))
                    for at, node, look, key in steps:
                        work.append((child[at] if node is None else node, look, key))
                    continue
                below, below_looks = _apart(self._builder.children(child))
                count = len(below)
                # Anything but a quantifier or an empty node can replace the rule that holds it.
                single = count == 1 and below[0].__class__ is not Branch
                if single and not chains and below_looks[0][2] is None:
                    work.append((below[0], (slot, *below_looks[0][1:]), key))
                    continue
                found.append((Kind.REGULAR, symbol, slot, key, count, len(tokens)))
            work += zip(below, below_looks, range(count - 1, -1, -1), strict=True)
        return found

    def _offsets(self) -> tuple[Sequence[int], Sequence[int]]:
        """Return where tokens start and end in the text."""
        if len(self._tokens) == len(self._layout.starts):
            return self._layout.starts, self._layout.ends
        ends = list(accumulate(len(token.text) for token in self._tokens))
        return [0, *ends], ends

    def _quantified(
        self, child: Derivation, kind: Kind, inside: _Look
    ) -> tuple[list[Derivation], list[_Look]]:
        """Return the children of a quantifier node and their looks, last one first."""
        builder = self._builder
        if kind is Kind.OPTIONAL:
            return _apart(builder.unfold([(child, inside)]))
        plans = builder.plans
        children: list[Derivation] = []
        looks: list[_Look] = []
        one = child
        while True:
            while one[0] == HANDED_ON:
                one = one[2]
            _, _, steps, again = plans[one[0]]
            if steps is None:
                while child[0] == HANDED_ON:
                    child = child[2]
                return _apart(builder.children(child))
            for at, node, look, _ in steps:
                children.append(one[at] if node is None else node)
                looks.append(look)
            if not again:
                return children, looks
            one = one[2]

    def _join(self, found: list[_Found | Node]) -> Node:
        """Make the branches, from the right to the left, children before parents."""
        tokens = self._tokens
        starts, ends = self._offsets()
        new: Callable[[type], Any] = object.__new__
        built: list[Node] = []
        last: list[int] = []  # after the last token of each node in `built`
        after = len(tokens)
        for one in reversed(found):
            if one.__class__ is Token:
                last.append(after)
                after -= 1
                built.append(one)
                continue
            if one.__class__ is Branch:
                last.append(after)
                built.append(one)
                continue
            kind, symbol, slot, key, count, first = one  # type: ignore[misc]
            branch = new(Branch)
            branch.kind = kind
            branch.symbol = symbol
            branch.slot = slot
            branch.key = key
            branch._starts = None
            end = first
            if count:
                branch.children = tuple(built[: -count - 1 : -1])
                end = last[-count]
                del built[-count:], last[-count:]
            else:
                branch.children = ()
            branch.token_count = end - first
            if end > first:
                branch.length = ends[end - 1] - starts[first]
                branch.first = tokens[first]
                branch.last = tokens[end - 1]
            else:
                branch.length = 0
                branch.first = branch.last = None
            built.append(branch)
            last.append(end)
        return built[0]


def _apart(specs: list[_Spec]) -> tuple[list[Derivation], list[_Look]]:
    """Return children and their looks, last one first."""
    specs.reverse()
    return [spec[0] for spec in specs], [spec[1] for spec in specs]
