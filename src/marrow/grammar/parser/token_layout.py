"""The layout of a text's tokens: offsets, gaps, guards between them, INDENT and DEDENT tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from marrow.grammar.model.rules import (
    LINE_BREAK,
    Characters,
    Condition,
    Grammar,
    Literal,
    Ways,
)
from marrow.grammar.parser.bnf import Guards
from marrow.grammar.parser.lexer import Lexemes
from marrow.tree import Branch, Kind, Token, Tree

_LINE_START: Final = re.compile(rb"^[ \t]*", re.MULTILINE)

#: What a token is made of besides its place in the tree.
Leaf: TypeAlias = tuple[bytes, bytes, bytes, bytes, int]


class Layout:
    """The bytes of a text's tokens, the gaps between them, and the indentation of their lines."""

    def __init__(self, data: bytes, lexemes: Lexemes, encoding: str = "utf-8") -> None:
        starts, ends = lexemes.starts, lexemes.ends
        if len(data) != len(lexemes.text):
            starts, ends = _byte_offsets(lexemes, encoding)
        self.data: Final = data
        self.starts: Final = starts
        self.ends: Final = ends
        self.glue: Final = lexemes.glue
        self._lines: Final = [(m.start(), m.group()) for m in _LINE_START.finditer(data)]

    def indents(self) -> list[bytes]:
        """Return the indentation of the line that each token starts on."""
        lines = self._lines
        found = []
        line = 0
        following = lines[1][0] if len(lines) > 1 else len(self.data) + 1
        indent = lines[0][1]
        for start in self.starts:
            while start >= following:
                line += 1
                indent = lines[line][1]
                following = lines[line + 1][0] if line + 1 < len(lines) else len(self.data) + 1
            found.append(indent)
        return found

    def gaps(self) -> list[bytes]:
        """Return the gap before each token, and the one after the last."""
        data = self.data
        before = [0, *self.ends]
        after = [*self.starts, len(data)]
        return [data[a:b] for a, b in zip(before, after, strict=True)]

    def leaves(self, gaps: list[bytes]) -> Iterator[Leaf]:
        """Return what each token is made of: text, gaps before and after, indentation, glue."""
        data = self.data
        texts = [data[a:b] for a, b in zip(self.starts, self.ends, strict=True)]
        glue = self.glue if isinstance(self.glue, list) else [self.glue] * len(texts)
        return zip(texts, gaps[:-1], gaps[1:], self.indents(), glue, strict=True)


def _byte_offsets(lexemes: Lexemes, encoding: str) -> tuple[list[int], list[int]]:
    """Turn offsets in characters into offsets in bytes."""
    starts, ends = [], []
    text = lexemes.text
    characters = size = 0
    for start, end in zip(lexemes.starts, lexemes.ends, strict=True):
        size += len(text[characters:start].encode(encoding, "surrogateescape"))
        starts.append(size)
        size += len(text[start:end].encode(encoding, "surrogateescape"))
        ends.append(size)
        characters = end
    return starts, ends


def flat_tree(symbols: Sequence[str], layout: Layout) -> Tree:
    """Return a tree that is nothing but a list of tokens."""
    gaps = layout.gaps()
    tokens = [
        Token(
            symbol,
            text,
            slot="tokens",
            key=serial,
            before=before,
            after=after,
            serial=serial,
            indent=indent,
            glue=glue,
        )
        for serial, (symbol, (text, before, after, indent, glue)) in enumerate(
            zip(symbols, layout.leaves(gaps), strict=True)
        )
    ]
    return Tree(Branch(Kind.STAR, "tokens", tokens, slot="tokens"), gaps[0], gaps[-1])


#: Line breaks as ECMAScript has them; a grammar without the last two has no such gaps.
_LINE_BREAKS: Final = ("\n", "\r", "\u2028", "\u2029")


class Places:
    """The places between the tokens of a text, and which conditions hold there.

    Predicates of parser rules that depend on the next token become guards. A rule with a guard is
    empty, and productions have no empty symbols. So the guard becomes a condition of a production
    that leaves the rule out: between which of its symbols it must hold. The parser checks it when
    it makes a reduction.
    """

    def __init__(self, lexemes: Lexemes, terminals: Sequence[str]) -> None:
        self._lexemes: Final = lexemes
        self._terminals: Final = terminals
        self._known: dict[tuple[Ways, int], bool] = {}
        #: What did not hold, and where last: the reason if parsing goes no further.
        self.refused: set[Condition] = set()
        self.refused_at = -1

    def __len__(self) -> int:
        return len(self._lexemes.kinds)

    def hold(self, guards: Guards, starts: Sequence[int]) -> bool:
        """Whether guards hold, given where the symbols start, and where the last one ends."""
        for index, ways in guards:
            if not self._holds(ways, starts[index]):
                self._refuse(ways, starts[-1])
                return False
        return True

    def _refuse(self, ways: Ways, position: int) -> None:
        if position > self.refused_at:
            self.refused_at, self.refused = position, set()
        if position == self.refused_at:
            self.refused.update(one for way in ways for one in way)

    def _holds(self, ways: Ways, position: int) -> bool:
        key = (ways, position)
        known = self._known.get(key)
        if known is None:
            known = any(all(self._one(one, position) for one in way) for way in ways)
            self._known[key] = known
        return known

    def _one(self, condition: Condition, position: int) -> bool:
        kinds = self._lexemes.kinds
        ends = position >= len(kinds)
        found = not ends and self._terminals[kinds[position]] in condition.tokens
        if not found and LINE_BREAK in condition.tokens:
            found = ends or self._breaks(position)
        return found != condition.negated

    def _breaks(self, position: int) -> bool:
        lexemes = self._lexemes
        start = lexemes.ends[position - 1] if position else 0
        gap = lexemes.text[start : lexemes.starts[position]]
        return any(sign in gap for sign in _LINE_BREAKS)


#: The names of the three tokens, whatever their case and the signs around them. A `T` in front is
#: how `_INDENT` is written in ANTLR's notation.
_NAMES: Final = {
    "indent": re.compile(r"T?_*indent(?:ation)?", re.IGNORECASE),
    "dedent": re.compile(r"T?_*(?:dedent|outdent|unindent)", re.IGNORECASE),
    "newline": re.compile(
        r"T?_*(?:newline|nl|eol|linebreak|line_break|end_of_line)", re.IGNORECASE
    ),
}

#: A tab advances to the next multiple of this column, as in Python.
_TAB: Final = 8


def is_of_indentation(token: str) -> bool:
    """Whether a token has the name of one that indentation makes."""
    return any(_NAMES[kind].fullmatch(token) is not None for kind in ("indent", "dedent"))


@dataclass(frozen=True, slots=True)
class Indentation:
    """Makes INDENT and DEDENT tokens from the indentation of lines, as Python's lexer does.

    Grammars of such languages leave these tokens to code. A line break between brackets or before
    an empty line is dropped. After any other one come as many INDENT or DEDENT tokens, without
    text, as the indentation of the next line asks for. At the end the last line and every block are
    closed. `newline` is None if the grammar has no token for line breaks.
    """

    indent: int
    dedent: int
    newline: int | None
    #: Tokens that are a single sign: brackets among them count, those in strings do not.
    signs: frozenset[int] = frozenset()

    @classmethod
    def among(cls, terminals: Sequence[str], grammar: Grammar) -> Indentation | None:
        """Find the tokens by their names; None if the grammar has none of them."""
        skipped = {name for name, token in grammar.tokens.items() if token.hidden}
        numbers = {name: n for n, name in enumerate(terminals) if name not in skipped}
        found = {
            kind: next((n for name, n in numbers.items() if pattern.fullmatch(name)), None)
            for kind, pattern in _NAMES.items()
        }
        if found["indent"] is None or found["dedent"] is None:
            return None
        signs = frozenset(
            number
            for number, name in enumerate(terminals)
            if name not in grammar.tokens
            or isinstance(grammar.tokens[name].body, Literal | Characters)
        )
        return cls(found["indent"], found["dedent"], found["newline"], signs)

    def applied(self, lexemes: Lexemes, *, inside: bool = False) -> Lexemes:
        """Return tokens with the indentation of their lines among them.

        `inside` says that they are a part of a text: another token precedes them on the line.
        """
        result = Lexemes(lexemes.text, glue=[])
        glue = result.glue
        assert isinstance(glue, list)
        levels = [0]
        depth = 0
        line_open = inside  # whether there is a token on the line
        pending: tuple[int, int] | None = None  # the line break to come

        def add(kind: int, start: int, end: int, stuck: int = 0) -> None:
            result.kinds.append(kind)
            result.starts.append(start)
            result.ends.append(end)
            glue.append(stuck)

        before = 0
        for at, (kind, start, end) in enumerate(
            zip(lexemes.kinds, lexemes.starts, lexemes.ends, strict=True)
        ):
            if kind == self.newline:
                if depth == 0 and line_open and pending is None:
                    pending = (start, end)
                before = end
                continue
            at_start = not result.kinds and not inside
            first = pending is not None or at_start
            if self.newline is None:
                first = at_start or "\n" in lexemes.text[before:start]
            if depth == 0 and first:
                if pending is not None:
                    add(self.newline or 0, *pending)
                    pending = None
                self._levels(levels, _column(lexemes.text, start), start, add)
            stuck = lexemes.glue if isinstance(lexemes.glue, int) else lexemes.glue[at]
            add(kind, start, end, stuck)
            text = lexemes.text[start:end] if kind in self.signs else ""
            depth = max(0, depth + (text in ("(", "[", "{")) - (text in (")", "]", "}")))
            line_open, before = True, end
        size = len(lexemes.text)
        if self.newline is not None and line_open:
            add(self.newline, *(pending or (size, size)))
        self._levels(levels, 0, size, add)
        return result

    def _levels(
        self, levels: list[int], column: int, place: int, add: Callable[[int, int, int], None]
    ) -> None:
        if column > levels[-1]:
            levels.append(column)
            add(self.indent, place, place)
        while column < levels[-1]:
            levels.pop()
            add(self.dedent, place, place)


def _column(text: str, start: int) -> int:
    """Return the column of a line's first token."""
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    column = 0
    for character in text[line:start]:
        column = (column // _TAB + 1) * _TAB if character == "\t" else column + 1
    return column
