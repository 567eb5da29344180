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

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from marrow.abstraction.embedding import Embedding
from marrow.abstraction.fragments import TOKEN
from marrow.abstraction.group_reading import Groups, PatternMatch, answer
from marrow.abstraction.hole_rules import unfit, unknown_names
from marrow.abstraction.parser_language import ParserLanguage
from marrow.abstraction.pattern import NEW_NAME, VARIABLE, Pattern
from marrow.engine.journal.journal import digest
from marrow.grammar.generation.drawing import Roots
from marrow.grammar.language import Language
from marrow.grammar.model.parse_error import ParseError, line_and_column
from marrow.grammar.model.rules import GrammarError
from marrow.grammar.parser.bnf import Bnf, Production, Shape
from marrow.grammar.parser.glr import Engine
from marrow.grammar.parser.lr_tables import Tables
from marrow.grammar.parser.parser import TextToken
from marrow.tree import QUANTIFIED, Branch, Node, Token, Tree
from marrow.tree.node import tokens_of

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
    """Recognises the texts of one pattern that has no grammar, by what the parser reads in a text.

    Free parts are stretches of tokens that the parser has read as one node that fits the part's
    slot; a list, or what may be left out, is also any run of neighbouring nodes, or nothing.
    """

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
        for place, node in pattern.pieces():
            if pattern.mark_at(place) in VARIABLE:
                loose = node.kind in QUANTIFIED
                narrow = self._holes[number[place]].symbol.startswith((TOKEN, NEW_NAME))
                word = node.symbol if narrow and isinstance(node, Token) else ""
                found.append(_Part(hole=number[place], slot=node.slot, list_like=loose, word=word))
            else:
                found.append(_Part(node.text))
        return found


@dataclass(frozen=True, slots=True)
class _Given:
    """A token of the pattern that must be there."""

    symbol: int
    text: str
    empty: bool = False


@dataclass(frozen=True, slots=True)
class _Free:
    """A part of the pattern that varies; `empty` says that it may be nothing at all."""

    hole: int
    symbol: int
    empty: bool


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
        found: list[dict[int, Collection[int]]] = []
        for part in self._parts:
            if part.symbol < self._terminals:
                text = part.text if isinstance(part, _Given) else None
                found.append(
                    {
                        at: (at + 1,)
                        for at, kind in enumerate(kinds)
                        if kind == part.symbol and text in (None, texts[at])
                    }
                )
                continue
            ends: dict[int, Collection[int]] = {}
            for member in self._groups.get(part.symbol, (part.symbol,)):
                for start in range(len(kinds) + 1):
                    some = stretches.get((member, start))
                    if some:
                        ends[start] = dict.fromkeys((*ends.get(start, ()), *some))
            found.append(ends)
        return _Readings(self._parts, found, len(kinds))


class _Readings:
    """The stretches of a text that the parts of a pattern may be.

    `whole` says that the text has the form of the pattern, groups aside; `furthest` how many parts
    were read at most, and up to which token.
    """

    def __init__(
        self,
        parts: Sequence[_Given | _Free],
        found: Sequence[dict[int, Collection[int]]],
        size: int,
    ) -> None:
        self._parts: Final = parts
        self._found: Final = found
        reached = {0}
        self.furthest = (0, 0)
        for number in range(len(parts)):
            reached = {end for at in reached for end in self.ends(number, at)}
            if not reached:
                break
            self.furthest = (number + 1, max(reached))
        # Rules that name the end of the input (EOF) read it as one more token.
        self.whole: Final = any(at >= size for at in reached)

    def ends(self, part: int, at: int) -> Collection[int]:
        """Return where a part of the pattern may end if it begins at a token."""
        found = self._found[part].get(at, ())
        return (at, *found) if self._parts[part].empty else found


class GrammarRecogniser:
    """Recognises the texts of one pattern by its grammar."""

    def __init__(self, pattern: Pattern, language: Language) -> None:
        self._parser: Final = language.parser
        self._kinds: Final = {name: kind for kind, name in enumerate(self._parser.bnf.terminals)}
        self._holes: Final = pattern.holes()
        self._groups: Final = Groups(pattern)
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
        numbers = [part.hole if isinstance(part, _Free) else None for part in self._parts]
        return answer(
            self._holes,
            self._groups,
            numbers,
            texts,
            readings.ends,
            lambda start, end: _stretch(text, lexemes, start, end),
        )

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
                found.append(_Free(number[place], root.symbol, root.empty is not None))
                read += self._lexemes(node)
            else:
                for text in self._spelled(node.text):
                    found.append(_Given(kinds[read], text))
                    read += 1
        return found

    def _spelled(self, token: bytes) -> Sequence[str]:
        """Return the texts of what the lexer reads as a token; without a lexer, characters."""
        text = token.decode("utf-8", "surrogateescape")
        return text if self._parser.grammar.scannerless else (text,)

    def _lexemes(self, node: Node) -> int:
        """Return how many lexemes a node has."""
        if not self._parser.grammar.scannerless:
            return node.token_count
        return sum(len(self._spelled(token.text)) for token in tokens_of((node,)))

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


class Recogniser:
    """Recognises the texts of one pattern."""

    def __init__(self, pattern: Pattern) -> None:
        language = pattern.language
        self._pattern: Final = pattern
        self._embedding: Final = Embedding(pattern)
        self._inner: Final = (
            GrammarRecogniser(pattern, language)
            if isinstance(language, Language)
            else ParserRecogniser(pattern, language)
        )

    def match(self, text: bytes) -> PatternMatch:
        """Say whether a text belongs to the pattern, has an instance of it, or is its origin."""
        if digest(text).hex() == self._pattern.origin:
            return PatternMatch(inside="the input that the pattern was found for")
        found = self._inner.match(text)
        if found and (reason := unfit(self._pattern, found.parts)):
            found = PatternMatch(reason=reason)
        if not found:
            if not self._pattern.language.matches(text):
                return found
            found = self._embedding.find(text) or found
        if not found:
            return found
        return replace(found, doubt=found.doubt or unknown_names(found.parts))
