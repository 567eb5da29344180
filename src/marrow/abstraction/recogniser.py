"""Recognises the texts of a pattern: parses them by the pattern, then compares its groups.

A pattern is a sequence: tokens that are given, and nonterminals that are free. That is one more
production on top of the grammar's, and the GLR parser finds for every nonterminal all stretches of
tokens that it may be. A search through these stretches then looks for a way to read the text in
which all parts of a context-sensitive group have the same tokens. White space and comments do not
count. In the first such reading, parts that must differ are compared, and names that occur nowhere
else are looked up.

Cost: linear for most grammars of languages. The search is linear in the stretches if groups are
single tokens; with g groups that can be read in s ways it may look at s ** g combinations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, TypeAlias

from marrow.abstraction.embedding import DIFFER, DOUBT, Embedding, PatternMatch
from marrow.abstraction.hole_rules import doubtful_places, unfit, unknown_names
from marrow.abstraction.pattern import VARIABLE, Hole, Pattern
from marrow.engine.journal.journal import digest
from marrow.grammar.generation.drawing import Roots
from marrow.grammar.language import Language
from marrow.grammar.model.parse_error import ParseError, line_and_column
from marrow.grammar.model.rules import GrammarError
from marrow.grammar.parser.bnf import Bnf, Production, Shape
from marrow.grammar.parser.glr import Engine
from marrow.grammar.parser.lr_tables import Tables
from marrow.grammar.parser.parser import TextToken
from marrow.tree.node import tokens_of

#: How many parts were read, how many tokens, and the tokens of the groups met so far.
_State: TypeAlias = tuple[int, int, tuple[tuple[int, tuple[Hashable, ...]], ...]]

#: Where a part of the pattern may end if it begins at a token.
_Ends: TypeAlias = Callable[[int, int], Collection[int]]


@dataclass(frozen=True, slots=True)
class _Given:
    """A token of the pattern that must be there."""

    symbol: int
    text: str
    empty: bool = False


@dataclass(frozen=True, slots=True)
class _Free:
    """A part of the pattern that varies; `empty` says that it may be nothing at all.

    `group` is the number of what has to be the same, as far as that is `sure`.
    """

    hole: int
    symbol: int
    empty: bool
    group: int | None
    sure: bool


class _PatternParser:
    """The parser of a grammar whose start symbol derives the parts of a pattern."""

    def __init__(self, bnf: Bnf, parts: Sequence[_Given | _Free]) -> None:
        self._parts: Final = parts
        self._terminals: Final = len(bnf.terminals)
        self._groups: Final = bnf.groups
        first = len(bnf.names)  # the symbol that accepts; then one for each beginning of the parts
        rights: list[tuple[int, tuple[int, ...]]] = [(first, (first + len(parts),))]
        empty = True  # whether all parts so far may be empty
        for number, part in enumerate(parts, start=first + 1):
            if empty:
                rights.append((number, (part.symbol,)))
            if number > first + 1:
                rights.append((number, (number - 1, part.symbol)))
                if part.empty:
                    rights.append((number, (number - 1,)))
            empty = empty and part.empty
        made = [Production(left, right, 0, 0, Shape.SPLICE, "", ()) for left, right in rights]
        productions = [made[0], *bnf.productions, *made[1:]]
        plain = [(one.left, one.right) for one in productions]
        tables = Tables(plain, bnf.groups, self._terminals)
        variants = frozenset(one for members in bnf.groups.values() for one in members)
        self._engine: Final = Engine(tables, productions, variants)

    def read(self, kinds: Sequence[int], texts: Sequence[str]) -> _Readings:
        """Return all readings of a text by the pattern."""
        stretches = self._engine.stretches(kinds)

        @cache
        def ends(number: int, at: int) -> tuple[int, ...]:
            part = self._parts[number]
            if part.symbol < self._terminals:
                text = part.text if isinstance(part, _Given) else None
                here = list(kinds[at : at + 1]) == [part.symbol]
                fits = here and text in (None, texts[at])
                found: Collection[int] = (at + 1,) * fits
            else:
                members = self._groups.get(part.symbol, (part.symbol,))
                found = [end for one in members for end in stretches.get((one, at), ())]
            return tuple(dict.fromkeys((at, *found) if part.empty else found))

        return _Readings(len(self._parts), len(kinds), ends)


class _Readings:
    """The stretches of a text that the parts of a pattern may be: where one `ends` that begins.

    `whole` says that the text has the form of the pattern, groups aside; `furthest` how many parts
    were read at most, and up to which token.
    """

    def __init__(self, parts: int, size: int, ends: _Ends) -> None:
        self.ends: Final = ends
        reached = {0}
        self.furthest = (0, 0)
        for number in range(parts):
            reached = {end for at in reached for end in ends(number, at)}
            if not reached:
                break
            self.furthest = (number + 1, max(reached))
        # Rules that name the end of the input (EOF) read it as one more token.
        self.whole: Final = any(at >= size for at in reached)


class GrammarRecogniser:
    """Recognises the texts of one pattern by its grammar."""

    def __init__(self, pattern: Pattern, language: Language) -> None:
        self._parser: Final = language.parser
        self._kinds: Final = {name: kind for kind, name in enumerate(self._parser.bnf.terminals)}
        self._holes: Final = pattern.holes()
        self._doubtful: Final = doubtful_places(pattern)
        self._parts: Final = self._flat(pattern)
        self._reader: Final = _PatternParser(self._parser.bnf, self._parts)

    def match(self, text: bytes) -> PatternMatch:
        """Say whether a text belongs to the pattern."""
        try:
            lexemes = self._parser.tokens(text)
        except ParseError as error:
            return PatternMatch(reason=f"not read by the grammar: {error}")
        texts = [lexeme.text for lexeme in lexemes]
        readings = self._reader.read([self._kinds[one.symbol] for one in lexemes], texts)
        if not readings.whole:
            return PatternMatch(reason=self._furthest(readings, text, lexemes))
        return self._answer(texts, readings.ends, lambda *at: _stretch(text, lexemes, *at))

    def _answer(
        self, texts: Sequence[str], ends: _Ends, stretch: Callable[[int, int], str]
    ) -> PatternMatch:
        """Return the answer for a text that has the form of the pattern."""
        doubt = ""
        free = [part if isinstance(part, _Free) else None for part in self._parts]
        reading = _reading([part.group if part else None for part in free], texts, ends)
        if reading is None and self._doubtful:
            sure = [part.group if part and part.sure else None for part in free]
            reading, doubt = _reading(sure, texts, ends), DOUBT
        if reading is None:
            return PatternMatch(reason=DIFFER)
        parts: dict[int, tuple[Hole, str]] = {}
        for part, (start, end) in zip(free, reading, strict=True):
            if part is not None and part.hole not in parts:
                parts[part.hole] = (self._holes[part.hole], stretch(start, end))
        return PatternMatch(tuple(parts.values()), doubt=doubt)

    # -- the pattern as a sequence ---------------------------------------------------------------

    def _flat(self, pattern: Pattern) -> list[_Given | _Free]:
        """Return the tokens and holes of a pattern in the order of the text."""
        # The lexer says what kind a token is: the same text may be another one elsewhere.
        kinds = [self._kinds[one.symbol] for one in self._parser.tokens(pattern.tree.text)]
        number = {place: index for index, hole in enumerate(self._holes) for place in hole.places}
        roots = Roots(self._parser.bnf)
        found: list[_Given | _Free] = []
        read = 0
        for place, node in pattern.pieces():
            if pattern.mark_at(place) in VARIABLE:
                root = roots.found.get(node.symbol)
                if root is None:
                    raise GrammarError(f"it has no {node.symbol!r}, which the tree has")
                hole = number[place]
                group = hole if len(self._holes[hole].places) > 1 else None
                sure = place not in self._doubtful
                found.append(_Free(hole, root.symbol, root.empty is not None, group, sure))
                tokens = tokens_of((node,))
                read += sum(len(self._spelled(token.text)) for token in tokens)
            else:
                for text in self._spelled(node.text):
                    found.append(_Given(kinds[read], text))
                    read += 1
        return found

    def _spelled(self, token: bytes) -> Sequence[str]:
        """Return the texts of what the lexer reads as a token; without a lexer, characters."""
        text = token.decode("utf-8", "surrogateescape")
        return text if self._parser.grammar.scannerless else (text,)

    # -- answers ---------------------------------------------------------------------------------

    def _furthest(self, readings: _Readings, text: bytes, lexemes: Sequence[TextToken]) -> str:
        """Say how far a text agrees with the pattern."""
        read, at = readings.furthest
        decoded = text.decode("utf-8", "surrogateescape")
        start = lexemes[at].start if at < len(lexemes) else len(decoded)
        line, column = line_and_column(decoded, start)
        if read == len(self._parts):
            expected = "the end of the input"
        else:
            part = self._parts[read]
            if isinstance(part, _Given):
                expected = repr(part.text)
            else:
                expected = f"<{self._holes[part.hole].marked.name}>"
        return f"line {line}, column {column}: no further than to {expected}"


def _stretch(text: bytes, lexemes: Sequence[TextToken], start: int, end: int) -> str:
    end = min(end, len(lexemes))
    if start >= end:
        return ""
    decoded = text.decode("utf-8", "surrogateescape")
    return decoded[lexemes[start].start : lexemes[end - 1].end]


def _reading(
    groups: Sequence[int | None],
    texts: Sequence[Hashable],
    ends: Callable[[int, int], Collection[int]],
) -> list[tuple[int, int]] | None:
    """Return where each part of the pattern is in a text, groups being the same everywhere."""
    first: _State = (0, 0, ())
    before: dict[_State, _State | None] = {first: None}
    stack = [first]
    while stack:
        state = stack.pop()
        done, at, bound = state
        if done == len(groups):
            if at >= len(texts):
                return _path(before, state)
            continue
        group = groups[done]
        for end in ends(done, at):
            new = bound
            if group is not None:
                own = tuple(texts[at:end])
                known = next((text for hole, text in bound if hole == group), None)
                if known is None:
                    new = (*bound, (group, own))
                elif known != own:
                    continue
            following = (done + 1, end, new)
            if following not in before:
                before[following] = state
                stack.append(following)
    return None


def _path(before: dict[_State, _State | None], last: _State) -> list[tuple[int, int]]:
    """Return the stretches that lead to a state."""
    found: list[tuple[int, int]] = []
    while (earlier := before[last]) is not None:
        found.append((earlier[1], last[1]))
        last = earlier
    return found[::-1]


class Recogniser:
    """Recognises the texts of one pattern."""

    def __init__(self, pattern: Pattern) -> None:
        language = pattern.language
        self._pattern: Final = pattern
        self._embedding: Final = Embedding(pattern)
        self._whole: Final[Callable[[bytes], PatternMatch]] = (
            GrammarRecogniser(pattern, language).match
            if isinstance(language, Language)
            else self._embedding.whole
        )

    def match(self, text: bytes) -> PatternMatch:
        """Say whether a text belongs to the pattern, has an instance of it, or is its origin."""
        language = self._pattern.language
        if digest(text).hex() == self._pattern.origin:
            return PatternMatch(inside="the input that the pattern was found for")
        if not isinstance(language, Language) and not language.matches(text):
            return PatternMatch(reason=f"not read by the parser of {language.name}")
        found = self._whole(text)
        if found and (reason := unfit(self._pattern, found.parts)):
            found = PatternMatch(reason=reason)
        if not found and language.matches(text):
            found = self._embedding.find(text) or found
        return replace(found, doubt=found.doubt or unknown_names(found.parts)) if found else found
