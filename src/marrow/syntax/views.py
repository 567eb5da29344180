"""Views: the front ends for an input, in their order.

A front end is loaded when it is chosen: grammars and tree-sitter are a good part of marrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from marrow.base.errors import MarrowError
from marrow.grammars import grammar_path
from marrow.languages.language_facts import facts_of
from marrow.languages.recognition import (
    canonical_name,
    is_binary,
    known_languages,
    language_by_grammar,
    language_of,
)
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.portion import Parse, Portion
from marrow.syntax.text_front_end import TextFrontEnd, text_front_ends
from marrow.tree.outline import LINE_MARKER, OutputHints, as_one_piece

if TYPE_CHECKING:
    from marrow.grammar.language import Language
    from marrow.syntax.file_set import FileSetView
    from marrow.syntax.outline_front_end import OutlineFrontEnd
    from marrow.tree import Tree

# The end of a text that is taken for the user's own, in bytes, where line markers do not tell: a
# page or two. Where they do, at most that many: a longer page is not reduced in a few tests.
_PAGE: Final = 4_000
_LONGEST_PAGE: Final = 30_000

# Steps on longer texts, in bytes, show the count of the front end at work: another parse after each
# of them would take as long as the step.
_RECOUNTED: Final = 1 << 16


# The parts that a text without a parser is cut into, for people.
_TEXT_PARTS: Final = "brackets, blocks, lines, words, bytes"


#: Front ends of our own, by the names of their languages; for all others there is tree-sitter.
FRONT_ENDS: Final[dict[str, Callable[[], FrontEnd]]] = {
    name: partial(TextFrontEnd, name) for name in TextFrontEnd.GRANULARITIES
}


class UnknownLanguageError(MarrowError, ValueError):
    """No front end has this name; the message lists similar names."""


S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)


class PortionOrder(Protocol[S_co]):
    """The order in which the portions of an input are reduced, each in a stage."""

    @property
    def everything(self) -> S_co:
        """The stage that is the whole strategy."""

    def of_text(
        self, portions: FileView, best: Callable[[], bytes], /
    ) -> Iterator[tuple[S_co, Portion]]:
        """Yield what to reduce next of a single text."""

    def of_files(
        self, portions: FileSetView, best: Callable[[], bytes], /
    ) -> Iterator[tuple[S_co, Portion]]:
        """Yield what to reduce next of a set of files."""


class View(Protocol):
    """Knows the portions of an input, their front ends, and how large the input is."""

    @property
    def note(self) -> str:
        """A remark for the user about the chosen front ends, if there is one."""

    @property
    def language(self) -> str:
        """The name of the language or granularity."""

    @property
    def description(self) -> str:
        """The same for people, in a few words."""

    def length(self, text: bytes) -> int:
        """Return the number of bytes of an input."""

    def tokens(self, text: bytes, parse: Parse) -> int:
        """Return the number of tokens of an input."""

    def portions(
        self, best: Callable[[], bytes], order: PortionOrder[S]
    ) -> Iterator[tuple[S, Portion]]:
        """Yield what to reduce next, each with its stage; `best` gives the best so far."""


@dataclass(frozen=True, slots=True)
class FileView:
    """The view of one text: front ends from coarse to fine, and the one that counts tokens.

    As long as the text is large, `outline` and `coarse` see it first, and count its tokens.
    """

    fronts: tuple[FrontEnd, ...]
    counter: FrontEnd
    note: str = ""
    coarse: FrontEnd | None = None
    outline: OutlineFrontEnd | None = None

    @property
    def language(self) -> str:
        """The name of the language or granularity."""
        return self.counter.name

    @property
    def description(self) -> str:
        """The same for people, in a few words."""
        return self.counter.description

    def length(self, text: bytes) -> int:
        """Return the number of bytes of a text."""
        return len(text)

    def tokens(self, text: bytes, parse: Parse) -> int:
        """Return the number of tokens of a text."""
        if self.outline is not None and self.outline.marked(text):
            return as_one_piece(text).token_count
        for far in (self.outline, self.coarse):
            if far is not None and (count := parse(far, text).token_count):
                return count
        return parse(self.counter, text).token_count

    @property
    def all_fronts(self) -> tuple[FrontEnd, ...]:
        """The front ends, after those for large texts."""
        far = (one for one in (self.outline, self.coarse) if one is not None)
        return (*far, *self.fronts)

    def with_hints(self, hints: OutputHints) -> FileView:
        """Return the view that knows what the output of the test says."""
        if self.outline is None:
            return self
        return replace(self, outline=self.outline.with_hints(hints))

    def portions(
        self, best: Callable[[], bytes], order: PortionOrder[S]
    ) -> Iterator[tuple[S, Portion]]:
        """Yield what to reduce next, in the order that is given for a single text."""
        return order.of_text(self, best)

    @property
    def measure(self) -> str:
        """What sizes are shown in: lines and bytes are not tokens, so a plain text has bytes."""
        textual = not self.counter.has_syntax
        return "bytes" if textual and len(self.fronts) > 1 else "tokens"

    def count(self, tree: Tree) -> int:
        """Count the tokens of a tree as `tokens` does, whichever front end it comes from."""
        if len(self.fronts) == 1 or len(tree.text) > _RECOUNTED:
            return tree.token_count
        return self.counter.parse(tree.text).token_count

    @property
    def is_plain(self) -> bool:
        """Whether it is a text without a parser, or a table: lines of words."""
        plain = len(self.fronts) > 1 and not self.counter.has_syntax
        return plain or facts_of(self.counter.name).blocks == "rows"

    @property
    def page_length(self) -> int:
        """How many bytes at the end of a large text are likely to be the user's own."""
        return 0 if self.outline is None else self.outline.page_length

    def is_large(self, text: bytes) -> bool:
        """Whether the outline of a text is reduced first."""
        far = self.outline
        return far is not None and (far.marked(text) or far.parse(text).token_count > 0)

    def has_markers(self, text: bytes) -> bool:
        """Whether a large text has line markers of a preprocessor."""
        return self.outline is not None and self.outline.marked(text)

    def page_start(self, text: bytes, length: int) -> int | None:
        """Return where the last page of about that many bytes begins, if there is an outline."""
        far = None if self.outline is None else self.outline.of_any_length(length).outline(text)
        return None if far is None else far.page

    def whole(self, text: bytes) -> Portion:
        """Return a text for all its front ends, from coarse to fine."""
        return Portion(text, self.all_fronts, tokens=self.count)

    def one_piece(self, text: bytes) -> Portion:
        """Return a text as one token."""
        from marrow.syntax.outline_front_end import OnePieceFrontEnd

        return Portion(text, (OnePieceFrontEnd(self.language),))

    def outlined(self, text: bytes, page: int) -> Portion:
        """Return the outline of a text; its last `page` bytes are likely to be the user's own."""
        assert self.outline is not None, "only a text with an outline is large"
        return Portion(text, (self.outline.of_any_length(page),))

    def page(self, text: bytes, start: int) -> Portion:
        """Return the last page of a text, down to every token."""
        return self._last_page(text, start, self.counter.fresh())

    def page_outlined(self, text: bytes, start: int) -> Portion | None:
        """Return the outline of the last page, down to statements.

        None if the output of the test points to no line.
        """
        front = None if self.outline is None else self.outline.of_page()
        return None if front is None else self._last_page(text, start, front)

    def _last_page(self, text: bytes, start: int, front: FrontEnd) -> Portion:
        head, page = text[:start], text[start:]
        rest = as_one_piece(head).token_count
        return Portion(page, (front,), lambda end: head + end, lambda tree: rest + tree.token_count)


def view_of(name: str, text: bytes, language: str | None = None) -> FileView:
    """Choose the front ends for an input by its name and content, or for a given language."""
    by_grammar = _by_shipped_grammar(language or PurePath(name).suffix, text)
    if by_grammar is not None:
        return by_grammar
    if language is not None:
        return _for_language(language, text)
    if is_binary(text):
        counter = TextFrontEnd("bytes")
        return FileView((counter,), counter, "binary input: reduced as bytes")
    found = language_of(name, text)
    by_grammar = _by_shipped_grammar(found or "", text)
    if by_grammar is not None:
        return by_grammar
    if found is None:
        return _as_text(f"no language known for this file: reduced as {_TEXT_PARTS}")
    try:
        return _for_language(found, text)
    except UnknownLanguageError:  # a small install has few parsers
        return _as_text(f"{_missing_parser(found)}: reduced as {_TEXT_PARTS}")


def view_by_grammar(language: Language, name: str, text: bytes) -> FileView:
    """See an input by a grammar; a text that does not match it is reduced as lines and words."""
    from marrow.syntax.grammar_front_end import GrammarFrontEnd

    front = GrammarFrontEnd(language)
    error = front.error(text)
    if error is None:
        return FileView((front,), front)
    what = f"{name}, {error}: it does not match {front.description}{front.blame(error)}"
    return FileView(text_front_ends(), front, f"{what}; reduced as lines, words, bytes")


def _by_shipped_grammar(language: str, text: bytes) -> FileView | None:
    """See an input by a grammar that ships; None if there is a parser, or it does not match."""
    shipped = language_by_grammar(language)
    if shipped is None:
        return None
    from marrow.grammar.language import Language
    from marrow.syntax.grammar_front_end import GrammarFrontEnd

    front = GrammarFrontEnd(Language.from_file(grammar_path(shipped)))
    if front.error(text) is None:
        return FileView((front,), front)
    from marrow.grammar.model.loose import loose, may_be_loose

    if not may_be_loose(front.language.grammar):
        return None
    front = GrammarFrontEnd(Language(loose(front.language.grammar)))
    note = f"not all of it is {shipped} as the standard has it: the rest is reduced as plain lists"
    return FileView((front,), front, note) if front.error(text) is None else None


def _for_language(language: str, text: bytes) -> FileView:
    if language in FRONT_ENDS:
        front = FRONT_ENDS[language]()
        return FileView((front,), front)
    if language == "text":
        return _as_text("")
    from marrow.syntax.coarse_front_end import CoarseFrontEnd
    from marrow.syntax.outline_front_end import OutlineFrontEnd
    from marrow.syntax.treesitter import TreeSitterFrontEnd

    name = canonical_name(language)
    try:
        front_end = TreeSitterFrontEnd(name)
    except LookupError:
        raise UnknownLanguageError(_advice(language)) from None
    coarse, outline = CoarseFrontEnd(name), OutlineFrontEnd(name, page=_page(text))
    fronts = _with_fallbacks((front_end,), text)
    note = ""
    if len(fronts) > 1:
        note = f"the input has syntax errors as {name}: what does not parse is reduced by its parts"
    return FileView(fronts, front_end, note, coarse, outline)


def _page(text: bytes) -> int:
    """Return how long the last page of a text is: after the last line marker, if any."""
    last = max((found.end() for found in LINE_MARKER.finditer(text)), default=0)
    return min(len(text) - last, _LONGEST_PAGE) if last else _PAGE


def fronts_again(fronts: tuple[FrontEnd, ...], text: bytes) -> tuple[FrontEnd, ...]:
    """Return fresh front ends for the rest of a text."""
    return _with_fallbacks(tuple(front.fresh() for front in fronts), text)


def _with_fallbacks(fronts: tuple[FrontEnd, ...], text: bytes) -> tuple[FrontEnd, ...]:
    """Return front ends with lines, words and bytes after a parser that finds errors in a text.

    Real inputs often have errors, and a failure may need them. The parser's recovery sees most of
    the structure; the others see the rest.
    """
    for number, front in enumerate(fronts, 1):
        if front.falls_back and front.errors(text):
            return (*fronts[:number], *text_front_ends())
    return fronts


def fronts_of_use(fronts: tuple[FrontEnd, ...], text: bytes) -> tuple[FrontEnd, ...]:
    """Return the front ends that are of use for a text: no bytes after a parser without errors.

    A text that had errors may have lost them: then bytes seldom find anything, and are most of the
    tests. Lines and words are few, and lead to errors again if the failure needs nothing else.
    """
    if any(front.falls_back and not front.errors(text) for front in fronts[:-1]):
        return tuple(one for one in fronts if one.name != "bytes")
    return fronts


def _as_text(note: str) -> FileView:
    fronts = tuple(map(TextFrontEnd, TextFrontEnd.GRANULARITIES))
    return FileView(fronts, TextFrontEnd("words"), note)


def unparsed_view(note: str) -> FileView:
    """See an input as bytes, if nothing more will be done with it."""
    front = TextFrontEnd("bytes")
    return FileView((front,), front, note)


def _missing_parser(language: str) -> str:
    return (
        f"the parser for {language} is not installed "
        "(`pip install tree-sitter-language-pack` brings those of all languages)"
    )


def _advice(language: str) -> str:
    from difflib import get_close_matches

    lower, known = language.lower(), list(known_languages())
    if (name := canonical_name(language)) in known:
        return f"{_missing_parser(name)}\n`text`, `lines`, `words` and `bytes` work for anything."
    close = get_close_matches(lower, known, n=3, cutoff=0.7)
    # Names that are part of it, or that it is part of; a letter or two is part of anything.
    parts = [name for name in known if len(min(lower, name, key=len)) > 2]
    near = [name for name in parts if lower in name or name in lower]
    hint = ""
    if close:
        hint = f" Did you mean {' or '.join(close)}?"
    elif near:
        hint = f" Near it: {', '.join(near[:8])}."
    return (
        f"there is no language called {language!r}.{hint}\n"
        "`marrow languages` lists them; `text`, `lines`, `words` and `bytes` work for anything."
    )
