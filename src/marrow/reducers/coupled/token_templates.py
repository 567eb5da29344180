"""Templates over tokens: coupled edits that one node of a tree cannot hold, as data.

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
from functools import cache
from typing import Any, Final, TypeAlias

from marrow.languages.language_facts import facts_of
from marrow.reducers.coupled.token_text import ENDS, TokenChanges, TokenText

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
        matches = list(_matches(self.rule.match, text, self._starts(text)))[::-1]
        found = [list(self._alternatives(text, *match)) for match in matches]
        if self.all and len(found) > 1:
            yield {at: new for some in found for one in some[:1] for at, new in one.items()}
        for some in found:
            yield from some

    def _starts(self, text: TokenText) -> Iterable[int]:
        """Return where the template may match: at its first word, or where statements begin."""
        first = self.rule.match[0]
        if not first.startswith("$"):
            return text.positions[first.encode()]
        return text.statement_starts

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
    return tuple(map(_template, facts_of(language).coupled))


def _template(entry: Mapping[str, Any]) -> TokenTemplate:
    everywhere, inside = (tuple(map(_rule, entry.get(key, ()))) for key in ("everywhere", "inside"))
    flags = {key: bool(entry.get(key)) for key in ("needed", "all")}
    return TokenTemplate(_rule(entry), everywhere, inside, **flags)


def _rule(entry: Mapping[str, Any]) -> _Rule:
    replaced: str | Sequence[str] = entry.get("replace", "")
    texts = (replaced,) if isinstance(replaced, str) else replaced
    return _Rule(tuple(entry["match"].split()), tuple(tuple(one.split()) for one in texts))
