"""From derivations to trees.

Quantifiers are nodes, also when they hold nothing; lists are flat; what stands in the place of a
rule says so in its slot. Everything is measured from the positions of tokens, not by looking at
children.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from marrow.grammar.bnf import ABSENT, Bnf, Entry, Production, Shape
from marrow.grammar.glr import HANDED_ON, Derivation
from marrow.grammar.lexer import Lexemes
from marrow.tree import Tree
from marrow.tree.node import Branch, Extent, Kind, Node, Token

_LINE_START: Final = re.compile(rb"^[ \t]*", re.MULTILINE)

_NOTHING: Final = Extent(0, 0, None, None)

#: What a child is: its derivation, position or empty node; its slot; its symbol, if it is a token;
#: and the quantifier to show around it, if any.
_Spec = tuple[Derivation, str, str, Kind | None, str, str]


class Layout:
    """The bytes of a text's tokens, the gaps between them, and the indentation of their lines."""

    def __init__(self, data: bytes, lexemes: Lexemes) -> None:
        starts, ends = lexemes.starts, lexemes.ends
        if len(data) != len(lexemes.text):
            starts, ends = _byte_offsets(lexemes)
        self.data: Final = data
        self.starts: Final = starts
        self.ends: Final = ends
        self.glue: Final = lexemes.glue
        self._lines: Final = [(m.start(), m.group()) for m in _LINE_START.finditer(data)]

    def indents(self) -> list[bytes]:
        """Return the indentation of the line that each token starts on."""
        lines = self._lines
        found = []
        line = 0
        following = lines[1][0] if len(lines) > 1 else len(self.data) + 1
        indent = lines[0][1]
        for start in self.starts:
            while start >= following:
                line += 1
                indent = lines[line][1]
                following = lines[line + 1][0] if line + 1 < len(lines) else len(self.data) + 1
            found.append(indent)
        return found

    def gaps(self) -> list[bytes]:
        """Return what stands before each token, and behind the last one."""
        data = self.data
        before = [0, *self.ends]
        after = [*self.starts, len(data)]
        return [data[a:b] for a, b in zip(before, after, strict=True)]


def _byte_offsets(lexemes: Lexemes) -> tuple[list[int], list[int]]:
    """Turn offsets in characters into offsets in bytes."""
    starts, ends = [], []
    text = lexemes.text
    characters = size = 0
    for start, end in zip(lexemes.starts, lexemes.ends, strict=True):
        size += len(text[characters:start].encode("utf-8", "surrogateescape"))
        starts.append(size)
        size += len(text[start:end].encode("utf-8", "surrogateescape"))
        ends.append(size)
        characters = end
    return starts, ends


class _Frame:
    """A branch whose children are being made."""

    __slots__ = ("built", "first", "key", "kind", "next", "slot", "specs", "symbol")

    def __init__(
        self, kind: Kind, symbol: str, slot: str, key: int, specs: Sequence[_Spec], first: int
    ) -> None:
        self.kind: Final = kind
        self.symbol: Final = symbol
        self.slot: Final = slot
        self.key: Final = key
        self.specs: Final = specs
        self.first: Final = first
        self.next = 0
        self.built: Final[list[Node]] = []


class TreeBuilder:
    """Builds the trees of one grammar's derivations."""

    def __init__(self, bnf: Bnf, productions: Sequence[Production]) -> None:
        self._bnf: Final = bnf
        self._productions: Final = productions
        self._plain: Final = [_plain(one) for one in productions]

    def build(self, root: Derivation, layout: Layout, start: str, *, chains: bool = True) -> Tree:
        """Return the tree of a derivation of the start rule.

        Without `chains` a rule that holds nothing but another one is left out.
        """
        return _Building(self, layout, chains).run(root, start)

    def production(self, number: int) -> Production:
        """Return a production by its number."""
        return self._productions[number]

    def specs(self, derivation: Derivation) -> Sequence[_Spec]:
        """Return the children of a derivation's node, lists and hidden parts spread out."""
        slots = self._plain[derivation[0]]
        if slots is not None:
            found: list[_Spec] = []
            hidden = False
            for child, (slot, token) in zip(derivation[2:], slots, strict=True):
                hidden = hidden or (child.__class__ is not int and not self._is_node(child))
                found.append((child, slot, token, None, "", ""))
            if not hidden:
                return found
        return self._spread(derivation)

    def _is_node(self, derivation: Derivation) -> bool:
        number = derivation[0]
        return number != HANDED_ON and self._productions[number].shape is not Shape.SPLICE

    def _spread(self, derivation: Derivation) -> list[_Spec]:
        return self.unfold(self._entries(derivation))

    def _entries(self, derivation: Derivation) -> list[_Spec]:
        """Return what the entries of a production hold in a derivation, last one first."""
        found: list[_Spec] = []
        for entry in reversed(self._productions[derivation[0]].entries):
            if entry.child == ABSENT:
                for node in reversed(self._bnf.empties[entry.empty]):
                    found.append((node, _slot_of(entry, node), "", None, "", ""))
            else:
                found.append((derivation[2 + entry.child], *_look(entry)))
        return found

    def unfold(self, work: list[_Spec]) -> list[_Spec]:
        """Replace hidden parts by their children; `work` has the last child first."""
        found: list[_Spec] = []
        while work:
            spec = work.pop()
            one = spec[0]
            if one.__class__ is int or one.__class__ is Branch or spec[3] is not None:
                found.append(spec)
                continue
            while one[0] == HANDED_ON:
                one = one[2]
            if self._productions[one[0]].shape is Shape.SPLICE:
                work += self._entries(one)
            else:
                found.append((one, *spec[1:]))
        return found


def _look(entry: Entry) -> tuple[str, str, Kind | None, str, str]:
    return entry.slot, entry.token, entry.wrap, entry.wrap_name, entry.wrap_slot


def _slot_of(entry: Entry, node: Branch) -> str:
    """Return the slot of an empty node: the entry's if it stands for it alone."""
    return entry.wrap_slot or entry.slot or node.slot


def _plain(production: Production) -> tuple[tuple[str, str], ...] | None:
    """Return the slots of a production's children if they are its symbols one by one."""
    entries = production.entries
    if [entry.child for entry in entries] != list(range(len(production.right))):
        return None
    if any(entry.wrap is not None for entry in entries):
        return None
    return tuple((entry.slot, entry.token) for entry in entries)


class _Building:
    """One tree in the making."""

    def __init__(self, builder: TreeBuilder, layout: Layout, chains: bool) -> None:
        self._builder: Final = builder
        self._layout: Final = layout
        self._chains: Final = chains
        self._tokens: list[Token] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._gaps: Final = layout.gaps()
        self._indents: Final = layout.indents()

    def run(self, root: Derivation, start: str) -> Tree:
        spec: _Spec = (root, start, "", None, "", "")
        outer = _Frame(Kind.REGULAR, "", "", 0, [spec], 0)
        stack = [outer]
        tokens, ends, starts = self._tokens, self._ends, self._starts
        while True:
            frame = stack[-1]
            built = frame.built
            specs = frame.specs
            key = frame.next
            size = len(specs)
            while key < size:
                spec = specs[key]
                child = spec[0]
                if child.__class__ is int and spec[3] is None:
                    built.append(self._token(child, child + 1, spec[2], spec[1], key))
                elif child.__class__ is Branch:
                    built.append(child.placed(key=key, slot=spec[1]))
                else:
                    below = self._open(spec, key)
                    if isinstance(below, _Frame):
                        frame.next = key + 1
                        stack.append(below)
                        break
                    built.append(below)
                key += 1
            else:
                stack.pop()
                if not stack:
                    break
                first = frame.first
                count = len(tokens) - first
                if count:
                    extent = Extent(count, ends[-1] - starts[first], tokens[first], tokens[-1])
                else:
                    extent = _NOTHING
                stack[-1].built.append(
                    Branch(
                        frame.kind,
                        frame.symbol,
                        built,
                        slot=frame.slot,
                        key=frame.key,
                        extent=extent,
                    )
                )
        return Tree(outer.built[0], self._gaps[0], self._gaps[-1])

    def _open(self, spec: _Spec, key: int) -> _Frame | Node:
        """Start a branch, or make the token that a scannerless derivation spells."""
        child, slot, token, wrap, wrap_name, wrap_slot = spec
        first = len(self._tokens)
        builder = self._builder
        if wrap is Kind.OPTIONAL:
            inner = builder.unfold([(child, slot, token, None, "", "")])
            return _Frame(wrap, wrap_name, wrap_slot, key, inner, first)
        while child[0] == HANDED_ON:
            child = child[2]
        if wrap is not None:
            return _Frame(wrap, wrap_name, wrap_slot, key, builder.specs(child), first)
        production = builder.production(child[0])
        if production.shape is Shape.TOKEN:
            return self._token(child[1], child[1] + len(child) - 2, production.name, slot, key)
        specs = builder.specs(child)
        if not self._chains:
            while len(specs) == 1 and specs[0][3] is None and specs[0][0].__class__ is not Branch:
                inside = specs[0][0]
                if inside.__class__ is int:
                    return self._token(inside, inside + 1, specs[0][2], slot, key)
                child = inside
                production = builder.production(child[0])
                if production.shape is Shape.TOKEN:
                    end = child[1] + len(child) - 2
                    return self._token(child[1], end, production.name, slot, key)
                specs = builder.specs(child)
        return _Frame(Kind.REGULAR, production.name, slot, key, specs, first)

    def _token(self, first: int, end: int, symbol: str, slot: str, key: int) -> Token:
        layout = self._layout
        start, stop = layout.starts[first], layout.ends[end - 1]
        glue = layout.glue
        token = Token(
            symbol,
            layout.data[start:stop],
            slot=slot,
            key=key,
            before=self._gaps[first],
            after=self._gaps[end],
            serial=len(self._tokens),
            indent=self._indents[first],
            glue=glue if glue.__class__ is int else glue[first],  # type: ignore
        )
        self._tokens.append(token)
        self._starts.append(start)
        self._ends.append(stop)
        return token
