"""Comparing small results without a test: canonical forms, and their parts in other files.

Reduction has made names, numbers and strings as short as the failure allows, so a long one is
needed as it is. The canonical form numbers short names in their order, drops layout, and writes a
long repetition (deep nesting) once. The `shape` also drops the values of numbers and strings, and
bytes other than letters. All of it works on lexemes that most languages share; a binary text has
bytes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import chain, islice
from typing import Final

from marrow.base.deadline import look
from marrow.languages.recognition import is_binary

NAME: Final = "name"
NUMBER: Final = "number"
STRING: Final = "string"
MARK: Final = "mark"
SPACE: Final = "space"
BYTE: Final = "byte"

_LEXEME: Final = re.compile(
    rb"(?P<space>\s+)|(?P<name>[A-Za-z_\x80-\xff][\w\x80-\xff]*)|(?P<number>\d[\w.]*)"
    rb"|(?P<string>(?<!\\)(?:\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'))|(?P<mark>.)",
    re.DOTALL,
)

# Names of this length are what reduction leaves of a name that does not matter.
_SHORT: Final = 2

# The period of a repetition, in lexemes, and how many of it are written once.
_PERIOD: Final = 6
_REPEATED: Final = 5

# Results of fewer lexemes that differ in one are not alike.
_LEAST_SAME: Final = 3

# Longer texts are not results: they are compared as they are.
LONGEST_RESULT: Final = 20_000

# Larger texts have no lexemes: their list would take seconds, and gigabytes.
_LARGEST: Final = 1 << 20

# A projection of longer texts takes longer than a test.
_LARGEST_TABLE: Final = 4_000_000

# How many names of a text are tried in the place of one of a pattern.
_RENAMED: Final = 3


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of text and its kind."""

    kind: str
    text: bytes

    @property
    def free(self) -> bool:
        """Whether its spelling is likely to be chance."""
        return self.kind in (NUMBER, STRING) or (self.kind == NAME and len(self.text) <= _SHORT)

    def like(self, other: TextPiece) -> bool:
        """Whether it may replace another one."""
        return self.text == other.text or (self.kind == other.kind and self.free and other.free)


def is_bytes(text: bytes) -> bool:
    """Whether a text is seen as single bytes."""
    return bool(text) and is_binary(text)


def lexemes(text: bytes) -> tuple[TextPiece, ...]:
    """Return the lexemes of a text, white space among them; none of a text that is very large."""
    if len(text) <= LONGEST_RESULT:
        return _lexemes(text)
    look()  # which results never do: evidence is weighed when the time is up, too
    return _lexemes.__wrapped__(text) if len(text) <= _LARGEST else ()


@lru_cache(maxsize=256)
def _lexemes(text: bytes) -> tuple[TextPiece, ...]:
    if is_binary(text):
        return tuple(TextPiece(BYTE, text[at : at + 1]) for at in range(len(text)))
    return tuple(TextPiece(str(one.lastgroup), one[0]) for one in _LEXEME.finditer(text))


def solid(text: bytes) -> list[TextPiece]:
    """Return the lexemes of a text that are not white space."""
    return [one for one in lexemes(text) if one.kind != SPACE]


@lru_cache(maxsize=4096)
def canonical(text: bytes) -> bytes:
    """Return the canonical form of a result: the same for results that differ by chance."""
    return _joined(text, values=True)


@lru_cache(maxsize=4096)
def shape(text: bytes) -> bytes:
    """Return the canonical form without the values of numbers and strings."""
    return _joined(text, values=False)


def _joined(text: bytes, *, values: bool) -> bytes:
    if len(text) > LONGEST_RESULT:
        return text
    numbers: dict[bytes, bytes] = {}
    words: list[bytes] = []
    for one in solid(text):
        word = one.text
        if one.kind == NAME and one.free:
            word = numbers.setdefault(word, b"$%d" % len(numbers))
        elif one.kind in (NUMBER, STRING) and not values:
            word = b"0" if one.kind == NUMBER else b'""'
        elif one.kind == BYTE and not values and not word.isalpha():
            word = b"."  # letters are the names of a format's parts, other bytes its numbers
        words.append(word)
    return b" ".join(_once(words))


def _once(words: list[bytes]) -> list[bytes]:
    """Return words with each long repetition written once, followed by a star."""
    result: list[bytes] = []
    at = 0
    while at < len(words):
        for period in range(1, _PERIOD + 1):
            end = at + period
            while words[end : end + period] == words[at : at + period] and end < len(words):
                end += period
            if end - at >= period * _REPEATED:
                result += [*words[at : at + period], b"*"]
                at = end
                break
        else:
            result.append(words[at])
            at += 1
    return result


def contains(large: bytes, small: bytes) -> bool:
    """Whether a text has the lexemes of another in their order: deletions lead from it there."""
    wanted = solid(small)
    if not wanted:
        return False
    rest = iter(solid(large))
    return all(any(one.like(other) for other in rest) for one in wanted)


def one_apart(one: bytes, other: bytes) -> bool:
    """Whether two results are the same but for one lexeme."""
    here, there = canonical(one).split(b" "), canonical(other).split(b" ")
    if len(here) != len(there) or len(here) < _LEAST_SAME:
        return False
    return sum(a != b for a, b in zip(here, there, strict=True)) == 1


def weight(text: bytes) -> int:
    """Return how many lexemes of a text must be as they are: how unlikely it is met by chance."""
    return sum(1 for one in solid(text) if not one.free)


def projections(text: bytes, pattern: bytes) -> Iterator[bytes]:
    """Yield what may be left of a text if all goes that a pattern does not have, likely ones first.

    A name that the pattern has several times must be one name of the text: some are tried.
    """
    tried: set[bytes] = set()
    for changed in chain((pattern,), islice(_renamed(pattern, text), _RENAMED)):
        part = projection(text, changed)
        if part and part not in tried:
            tried.add(part)
            yield part


def _renamed(pattern: bytes, text: bytes) -> Iterator[bytes]:
    """Yield a pattern with its commonest short name changed to names that a text has often."""
    pieces = lexemes(pattern)
    own = Counter(one.text for one in pieces if one.kind == NAME and one.free)
    name, count = max(own.items(), key=lambda one: one[1], default=(b"", 0))
    if count < 2:
        return
    there = Counter(one.text for one in lexemes(text) if one.kind == NAME)
    for other, times in there.most_common():
        if times >= count and other not in own:
            yield b"".join(other if one.text == name else one.text for one in pieces)


def projection(text: bytes, pattern: bytes) -> bytes | None:
    """Return what is left of a text if all goes that the pattern does not have; None if too long.

    The longest parts that both have side by side are found first. A name that the pattern has
    several times must be spelled as it is there. Layout comes from the pattern where neighbours
    were apart.
    """
    ours, wanted = lexemes(text), lexemes(pattern)
    have = [at for at, one in enumerate(ours) if one.kind != SPACE]
    want = [at for at, one in enumerate(wanted) if one.kind != SPACE]
    if not have or not want or len(have) * len(want) > _LARGEST_TABLE:
        return None
    names = Counter(wanted[at].text for at in want)

    def key(one: TextPiece) -> bytes:
        return b" " + one.kind.encode() if one.free and names[one.text] < 2 else one.text

    look()
    texts = [key(ours[at]) for at in have], [key(wanted[at]) for at in want]
    blocks = SequenceMatcher(None, *texts, autojunk=False).get_matching_blocks()
    pairs = [(one.a + at, one.b + at) for one in blocks for at in range(one.size)]
    pieces: list[bytes] = []
    last = -1, -1
    for one, other in pairs:
        here, there = have[one], want[other]
        if pieces and here - last[0] <= 2 and one == last[1] + 1:
            pieces += [piece.text for piece in ours[last[0] + 1 : here]]
        elif there and wanted[there - 1].kind == SPACE:
            pieces.append(wanted[there - 1].text)
        elif pieces and not {ours[last[0]].kind, ours[here].kind} & {MARK, BYTE}:
            pieces.append(b" ")  # two words that would be one
        pieces.append(ours[here].text)
        last = here, one
    if pairs and wanted[-1].kind == SPACE:
        pieces.append(wanted[-1].text)
    return b"".join(pieces)
