"""Restructuring: changes that move a part of a text elsewhere and leave the rest as it is.

They know nothing of languages except what a statement is (`streams.spans`); the parser judges the
result. Most do not make a text smaller by themselves, so `detours` tries them:

- a statement moves out of the construct around it: a local variable becomes global, the body of a
  loop follows the loop, the body of a method follows its class;
- a declaration moves to the first statement that mentions its name;
- an expression moves to where its value is used: `f(a); g(a);` becomes `g(f(a));`, and
  `if (c) p(0); p(0);` becomes `p(c);`;
- a statement that shows a value moves to the value: `f() { switch (a - b) ... } p(0);` becomes
  `f() { p(a - b); }`;
- code leaves a string: `eval("f()")` becomes `f()`;
- a template literal without code becomes a string;
- an object or list is made with what is put into it later: `a = {}; a.b = 1;` becomes
  `a = {b: 1};`;
- a format loses its first value: `printf("%d!", 7)` becomes `printf("7!")`;
- a list shrinks together with its length: `int a[3] = {1, 2, 3};` becomes `int a[2] = {1, 2};`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from marrow.reducers.streams.spans import (
    NodeSpan,
    at_line,
    bodies,
    indentation,
    moved_text,
    spans,
    statements,
    statements_around,
)
from marrow.tree import QUANTIFIED, SEPARATOR, ChangeText, EditError, Place, Token, Tree
from marrow.tree.name_spelling import is_name, is_number, quote_of
from marrow.tree.names import names_of

# Larger statements are rarely declarations, so they stay where they are.
_LARGEST_DECLARATION: Final = 12

# What changes a variable, and what an expression with an effect has in it.
_STEPS: Final = (b"++", b"--")
_EFFECT: Final = re.compile(rb"[(=]|\+\+|--")

# How many places of a statement an expression is moved to, and how many expressions of a statement
# are moved: the outermost ones, which is where values are observed.
_MOST_PLACES: Final = 3
_MOST_VALUES: Final = 2


def outwards(tree: Tree) -> Iterator[bytes]:
    """Yield texts with a statement moved out of the construct around it, whole bodies first."""
    for span in (*bodies(tree), *statements(tree)):
        around = [one for one in statements_around(tree, span) if one is not span]
        if not around:
            continue
        for outer in dict.fromkeys((around[-1], around[0])):
            rest = outer.node.token_count - span.node.token_count
            if rest > 1:
                yield from _beside(tree, span, outer)


def _beside(tree: Tree, span: NodeSpan, outer: NodeSpan) -> Iterator[bytes]:
    """Yield texts with a statement after and before the one that contains it."""
    text = tree.text
    indent = indentation(text, outer.start)
    moved = at_line(text[span.start : span.end], indentation(text, span.start), indent)
    gone = (span.start, span.end, b"")
    for change in (
        (outer.end, outer.end, b"\n" + indent + moved),
        (outer.start, outer.start, moved + b"\n" + indent),
    ):
        made = moved_text(text, [gone, change])
        if made is not None:
            yield made


def to_first_use(tree: Tree) -> Iterator[bytes]:
    """Yield texts with a small statement before an earlier one that mentions its name."""
    text = tree.text
    index = names_of(tree)
    for row in _by_list(tree):
        for at, span in enumerate(row):
            if span.node.token_count > _LARGEST_DECLARATION:
                continue
            names = {name for _, name in index.mentioned_below(span.place)}
            for before in row[:at]:
                if names.isdisjoint(name for _, name in index.mentioned_below(before.place)):
                    continue
                indent = indentation(text, before.start)
                line = text[span.start : span.end] + b"\n" + indent
                changes = [(before.start, before.start, line), (span.start, span.end, b"")]
                made = moved_text(text, changes)
                if made is not None:
                    yield made
                break


def _by_list(tree: Tree) -> Iterable[list[NodeSpan]]:
    """Return the statements of a tree, those of each list together."""
    by_list: dict[Place | None, list[NodeSpan]] = {}
    for span in statements(tree):
        by_list.setdefault(span.place.parent, []).append(span)
    return by_list.values()


def into_uses(tree: Tree) -> Iterator[bytes]:
    """Yield texts without a statement, one of whose values moved into its neighbour."""
    text = tree.text
    for one, two in (pair for row in _by_list(tree) for pair in pairwise(row)):
        for source, target in ((one, two), (two, one)):
            for value in _values(tree, source):
                for place in _leaves(tree, target):
                    moved = text[value.start : value.end]
                    changes = [
                        (source.start, source.end, b""),
                        (place.start, place.end, moved),
                    ]
                    made = moved_text(text, changes)
                    if made is not None:
                        yield made


# Larger statements do more than show a value. Only the last few statements are tried.
_LARGEST_OBSERVER: Final = 12
_MOST_OBSERVERS: Final = 2


def observed(tree: Tree) -> Iterator[bytes]:
    """Yield texts with a call in the place of another statement, applied to its value."""
    text = tree.text
    every = statements(tree)
    observers = [
        one
        for one in every
        if one.node.token_count <= _LARGEST_OBSERVER
        and _OBSERVER.fullmatch(one.node.text)
        and _leaves(tree, one)
    ]
    for observer in observers[: -_MOST_OBSERVERS - 1 : -1]:
        leaf = _leaves(tree, observer)[0]
        front, back = text[observer.start : leaf.start], text[leaf.end : observer.end]
        for span in reversed(every):
            if max(span.start, observer.start) < min(span.end, observer.end):
                continue  # one contains the other
            for value in _values(tree, span):
                made = moved_text(
                    text,
                    [
                        (observer.start, observer.end, b""),
                        (span.start, span.end, front + text[value.start : value.end] + back),
                    ],
                )
                if made is not None:
                    yield made


def _values(tree: Tree, statement: NodeSpan) -> list[NodeSpan]:
    """Return the outermost expressions of a statement: nodes of several tokens inside of it."""
    found: list[NodeSpan] = []
    for span in spans(tree):
        node = span.node
        if not statement.start <= span.start < statement.end or span.end > statement.end:
            continue
        if node.kind in QUANTIFIED or node.slot == SEPARATOR or isinstance(node, Token):
            continue
        first, last = node.first, node.last
        if first is None or last is None or last.text in (b";", b"}"):
            continue
        if not is_word_like(first) and first.text not in _STEPS:
            continue
        if span.place == statement.place and node.token_count == statement.node.token_count:
            if not _EFFECT.search(node.text):
                continue  # an expression without an effect
        elif found and found[-1].start <= span.start < found[-1].end:
            continue
        found.append(span)
    return found[:_MOST_VALUES]


def is_word_like(token: Token) -> bool:
    """Whether a token may begin an expression: a name, a number or a string, not a keyword."""
    return is_name(token) or is_number(token) or quote_of(token.text)[0] > 0


def _leaves(tree: Tree, statement: NodeSpan) -> list[NodeSpan]:
    """Return the tokens of a statement that a value may take the place of, the last ones first."""
    found = [
        span
        for span in spans(tree)
        if statement.start <= span.start < statement.end
        and isinstance(span.node, Token)
        and is_word_like(span.node)
        and tree.text[span.end : span.end + 1] not in (b"(", b".", b":")
        and tree.text[span.end :].lstrip()[:2][:1] != b"="
    ]
    return found[: -_MOST_PLACES - 1 : -1]


_ESCAPE: Final = re.compile(rb"\\(.)", re.DOTALL)
_ESCAPED: Final = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}
_OBSERVER: Final = re.compile(rb"[\w.:]+!?\(.*\);?", re.DOTALL)
_CALL: Final = re.compile(rb"[\w.]+\(.*\)", re.DOTALL)
_CODE: Final = re.compile(rb"[(=;{]")


def out_of_strings(tree: Tree) -> Iterator[bytes]:
    """Yield texts with the code of a string in the place of the statement, or call, around it."""
    text = tree.text
    for span in spans(tree):
        opening, closing = quote_of(span.node.text)
        if not opening or (span.node.children and span.node.kind in QUANTIFIED):
            continue
        inside = span.node.text[opening : len(span.node.text) - closing]
        if not _CODE.search(inside):
            continue
        code = _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), inside)
        around = [one for one in spans(tree) if one.start <= span.start and one.end >= span.end]
        calls = [one for one in around if _CALL.fullmatch(one.node.text)]
        for outer in dict.fromkeys((*statements_around(tree, span)[-1:], *calls[-1:])):
            indent = indentation(text, outer.start)
            made = moved_text(text, [(outer.start, outer.end, at_line(code, b"", indent))])
            if made is not None:
                yield made


_TEMPLATE: Final = re.compile(rb"`([^`$\\\n\"']*)`")


def plain_templates(tree: Tree) -> Iterator[bytes]:
    """Yield texts with a string in the place of a template literal that has no code in it."""
    for span in spans(tree):
        found = _TEMPLATE.fullmatch(span.node.text)
        if found is not None:
            made = moved_text(tree.text, [(span.start, span.end, b"'" + found[1] + b"'")])
            if made is not None:
                yield made


_OPENING: Final = re.compile(rb"[\[{(]")
_WORD_BACKWARDS: Final = re.compile(rb"\w+[$@]?")
# A statement that puts something into a variable: by a key, by the name of a field, at its end.
_PUT: Final = re.compile(
    rb"([$@]?\w+)(?:\[(.*?)\]\s*=|\.(\w+)\s*=|\.(?:append|push|add|Add)\(|\s*<<)(?!=)", re.DOTALL
)


def built_in_place(tree: Tree) -> Iterator[bytes]:
    """Yield texts in which an object, or a list, is made with what is put into it later."""
    text = tree.text
    for one, two in (pair for row in _by_list(tree) for pair in pairwise(row)):
        made, put = _made(one.node.text), _PUT.match(two.node.text)
        if made is None or put is None or made[0] != put[1]:
            continue
        _, start, end = made
        more = b", " if one.node.text[start:end].strip() else b""
        value = _statement(two.node.text[put.end() :])
        for element in _as_elements(put[2], put[3], value) if value else ():
            place = one.start + end
            changes = [(place, place, more + element), (two.start, two.end, b"")]
            changed = moved_text(text, changes)
            if changed is not None:
                yield changed


def _made(text: bytes) -> tuple[bytes, int, int] | None:
    """Return the variable that a statement makes with brackets, and the range between them."""
    left, equals, _ = text.partition(b"=")
    name = _WORD_BACKWARDS.match(left.rstrip().removesuffix(b":").rstrip()[::-1])
    start = _OPENING.search(text, len(left) + 1)
    end = len(_statement(text)) - 1
    if not equals or name is None or start is None or text[end : end + 1] not in (b"]", b"}", b")"):
        return None
    if end < start.end() or b"=" in text[len(left) + 1 : start.start()]:
        return None
    return name[0][::-1], start.end(), end


def _statement(text: bytes) -> bytes:
    """Return a statement without the semicolon at its end."""
    return text.rstrip().removesuffix(b";").rstrip()


def _as_elements(key: bytes | None, field: bytes | None, value: bytes) -> Iterator[bytes]:
    """Yield how a value is written in brackets, with its key or field or without."""
    if field is not None:
        yield from (field + b": " + value, field + b"=" + value)
    elif key:
        yield from (key + b": " + value, b"[" + key + b"]: " + value)
        yield from (key + b" => " + value, b"[" + key + b"]=" + value)
    if not field:
        end = value.endswith(b")") and value.count(b")") > value.count(b"(")
        yield value[:-1] if end else value


# Where a format takes a value (`%d`, `{}`, `{:?}`), and what separates it from the first value.
_DIRECTIVE: Final = re.compile(rb"%[-+ #0-9.]*(?:hh|ll|[hlLzjtq])?[a-zA-Z]|\{[^{}]*\}")
_AFTER_FORMAT: Final = re.compile(rb"\s*(?:,|%|\.format\()\s*")


def without_format(tree: Tree) -> Iterator[bytes]:
    """Yield texts with a value, `0` or nothing in its place in a format, and no longer after it."""
    text = tree.text
    outermost: dict[int, NodeSpan] = {}
    for span in spans(tree):
        if span.node.kind not in QUANTIFIED and span.node.slot != SEPARATOR:
            outermost.setdefault(span.start, span)
    for span in spans(tree):
        takes = _DIRECTIVE.search(span.node.text) if quote_of(span.node.text)[0] else None
        after = None if takes is None else _AFTER_FORMAT.match(text, span.end)
        value = None if after is None else outermost.get(after.end())
        if takes is None or after is None or value is None:
            continue
        end = value.end + after[0].endswith(b"(")
        opening, closing = quote_of(value.node.text)
        inside = value.node.text[opening : len(value.node.text) - closing]
        plain = opening > 0 or inside.isdigit()
        for shown in dict.fromkeys((inside, b"0", b"") if plain else (b"0", b"")):
            place = span.start + takes.start(), span.start + takes.end(), shown
            made = moved_text(text, [place, (span.end, end, b"")])
            if made is not None:
                yield made


def counted_lists(tree: Tree) -> Iterator[bytes]:
    """Yield texts with one element less in a list, and a number that was its length one less."""
    numbers = [
        one for one in spans(tree) if isinstance(one.node, Token) and one.node.text.isdigit()
    ]
    for span in spans(tree):
        elements = [one for one in span.node.elements if one.token_count]
        if span.node.kind not in QUANTIFIED or not elements:
            continue
        lengths = [one for one in numbers if int(one.node.text) == len(elements)]
        outside = [one for one in lengths if not span.start <= one.start < span.end]
        for element in (elements[-1], elements[0]) if outside else ():
            shorter = tree.delete([span.place.child(element.key)])
            for number in (*outside, None):
                some = outside if number is None else [number]
                if number is None and len(outside) == 1:
                    continue
                fewer = b"%d" % (len(elements) - 1)
                try:
                    yield shorter.edit(ChangeText(one.place, fewer) for one in some).text
                except EditError:
                    continue
