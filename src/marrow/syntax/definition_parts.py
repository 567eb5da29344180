"""The parts of definitions that a declaration does without, as ranges of a text.

Bodies of functions, classes, enumerations and namespaces, initialisers and default arguments, base
clauses, constraints, initialisers of members, attributes: what is left is the smallest thing that
still declares the name. The parser's names for nodes and fields tell them, in C, C++, Java,
JavaScript, TypeScript, Go, Rust, Python, C# and PHP; small tables say what a language has for a
body. Whether a part can go is for the test to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import tree_sitter

from marrow.base.deadline import look
from marrow.languages.language_facts import facts_of
from marrow.syntax.declared_names import FUNCTION, LIST, is_elsewhere
from marrow.syntax.masking.masked_parse import MaskedParser
from marrow.syntax.parsers import collection_paused
from marrow.tree.outline import TextPart

_CLASS: Final = re.compile(r"class|struct|union|interface|trait|impl|object|record")
_SCOPE: Final = re.compile(r"namespace|^mod(ule)?(_item)?$|linkage")

#: Parts that go as a whole, by what parsers call them.
_WHOLE: Final = re.compile(
    r"^(base_class_clause|base_list|superclass|superclasses|super_interfaces|class_heritage"
    r"|extends_clause|extends_type_clause|implements_clause|trait_bounds|type_bound|where_clause"
    r"|requires_clause|constraint|type_constraint|type_parameter_constraints_clause"
    r"|field_initializer_list|noexcept|throw_specifier|throws|attribute_specifier"
    r"|attribute_declaration|attribute_list|attribute_item|ms_declspec_modifier|marker_annotation"
    r"|annotation|decorator)$"
)
_WORD: Final = re.compile(rb"\b[a-z]+\b")
_NEAR: Final = 16

# The fields of an initialiser, and the sign before it.
_VALUES: Final = ("value", "default_value", "default_type")
_ASSIGNS: Final = "="
_ASSIGNMENT: Final = re.compile(
    r"assignment|argument|pair|enumerator|static_assert|alias|using|type_item"
)

# The fields of what a function returns, by the parsers of several languages.
_RESULTS: Final = ("return_type", "result", "returns", "type")

# A parameter of a template whose type is the name of a concept.
_TEMPLATE_PARAMETERS: Final = "template_parameter_list"
_CONCEPT: Final = re.compile(r"^(type_identifier|template_type|qualified_identifier)$")


class DefinitionParts:
    """Finds the parts of definitions in texts of one language."""

    def __init__(self, language: str, sees: MaskedParser | None = None) -> None:
        self._facts: Final = facts_of(language).definitions
        words = facts_of(language).declarations
        # Words in the heads of functions by which it is less likely that a body can go: a type of
        # its own for each, so that they do not spoil the odds of the others.
        self._needed: Final = tuple(map(str.encode, (*words.needs_body, *words.constant)))
        self._any_type: Final = words.any_type.encode()
        self._sees: Final = sees or MaskedParser(language)
        self.parts: Final = lru_cache(maxsize=2)(self._parts)

    def _parts(self, text: bytes) -> tuple[TextPart, ...]:
        """Return the parts in a text, in textual order, those around others first."""
        with collection_paused():
            sight = self._sees.see(text)
            found = set(self._walk(sight.parsed.root_node, text))
            for start, end in sight.hidden:
                word = re.match(rb"\w+", text[start:end])
                if word is not None:
                    found.add(TextPart(start, end, f"hidden {word[0].decode('latin-1')}"))
        return tuple(sorted(found, key=lambda one: (one.start, -one.end, one.type)))

    def _walk(self, root: tree_sitter.Node, text: bytes) -> Iterator[TextPart]:
        """Walk all nodes, parents first; each is seen with its container."""
        pending = [root]
        seen = 0
        while pending:
            seen += 1
            if not seen & 0x3FF:
                look()
            node = pending.pop()
            yield from self._definition(node, text)
            for child in node.children:
                if not child.is_named:
                    continue
                if _WHOLE.match(child.type):
                    yield TextPart(child.start_byte, child.end_byte, f"{node.type}/{child.type}")
                if child.child_count:
                    pending.append(child)

    def _definition(self, node: tree_sitter.Node, text: bytes) -> Iterator[TextPart]:
        yield from _initialiser(node)
        if node.type == _TEMPLATE_PARAMETERS:
            yield from _constraints(node, self._any_type)
        body = node.child_by_field_name("body")
        if body is None or not body.child_count:
            return
        if FUNCTION.search(node.type):
            yield from self._function(node, body, text)
        elif _SCOPE.search(node.type):
            yield from _emptied(node, body)
        elif _CLASS.search(node.type) or "enum" in node.type:
            if self._facts.forward and _alone(node) and "enum" not in node.type:
                name = node.child_by_field_name("name")
                if name is not None:
                    yield TextPart(name.end_byte, body.end_byte, f"{node.type}/body", scope=True)
            yield from _emptied(node, body, self._facts.body.encode())

    def _function(
        self, node: tree_sitter.Node, body: tree_sitter.Node, text: bytes
    ) -> Iterator[TextPart]:
        form = self._facts.body.encode()
        if form != b";":
            stub = self._facts.stub if self._returns(node) else ""
            yield from _emptied(node, body, form, stub.encode())
        elif is_elsewhere(node):
            # Only the definition: `void A::f() {}` declares nothing.
            yield TextPart(node.start_byte, node.end_byte, f"{node.type}/elsewhere", scope=True)
        else:
            start = body.start_byte
            for child in node.children:
                if child.type == "field_initializer_list":
                    start = child.start_byte
            words = set(_WORD.findall(text, node.start_byte, start))
            # `friend` may be hidden from the parser, before the rest.
            words.update(text[max(0, node.start_byte - _NEAR) : node.start_byte].split()[-1:])
            kind = "".join(f"{one.decode()} " for one in self._needed if one in words)
            yield TextPart(start, body.end_byte, f"{node.type}/{kind}{body.type}", form)

    def _returns(self, node: tree_sitter.Node) -> bool:
        """Return whether a function has to return something."""
        fields = filter(None, map(node.child_by_field_name, _RESULTS))
        return any((one.text or b"").decode() not in self._facts.nothing for one in fields)


def _alone(node: tree_sitter.Node) -> bool:
    """Return whether a class is defined for its own sake: no variable or type with it."""
    above = node.parent
    if above is None:
        return False
    following = node.next_sibling
    if following is not None and following.type != ";":
        return False
    return above.type == "template_declaration" or bool(
        LIST.match(above.type) or node.prev_sibling is None
    )


def _emptied(
    node: tree_sitter.Node, body: tree_sitter.Node, form: bytes = b"", stub: bytes = b""
) -> Iterator[TextPart]:
    """Yield what is in the brackets of a body, or all of one without brackets.

    A stub takes the place of a longer body in brackets.
    """
    first, last = body.children[0], body.children[-1]
    bracketed = first.type == "{" and last.type == "}"
    if bracketed and last.start_byte - first.end_byte > len(stub):
        scope = FUNCTION.search(node.type) is None
        kind = f"{node.type}/{'stub for' if stub else 'in'} {body.type}"
        yield TextPart(first.end_byte, last.start_byte, kind, stub, scope=scope)
    elif not bracketed and form[:1].isalpha():
        yield TextPart(body.start_byte, body.end_byte, f"{node.type}/{body.type}", form)


def _initialiser(node: tree_sitter.Node) -> Iterator[TextPart]:
    """Yield the value that a declaration gives, with the sign before it."""
    if _ASSIGNMENT.search(node.type):
        return
    for field in _VALUES:
        value = node.child_by_field_name(field)
        if value is None:
            continue
        before = value.prev_sibling
        if before is not None and before.type == _ASSIGNS:
            yield TextPart(before.start_byte, value.end_byte, f"{node.type}/{field}")
        elif value.type in ("initializer_list", "argument_list"):
            yield TextPart(value.start_byte, value.end_byte, f"{node.type}/{value.type}")


def _constraints(node: tree_sitter.Node, any_type: bytes) -> Iterator[TextPart]:
    """Yield the concepts in the head of a template: any type is the smallest thing there."""
    for child in node.named_children:
        kind = child.child_by_field_name("type")
        if kind is None or not _CONCEPT.match(kind.type):
            continue
        name = child.child_by_field_name("declarator")
        if name is not None:
            yield TextPart(kind.start_byte, kind.end_byte, f"{node.type}/{child.type}", any_type)
