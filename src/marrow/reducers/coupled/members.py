"""A variable of which members are used as a plain number: its type goes with the members.

`f(struct s *p) { return p->n; }` is `f(int p) { return p; }`, and the structure may go, or the
header that declares it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from marrow.reducers.coupled.token_text import ENDS, TokenChanges, TokenText

_MEMBER: Final = frozenset({b".", b"->"})

#: The type of a plain number, where it stands in front of the name; else behind it.
_IN_FRONT: Final = dict.fromkeys(
    ("c", "cpp", "objc", "cuda", "java", "csharp", "d", "dart"), b"int"
)
_BEHIND: Final = {
    "go": b"int",
    "rust": b"i32",
    "typescript": b"number",
    "tsx": b"number",
    "kotlin": b"Int",
    "swift": b"Int",
    "scala": b"Int",
}

# Words that stand in front of a name and are no type.
_NO_TYPE: Final = frozenset(
    {b"return", b"goto", b"case", b"delete", b"throw", b"new", b"else", b"do", b"typename"}
)
_IN_TYPES: Final = frozenset({b"*", b"&", b"&&", b"::", b"<", b">", b".", b"?", b":", b"'", b","})
_AFTER_NAME: Final = frozenset({b";", b",", b")", b"=", b"[", b":"})
# What stands around a type: in front of one that precedes its name, behind one that follows it.
_BEFORE_TYPE: Final = ENDS | {b"(", b","}
_AFTER_TYPE: Final = ENDS | {b")", b",", b"="}


def as_numbers(text: TokenText, language: str) -> Iterator[TokenChanges]:
    """Yield the text with a variable as a number, in the place of all its members."""
    front, behind = _IN_FRONT.get(language), _BEHIND.get(language)
    for mentions in text.mentions.values():
        members: TokenChanges = {}
        for at in mentions:
            members.update(dict.fromkeys(_members(text, at), ()))
        if not members:
            continue
        for at in mentions:
            if front is not None and (some := _type_before(text, at)):
                yield {**members, **dict.fromkeys(some, ()), some[0]: (front,)}
            elif behind is not None and (some := _type_behind(text, at)):
                yield {**members, **dict.fromkeys(some, ()), some[0]: (behind,)}


def _members(text: TokenText, at: int) -> range:
    """Return the tokens behind a name that say which member of it is meant, or call it."""
    here = at + 1
    while text.text(here) in _MEMBER and text.named[here + 1 : here + 2] == [True]:
        here += 2
        if text.text(here) == b"(":
            here = text.partners.get(here, here - 1) + 1
    return range(at + 1, here)


def _type_before(text: TokenText, at: int) -> range:
    """Return the type in front of a name that is declared there; empty if none is."""
    start, angles = at, 0
    while start > 0 and (angles > 0 or text.texts[start - 1] not in _BEFORE_TYPE):
        start -= 1
        angles += (text.texts[start] == b">") - (text.texts[start] == b"<")
    if text.text(at + 1) not in _AFTER_NAME or not _is_type(text, range(start, at)):
        return range(0)
    return range(start, at)


def _type_behind(text: TokenText, at: int) -> range:
    """Return the type behind a name that is declared there, without a colon."""
    start = at + 2 if text.text(at + 1) == b":" else at + 1
    end = start
    while end < len(text.texts) and text.texts[end] not in _AFTER_TYPE:
        if b"\n" in text.tokens[end].before:
            break
        end += 1
    return range(start, end) if _is_type(text, range(start, end)) else range(0)


def _is_type(text: TokenText, some: range) -> bool:
    """Whether tokens may be a type: words and what stands between those in types."""
    words = [text.texts[at] for at in some]
    spelt = [word for word in words if word[:1].isalpha() or word[:1] == b"_"]
    return (
        bool(spelt)
        and not _NO_TYPE.intersection(words)
        and all(word in _IN_TYPES for word in words if word not in spelt)
    )
