"""Outlines: a large text as its declarations and the names in them; and parts of definitions.

A part of a definition is a range of the text that a declaration does without, and what replaces it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from marrow.tree.node import Token
from marrow.tree.place import Place
from marrow.tree.tree import Tree

#: A line in which a preprocessor says where the next one comes from: `# 12 "file.h" 3`.
LINE_MARKER: Final = re.compile(rb'^# \d+ "[^"\n]*"[ \d]*\n', re.MULTILINE)


# Roughly the tokens of most languages; only their number counts.
_TOKEN: Final = re.compile(
    rb'(?<!\\)(?:"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')|\w+|::|->|<<|>>|&&|\|\||[-+*/%&|^=!<>]=|[^\w\s]'
)


def about_tokens(text: bytes, start: int = 0, end: int | None = None) -> int:
    """Return roughly how many tokens a part of a text has, whatever its language."""
    return len(_TOKEN.findall(text, start, len(text) if end is None else end))


@dataclass(frozen=True, slots=True)
class Mentions:
    """The words of a text, by how they are mentioned.

    `free` ones are unqualified: what is visible there is meant. `paths` are words with the
    word that they are qualified by (`std::move`), if any (`::malloc`), `members` those after a
    value, or after what is more than a word (`a.b`, `A<T>::b`).
    """

    free: frozenset[bytes] = frozenset()
    paths: frozenset[tuple[bytes, bytes]] = frozenset()
    members: frozenset[bytes] = frozenset()

    @property
    def words(self) -> frozenset[bytes]:
        """All of them."""
        return self.free | self.members | {one for path in self.paths for one in path}


_NO_MENTIONS: Final = Mentions()


@dataclass(frozen=True, slots=True)
class Element:
    """A declaration, or another element of a list: its place, its container, what it names.

    `mentions` are those of its own, without those of the elements in it and of its body, which are
    `inside`.
    """

    place: Place
    owner: int
    symbol: str
    declares: frozenset[bytes]
    mentions: Mentions
    body: Place | None = None
    inside: Mentions = _NO_MENTIONS
    #: The words of its name, where names are visible beside it, as those of a namespace are.
    path: tuple[bytes, ...] | None = None
    listed: bool = False
    #: The words that distinguish it from others of its name: arguments of a specialisation, or
    #: all of `mentions`.
    keys: frozenset[bytes] = frozenset()
    #: Whether it defines what is declared elsewhere: `void A::f() {}`.
    elsewhere: bool = False
    #: Whether it is useless without another declaration of its name: the same, specialisations,
    #: deduction guides, explicit instantiations.
    further: bool = False
    #: Whether it is a function, with a body or without.
    function: bool = False
    #: Where it begins and ends in the text that was outlined.
    start: int = 0
    end: int = 0

    @property
    def scope(self) -> bool:
        """Whether the names of its elements are visible beside it."""
        return self.path is not None

    @property
    def called(self) -> list[bytes]:
        """The names that it declares which are words: no operators."""
        return [one for one in self.declares if not is_operator(one)]


def is_operator(name: bytes) -> bool:
    """Return whether a name is that of an operator, which ends with a sign."""
    return not (name[-1:].isalnum() or name[-1:] in b"_$")


@dataclass(frozen=True, slots=True)
class DeclarationWords:
    """Words of a language's declarations, by what they do; its file says what each does."""

    constant: frozenset[bytes] = frozenset()
    needs_body: frozenset[bytes] = frozenset()
    transparent: frozenset[bytes] = frozenset()
    opens: frozenset[bytes] = frozenset()
    virtual: frozenset[bytes] = frozenset()
    tables: frozenset[bytes] = frozenset()
    operator: frozenset[bytes] = frozenset()
    loops: frozenset[bytes] = frozenset()
    loop_members: frozenset[bytes] = frozenset()


#: Those of a language about which nothing is known.
NO_WORDS: Final = DeclarationWords()


@dataclass(frozen=True, slots=True)
class OutputHints:
    """What the output of the test says about the failure.

    `lines` are those of the input that it points to, without white space around them; `usual` are
    the words of its messages.
    """

    lines: tuple[bytes, ...] = ()
    usual: frozenset[bytes] = frozenset()


#: The hints of an output that says nothing.
NO_HINTS: Final = OutputHints()


@dataclass(frozen=True, slots=True)
class DeclarationOutline:
    """The tree of an outline, its elements in their order, and where the outermost begin.

    `pointed` are the elements that the output of the test points to, each the innermost at its
    line; `page` is where the last page begins, which is likely to be the user's own; `usual` are
    the words of the messages of the failure itself.
    """

    tree: Tree
    elements: tuple[Element, ...]
    starts: tuple[int, ...] = ()
    pointed: frozenset[int] = frozenset()
    page: int | None = None
    usual: frozenset[bytes] = frozenset()
    words: DeclarationWords = NO_WORDS

    @property
    def last(self) -> int:
        """The last of the outermost elements, or of the namespace that it is."""
        last = -1
        for index, element in enumerate(self.elements):
            if element.owner < 0 or self.elements[element.owner].scope:
                last = index
        return last

    @property
    def roots(self) -> tuple[int, ...]:
        """The elements that are kept first, in their order.

        Where the output points somewhere, that is what it points to, and the last page, of which
        only what matters is left by then; else the last element.
        """
        return (self.last, *sorted(self.suspects if self.pointed else ()))

    @property
    def suspects(self) -> frozenset[int]:
        """The elements that the failure is likely to be about: pointed to, or of the last page."""
        return self.pointed | self.on_page

    @property
    def on_page(self) -> frozenset[int]:
        """The elements of the last page, or at least the last."""
        if not self.elements:
            return frozenset()
        start = self.elements[self.last].start
        page = start if self.page is None else min(start, self.page)
        return frozenset(index for index, one in enumerate(self.elements) if one.start >= page)


#: Gives the outline of a text; None if the text is not large.
SeeOutline: TypeAlias = Callable[[bytes], DeclarationOutline | None]


# What the one piece is called of which a tree without structure is made.
_ONE_PIECE: Final = "text"


def as_one_piece(text: bytes, count: int | None = None) -> Tree:
    """Return a text as a tree of one piece, without a parser.

    `count` is how many tokens it has; without one they are counted, without those of line markers.
    """
    if count is None:
        count = about_tokens(LINE_MARKER.sub(b"", text))
    return Tree(Token(_ONE_PIECE, text, token_count=max(1, count)), text=text)


def in_one_piece(tree: Tree) -> bool:
    """Return whether a tree was made from a text without a parser."""
    return isinstance(tree.root, Token) and tree.root.symbol == _ONE_PIECE


class TextPart(NamedTuple):
    """A part of a definition: where it is, which type of part, and what a declaration has there.

    One that is a `scope` declares names of its own, which others may need.
    """

    start: int
    end: int
    type: str
    form: bytes = b""
    scope: bool = False


#: Gives the parts of the definitions in a text, in textual order, those around others first.
SeeParts: TypeAlias = Callable[[bytes], tuple[TextPart, ...]]


def without_parts(text: bytes, parts: Iterable[TextPart]) -> bytes:
    """Return a text without some parts; those inside others go with them."""
    pieces: list[bytes] = []
    position = 0
    for part in sorted(parts, key=lambda one: (one.start, -one.end)):
        if part.start >= position:
            # A blank keeps the words on both sides apart.
            pieces += (text[position : part.start], part.form or b" ")
            position = part.end
    return b"".join((*pieces, text[position:]))
