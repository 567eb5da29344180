"""Masking: what compilers accept and the parser does not, hidden from the parser.

Preprocessed headers are full of constructs that the parser takes for syntax errors, such as
`namespace std __attribute__ ((__visibility__ ("default"))) {`, and it may misread many lines after
one. So the parser gets a text in which blanks of the same length hide them: offsets stay the same.
Each hidden range comes back into the tree as a token of its own that can be deleted
(`marrow.syntax.tokens`). Nothing is hidden in strings and comments.

What is hidden depends on the text alone, so a candidate is masked as its tree was. The rules are
the tables `[[mask]]` in the files of the languages. A rule looks at each of its `words`, or at each
place that its regular expression `sign` matches:

- `here` must match there; it defaults to the word or sign itself;
- `before` must match right before it, within a few bytes, or many if it is `far`;
- what is hidden begins with group 1 of `before`, if it has one, else with group 1 of `here`, else
  with its match, and ends with group 1 of `here`, or with its match;
- with `brackets`, the round brackets that follow are hidden too, and have to be there; with `hard`,
  only if the parser has trouble with such brackets; with `apart`, not between two declarations;
- `as` says what the parser sees instead: a `name`, `equals`, or nothing, if it is `hidden`, which
  is the default, or `layout`, which is like a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

from marrow.base.deadline import look
from marrow.languages.language_facts import facts_of
from marrow.tree.outline import LINE_MARKER


class Range(NamedTuple):
    """A range of bytes that is hidden from the parser."""

    start: int
    end: int


class Masked(NamedTuple):
    """A text as the parser gets it, and the ranges that are hidden in it, in order."""

    text: bytes
    ranges: tuple[Range, ...] = ()


_FLAGS: Final = re.DOTALL | re.MULTILINE
_ROUND_OR_COMMA: Final = re.compile(rb'(?<!\\)"(?:[^"\\\n]|\\.)*"|[][(){},]')
_SPACE: Final = re.compile(rb"\s*")
_BLANKED: Final = re.compile(rb"[^\n]")

# How many bytes before a piece are looked at, and how many by a rule that looks far.
_NEAR: Final = 24
_FAR: Final = 200
# Longer brackets are not hidden: each that is never closed is searched for its end.
_LONGEST_BRACKETS: Final = 5_000
# The parser has trouble with brackets that have more angle brackets in them.
_DEEP: Final = 2


@dataclass(frozen=True, slots=True)
class _Rule:
    language: str
    here: re.Pattern[bytes] | None
    before: re.Pattern[bytes] | None
    far: bool
    brackets: bool
    hard: bool
    apart: bool
    #: What the parser sees, as in `as`.
    seen: str

    def mask(self, text: bytes, piece: re.Match[bytes]) -> Range | None:
        """Return what is hidden at a piece of a text; None if the rule does not apply."""
        place = piece.start()
        found = piece if self.here is None else self.here.match(text, place)
        if found is None or (self.apart and _between_declarations(text, place)):
            return None
        start, end = found.span(1 if self.here is not None and self.here.groups else 0)
        if self.before is not None:
            window = _FAR if self.far else _NEAR
            earlier = self.before.search(text, max(0, place - window), place)
            if earlier is None:
                return None
            start = earlier.start(1) if self.before.groups else start
        if self.brackets:
            brackets = brackets_after(text, end, self.language)
            if brackets is None or (self.hard and not _is_hard(text, brackets)):
                return None
            end = brackets.end
        return Range(start, end)


class _Rules(NamedTuple):
    """The rules of a language, by words and by the groups of the signs."""

    pieces: re.Pattern[bytes]
    by_piece: Mapping[bytes | str, Sequence[_Rule]]


@cache
def _rules_of(language: str) -> _Rules | None:
    facts = facts_of(language)
    if not facts.masks:
        return None
    signs: dict[str, str] = {}
    by_piece: dict[bytes | str, list[_Rule]] = {}
    for entry in facts.masks:
        rule = _rule(entry, language)
        for word in " ".join(entry.get("words", ())).split():
            by_piece.setdefault(word.encode(), []).append(rule)
        if "sign" in entry:
            group = signs.setdefault(entry["sign"], f"sign{len(signs)}")
            by_piece.setdefault(group, []).append(rule)
    groups = "".join(f"|(?P<{group}>{sign})" for sign, group in signs.items())
    words = rf"|^[ \t]*{facts.signs.directives}[^\n]*|(?P<word>\b[_a-z]\w*)"
    return _Rules(re.compile((facts.signs.texts + groups + words).encode(), _FLAGS), by_piece)


def _rule(entry: Mapping[str, Any], language: str) -> _Rule:
    here, before = (
        re.compile(entry[key].encode(), re.DOTALL) if key in entry else None
        for key in ("here", "before")
    )
    flags = {key: bool(entry.get(key)) for key in ("far", "brackets", "hard", "apart")}
    return _Rule(language, here, before, **flags, seen=entry.get("as", "hidden"))


def needs_masking(text: bytes, language: str, *, errors: bool) -> bool:
    """Return whether a text is masked: it has errors as it is, or is a preprocessor's output."""
    return _rules_of(language) is not None and (errors or LINE_MARKER.search(text) is not None)


def masked(text: bytes, language: str) -> Masked:
    """Return a text as the parser of a language gets it."""
    rules = _rules_of(language)
    if rules is None:
        return Masked(text)
    shown: list[bytes] = []
    ranges: list[Range] = []
    position = 0
    for (start, end), seen in _masks(text, rules):
        if start < position:
            continue  # inside of the one before
        shown.append(text[position:start])
        if seen == "name":
            shown.append(b"_" * (end - start))
        elif seen == "equals":
            shown.append(b"==")
        else:
            # Line breaks stay, as directives end at them.
            shown.append(_BLANKED.sub(b" ", text[start:end]))
        if seen == "hidden":
            ranges.append(Range(start, end))
        position = end
    shown.append(text[position:])
    return Masked(b"".join(shown), tuple(ranges))


def _masks(text: bytes, rules: _Rules) -> Iterator[tuple[Range, str]]:
    for count, piece in enumerate(rules.pieces.finditer(text)):
        if not count & 0xFFF:
            look()
        kind = piece.lastgroup
        if kind is not None:
            for rule in rules.by_piece.get(piece[0] if kind == "word" else kind, ()):
                mask = rule.mask(text, piece)
                if mask is not None:
                    yield mask, rule.seen
                    break


@cache
def _brackets_of(language: str) -> re.Pattern[bytes]:
    return re.compile(f"{facts_of(language).signs.texts}|[()]".encode(), _FLAGS)


def brackets_after(text: bytes, position: int, language: str) -> Range | None:
    """Return the range of the round brackets that follow a position, if any do."""
    space = _SPACE.match(text, position)
    start = position if space is None else space.end()
    if text[start : start + 1] != b"(":
        return None
    depth = 0
    for sign in _brackets_of(language).finditer(text, start, start + _LONGEST_BRACKETS):
        depth += (sign[0] == b"(") - (sign[0] == b")")
        if not depth:
            return Range(start, sign.end())
    return None


def _is_hard(text: bytes, brackets: Range) -> bool:
    """Whether the parser has trouble: with a comma in brackets, deep templates, a second call."""
    inside = text[brackets.start + 1 : brackets.end - 1]
    if text[brackets.end : brackets.end + _NEAR].lstrip()[:1] in (b"{", b"("):
        return True
    if inside.count(b"<") > _DEEP:
        return True
    depth = 0
    for sign in _ROUND_OR_COMMA.finditer(inside):
        depth += (sign[0] in b"([{") - (sign[0] in b")]}")
        if not depth and sign[0] == b",":
            return True
    return False


def _between_declarations(text: bytes, position: int) -> bool:
    """Whether a line of the preprocessor is where the parser accepts it."""
    while position > 0:
        line = text.rfind(b"\n", 0, position - 1) + 1
        above = text[line:position].strip()
        if above and not above.startswith(b"#"):
            return above[-1:] in b";}"
        position = line
    return True
