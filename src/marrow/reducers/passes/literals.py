"""Shorten literals: numbers to 0, 1 or fewer digits, strings to nothing or fewer characters."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from marrow.reducers.algorithms.ddmin import Configuration, ddmin
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.streams.stream import Attempt, Done, Hearing, Reducer, Stream, attempt
from marrow.reducers.streams.sweep import sweep
from marrow.tree import ChangeText, Place, Token, Tree
from marrow.tree.name_spelling import is_name, is_number, may_be_name, quote_of
from marrow.tree.order import smaller_text

_DIGITS: Final = re.compile(rb"[0-9]+")

_NUMBERS: Final = "shortening numbers"

#: One character of a string, as languages count: an escape or a UTF-8 sequence is one.
CHARACTER: Final = re.compile(
    rb"\\(?:x[0-9a-fA-F]+|u\{?[0-9a-fA-F]+\}?|[0-7]{1,3}|.)|[\xc0-\xff][\x80-\xbf]*|.", re.DOTALL
)


def numbers(context: PassContext) -> Reducer:
    """Return the pass that makes numbers smaller.

    All become 0 by ddmin, then one by one 1, without prefix and suffix, with half of the digits,
    with one digit less, round ones; then they move towards 0, by halves and by bisection. A number
    with a value that makes the test run into its time limit is left alone: each such test costs
    that limit. First a sum or product of two numbers becomes its value, and so do two texts that
    are joined; a power of two becomes a shift, where that is shorter.
    """

    def run(tree: Tree, done: Done) -> Stream | None:
        places = tuple(
            place
            for place, node in tree.walk()
            if isinstance(node, Token) and is_number(node) and smaller_text(b"0", node.text)
        )
        if not places:
            return done(tree)

        def zero(tree: Tree, some: Sequence[Place], _: Sequence[Place]) -> Tree:
            return tree.edit(ChangeText(place, b"0") for place in some)

        zeros = Configuration(tree, places, zero, phase=_NUMBERS)
        return ddmin(zeros, lambda left: _one_by_one(left.elements, places, done, left.tree))

    def run_all(tree: Tree, done: Done) -> Stream | None:
        if not (_SUM_SOMEWHERE.search(tree.text) or any(map(_shift, _LONG.findall(tree.text)))):
            return run(tree, done)
        # As the parser sees it: in a prepared tree `1+2+a` is a list, and `1+2` no node of it.
        parsed = context.reparsed(tree)
        after = context.reparsed
        return sweep(parsed, [0], values, lambda one: run(one, done), "adding up", accepted=after)

    def values(tree: Tree, _: int) -> Iterator[Tree]:
        for place, node in tree.walk():
            found = _SUM.fullmatch(node.text) if 2 <= node.token_count <= _LONGEST_SUM else None
            value = None if found is None else _value(found[1], found[2], found[3])
            if value is None and node.token_count <= _LONGEST_SUM:
                value = _shift(node.text)
            if value is not None:
                candidate = tree.replace(place, Token("template", value))
                yield context.parse(candidate.text)

    return run_all


# A sum, difference or product of two numbers, or two texts that are joined, perhaps in brackets.
# Texts with escapes or quotation marks are left alone.
_VALUE: Final = rb"""(\d{1,9}|"[^"'\\\n]*"|'[^"'\\\n]*')"""
_LEFT: Final = rb"(-?" + _VALUE[1:]
_OPERATOR: Final = rb"(?:\s*([-+*^&]|\.\.?|\|\||<>)\s*|\s+)"
_SUM: Final = re.compile(rb"\(*\s*" + _LEFT + _OPERATOR + _VALUE + rb"\s*\)*")
_SUM_SOMEWHERE: Final = re.compile(_VALUE + _OPERATOR + _VALUE)

# Larger nodes are not such a sum: two texts of up to three tokens, an operator, and brackets.
_LONGEST_SUM: Final = 11


def _value(left: bytes, operator: bytes | None, right: bytes) -> bytes | None:
    """Return the value of a sum of two numbers, or of two texts that are joined."""
    number = left.lstrip(b"-").isdigit()
    if number and right.isdigit():
        one, other = int(left), int(right)
        made = {b"+": one + other, b"-": one - other, b"*": one * other}.get(operator or b"")
        return None if made is None else b"%d" % made
    if operator in (b"-", b"*"):
        return None
    quote = (right if number else left)[:1]
    return quote + left.strip(b"\"'") + right.strip(b"\"'") + quote


# A number, perhaps as the factor of a product, that may be shorter as a shift.
_LONG: Final = re.compile(rb"\b\d{3,19}\b")
_FACTOR: Final = re.compile(rb"(?:(.*)\*\s*)?(\d{3,19})", re.DOTALL)


def _shift(text: bytes) -> bytes | None:
    """Return a power of two, or a product with one, as a shift."""
    found = _FACTOR.fullmatch(text)
    number = 0 if found is None else int(found[2])
    if found is None or number & number - 1 or not number:
        return None
    return (found[1] or b"1") + b"<<%d" % (number.bit_length() - 1)


# So many numbers of a text are tried.
_MOST_NUMBERS: Final = 8


def _timed(candidate: Tree, then: Done) -> Generator[Attempt, None, bool]:
    """Try a candidate; return whether its test ran into the time limit."""
    hearing = Hearing(wants_output=False)
    yield replace(attempt(candidate, _NUMBERS, then, candidate), hearing=hearing)
    return hearing.timed_out


def _one_by_one(
    places: Sequence[Place], fast: tuple[Place, ...], done: Done, tree: Tree
) -> Stream | None:
    """Try smaller texts for each number; one that runs into the time limit keeps its value.

    `fast` are the numbers that have not done so: they are moved towards 0 in the end.
    """
    for index, place in enumerate(places):
        for candidate in _numbers(tree, place):
            again = partial(_one_by_one, places[index:], fast, done)
            if (yield from _timed(candidate, again)):
                fast = tuple(other for other in fast if other != place)
                break
    return _bisected(fast[:_MOST_NUMBERS], done, tree)


def _bisected(places: tuple[Place, ...], done: Done, tree: Tree) -> Stream | None:
    """Move decimal numbers towards 0, one after the other: by halves, then by bisection."""
    for index, place in enumerate(places):
        token = tree.at(place)
        if isinstance(token, Token) and _DIGITS.fullmatch(token.text) and int(token.text) > 2:
            return _halve(place, partial(_bisected, places[index + 1 :], done), tree)
    return done(tree)


def _halve(place: Place, done: Done, tree: Tree) -> Stream:
    """Halve a number as long as that works; then bisect between the last two.

    Only if the next smaller number works, too: among numbers of which some work and some do not,
    in no order, bisection finds a smaller one again and again.
    """
    token = tree.at(place)
    assert isinstance(token, Token)
    number = int(token.text)
    if number <= 2:
        return done(tree)
    half = tree.retext(place, b"%d" % (number // 2))
    slow = yield from _timed(half, partial(_halve, place, done))
    if number - 1 > number // 2 and not slow:
        below = tree.retext(place, b"%d" % (number - 1))
        yield attempt(below, _NUMBERS, _bisect, place, number // 2, number - 1, done, below)
    return done(tree)


def _bisect(place: Place, low: int, high: int, done: Done, tree: Tree) -> Stream:
    """Bisect between a number that failed and one that is interesting."""
    while high - low > 1:
        middle = (low + high) // 2
        candidate = tree.retext(place, b"%d" % middle)
        if (yield from _timed(candidate, partial(_bisect, place, low, middle, done))):
            break
        low = middle
    return done(tree)


def _numbers(tree: Tree, place: Place) -> Iterator[Tree]:
    token = tree.at(place)
    if not isinstance(token, Token):
        return
    text = token.text
    found = max(_DIGITS.findall(text), key=len, default=b"")
    texts = [b"1", found, found[: len(found) // 2], found[:-1], text[:-1], text[1:]]
    zeros = b"0" * (len(found) - 1)
    texts += [b"1" + zeros, found[:1] + zeros]
    for shorter in dict.fromkeys(texts):
        if shorter and smaller_text(shorter, text):
            yield tree.retext(place, shorter)


def strings(context: PassContext) -> Reducer:
    """Return the pass that makes strings, and other tokens with contents, shorter.

    They become empty, then fewer of the characters between the quotes stay, by ddmin. Guarantee: no
    single character of a string can go. Worst case: ddmin's over the characters of every string.
    """

    def run(tree: Tree, done: Done) -> Stream | None:
        tokens = ((place, node) for place, node in tree.walk() if isinstance(node, Token))
        return _shortened(tuple(place for place, token in tokens if may_go(token)), done, tree)

    def may_go(token: Token) -> bool:
        """Whether there is something inside of a token that could go."""
        if token.symbol.encode() == token.text or is_name(token) or is_number(token):
            return False
        # What this pass takes for text may be a name: `compute-total`, `x.y`, `f'`.
        name = context.options.keep_names and may_be_name(token)
        return sum(quote_of(token.text)) < len(token.text) and not name

    return run


def _shortened(places: tuple[Place, ...], done: Done, tree: Tree) -> Stream | None:
    """Shorten the first of some tokens, then the others: the characters that stay are its text."""
    if not places:
        return done(tree)
    place, *rest = places
    following = partial(_shortened, tuple(rest), done)
    token = tree.at(place)
    if not isinstance(token, Token):
        return following(tree)
    text = token.text
    opening, closing = quote_of(text)
    first, last = text[:opening], text[len(text) - closing :]

    def only(tree: Tree, _: Sequence[bytes], kept: Sequence[bytes]) -> Tree:
        return tree.retext(place, first + b"".join(kept) + last)

    characters = tuple(CHARACTER.findall(text[opening : len(text) - closing]))
    configuration = Configuration(tree, characters, only, 0 if opening else 1, "shortening strings")
    return ddmin(configuration, lambda result: following(result.tree))
