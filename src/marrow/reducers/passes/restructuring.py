"""Restructuring: changes that move a part of a text elsewhere and leave the rest as it is.

They know nothing of languages except what a statement is (`streams.spans`); the parser judges the
result. Most do not make a text smaller by themselves, so `detours` tries them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from itertools import pairwise
from typing import Final, TypeAlias

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

#: Changes of a text: from where to where, and what comes there.
Changes: TypeAlias = Iterable[tuple[int, int, bytes]]

# What changes a variable, and what an expression with an effect has in it.
_STEPS: Final = (b"++", b"--")
_EFFECT: Final = re.compile(rb"[(=]|\+\+|--")

# How many places of a statement an expression is moved to, and how many expressions of a statement
# are moved: the outermost ones, which is where values are observed.
_MOST_PLACES: Final = 3
_MOST_VALUES: Final = 2


def _texts(changes: Callable[[Tree], Iterator[Changes]]) -> Callable[[Tree], Iterator[bytes]]:
    """Return what yields texts with changes made, where these do not overlap."""

    @wraps(changes)
    def texts(tree: Tree) -> Iterator[bytes]:
        made = (moved_text(tree.text, some) for some in changes(tree))
        return (one for one in made if one is not None)

    return texts


@_texts
def outwards(tree: Tree) -> Iterator[Changes]:
    """Move a statement out of the construct around it, after and before that; whole bodies first.

    A local variable becomes global, the body of a loop follows the loop.
    """
    text = tree.text
    for span in (*bodies(tree), *statements(tree)):
        around = [one for one in statements_around(tree, span) if one is not span]
        for outer in dict.fromkeys((*around[-1:], *around[:1])):
            if outer.node.token_count - span.node.token_count > 1:
                indent = indentation(text, outer.start)
                moved = at_line(text[span.start : span.end], indentation(text, span.start), indent)
                gone = (span.start, span.end, b"")
                yield gone, (outer.end, outer.end, b"\n" + indent + moved)
                yield gone, (outer.start, outer.start, moved + b"\n" + indent)


def _by_list(tree: Tree) -> Iterable[list[NodeSpan]]:
    """Return the statements of a tree, those of each list together."""
    by_list: dict[Place | None, list[NodeSpan]] = {}
    for span in statements(tree):
        by_list.setdefault(span.place.parent, []).append(span)
    return by_list.values()


@_texts
def into_uses(tree: Tree) -> Iterator[Changes]:
    """Delete a statement, one of whose values moves into its neighbour; the last ones first.

    `f(a); g(a);` becomes `g(f(a));`, and `if (c) p(0); p(0);` becomes `p(c);`.
    """
    for one, two in (pair for row in _by_list(tree) for pair in reversed([*pairwise(row)])):
        for source, target in ((one, two), (two, one)):
            for value in _values(tree, source):
                moved = tree.text[value.start : value.end]
                for place in _leaves(tree, target):
                    yield (source.start, source.end, b""), (place.start, place.end, moved)


# Larger statements do more than show a value. Only the last few statements are tried.
_LARGEST_OBSERVER: Final = 12
_MOST_OBSERVERS: Final = 2


@_texts
def observed(tree: Tree) -> Iterator[Changes]:
    """Put a call that shows a value in the place of another statement, applied to its value.

    `f() { switch (a - b) ... } p(0);` becomes `f() { p(a - b); }`.
    """
    text, every = tree.text, statements(tree)
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
                shown = front + text[value.start : value.end] + back
                yield (observer.start, observer.end, b""), (span.start, span.end, shown)


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


@_texts
def out_of_strings(tree: Tree) -> Iterator[Changes]:
    """Put the code of a string in the place of the call, or statement, around it: an `eval`."""
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
            plain = at_line(code, b"", indentation(tree.text, outer.start))
            yield [(outer.start, outer.end, plain)]


_TEMPLATE: Final = re.compile(rb"`([^`$\\\n\"']*)`")


@_texts
def plain_templates(tree: Tree) -> Iterator[Changes]:
    """Put a string in the place of a template literal that has no code in it."""
    for span in spans(tree):
        found = _TEMPLATE.fullmatch(span.node.text)
        if found is not None:
            yield [(span.start, span.end, b"'" + found[1] + b"'")]


_OPENING: Final = re.compile(rb"[\[{(]")
_WORD_BACKWARDS: Final = re.compile(rb"\w+[$@]?")
# A statement that puts something into a variable: by a key, by the name of a field, at its end.
_PUT: Final = re.compile(
    rb"([$@]?\w+)(?:\[(.*?)\]\s*=|\.(\w+)\s*=|\.(?:append|push|add|Add)\(|\s*<<)(?!=)", re.DOTALL
)


@_texts
def built_in_place(tree: Tree) -> Iterator[Changes]:
    """Make an object, or a list, with what is put into it later.

    `a = {}; a.b = 1;` becomes `a = {b: 1};`.
    """
    for one, two in (pair for row in _by_list(tree) for pair in pairwise(row)):
        made, put = _made(one.node.text), _PUT.match(two.node.text)
        if made is None or put is None or made[0] != put[1]:
            continue
        _, start, end = made
        more = b", " if one.node.text[start:end].strip() else b""
        value = _statement(two.node.text[put.end() :])
        for element in _as_elements(put[2], put[3], value) if value else ():
            yield (one.start + end, one.start + end, more + element), (two.start, two.end, b"")


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


@_texts
def without_format(tree: Tree) -> Iterator[Changes]:
    """Put a value, `0` or nothing in its place in a format: `printf("%d!", 7)`, `printf("7!")`."""
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
            yield place, (span.end, end, b"")


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
            fewer = b"%d" % (len(elements) - 1)
            every = [outside] if len(outside) > 1 else []
            for some in [*([one] for one in outside), *every]:
                try:
                    yield shorter.edit(ChangeText(one.place, fewer) for one in some).text
                except EditError:
                    continue
