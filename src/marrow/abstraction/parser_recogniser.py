"""Recognises the texts of a pattern that has no grammar, by what the parser reads in a text.

A pattern is a sequence of given tokens and free parts. Free parts are stretches of tokens that the
parser has read as one node that fits the part's slot; a list, or what may be left out, is also any
run of neighbouring nodes, or nothing. A search through these stretches finds a reading in which all
parts of a group have the same tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

from marrow.abstraction.fragments import TOKEN
from marrow.abstraction.group_reading import Groups, PatternMatch, answer
from marrow.abstraction.parser_language import ParserLanguage
from marrow.abstraction.pattern import NEW_NAME, VARIABLE, Pattern
from marrow.tree import QUANTIFIED, ROOT, Branch, Node, Place, Token, Tree

#: In longer lists only runs from the first element on are parts: there are too many others.
_MOST_RUNS: Final = 400


class Stretches:
    """The stretches of a text's tokens that parts of a pattern may be."""

    def __init__(self, language: ParserLanguage, tree: Tree) -> None:
        self._language: Final = language
        self.texts: Final[list[bytes]] = []
        self._nodes: Final[dict[int, list[tuple[int, Node]]]] = {}
        self._runs: Final[dict[int, set[int]]] = {}
        self._read(tree)

    def ends(self, slot: str, start: int, symbols: frozenset[str], *, list_like: bool) -> list[int]:
        """Return where a part that begins at a token may end, the furthest first."""
        found = {
            end
            for end, node in self._nodes.get(start, ())
            if node.slot == slot
            or node.symbol in symbols
            or self._language.front.accepts(slot, node)
        }
        if list_like:
            found |= {start} | self._runs.get(start, set())
        return sorted(found, reverse=True)

    def is_word(self, symbol: str, at: int) -> bool:
        """Whether a token is of a kind."""
        return any(
            isinstance(node, Token) and node.symbol == symbol for _, node in self._nodes.get(at, ())
        )

    def _read(self, tree: Tree) -> None:
        """Number the tokens, and note where nodes and runs of neighbours begin and end."""
        starts: dict[int, int] = {}
        stack: list[tuple[Node, bool]] = [(tree.root, False)]
        while stack:
            node, opened = stack.pop()
            if isinstance(node, Token):
                at = len(self.texts)
                self.texts.append(node.text)
                self._nodes.setdefault(at, []).append((at + 1, node))
            elif not opened:
                starts[id(node)] = len(self.texts)
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(node.children))
            elif node.token_count:
                start = starts[id(node)]
                self._nodes.setdefault(start, []).append((len(self.texts), node))
                if node.kind in QUANTIFIED:
                    self._note_runs(node, start)

    def _note_runs(self, node: Branch | Token, start: int) -> None:
        ends = [start]
        for child in node.children:
            ends.append(ends[-1] + child.token_count)
        if len(ends) > _MOST_RUNS:
            self._runs.setdefault(start, set()).update(ends[1:])
            return
        for first in range(len(ends) - 1):
            self._runs.setdefault(ends[first], set()).update(ends[first + 1 :])


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a pattern: a token that is given, or a hole with what fits it.

    `word` is the kind of a hole that is a word of this kind alone.
    """

    text: bytes = b""
    hole: int | None = None
    slot: str = ""
    list_like: bool = False
    word: str = ""


class ParserRecogniser:
    """Recognises the texts of one pattern by what the parser reads."""

    def __init__(self, pattern: Pattern, language: ParserLanguage) -> None:
        self._language: Final = language
        self._holes: Final = pattern.holes()
        self._groups: Final = Groups(pattern)
        self._parts: Final = self._flat(pattern)
        self._kinds: Final = {
            hole.symbol: frozenset(node.symbol for node in language.pieces(hole.symbol))
            for hole in self._holes
        }

    def match(self, text: bytes) -> PatternMatch:
        """Say whether a text belongs to the pattern."""
        if not self._language.matches(text):
            return PatternMatch(reason=f"not read by the parser of {self._language.name}")
        stretches = Stretches(self._language, self._language.parse(text))
        texts = stretches.texts
        furthest = 0

        @cache
        def ends(done: int, at: int) -> list[int]:
            nonlocal furthest
            furthest = max(furthest, done)
            part = self._parts[done]
            if part.hole is None:
                return [at + 1] if at < len(texts) and texts[at] == part.text else []
            if part.word:
                return [at + 1] if stretches.is_word(part.word, at) else []
            kinds = self._kinds[self._holes[part.hole].symbol]
            return stretches.ends(part.slot, at, kinds, list_like=part.list_like)

        found = answer(
            self._holes,
            self._groups,
            [part.hole for part in self._parts],
            texts,
            ends,
            lambda start, end: b" ".join(texts[start:end]).decode("utf-8", "backslashreplace"),
        )
        if found or self._form(ends, len(texts)):
            return found
        part = self._parts[furthest]
        if part.hole is None:
            expected = repr(part.text.decode("utf-8", "backslashreplace"))
        else:
            expected = f"<{self._holes[part.hole].marked.name}>"
        return PatternMatch(reason=f"no further than to {expected}")

    def _form(self, ends: Callable[[int, int], list[int]], count: int) -> bool:
        """Whether a text has the form of the pattern, groups aside."""
        reached = {0}
        for done in range(len(self._parts)):
            reached = {end for at in reached for end in ends(done, at)}
        return count in reached

    def _flat(self, pattern: Pattern) -> list[_Part]:
        """Return the tokens and holes of a pattern in the order of the text."""
        number = {place: index for index, hole in enumerate(self._holes) for place in hole.places}
        found: list[_Part] = []
        stack: list[tuple[Place, Node]] = [(ROOT, pattern.tree.root)]
        while stack:
            place, node = stack.pop()
            if pattern.mark_at(place) in VARIABLE:
                loose = node.kind in QUANTIFIED
                narrow = self._holes[number[place]].symbol.startswith((TOKEN, NEW_NAME))
                word = node.symbol if narrow and isinstance(node, Token) else ""
                found.append(_Part(hole=number[place], slot=node.slot, list_like=loose, word=word))
            elif isinstance(node, Token):
                found.append(_Part(node.text))
            else:
                stack.extend((place.child(child.key), child) for child in reversed(node.children))
        return found
