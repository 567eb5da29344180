"""Rewrites: match and replace by the templates of the language, and the user's own.

Every match of a template is one attempt; with rules for everywhere, all their matches are part of
it (a typedef goes, and its name becomes the type). The result is parsed anew, so that what does not
parse, or is not smaller, costs no test. Guarantee: none by itself. Worst case of a pass: one test
for every match, and again after a success.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from marrow.reduce.attempt import Done, Reducer, Stream
from marrow.reduce.passes.context import Context
from marrow.reduce.passes.elements import ladder
from marrow.reduce.passes.sweep import sweep
from marrow.reduce.passes.templates import Hole, Match, Rewrite, Rule, Template, match
from marrow.tree import (
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


def rewrites(context: Context) -> Reducer:
    """Return the pass that applies the rewrites of the language."""

    def run(tree: Tree, done: Done) -> Stream | None:
        rules = context.options.rewrites
        if not rules:
            return done(tree)
        return sweep(tree, rules, partial(_rewritten, context), done, "rewriting")

    return run


def _rewritten(context: Context, tree: Tree, rewrite: Rewrite) -> Iterator[Tree]:
    for place, node in tree.walk():
        if not node.token_count:
            continue
        found = match(rewrite.rule.match, node)
        if found is None:
            continue
        edit = _edit(tree, place, node, rewrite.rule.replace, found)
        if edit is None:
            continue
        edits = [edit, *_everywhere(tree, edit.place, rewrite.everywhere, found)]
        if rewrite.everywhere and len(edits) == 1:
            continue
        try:
            candidate = tree.edit(edits)
        except EditError:
            continue
        if candidate.text != tree.text:
            yield context.parse(candidate.text)


def _everywhere(
    tree: Tree, without: Place, rules: tuple[Rule, ...], known: Match
) -> Iterator[Edit]:
    """Yield the edits that the rules for everywhere make, outermost nodes first, not below one."""
    if not rules:
        return
    stack = [(Place(None, 0), tree.root)]
    while stack:
        place, node = stack.pop()
        if place == without or not node.token_count:
            continue
        edit = None
        for rule in rules:
            found = match(rule.match, node, known)
            edit = None if found is None else _edit(tree, place, node, rule.replace, found)
            if edit is not None:
                yield edit
                break
        if edit is None:
            stack.extend((place.child(child.key), child) for child in reversed(node.children))


def _edit(tree: Tree, place: Place, node: Node, template: Template, found: Match) -> Edit | None:
    """Return the edit that puts a template in the place of a match."""
    nodes = list(_filled(template, found, node.first))
    if not nodes:
        rungs = ladder(tree, place)
        inside = None if not rungs else tree.at(rungs[0])
        same = inside is not None and inside.token_count == node.token_count
        return Delete(rungs[0]) if same else None
    if len(nodes) == 1:
        return Replace(place, nodes[0])
    placed = [one.placed(key=key, slot=one.slot) for key, one in enumerate(nodes)]
    return Replace(place, Branch(Kind.REGULAR, node.symbol, placed, slot=node.slot))


def _filled(template: Template, found: Match, like: Token | None) -> Iterator[Node]:
    indent = b"" if like is None else like.indent
    for part in template:
        if isinstance(part, Hole):
            yield from found[part.name]
        else:
            yield Token("template", part, indent=indent)
