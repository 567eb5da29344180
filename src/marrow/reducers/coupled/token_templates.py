"""Templates over tokens: coupled edits that one node of a tree cannot hold, as data.

A coupled edit is seldom one node: a namespace with its qualifiers, a parameter with the arguments
of all calls. So these edits change tokens (`TokenText`), and the parser says whether the result is
valid.

The tables `[[coupled]]` of a language's file say what matches and what takes its place:

    name = "unwrap a namespace"
    match = "namespace $$name { $$$body }"
    replace = "$$$body"
    everywhere = [{ match = "$$name ::" }]

White space separates the tokens of a template. `$a` is one word, `$$a` a run of tokens inside of a
statement, `$$$a` any run; brackets are balanced in both. A run at the end of a template takes the
rest of its line. A hole that occurs twice has the same text. `inside` has rules for the tokens of
the match, `everywhere` for all others; `needed` demands that one of them applies. A list of texts
for `replace` gives alternatives. `all` tries all matches at once first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, cached_property
from typing import Any, Final, TypeAlias

from marrow.languages.language_facts import facts_of
from marrow.tree import Branch, Kind, Token, Tree
from marrow.tree.name_spelling import is_name
from marrow.tree.tree_cache import kept

#: What becomes of tokens, by their numbers: the texts in their place; none if they go.
TokenChanges: TypeAlias = dict[int, tuple[bytes, ...]]

_CLOSES: Final = {b"(": b")", b"[": b"]", b"{": b"}"}
_OPENS: Final = {closing: opening for opening, closing in _CLOSES.items()}
# What never occurs between angle brackets.
_NO_ARGUMENT: Final = frozenset({b";", b"{", b"}", b")", b"]"})
_ANGLES: Final = {b"<": 1, b">": -1, b">>": -2}

#: What ends a statement or a declaration, or begins its body.
ENDS: Final = frozenset({b";", b"{", b"}"})


@dataclass(frozen=True)
class TokenText:
    """The tokens of a tree."""

    tokens: Sequence[Token]

    @cached_property
    def texts(self) -> list[bytes]:
        """Their texts."""
        return [token.text for token in self.tokens]

    @cached_property
    def named(self) -> list[bool]:
        """Which of them are names."""
        return [is_name(token) for token in self.tokens]

    @cached_property
    def mentions(self) -> dict[bytes, list[int]]:
        """Where each name occurs."""
        named = (
            (text, [at for at in where if self.named[at]]) for text, where in self.positions.items()
        )
        return {text: where for text, where in named if where}

    @cached_property
    def partners(self) -> dict[int, int]:
        """The other bracket of each that has one; angle brackets are not among them."""
        found: dict[int, int] = {}
        opened: list[int] = []
        for at, text in enumerate(self.texts):
            if text in _CLOSES:
                opened.append(at)
            elif text in _OPENS and opened and self.texts[opened[-1]] == _OPENS[text]:
                found[at] = opened.pop()
                found[found[at]] = at
        return found

    @cached_property
    def positions(self) -> dict[bytes, list[int]]:
        """Where each text occurs."""
        found: dict[bytes, list[int]] = {}
        for at, text in enumerate(self.texts):
            found.setdefault(text, []).append(at)
        return found

    @cached_property
    def statement_starts(self) -> list[int]:
        """The tokens that begin a statement or a declaration."""
        return [at for at, before in enumerate((b";", *self.texts[:-1])) if before in ENDS]

    def balanced_ends(self, at: int, barred: frozenset[bytes]) -> Iterator[int]:
        """Yield where runs from a token may end, brackets balanced, the shortest first.

        No run goes past one of the barred texts.
        """
        while at < len(self.texts):
            yield at
            text = self.texts[at]
            if text in barred or text in _OPENS or (text in _CLOSES and at not in self.partners):
                return
            at = self.partners.get(at, at) + 1
        yield at

    def line_end(self, at: int) -> int:
        """Return where the rest of a statement on one line ends, without a semicolon."""
        here = at
        while here < len(self.texts) and self.texts[here] not in ENDS:
            if b"\n" in self.tokens[here].before:
                break
            here = self.partners[here] if self.partners.get(here, 0) > here else here
            here += 1
        return here

    def text(self, at: int) -> bytes:
        """Return the text of a token; nothing beyond the first and the last."""
        return self.texts[at] if 0 <= at < len(self.texts) else b""

    def end_of(self, at: int) -> int | None:
        """Return where the bracket is closed that a token opens; angle brackets count."""
        if self.text(at) != b"<":
            return self.partners.get(at) if self.text(at) in _CLOSES else None
        depth, here = 0, at
        while here < len(self.texts):
            text = self.texts[here]
            if text in _NO_ARGUMENT:
                return None
            if text in _CLOSES:
                closed = self.partners.get(here)
                if closed is None:
                    return None
                here = closed
            depth += _ANGLES.get(text, 0)
            if depth <= 0:
                return here if depth == 0 else None
            here += 1
        return None

    def listed(self, start: int, end: int) -> list[range]:
        """Return the elements between two brackets, without the commas."""
        found: list[range] = []
        at = first = start + 1
        depth = 0
        while at < end:
            text = self.texts[at]
            if text in _CLOSES:
                at = self.partners.get(at, at)
            depth += _ANGLES.get(text, 0) if self.texts[start] == b"<" else 0
            if text == b"," and depth <= 0:
                found.append(range(first, at))
                first = at + 1
            at += 1
        if first < end:
            found.append(range(first, end))
        return found

    def without_element(self, start: int, end: int, position: int) -> set[int]:
        """Return what goes with an element of a list in brackets: its tokens and a comma."""
        elements = self.listed(start, end)
        element = elements[position]
        first = bool(position)
        return {*range(element.start - first, element.stop + (not first and len(elements) > 1))}

    def head(self, at: int) -> int:
        """Return where the statement or declaration begins that a token belongs to."""
        here = at - 1
        while here >= 0:
            text = self.texts[here]
            if text in (b")", b"]") and here in self.partners:
                here = self.partners[here]
            elif text in ENDS or text in _CLOSES:
                return here + 1
            here -= 1
        return 0


@kept
def tokens_in(tree: Tree) -> TokenText:
    """Return a tree as its tokens."""
    return TokenText(list(tree.tokens()))


def changed(tree: Tree, changes: Mapping[int, tuple[bytes, ...]]) -> Tree:
    """Return a flat tree with some tokens changed: enough to render, to count and to parse."""
    found: list[Token] = []
    for at, token in enumerate(tokens_in(tree).tokens):
        new = changes.get(at)
        if new is None:
            found.append(token)
        elif len(new) == 1:
            found.append(token.changed(text=new[0]))
        else:
            found.extend(Token("changed", text, indent=token.indent) for text in new)
    placed = [token.placed(key=key, slot=token.slot) for key, token in enumerate(found)]
    return tree.framed(Branch(Kind.REGULAR, "tokens", placed), tree.head, tree.tail)


#: The pieces of a template: texts of tokens, and holes with their signs.
_Pieces: TypeAlias = tuple[str, ...]
#: The range of tokens of each hole.
_Holes: TypeAlias = dict[str, range]

_WORD: Final = re.compile(rb"\w+")
# A template that could match in more ways than this at one token is given up there.
_MOST_STEPS: Final = 500


@dataclass(frozen=True, slots=True)
class _Rule:
    match: _Pieces
    replaced: tuple[_Pieces, ...]


@dataclass(frozen=True, slots=True)
class TokenTemplate:
    """A rule, and the rules that are applied together with it."""

    rule: _Rule
    everywhere: tuple[_Rule, ...] = ()
    inside: tuple[_Rule, ...] = ()
    needed: bool = False
    all: bool = False

    def changes(self, text: TokenText) -> Iterator[TokenChanges]:
        """Yield what may change in a text, from the last match to the first."""
        words = (piece.encode() for piece in self.rule.match if not piece.startswith("$"))
        if not all(word in text.positions for word in words):
            return
        # At its first word, or where statements begin.
        first = self.rule.match[0]
        hole = first.startswith("$")
        starts = text.statement_starts if hole else text.positions[first.encode()]
        matches = list(_matches(self.rule.match, text, starts))[::-1]
        found = [list(self._alternatives(text, *match)) for match in matches]
        if self.all and len(found) > 1:
            yield {at: new for some in found for one in some[:1] for at, new in one.items()}
        for some in found:
            yield from some

    def _alternatives(self, text: TokenText, span: range, holes: _Holes) -> Iterator[TokenChanges]:
        others = [(rule, span) for rule in self.inside]
        outside = (range(span.start), range(span.stop, len(text.texts)))
        others += [(rule, where) for rule in self.everywhere for where in outside]
        count = max((len(rule.replaced) for rule, _ in others), default=1)
        for own in self.rule.replaced:
            for number in range(count):
                changes = _replacement(text, self.rule.match, own, span, holes)
                applied = False
                for rule, where in others:
                    new = rule.replaced[min(number, len(rule.replaced) - 1)]
                    for one, bound in _matches(rule.match, text, where, holes):
                        if one.stop <= where.stop:
                            changes = _replacement(text, rule.match, new, one, bound) | changes
                            applied = True
                if applied or not self.needed:
                    yield changes


def _matches(
    pieces: _Pieces, text: TokenText, starts: Iterable[int], known: _Holes | None = None
) -> Iterator[tuple[range, _Holes]]:
    """Yield where a template matches, with the ranges of its holes."""
    known = known or {}
    if any(piece in known and not known[piece] for piece in pieces):
        return  # a rule about nothing
    for start in starts:
        states = [(start, 0, known)]
        for _ in range(_MOST_STEPS):
            if not states:
                break
            at, piece, holes = states.pop()
            if piece == len(pieces):
                yield range(start, at), holes
                break
            states += list(_steps(pieces, piece, text, at, holes))[::-1]


def _steps(
    pieces: _Pieces, piece: int, text: TokenText, at: int, holes: _Holes
) -> Iterator[tuple[int, int, _Holes]]:
    """Yield how a match can continue at a token, the shortest way first."""
    hole = pieces[piece]
    if not hole.startswith("$"):
        if text.text(at) == hole.encode():
            yield at + 1, piece + 1, holes
    elif hole in holes:
        wanted = [text.texts[one] for one in holes[hole]]
        if text.texts[at : at + len(wanted)] == wanted:
            yield at + len(wanted), piece + 1, holes
    elif not hole.startswith("$$"):
        if _WORD.fullmatch(text.text(at)):
            yield at + 1, piece + 1, {**holes, hole: range(at, at + 1)}
    elif piece + 1 == len(pieces):
        end = text.line_end(at)
        yield end, piece + 1, {**holes, hole: range(at, end)}
    else:
        any_run = hole.startswith("$$$")
        following = pieces[piece + 1].encode()
        for end in text.balanced_ends(at, ENDS if not any_run else frozenset()):
            if following.startswith(b"$") or text.text(end) == following:
                yield end, piece + 1, {**holes, hole: range(at, end)}


def _replacement(
    text: TokenText, match: _Pieces, new: _Pieces, span: range, holes: _Holes
) -> TokenChanges:
    """Return the changes that put one template in the place of another."""
    ranges, at = [], span.start
    for piece in match:
        width = len(holes[piece]) if piece.startswith("$") else 1
        ranges.append(range(at, at + width))
        at += width
    changes: TokenChanges = {}
    inserted: tuple[bytes, ...] = ()
    for kind, start, end, first, last in SequenceMatcher(None, match, new, False).get_opcodes():
        tokens = [at for one in ranges[start:end] for at in one]
        if kind == "equal":
            if inserted and tokens:
                changes[tokens[0]] = (*inserted, text.texts[tokens[0]])
                inserted = ()
            continue
        for piece in new[first:last]:
            hole = piece.startswith("$")
            inserted += tuple(text.texts[at] for at in holes[piece]) if hole else (piece.encode(),)
        changes.update(dict.fromkeys(tokens, ()))
        if tokens:
            changes[tokens[0]], inserted = inserted, ()
    if inserted:
        last_token = span.stop - 1
        changes[last_token] = (*changes.get(last_token, (text.texts[last_token],)), *inserted)
    return changes


@cache
def token_templates(language: str) -> tuple[TokenTemplate, ...]:
    """Return the templates of a language."""
    return tuple(
        TokenTemplate(
            _rule(entry),
            tuple(map(_rule, entry.get("everywhere", ()))),
            tuple(map(_rule, entry.get("inside", ()))),
            bool(entry.get("needed")),
            bool(entry.get("all")),
        )
        for entry in facts_of(language).coupled
    )


def _rule(entry: Mapping[str, Any]) -> _Rule:
    replaced: str | Sequence[str] = entry.get("replace", "")
    texts = (replaced,) if isinstance(replaced, str) else replaced
    return _Rule(tuple(entry["match"].split()), tuple(tuple(one.split()) for one in texts))
