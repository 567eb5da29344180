"""The names of declarations: which ones they introduce, which tell them apart, which they mention.

Language-free: the parser's names for nodes and fields tell where a name is, and the text tells how
words are mentioned (free, after `::`, as a member).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import tree_sitter

from marrow.languages.language_facts import facts_of
from marrow.tree.outline import Mentions

#: Lists of declarations, in files, namespaces, classes and bodies.
LIST: Final = re.compile(
    r"^(translation_unit|program|source_file|module|source|compilation_unit|chunk|block|suite"
    r"|(field_)?declaration_list|statement_block|compound_statement|(\w+_)?body)$"
)
#: What has a body that can be emptied or left out.
FUNCTION: Final = re.compile(r"function|method|constructor|destructor|operator_cast|func_")
_CLASS: Final = re.compile(r"class|struct|union|interface|trait")
_NAME_FIELDS: Final = (
    "name",
    "declarator",
    "alias",
    "left",
    "pattern",
    "definition",
    "declaration",
)
_LEADS_ON: Final = re.compile(
    r"declarator|_spec$|specifier|definition|declaration|_item$|function|class|import|pattern_list"
)
# Nodes without fields whose last part is the name: `(&name)[2]`.
_LAST_NAMES: Final = ("identifier", "declaration", "_name", "declarator")
# The sign of `operator==` is found in the text; these others declare no name.
_NAMELESS: Final = re.compile(r"^operator_name$|^operator_cast$|assert|friend")
WORD: Final = re.compile(rb"[A-Za-z_$][\w$]*")
# How many elements are remembered, those of some megabytes, and how long they may be: most elements
# of a text were in the one that it was made from, but hardly a namespace stays as it is.
_REMEMBERED: Final = 1 << 16
_LONGEST: Final = 10_000
# No word in a string is a mention, such as those of the message of an assertion.
_STRING: Final = re.compile(rb'(?<!\\)"(?:[^"\\\n]|\\.)*"')
_APPLIED: Final = re.compile(rb"\b([A-Za-z_]\w*)\s*<(?![<=])")


def declared(top: tree_sitter.Node, text: bytes) -> frozenset[bytes]:
    """Return the names that a declaration introduces, as far as its fields tell."""
    found: set[bytes] = set()
    pending = [top] if top.named_child_count else []
    while pending:
        node = pending.pop()
        if _NAMELESS.search(node.type):
            continue
        if not node.named_child_count:
            found.update(WORD.findall(text, node.start_byte, node.end_byte))
            continue
        fields = [child for name in _NAME_FIELDS for child in node.children_by_field_name(name)]
        body = node.child_by_field_name("body")
        kind = node.child_by_field_name("type")
        if kind is not None and "impl" in node.type:
            fields = [kind]
        if kind is not None and kind.child_by_field_name("body") is not None:
            fields.append(kind)
        if not fields and body is not None and LIST.match(body.type):
            continue  # `extern "C" {`: what is declared in it are elements of their own
        if body is not None and "enum" in body.type:
            fields += [child for child in body.named_children if "enum" in child.type]
        if not fields:
            fields = [child for child in node.named_children if _LEADS_ON.search(child.type)]
        if not fields and node.type.endswith(_LAST_NAMES):
            fields = node.named_children[-1:]
        pending.extend(fields)
    return frozenset(found)


def path_of(node: tree_sitter.Node, text: bytes) -> tuple[bytes, ...]:
    """Return the words of the name of a namespace, in their order."""
    name = node.child_by_field_name("name")
    return () if name is None else tuple(WORD.findall(text, name.start_byte, name.end_byte))


def _arguments(name: tree_sitter.Node) -> list[tuple[int, int]]:
    """Return the ranges of a name and of the arguments after it, if it has some."""
    arguments = name.child_by_field_name("arguments")
    if arguments is None:
        return [(name.start_byte, name.end_byte)]
    inside = [(one.start_byte, one.end_byte) for one in arguments.named_children]
    return [(name.start_byte, arguments.start_byte), *inside]


def is_elsewhere(top: tree_sitter.Node) -> bool:
    """Return whether a declaration names what it declares by a path: `A::f`, `class A::B`."""
    node: tree_sitter.Node | None = top
    while node is not None:
        name = node.child_by_field_name("name") if _CLASS.search(node.type) else None
        if "qualified_identifier" in (node.type, None if name is None else name.type):
            return True
        node = _declarator(node)
    return False


def _declarator(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the next node on the way from a declaration to the name that it declares."""
    found = node.child_by_field_name("declarator")
    if found is None and ("template" in node.type or node.type.endswith("declarator")):
        below = [one for one in node.named_children if _LEADS_ON.search(one.type)]
        found = below[-1] if below else None
    return found


class NodeNames(NamedTuple):
    """What a node of the parser tells about the names of a declaration.

    The names that it introduces, the words that distinguish it from others of its name (None if all
    do), whether it is a function, the words of its own name, and whether it names what it declares
    by a path.
    """

    declares: frozenset[bytes]
    keys: frozenset[bytes] | None
    function: bool
    path: tuple[bytes, ...]
    elsewhere: bool


class NamesOfDeclarations:
    """Reads the names of declarations as a language writes them."""

    def __init__(self, language: str) -> None:
        facts = facts_of(language).declarations
        word, lead = rb"[A-Za-z_$][\w$]*", facts.before_member.encode()
        self._friends: Final = frozenset(map(str.encode, facts.friend))
        self._operators: Final = frozenset(map(str.encode, facts.operator))
        # A word after another that qualifies it (`std::move`), and one after a value or what is
        # more than a word (`a.b`, `A<T>::b`). Three dots are a pack, and an arrow between spaces
        # leads to a type.
        path = rb"(\b%b|(?<![\w$>)]))::\s*(?=%b(%b))" % (word, lead, word)
        member = rb"(?:(?<=[>)])::\s*|(?<![.\s])(?:\.|->))%b(%b)" % (lead, word)
        not_free = rb"(?:::\s*|(?<![.\s])(?:\.|->))%b%b" % (lead, word)
        self._path, self._member, self._not_free = map(re.compile, (path, member, not_free))
        patterns = facts.operator_sign, facts.conversion, facts.parameter, facts.computed
        self._sign, self._conversion, self._parameter, self._computed = (
            re.compile(one.encode()) for one in patterns
        )
        self._bases: Final = re.compile(facts.bases.encode(), re.DOTALL)
        self._instantiation: Final = re.compile(facts.instantiation.encode())
        self._of_nodes: Final[dict[tuple[str, int, bool, bytes], NodeNames]] = {}
        self._mentions: Final = lru_cache(maxsize=_REMEMBERED)(self._mentions_of)
        self._applied: Final = lru_cache(maxsize=_REMEMBERED)(self._names_with_arguments)

    def of_node(self, top: tree_sitter.Node, text: bytes) -> NodeNames:
        """Return what a node tells; what a node of the same kind, size and text told is known."""
        own = text[top.start_byte : top.end_byte]
        key = (top.type, top.descendant_count, top.has_error, own)
        found = self._of_nodes.get(key)
        if found is None:
            keys, function = self._keys_of(top, text)
            path, elsewhere = path_of(top, text), is_elsewhere(top)
            found = NodeNames(declared(top, text), keys, function, path, elsewhere)
            if len(own) <= _LONGEST:
                if len(self._of_nodes) >= _REMEMBERED:
                    self._of_nodes.clear()
                self._of_nodes[key] = found
        return found

    def _keys_of(self, top: tree_sitter.Node, text: bytes) -> tuple[frozenset[bytes] | None, bool]:
        """Return the words that distinguish a declaration from others of its name.

        None if all of its words do. And whether it is a function. For a function these are the
        words of its parameters, for a class those of its name, which has arguments if it is a
        specialisation. Parameters of a template tell nothing, nor do the words of arguments that
        are computed (`typename void_t<T>::type`).
        """
        node: tree_sitter.Node | None = top
        own: frozenset[bytes] = frozenset()
        while node is not None:
            key = node.child_by_field_name("parameters")
            if key is not None and "template" in node.type:
                inside = text[key.start_byte : key.end_byte]
                own |= frozenset(self._parameter.findall(inside))
            elif key is not None:
                return frozenset(WORD.findall(text, key.start_byte, key.end_byte)) - own, True
            elif _CLASS.search(node.type) and (name := node.child_by_field_name("name")):
                plain = [one for one in _arguments(name) if not self._computed.search(text, *one)]
                words = frozenset(word for one in plain for word in WORD.findall(text, *one))
                return words - own, False
            node = _declarator(node)
        return None, False

    def is_further(
        self, text: bytes, heads: Sequence[tuple[int, int]], names: frozenset[bytes]
    ) -> bool:
        """Return whether a declaration adds to what others declare, and is useless without them.

        It has arguments after its own name (a specialisation, a deduction guide), or is an explicit
        instantiation.
        """
        own = b"\n".join(text[start:end] for start, end in heads)
        return (
            not names.isdisjoint(self._applied(own)) or self._instantiation.match(own) is not None
        )

    def _names_with_arguments(self, own: bytes) -> tuple[bytes, ...]:
        return tuple(_APPLIED.findall(self._bases.sub(b"", own)))

    def mentions_in(self, text: bytes, ranges: Sequence[tuple[int, int]]) -> Mentions:
        """Return the words in some ranges of a text, by what comes before them."""
        return self._mentions(b"\n".join(text[start:end] for start, end in ranges))

    def _mentions_of(self, own: bytes) -> Mentions:
        own = _STRING.sub(b'""', own)
        return Mentions(
            frozenset(WORD.findall(self._not_free.sub(b" ", own))),
            frozenset(self._path.findall(own)),
            frozenset(self._member.findall(own)),
        )

    def declares(
        self,
        text: bytes,
        heads: Sequence[tuple[int, int]],
        mentions: Mentions,
        names: frozenset[bytes],
    ) -> frozenset[bytes]:
        """Return what a declaration declares: names, and operators; but not those of friends.

        Nor is the type declared that an operator converts to.
        """
        signs = (one for head in heads for one in self._sign.finditer(text, *head))
        names |= {b"".join(one[0].split()) for one in signs}
        if self._friends & mentions.free:
            return names - mentions.words
        if self._operators & mentions.free:
            return names.difference(*(self._conversion.findall(text, *head) for head in heads))
        return names
