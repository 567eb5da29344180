"""Grammar notations: one row each, and reading and writing by them.

A new notation is a reader module in `readers` and a row in `NOTATIONS`; the command line takes
names, suffixes and help from the table. Readers and writers are loaded when they are first used.
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
    from marrow.grammar.writers.write_style import Written


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to write grammars.

    `name` is what users type, `title` what people call it, `help` a line for help texts. `reader`
    and `writer` are functions as `module:function`; a notation without a writer is only read. A
    reader takes the text, a name for messages, the start rule if one was chosen, and a loader of
    files.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    help: str
    reader: str
    writer: str = ""
    predicates: bool = False


#: The notations.
NOTATIONS: Final = (
    Notation(
        name="g4",
        title="ANTLR v4",
        suffixes=(".g4",),
        help="ANTLR v4; imports and the lexer of a split grammar are found beside it",
        reader="marrow.grammar.readers.g4:read_g4",
        writer="marrow.grammar.writers.write_g4:write_g4",
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
        writer="marrow.grammar.writers.write_bnf:write_bnf",
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


def notation_names(*, written: bool = False) -> tuple[str, ...]:
    """Return the names of the notations, or of those that can be written."""
    return tuple(one.name for one in NOTATIONS if one.writer or not written)


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
    one = _named(notation, written=False)
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


def write_grammar(grammar: Grammar, notation: str) -> Written:
    """Write a grammar as text; the notes say what the notation has no words for.

    Reading the text gives a grammar of the same texts. Names that a notation does not allow are
    spelled differently. Raises `GrammarError` if the grammar cannot be written at all.
    """
    written: Written = resolve_name(_named(notation, written=True).writer)(grammar)
    return written


def fullest_notation(grammar: Grammar) -> str:
    """Return the notation that expresses all of a grammar: modes, or characters without tokens."""
    from marrow.grammar.writers.write_g4 import can_be_g4

    return "g4" if can_be_g4(grammar) else "bnf"


def _named(name: str, *, written: bool) -> Notation:
    """Return the notation of a name; raise `GrammarError` if there is none to read or write."""
    names = notation_names(written=written)
    if name not in names:
        what = "grammars are not written as" if written else "there is no grammar notation"
        raise GrammarError(f"{what} {name!r}. Choose one of {', '.join(names)}.")
    return next(one for one in NOTATIONS if one.name == name)
