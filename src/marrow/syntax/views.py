"""Views: the front ends for an input, in their order.

A front end is loaded when it is chosen: grammars and tree-sitter are a good part of marrow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, Protocol

from marrow.base.errors import MarrowError
from marrow.grammars import grammar_path
from marrow.languages.recognition import canonical_name, is_binary, known_languages, language_of
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.portion import Parse, Portion
from marrow.syntax.text_front_end import TextFrontEnd, text_front_ends
from marrow.tree.outline import LINE_MARKER, Told, as_one_piece

if TYPE_CHECKING:
    from marrow.grammar.language import Language
    from marrow.syntax.outline_front_end import OutlineFrontEnd

#: Languages, by suffix or common name, for which tree-sitter only has the parser of a relative
#: (Scheme's for SMT-LIB), and the grammar that ships for them. Texts that do not match it go to the
#: relative.
_WITHOUT_PARSER: Final = {"smt2": "smtlib", "smt": "smtlib", "smtlib": "smtlib"}


# The end of a text that is taken for the user's own, in bytes, where line markers do not tell: a
# page or two. Where they do, at most so many: more is no page that is reduced in a few tests.
_PAGE: Final = 4_000
_LONGEST_PAGE: Final = 30_000

_WORD: Final = re.compile(rb"\w+|[^\w\s]")

# A large text is sliced again after its last page was reduced if both left at most this share.
_PAYS: Final = 0.9


class UnknownLanguageError(MarrowError, ValueError):
    """No front end has this name; the message lists similar names."""


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

    def portions(self, best: Callable[[], bytes]) -> Iterator[Portion]:
        """Yield what to reduce next, until nothing is left to do; `best` gives the best so far."""


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

    def told(self, told: Told) -> FileView:
        """Return the view that knows what the output of the test says."""
        if self.outline is None:
            return self
        return replace(self, outline=self.outline.told(told))

    def portions(self, best: Callable[[], bytes]) -> Iterator[Portion]:
        """Yield the one portion that a single text is, after far views of it if it is large."""
        far, text = self.outline, best()
        if far is not None and (far.marked(text) or far.parse(text).token_count):
            yield from self._far_portions(far, best)
        yield Portion(best(), self.all_fronts)

    def _far_portions(
        self, outline: OutlineFrontEnd, best: Callable[[], bytes]
    ) -> Iterator[Portion]:
        """Yield slices of the text and its last page in turn, as long as that pays.

        Whatever goes from the page frees a good part of what it needs: a statement may be the only
        one that needs a header. Where the statements are known that the failure is about, the rest
        of the page waits until what they do not need has gone.
        """
        page = outline.page_length
        start: int | None = None
        if outline.marked(best()):
            from marrow.syntax.outline_front_end import OnePieceFrontEnd

            yield Portion(best(), (OnePieceFrontEnd(self.language),), level="markers")
            start = len(best()) - page
        else:
            start = outline.page(best())
        length = len(best())
        if start is not None:
            yield from self._last_page(best(), start, outline.of_page(), "statements")
            page = len(best()) - start
        found = len(best()) < length
        before = None
        while before is None or len(best()) <= _PAYS * before:
            before = len(best())
            far = outline.of_any_length(page)
            yield Portion(best(), (far,), level="slices")
            start = far.page(best())
            if start is not None:
                whole = len(best()) - start
                if not found:
                    own = best()[start:]
                    yield Portion(best(), (far,), level="cuts")
                    start = len(best()) - _left_of(own, best())
                    yield from self._last_page(best(), start, self.counter.fresh(), "page")
                yield from self._last_page(best(), start, self.counter.fresh(), "together")
                page = len(best()) - start
                if page <= _PAYS * whole:
                    yield Portion(best(), (outline.of_any_length(page),), level="slices")
            found = False
            yield Portion(best(), (outline.of_any_length(page),), level="outline")

    def _last_page(
        self, text: bytes, start: int, front: FrontEnd | None, level: str
    ) -> Iterator[Portion]:
        """Yield the end of a text as a portion, seen by a front end."""
        if front is None:
            return
        head, page = text[:start], text[start:]
        rest = as_one_piece(head).token_count
        yield Portion(
            page,
            (front,),
            lambda end: head + end,
            lambda tree: rest + tree.token_count,
            level=level,
        )


def _left_of(page: bytes, text: bytes) -> int:
    """Return how long a page is of which parts may have gone, at the end of a text.

    Its words are found from the end up; the first that is none of them stands before it.
    """
    words = _WORD.findall(page)
    start = len(text)
    for found in reversed(list(_WORD.finditer(text, max(0, len(text) - len(page))))):
        while words and words[-1] != found[0]:
            words.pop()
        if not words:
            break
        words.pop()
        start = found.start()
    return len(text) - start


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
    if found is None:
        return _as_text("no language known for this file: reduced as blocks, lines, words, bytes")
    try:
        return _for_language(found, text)
    except UnknownLanguageError:  # a small install has few parsers
        return _as_text(f"{_missing_parser(found)}: reduced as blocks, lines, words, bytes")


def view_by_grammar(language: Language, name: str, text: bytes) -> FileView:
    """See an input by a grammar; a text that does not match it becomes a list of its tokens."""
    from marrow.syntax.grammar_front_end import GrammarFrontEnd

    front = GrammarFrontEnd(language)
    error = front.error(text)
    if error is None:
        return FileView((front,), front)
    fronts: tuple[FrontEnd, ...] = (front, *text_front_ends())
    rest = front.rest(text)
    if rest is not None:
        note = (
            f"{name}, line {rest[0]}, column {rest[1]}: {front.description} matches up to here, "
            "and does not ask for the end (EOF); the rest is kept as it is, then reduced as text"
        )
        return FileView(fronts, front, note)
    blame = front.blame(error)
    note = (
        f"{name}, {error}: it does not match {front.description}{blame}; "
        "reduced as a list of tokens"
    )
    return FileView(fronts, front, note)


def _by_shipped_grammar(language: str, text: bytes) -> FileView | None:
    """See an input by a grammar that ships; None if there is a parser, or it does not match."""
    shipped = _WITHOUT_PARSER.get(language.lower().lstrip("."))
    if shipped is None:
        return None
    from marrow.grammar.language import Language
    from marrow.syntax.grammar_front_end import GrammarFrontEnd

    front = GrammarFrontEnd(Language.from_file(grammar_path(shipped)))
    if front.error(text) is None:
        return FileView((front,), front)
    from marrow.grammar.model.loose import loose

    front = GrammarFrontEnd(Language(loose(front.language.grammar)))
    note = f"not all of it is {shipped} as the standard has it: the rest is reduced as plain lists"
    return FileView((front,), front, note) if front.error(text) is None else None


def _for_language(language: str, text: bytes) -> FileView:
    if language in TextFrontEnd.GRANULARITIES:
        front = TextFrontEnd(language)
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
    """Return how long the last page of a text is: behind the last line marker, if there is one."""
    last = max((found.end() for found in LINE_MARKER.finditer(text)), default=0)
    return min(len(text) - last, _LONGEST_PAGE) if last else _PAGE


def fronts_again(fronts: tuple[FrontEnd, ...], text: bytes) -> tuple[FrontEnd, ...]:
    """Return fresh front ends for the rest of a text."""
    return _with_fallbacks(tuple(front.fresh() for front in fronts), text)


def _with_fallbacks(fronts: tuple[FrontEnd, ...], text: bytes) -> tuple[FrontEnd, ...]:
    """Return front ends with lines, words and bytes behind a parser that finds errors in a text.

    Real inputs often have errors, and a failure may need them. The parser's recovery sees most of
    the structure; the others see the rest.
    """
    for number, front in enumerate(fronts, 1):
        if front.falls_back and front.errors(text):
            return (*fronts[:number], *text_front_ends())
    return fronts


def fronts_of_use(fronts: tuple[FrontEnd, ...], text: bytes) -> tuple[FrontEnd, ...]:
    """Return the front ends that are of use for a text: no bytes behind a parser without errors.

    A text that had errors may have lost them: then bytes seldom find anything, and are most of the
    tests. Lines and words are few, and lead to errors again if the failure needs nothing else.
    """
    if any(front.falls_back and not front.errors(text) for front in fronts[:-1]):
        return tuple(one for one in fronts if one.name != "bytes")
    return fronts


def _as_text(note: str) -> FileView:
    fronts = tuple(TextFrontEnd(granularity) for granularity in TextFrontEnd.GRANULARITIES)
    return FileView(fronts, TextFrontEnd("words"), note)


def unparsed_view(note: str) -> FileView:
    """See an input as bytes, where nothing more is to be done with it."""
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
