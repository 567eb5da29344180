"""Rewrites: match and replace by the templates of the language and of the user.

Every match of a template is one attempt, with all matches of its rules for everywhere (a typedef
goes, and its name becomes the type). A candidate that does not parse, or is not smaller, costs no
test. Guarantee: none by itself. Worst case of a pass: one test for every match, and again after a
success.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Final

from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.passes.templates import (
    OMITTED,
    Bindings,
    Rewrite,
    RewriteRule,
    Template,
    TemplateHole,
    is_counted,
    match,
    may_match,
)
from marrow.reducers.streams.elements import ladder
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.reducers.streams.sweep import GIVE_UP_AFTER, sweep
from marrow.tree import (
    ROOT,
    Branch,
    Delete,
    Edit,
    EditError,
    Kind,
    Node,
    Place,
    Replace,
    Token,
    Tree,
)
from marrow.tree.edit import difference
from marrow.tree.layout import joint
from marrow.tree.node import Glue, render, tokens_of

#: The symbol of what a template says itself.
_LITERAL: Final = "template"
_BRACKETS: Final = frozenset(bytes((one,)) for one in b"()[]{},;")
_WORDLIKE: Final = frozenset(bytes((one,)) for one in b"_$@\"'`")

#: Signs with which a line continues the one before it, where no semicolon ends that.
CONTINUES: Final = frozenset(bytes((one,)) for one in b"([/+-*.,`")

# The end of a statement without a semicolon, and a line that begins with such a sign. It is looked
# for so many bytes beside a change: a change may delete what was between the two.
_CONTINUED: Final = re.compile(rb"(?<=[\w)\]\"'`$])[ \t]*\r?\n\s*(?=[(\[/+`-])")
_NEARBY: Final = 80


def rewrites(context: PassContext) -> Reducer:
    """Return the pass that applies the rewrites of the language."""

    def run(tree: Tree, done: Done) -> Stream | None:
        rules = [one for one in context.options.rewrites if one.calls is None]
        if not rules:
            return done(tree)
        # As the parser sees it: in a prepared tree `a.b.c` is a list, and `a.b` no node of it.
        parsed = context.reparsed(tree)
        # Of a rule that failed in many places the other places are left alone, as in other sweeps.
        made, after, most = partial(rewritten, context), context.reparsed, GIVE_UP_AFTER
        return sweep(parsed, rules, made, done, "rewriting", accepted=after, most=most)

    return run


def rewritten(context: PassContext, tree: Tree, rewrite: Rewrite) -> Iterator[Tree]:
    """Yield the tree with each match of a rewrite replaced, whatever its size."""
    if not may_match(rewrite.rule.match, tree.text):
        return
    counted = is_counted(rewrite.rule.replace)
    for place, node in tree.walk():
        found = match(rewrite.rule.match, node) if node.token_count else None
        if found is None:
            continue
        stays = rewrite.rule.replace == rewrite.rule.match  # it only says what is put elsewhere
        edit = None if stays else _edit(tree, place, node, rewrite.rule.replace, found)
        candidate = tree if stays else None if edit is None else _edited(tree, [edit])
        if candidate is None:
            continue
        if rewrite.everywhere:
            whole = candidate if stays else context.parse(candidate.text)
            candidate = _edited(whole, list(_everywhere(whole, rewrite.everywhere, found)))
            if candidate is not None and not stays and _are_apart(found):
                # What a hole took may hold further matches: `a *= a` is one of `a`.
                again = context.parse(candidate.text)
                inner = _edited(again, list(_everywhere(again, rewrite.everywhere, found)))
                candidate = inner or candidate
        if candidate is not None:
            # Most candidates are only tested: they are parsed only where their tokens are unknown.
            apart = with_semicolons(tree.text, candidate.text)
            if apart != candidate.text:
                yield context.parse(apart)
            counts = counted and not rewrite.everywhere and OMITTED not in found
            yield candidate if counts else context.parse(candidate.text)


def _edited(tree: Tree, edits: list[Edit]) -> Tree | None:
    """Return the tree with edits made; None if they change nothing or do not fit."""
    try:
        changed = tree.edit(edits)
    except EditError:
        return None
    return None if changed.text == tree.text else changed


def _are_apart(found: Bindings) -> bool:
    """Whether no two holes have a word in common: then a hole can be filled in twice."""
    words = [token.text for nodes in found.values() for token in set(tokens_of(nodes))]
    names = [word for word in words if word[:1].isalpha()]
    return len(names) == len(set(names))


def _everywhere(tree: Tree, rules: tuple[RewriteRule, ...], known: Bindings) -> Iterator[Edit]:
    """Yield the edits of the rules for everywhere: at the outermost nodes that match."""
    # The holes come from another parse: only their text counts here.
    bound = {
        name: (Token(_LITERAL, render(nodes)),) if nodes else () for name, nodes in known.items()
    }
    stack = [(ROOT, tree.root)]
    while stack:
        place, node = stack.pop()
        if not node.token_count:
            continue
        edit = None
        for rule in rules:
            found = match(rule.match, node, known)
            if found is not None:
                edit = _edit(tree, place, node, rule.replace, {**found, **bound})
                break
        if edit is None:
            stack.extend((place.child(child.key), child) for child in reversed(node.children))
        else:
            yield edit


def _edit(tree: Tree, place: Place, node: Node, template: Template, found: Bindings) -> Edit | None:
    """Return the edit that puts a template in the place of a match."""
    nodes = list(_filled(template, found, node.first))
    if _is_compact(node):
        nodes = list(_glued(nodes))
    if not nodes:
        rungs = ladder(tree, place)
        inside = None if not rungs else tree.at(rungs[0])
        same = inside is not None and inside.token_count == node.token_count
        return Delete(rungs[0]) if same else None
    if len(nodes) == 1:
        return Replace(place, nodes[0])
    placed = [one.placed(key=key, slot=one.slot) for key, one in enumerate(nodes)]
    return Replace(place, Branch(Kind.REGULAR, node.symbol, placed, slot=node.slot))


def _filled(template: Template, found: Bindings, like: Token | None) -> Iterator[Node]:
    indent = b"" if like is None else like.indent
    for at, part in enumerate(template):
        if isinstance(part, TemplateHole):
            yield from found[part.name]
            continue
        if OMITTED in found and b";" in part:
            after = template[at + 1] if at + 1 < len(template) else None
            nodes = found[after.name] if isinstance(after, TemplateHole) else ()
            first = next((one.first for one in nodes if one.first is not None), None)
            part = without_semicolons(part, b"" if first is None else first.text)
        if part:
            yield Token(_LITERAL, part, indent=indent)


def without_semicolons(text: bytes, after: bytes) -> bytes:
    """Return a text with line breaks for its semicolons, before another text.

    A line that starts with a bracket, a sign or a backquote would continue the one before it.
    """
    lines = text.split(b";")
    made = lines[0]
    for line in lines[1:]:
        line = line.strip()
        first = (line or after)[:1]
        made += (b"" if first in (b"", b"}") else b";" if first in CONTINUES else b"\n") + line
    return made


def with_semicolons(before: bytes, after: bytes) -> bytes:
    """Return a changed text with a semicolon before each line that only now continues another."""
    start, end, _ = difference(before, after)
    first, last = max(0, start - _NEARBY), len(after) - (len(before) - end) + _NEARBY

    def closed(found: re.Match[bytes]) -> bytes:
        touched = found.start() + first <= last - _NEARBY and found.end() + first >= start
        return b";" * touched + found[0]

    return after[:first] + _CONTINUED.sub(closed, after[first:last]) + after[last:]


def _is_compact(node: Node) -> bool:
    """Whether operators touch what is beside them: then a new one shall have no blanks either."""
    gaps = [
        joint(left, right)
        for left, right in pairwise(tokens_of((node,)))
        if {_sort(left.text[-1:]), _sort(right.text[:1])} > {_OPERATOR}
    ]
    return b"" in gaps and all(not gap or b"\n" in gap for gap in gaps)


def _glued(nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield the nodes of a filled template with signs that touch what is beside them."""
    for at, node in enumerate(nodes):
        if not isinstance(node, Token) or node.symbol != _LITERAL:
            yield node
            continue
        left = nodes[at - 1].last if at else None
        right = nodes[at + 1].first if at + 1 < len(nodes) else None
        before = left is not None and _touch(left.text, node.text)
        after = right is not None and _touch(node.text, right.text)
        yield node.changed(glue=Glue.BEFORE * before | Glue.AFTER * after)


def _touch(left: bytes, right: bytes) -> bool:
    """Whether two texts may touch and are read as before: of two sorts, or a bracket."""
    one, two = _sort(left[-1:]), _sort(right[:1])
    return one != two or one == _BRACKET


_WORD, _OPERATOR, _BRACKET = range(3)


def _sort(sign: bytes) -> int:
    """Return what a sign belongs to: a word, number or string, an operator, or brackets."""
    if sign in _BRACKETS:
        return _BRACKET
    return _WORD if sign.isalnum() or sign in _WORDLIKE or sign > b"\x7f" else _OPERATOR
