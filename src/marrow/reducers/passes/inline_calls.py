"""Inline functions with parameters where they are called: a change that detours make.

The templates of a language say how functions and calls look (`CallForm`). Arguments take the place
of parameters, or become local variables before the body. The definition goes, unless its name is
mentioned in another way than by calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import ge, gt, le, lt, ne
from typing import Final, NamedTuple, TypeAlias

from marrow.reducers.passes.templates import (
    CallForm,
    Rewrite,
    Template,
    TemplateHole,
    match,
    may_match,
)
from marrow.reducers.streams.spans import (
    NodeSpan,
    at_line,
    indentation,
    moved_text,
    spans,
    statement_of,
)
from marrow.tree import QUANTIFIED, SEPARATOR, Kind, Node, Tree
from marrow.tree.name_spelling import is_name
from marrow.tree.names import names_of
from marrow.tree.node import Token

# A function that is called more often is not inlined everywhere: the text would only grow.
_MOST_CALLS: Final = 4

# A loop that runs more often is not unrolled: the text would only grow.
_MOST_ROUNDS: Final = 4

# `i < 3` and `i++`, in the languages that have both: a name, what compares, a number; what steps.
_CONDITION: Final = re.compile(rb"\$?(\w+)\s*(<=|<|>=|>|!=)\s*(-?\d+)")
_STEP: Final = re.compile(rb"\$?(\w+)\s*(?:(\+|-)\2|(\+|-)=\s*1)|(\+|-)\4\s*\$?(\w+)")
_NUMBER: Final = re.compile(rb"-?\d{1,9}")

#: A change of a text: from where to where, and what comes there.
Change: TypeAlias = tuple[int, int, bytes]

#: An argument as it is, in the place of a parameter.
ARGUMENT: Final[Template] = (TemplateHole("argument"),)

_SEPARATORS: Final = frozenset({b",", b";", b"\n"})
_BLOCKS: Final = ("block", "body", "list", "statements")

# A value that needs no brackets in any place.
_PRIMARY: Final = re.compile(rb"[\w$.]+")


def inlined(tree: Tree, rewrite: Rewrite) -> Iterator[bytes]:
    """Yield texts in which a function is inlined where it is called."""
    form = rewrite.calls
    if form is None or not may_match(rewrite.rule.match, tree.text):
        return
    where = {id(span.node): span for span in spans(tree)}
    seen: set[bytes] = set()
    for span in spans(tree):
        found = match(rewrite.rule.match, span.node)
        if found is None or (form.call and [*map(type, found["name"])] != [Token]):
            continue
        parts = {
            key: [where[id(one)] for one in _elements(nodes) if id(one) in where]
            for key, nodes in found.items()
        }
        for changes in _Function(tree, form, span, parts).inlined():
            text = moved_text(tree.text, changes)
            if text is not None and text not in seen:  # one expression as a statement matches twice
                seen.add(text)
                yield text


@dataclass(frozen=True, slots=True)
class _Function:
    """A function that is to be inlined: where it is defined, and its parts."""

    tree: Tree
    form: CallForm
    definition: NodeSpan
    parts: Mapping[str, Sequence[NodeSpan]]

    def inlined(self) -> Iterator[Sequence[Change]]:
        """Yield the changes of the text that inline it."""
        if not self.form.call:
            yield from self._inlined_here()
            return
        name = self.parts["name"][0].node.text
        calls = self._calls()
        if not calls:
            return
        known = [self.definition.place, *(call.span.place for call in calls)]
        everywhere = len(calls) <= _MOST_CALLS and all(
            any(one in place.upwards() for one in known)
            for place in names_of(self.tree).places.get(name, ())
        )
        # With the definition goes the element that is nothing else.
        whole = statement_of(self.tree, self.definition)
        same = whole.node.token_count - self.definition.node.token_count <= 1
        gone = whole if same else self.definition
        for given in self._given():
            if everywhere:
                changes = [one for call in calls for one in self._changes(call, given)]
                yield [*changes, (gone.start, gone.end, b"")]
            for some in () if everywhere else (calls[:1], calls[-1:]):
                yield [one for call in some for one in self._changes(call, given)]

    def _given(self) -> list[Template]:
        """Return how arguments are given: in place, as local variables, with a conversion."""
        typed = any(one.node.token_count > 1 for one in self.parts.get("parameters", ()))
        forms = [ARGUMENT, self.form.local, self.form.cast if typed else ()]
        return [one for one in forms if one]

    def _inlined_here(self) -> Iterator[Sequence[Change]]:
        """Yield the changes that inline a function that is called at once."""
        arguments = [one.node.text for one in self.parts["arguments"]]
        call = _Call(self.definition, arguments, statement_of(self.tree, self.definition), b"")
        for given in self._given() if arguments else (ARGUMENT,):
            yield list(self._changes(call, given))
        yield from self._unrolled()

    def _unrolled(self) -> Iterator[Sequence[Change]]:
        """Yield the body of a loop once for each value, if these are known and few.

        A loop is executed in place, with one variable, and returns nothing.
        """
        variables = self.parts.get("parameters", ())
        if self.form.result or len(variables) != 1:
            return
        name = self._variable(variables[0])
        every = [*self.parts["arguments"], *self.parts.get("more", ())]
        values = [one.node.text for one in every]
        texts = {key: some[0].node.text for key, some in self.parts.items() if some}
        condition, step = texts.get("condition", b""), texts.get("step", b"")
        for key, sign in (("last", b"<="), ("limit", b"<")):
            if key in texts:
                condition, step = name + sign + texts[key], name + b"++"
        if step:
            values = _counted(name, values[0], condition, step)
        if not 1 < len(values) <= _MOST_ROUNDS:
            return
        statement = statement_of(self.tree, self.definition)
        if statement.start != self.definition.start:
            return
        indent = indentation(self.tree.text, statement.start)
        rounds = [
            self._laid_out(one, {name: value}, indent)
            for value in values
            for one in self.parts["body"]
        ]
        yield [(statement.start, statement.end, (b"\n" + indent).join(rounds))]

    def _calls(self) -> list[_Call]:
        """Return the calls of the function outside of itself, outermost first."""
        name = {"name": (self.parts["name"][0].node,)}
        found: list[_Call] = []
        end = -1
        for span in spans(self.tree):
            own = self.definition.start <= span.start < self.definition.end
            if own or span.start < end:
                continue
            bound = match(self.form.call, span.node, name)
            if bound is not None:
                arguments = _elements(bound.get("arguments", ()))
                owner = b"".join(one.text for one in bound.get("object", ()))
                statement = statement_of(self.tree, span)
                texts = [one.text for one in arguments]
                found.append(_Call(span, texts, statement, owner))
                end = span.end
        return found

    def _changes(self, call: _Call, form: Template) -> Iterator[Change]:
        """Yield the changes of the text that inline one call."""
        indent = indentation(self.tree.text, call.statement.start)
        named = [(one, self._variable(one)) for one in self.parts.get("parameters", ())]
        given = list(zip(named, call.arguments, strict=False))
        local = form is self.form.local
        filled = [_filled(form, *parameter, text) for parameter, text in given]
        names = [name for (_, name), _ in given]
        values = {} if local else dict(zip(names, filled, strict=True))
        if call.owner:
            values.update({one.node.text: call.owner for one in self.parts.get("self", ())})
            values[b"this"] = call.owner
        body, value = self._taken_apart()
        lines = [self._laid_out(one, values, indent) for one in body]
        if local:
            # Where no line ends with a semicolon, none comes back.
            text = self.tree.text
            plain = b";" not in text and b"\n" in text.strip()
            lines[:0] = [line.rstrip(b"; ") if plain else line for line in filled]
        front = b"".join(line + b"\n" + indent for line in lines)
        around = call.statement.node.token_count - call.span.node.token_count
        # The value of the last expression counts where no statement returns it.
        pure = value is None or (bool(self.form.result) and b"(" not in value.node.text)
        alone = around <= 1 and call.statement.start == call.span.start
        if pure and alone:  # a statement, with its semicolon or without
            body_text = front.rstrip()
            ended = not body_text or body_text.endswith((b";", b"}"))
            semicolon = call.statement.node.text.endswith(b";") and not ended
            yield call.statement.start, call.statement.end, body_text + b";" * semicolon
            return
        result = b"0" if value is None else self._laid_out(value, values, indent)
        if not alone and not _PRIMARY.fullmatch(result):
            result = b"(" + result + b")"
        if call.statement.start == call.span.start:
            yield call.span.start, call.span.end, front + result
            return
        if front:
            yield call.statement.start, call.statement.start, front
        yield call.span.start, call.span.end, result

    def _taken_apart(self) -> tuple[Sequence[NodeSpan], NodeSpan | None]:
        """Return the statements of the body, and the value that its last one returns."""
        body = self.parts["body"]
        if not body:
            return body, None
        last = body[-1]
        if not self.form.result:
            ends = last.node.text.endswith((b";", b"}"))
            return (body, None) if ends else (body[:-1], last)
        found = match(self.form.result, last.node)
        if found is None:
            return body, None
        value = next((one for one in spans(self.tree) if one.node is found["value"][0]), None)
        return body[:-1], value

    def _variable(self, parameter: NodeSpan) -> bytes:
        """Return the name of a parameter: of its names one that the function alone mentions."""
        index = names_of(self.tree)
        names = [name for _, name in index.mentioned_below(parameter.place)]
        above = {name: [set(one.upwards()) for one in index.places.get(name, ())] for name in names}
        own = [one for one in names if all(self.definition.place in some for some in above[one])]
        body = {one.place for one in self.parts["body"]}
        used = [one for one in own if any(not body.isdisjoint(some) for some in above[one])]
        return [parameter.node.text, *names, *own, *used][-1]

    def _laid_out(self, span: NodeSpan, values: Mapping[bytes, bytes], indent: bytes) -> bytes:
        """Return the text of a node with values for names, indented like this."""
        text = self.tree.text
        # With the sign before a name that may mark a variable.
        changes = [
            (
                one.start - (text[one.start - 1 : one.start] == b"$") - span.start,
                one.end - span.start,
                values[one.node.text],
            )
            for one in spans(self.tree)
            if span.start <= one.start < span.end
            and isinstance(one.node, Token)
            and one.node.text in values
            and (is_name(one.node) or one.node.text == b"this")
        ]
        inner = text[span.start : span.end]
        return at_line(moved_text(inner, changes) or inner, indentation(text, span.start), indent)


class _Call(NamedTuple):
    """A call: its node, the texts of its arguments, the statement around it, and its object."""

    span: NodeSpan
    arguments: Sequence[bytes]
    statement: NodeSpan
    owner: bytes


def _counted(name: bytes, first: bytes, condition: bytes, step: bytes) -> list[bytes]:
    """Return the values of a variable that a loop counts up or down by one; none if it does not."""
    until, by = _CONDITION.fullmatch(condition), _STEP.fullmatch(step)
    if until is None or by is None or not _NUMBER.fullmatch(first):
        return []
    if until[1] != name or (by[1] or by[5]) != name:
        return []
    last = int(until[3])
    holds = {b"<": lt, b"<=": le, b">": gt, b">=": ge, b"!=": ne}[until[2]]
    step_by = -1 if b"-" in (by[2], by[3], by[4]) else 1
    values: list[bytes] = []
    value = int(first)
    while holds(value, last) and len(values) <= _MOST_ROUNDS:
        values.append(b"%d" % value)
        value += step_by
    return values


def _elements(nodes: Sequence[Node]) -> list[Node]:
    """Return the elements that fill a hole, of lists and of lists of one."""
    found: list[Node] = []
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        full = [child for child in node.children if child.token_count]
        if node.kind in QUANTIFIED or len(full) == 1 or _is_list(node, full):
            stack.extend(reversed(full))
        elif node.token_count and node.slot != SEPARATOR:
            found.append(node)
    return found


def _is_list(node: Node, nodes: Sequence[Node]) -> bool:
    """Whether a node is an element and the list of the others: with separators, or statements.

    The words of a type are a list as well, beside a name: `const unsigned p` is one parameter.
    """
    lists = [one for one in nodes if one.kind in QUANTIFIED and one.kind is not Kind.OPTIONAL]
    if not lists or any(isinstance(one, Token) for one in nodes):
        return False
    inside = [child for one in lists for child in one.children if child.first is not None]
    firsts = {one.first.text for one in inside if one.first is not None}
    separated = any(one.slot == SEPARATOR for one in inside)
    return separated or not firsts.isdisjoint(_SEPARATORS) or node.symbol.endswith(_BLOCKS)


def _filled(template: Template, parameter: NodeSpan, name: bytes, argument: bytes) -> bytes:
    whole = parameter.node.text
    sigil = b"$" if b"$" + name in whole else b""
    texts = {
        "parameter": whole,
        "variable": sigil + name,
        "argument": argument,
        "type": re.sub(rb"\$?\b%s\b\s*:?" % re.escape(name), b"", whole).strip(),
    }
    return b" ".join(
        texts[part.name] if isinstance(part, TemplateHole) else part for part in template
    )
