"""The outliner: a large text as its declarations, with the names that they declare and mention.

Lists of declarations are opened, in files, namespaces and classes; what is in them is a piece,
or a head with a list of its own, or a head with a body that can be emptied. So a million bytes are
some thousand elements, and whatever is seen can be deleted or emptied. It knows no language: the
parser's names for nodes tell lists, bodies and declarations (`definition`, `_body`, `block`, the
fields `name` and `declarator`), in the languages looked at: C, C++, Java, JavaScript, TypeScript,
Go, Rust, Python, PHP.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Final, cast

import tree_sitter

from marrow.base.deadline import look
from marrow.languages.language_facts import facts_of
from marrow.syntax.concrete_tree import ConcreteNode, branch_around, build_branches
from marrow.syntax.declared_names import (
    FUNCTION,
    LIST,
    WORD,
    NamesOfDeclarations,
)
from marrow.syntax.masking.mask import Range
from marrow.syntax.masking.masked_parse import MaskedParser
from marrow.syntax.parsers import collection_paused
from marrow.syntax.tokens import Tokens, is_comment
from marrow.tree import ROOT, Branch, Node, Place, Tree
from marrow.tree.outline import DeclarationOutline, DeclarationWords, Element, about_tokens

_OPENED: Final = re.compile(
    r"definition|declaration|specifier|specification|_item$|impl|class|decorated|export"
    r"|function|method|template|namespace|module|interface|trait|struct"
)
# Statements too, where bodies are opened.
_OPENED_DEEP: Final = re.compile(_OPENED.pattern + "|statement|loop|clause")
# What comes before the body of a constructor goes with it.
_INITIALIZERS: Final = "field_initializer_list"
# Containers in which a name is visible from without: no classes.
_OPEN_SCOPE: Final = re.compile(r"namespace|linkage|module|extern")


@dataclass(slots=True, eq=False, repr=False)
class _Part(ConcreteNode):
    """A node of the outline under way."""

    node: tree_sitter.Node | None = None
    listed: bool = False
    body: bool = False
    element: bool = False
    declares: frozenset[bytes] = frozenset()
    keys: frozenset[bytes] | None = None
    path: tuple[bytes, ...] = ()
    elsewhere: bool = False
    function: bool = False

    @classmethod
    def of(cls, node: tree_sitter.Node) -> _Part:
        """Return the part that a node of the parser is."""
        made = cls(node.type, node.start_byte, node.end_byte, node=node)
        made.show(node)
        return made


class Outliner:
    """Makes outlines of texts of one language; `deep` ones open the bodies of functions too."""

    def __init__(
        self, language: str, sees: MaskedParser | None = None, *, deep: bool = False
    ) -> None:
        self._language: Final = language
        self._deep: Final = deep
        self._sees: Final = sees or MaskedParser(language)
        self._names: Final = NamesOfDeclarations(language)
        self._lists: Final = _query_of_lists(self._sees.grammar)
        facts = facts_of(language).declarations
        sets = ((one.name, getattr(facts, one.name)) for one in fields(DeclarationWords))
        self._words: Final = DeclarationWords(
            **{name: frozenset(map(str.encode, words)) for name, words in sets}
        )

    def outline(self, text: bytes, most: int = 0, page: int = 0) -> DeclarationOutline | None:
        """Return the outline of a text; None if the parser sees no more than `most` nodes in it.

        Of what begins in the last `page` bytes the bodies are opened, too.
        """
        if len(text) <= most:
            return None
        with collection_paused():
            return self._outline(text, most, page)

    def _outline(self, text: bytes, most: int, page: int) -> DeclarationOutline | None:
        parsed, shown, hidden = self._sees.see(text)
        if parsed.root_node.descendant_count <= most:
            return None
        root = self._opened(parsed.root_node, shown, 0 if self._deep else len(text) - page)
        _take_in(root, hidden, text)
        facts = facts_of(self._language)
        tokens = Tokens(root, text, indented=facts.indented, aligned=facts.aligned)
        made = _Builder(tokens, text, self._names).build(root)
        tree = Tree(made.root, tokens.head, tokens.tail, indented=facts.indented, text=text)
        starts = tuple(part.start for part in _parts(root) if part.element)
        return DeclarationOutline(tree, tuple(made.elements), starts, words=self._words)

    def _opened(self, top: tree_sitter.Node, text: bytes, deep_from: int) -> _Part:
        """Open lists and what holds them.

        Bodies of functions are opened in what begins at an offset or after it.
        """
        found = tree_sitter.QueryCursor(self._lists).captures(top)
        starts = sorted(one.start_byte for one in found.get("list", ()))
        root = _Part.of(top)
        root.listed = True
        order: list[_Part] = [root]
        for part in order:
            look()
            node, part.node = part.node, None
            assert node is not None
            deep = node.start_byte >= deep_from
            opened = _OPENED_DEEP if deep else _OPENED
            function = FUNCTION.search(node.type) is not None and not deep
            for child in node.children:
                if (
                    is_comment(child.type, extra=child.is_extra)
                    or child.end_byte == child.start_byte
                ):
                    continue
                made = _Part.of(child)
                lists = LIST.match(child.type) is not None
                before = _parts(part)[-1] if part.children else None
                if lists and function and before is not None and before.body:
                    before.end = made.end  # after the initialisers of a constructor
                    continue
                part.children.append(made)
                lists = lists or (function and child.type == _INITIALIZERS)
                if lists and function:
                    made.body, made.node = True, None
                elif lists or (
                    child.is_named
                    and bisect_left(starts, child.start_byte) < bisect_left(starts, child.end_byte)
                    and opened.search(child.type)
                ):
                    made.listed = lists
                    order.append(made)
                else:
                    made.node = None
                if part.listed and child.is_named:
                    made.element = True
                    names = self._names.of_node(child, text)
                    made.declares, made.keys, made.function, made.path, made.elsewhere = names
        for part in reversed(order):
            _close(part)
        return root


def _query_of_lists(grammar: tree_sitter.Language) -> tree_sitter.Query:
    """Return the query for all nodes that are lists: so a piece without any is not opened."""
    numbers = range(grammar.node_kind_count)
    kinds = (
        grammar.node_kind_for_id(one)
        for one in numbers
        if grammar.node_kind_is_named(one) and grammar.node_kind_is_visible(one)
    )
    lists = sorted({f"({kind})" for kind in kinds if kind is not None and LIST.match(kind)})
    return tree_sitter.Query(grammar, f"[{' '.join(lists)}] @list" if lists else "")


def _take_in(root: _Part, hidden: Sequence[Range], text: bytes) -> None:
    """Make what was hidden from the parser a part of the piece that it belongs to.

    As in `Tokens`, that is the next one if it begins with a word, else the one before.
    """
    pieces: list[_Part] = []
    pending = [root]
    while pending:
        part = pending.pop()
        if part.children:
            pending.extend(reversed(_parts(part)))
        else:
            pieces.append(part)
    pieces.sort(key=lambda one: one.start)
    ends = [one.end for one in pieces]
    for start, end in hidden:
        at = bisect_right(ends, start)
        if at < len(pieces) and pieces[at].start <= start:
            continue  # inside
        if at < len(pieces) and (not at or WORD.match(text, pieces[at].start)):
            pieces[at].start = min(pieces[at].start, start)
        elif at:
            pieces[at - 1].end = max(pieces[at - 1].end, end)


def _close(part: _Part) -> None:
    """Join neighbours that neither are lists nor hold any; what has no list at all is a piece."""
    joined: list[_Part] = []
    for child in _parts(part):
        last = joined[-1] if joined else None
        plain = not (child.children or child.body or child.element)
        apart = _is_bracket(child) and part.listed
        sign = plain and not child.named and not _is_bracket(child)
        if sign and last is not None and last.element and last.children and not last.listed:
            # A sign after an element belongs to it: the semicolon of a class.
            last.children.append(child)
            last.end = child.end
            continue
        if last is None or apart or not plain or last.children or last.body or _is_bracket(last):
            joined.append(child)
        else:
            # A sign after an element belongs to it, as the colon after `public` does.
            last.end = child.end
    part.children = list(joined)
    if len(joined) == 1 and not part.listed and not (joined[0].children or joined[0].body):
        part.children = []


def _is_bracket(part: _Part) -> bool:
    return not part.named and part.label in "(){}[]"


def _parts(part: _Part) -> list[_Part]:
    return cast("list[_Part]", part.children)


@dataclass(slots=True)
class _Builder:
    """Builds the nodes of an outline, and gathers its elements."""

    tokens: Tokens
    text: bytes
    names: NamesOfDeclarations
    elements: list[Element] = field(default_factory=list)
    root: Branch = field(init=False)

    def build(self, root: _Part) -> _Builder:
        """Build all nodes from the leaves up, in a loop."""
        self.root, made = build_branches(root, self._node)
        self._gather(root, made)
        return self

    def _node(self, part: _Part, made: dict[int, Node]) -> Node | None:
        if not part.children:
            if part.serial < 0:
                return None
            count = about_tokens(self.text, part.start, part.end)
            return self.tokens.token(part.serial, part.label, max(1, count))
        inside = [one for one in _parts(part) if id(one) in made]
        elements = [at for at, one in enumerate(inside) if one.element]
        start, end = (elements[0], elements[-1] + 1) if part.listed and elements else (0, 0)
        nodes = [made[id(one)] for one in inside]
        return branch_around(part.label, nodes[:start] + nodes[end:], nodes[start:end], start)

    def _gather(self, root: _Part, made: dict[int, Node]) -> None:
        """Gather the elements in textual order, each with its place and its words."""
        pending: list[tuple[_Part, Place, int]] = [(root, ROOT, -1)]
        while pending:
            look()
            part, place, owner = pending.pop()
            if part.element and id(part) in made:
                owner = self._element(part, place, owner)
            inside = [one for one in _parts(part) if id(one) in made]
            pending.extend(reversed([(one, at, owner) for one, at in _placed(part, place, inside)]))

    def _element(self, part: _Part, place: Place, owner: int) -> int:
        heads, body, lists = self._own(part, place)
        mentions = self.names.mentions_in(self.text, heads)
        ranges = [] if body is None else [(body[1].start, body[1].end)]
        inside = self.names.mentions_in(self.text, ranges)
        declares = self.names.declares(self.text, heads, mentions, part.declares)
        scope = lists and _OPEN_SCOPE.search(part.label) is not None
        self.elements.append(
            Element(
                place,
                owner,
                part.label,
                declares,
                mentions,
                None if body is None else body[0],
                inside,
                part.path if scope else None,
                lists,
                mentions.words if part.keys is None else part.keys,
                part.elsewhere,
                part.elsewhere or self.names.is_further(self.text, heads, declares),
                part.function or body is not None,
                part.start,
                part.end,
            )
        )
        return len(self.elements) - 1

    def _own(
        self, top: _Part, place: Place
    ) -> tuple[list[tuple[int, int]], tuple[Place, _Part] | None, bool]:
        """Return the ranges of an element's own text, its body, and whether it has a list."""
        heads: list[tuple[int, int]] = []
        body: tuple[Place, _Part] | None = None
        lists = False
        pending = [(top, place)]
        while pending:
            part, at = pending.pop()
            if part.body:
                body = (at, part)
            elif not part.children:
                heads.append((part.start, part.end))
            else:
                lists = lists or part.listed
                for one, below in _placed(part, at, _parts(part)):
                    if not one.element:
                        pending.append((one, below))
        return heads, body, lists


def _placed(part: _Part, place: Place, inside: list[_Part]) -> Iterator[tuple[_Part, Place]]:
    """Yield the children of a part with their places, as `_Builder` numbers them."""
    elements = [at for at, one in enumerate(inside) if one.element]
    if not part.listed or not elements:
        for key, one in enumerate(inside):
            yield one, place.child(key)
        return
    start, end = elements[0], elements[-1] + 1
    star = place.child(start)
    for at, one in enumerate(inside):
        if at < start:
            yield one, place.child(at)
        elif at < end:
            yield one, star.child(at - start)
        else:
            yield one, place.child(at - end + start + 1)
