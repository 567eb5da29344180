"""Grammar notations: one row each, and reading by them.

A new notation is a reader module in `readers` and a row in `NOTATIONS`; the command line takes
names, suffixes and help from the table. Readers are loaded when they are first used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final

from marrow.grammar.model.rules import Grammar, GrammarError, Position

if TYPE_CHECKING:
    from marrow.grammar.readers.predicates import Assumptions
    from marrow.grammar.readers.scan import Loader


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to write grammars.

    `title` is what people call it, `help` a line for help texts. `reader` is a function as
    `module:function`, which takes the text, a name for messages, the start rule if one was chosen,
    and a loader of files.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    help: str
    reader: str
    predicates: bool = False


#: The notations.
NOTATIONS: Final = (
    Notation(
        name="g4",
        title="ANTLR v4",
        suffixes=(".g4",),
        help="ANTLR v4; imports and the lexer of a split grammar are found beside it",
        reader="marrow.grammar.readers.g4:read_g4",
        predicates=True,
    ),
    Notation(
        name="json",
        title="fuzzing JSON",
        suffixes=(".json",),
        help="fuzzing grammars: rules as lists of alternatives",
        reader="marrow.grammar.readers.fuzzjson:read_json",
    ),
    Notation(
        name="abnf",
        title="ABNF",
        suffixes=(".abnf",),
        help="ABNF (RFC 5234), with the core rules",
        reader="marrow.grammar.readers.abnf:read_abnf",
    ),
    Notation(
        name="bnf",
        title="BNF",
        suffixes=(".bnf", ".ebnf"),
        help="BNF and EBNF",
        reader="marrow.grammar.readers.bnf_read:read_bnf",
    ),
    Notation(
        name="lark",
        title="Lark",
        suffixes=(".lark",),
        help="Lark",
        reader="marrow.grammar.readers.lark:read_lark",
    ),
)

#: Taken for a file of another suffix: BNF has the most dialects, and the best messages.
_FALLBACK: Final = "bnf"


def notation_help() -> list[tuple[str, str]]:
    """Return the suffixes of each notation and a line about it, for help texts."""
    return [(", ".join(one.suffixes), one.help) for one in NOTATIONS]


def notation_of(path: Path) -> str:
    """Tell the notation of a grammar from its file's suffix."""
    suffix = path.suffix.lower()
    return next((one.name for one in NOTATIONS if suffix in one.suffixes), _FALLBACK)


@dataclass(frozen=True, slots=True)
class GrammarFile:
    """A grammar that was read from a file; `alone` says that it needed no other files."""

    grammar: Grammar
    notation: str
    text: str
    alone: bool


def read_file(
    path: Path, start: str | None = None, assume: Assumptions | None = None
) -> GrammarFile:
    """Read a grammar file; raise `GrammarError` if that is not possible.

    The suffix names the notation. `start` is the start rule; without it the notation's own custom
    decides. `assume` says which predicates hold.
    """
    from marrow.grammar.readers.scan import Folder, load_file

    file = load_file(path)
    notation = notation_of(path)
    folder = Folder(path.parent)
    grammar = _read(file.text, notation, file.name, start, folder.load, assume)
    if file.note is not None:
        grammar = replace(grammar, notes=(file.note, *grammar.notes))
    return GrammarFile(grammar, notation, file.text, not folder.used and not assume)


def read_grammar_text(
    text: str, notation: str, name: str = "<text>", start: str | None = None
) -> Grammar:
    """Read a grammar from a text in one of `NOTATIONS`; `name` is for messages."""
    return _read(text.removeprefix("\ufeff"), notation, name, start, lambda _: None)


def _read(
    text: str,
    notation: str,
    name: str,
    start: str | None,
    load: Loader,
    assume: Assumptions | None = None,
) -> Grammar:
    one = next((one for one in NOTATIONS if one.name == notation), None)
    if one is None:
        names = ", ".join(one.name for one in NOTATIONS)
        raise GrammarError(f"there is no grammar notation {notation!r}. Choose one of {names}.")
    if assume and not one.predicates:
        raise GrammarError(
            f"⟦assume⟧ is for grammars with predicates; {one.title} has none.",
            Position(name, 1, 1),
        )
    grammar: Grammar = resolve_name(one.reader)(
        text, name, start, load, *([assume] if assume else [])
    )
    if grammar.start not in grammar.rules:
        some = ", ".join(list(grammar.rules)[:8])
        what = "the start rule" if start is None else "the rule"
        raise GrammarError(
            f"{what} {grammar.start!r} is not defined. Name one with ⟦start⟧; there are: {some}.",
            Position(name, 1, 1),
        )
    return grammar
