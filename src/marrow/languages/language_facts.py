"""The facts about one language, read from its TOML file when something asks for them.

Each file `NAME.toml` in this folder has everything that marrow knows about a language. A new file
adds a language; nothing else lists them. The keys are the fields of `LanguageFacts`. `like` names a
language whose facts hold here too unless the file says otherwise; rewrites add up. The keys of
`OWN` are never inherited.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from marrow.base.errors import MarrowError

#: The folder of the files.
FOLDER: Final = Path(__file__).parent

#: Facts that tell a language from others, which no other language shares.
OWN: Final = frozenset(
    {
        "parser",
        "guard",
        "grammar",
        "by_grammar",
        "suffixes",
        "filenames",
        "aliases",
        "interpreters",
        "contents",
        "shared_suffixes",
    }
)


class LanguageFileError(MarrowError, ValueError):
    """A file of a language that cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class NameFacts:
    """What names look like where letters and digits are not all: two regular expressions.

    `known` matches names that mean the same in every text, and keywords where no parser knows them.
    It is read with `re.VERBOSE`. `soft` are keywords to the parser that may be the names of
    parameters or variables.
    """

    spelling: str = ""
    known: str = ""
    soft: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class SignFacts:
    """The signs of comments and strings, and the one that begins a line of the preprocessor.

    A comment with two signs ends at the second one, any other at the end of its line.
    `raw_strings` is a regular expression for strings that have rules of their own.
    """

    comments: Sequence[str] = ()
    strings: Sequence[str] = ()
    raw_strings: str = "(?!)"
    directives: str = ""

    @property
    def texts(self) -> str:
        """A regular expression for strings and comments, also if nothing ends a comment."""
        strings = "|".join(rf"{sign}(?:[^{sign}\\\n]|\\.)*{sign}" for sign in self.strings)
        pairs = (map(re.escape, one.split()) for one in self.comments)
        comments = (
            rf"{start}.*?(?:{end[0]}|\Z)" if end else rf"{start}[^\n]*" for start, *end in pairs
        )
        return "|".join((self.raw_strings, rf"(?<!\\)(?:{strings or '(?!)'})", *comments))


@dataclass(frozen=True, slots=True)
class DefinitionFacts:
    """What a definition becomes without its body.

    `body` takes the place of a function's body: `;`, or the statement that does nothing. `stub` is
    a statement for the body of a function that has to return something, `nothing` what is written
    in the place of a type where it has not. `forward` says that a class may be declared by its
    name alone, `must_be_used` that compilers reject imports and variables without a use.
    """

    body: str = "{}"
    stub: str = ""
    nothing: Sequence[str] = ("void", "()")
    forward: bool = False
    must_be_used: bool = False


@dataclass(frozen=True, slots=True)
class TypeFacts:
    """How a plain number is declared: its type, and whether that precedes the name.

    `others` are words before a name that are not types.
    """

    number: str = ""
    precedes: bool = True
    others: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class DeclarationFacts:
    """Words of declarations, by what they do, and how names are declared and mentioned in them.

    The first ones are words, the last ones regular expressions.
    """

    #: A function that may be computed at compile time; one that is useless without its body.
    constant: Sequence[str] = ()
    needs_body: Sequence[str] = ()
    #: A namespace whose name does not count; what makes the names of one visible.
    transparent: Sequence[str] = ()
    opens: Sequence[str] = ()
    #: A function that is called by a table, and what linkers call these tables.
    virtual: Sequence[str] = ()
    tables: Sequence[str] = ()
    #: A function that is called by a sign or by no name, a declaration for another one's sake.
    operator: Sequence[str] = ()
    friend: Sequence[str] = ()
    #: A statement that calls members without their names, and these members.
    loops: Sequence[str] = ()
    loop_members: Sequence[str] = ()
    #: What any type is called in the head of a template.
    any_type: str = ""
    #: The sign of an operator; the type that one converts to, which it does not declare.
    operator_sign: str = "(?!)"
    conversion: str = "(?!)"
    #: The name of a parameter of a template; arguments that are computed from others.
    parameter: str = "(?!)"
    computed: str = "(?!)"
    #: What follows the name of a class or alias; an explicit instantiation.
    bases: str = "(?<!:):(?!:).*"
    instantiation: str = "(?!)"
    #: A word that may come before a qualified name.
    before_member: str = ""


@dataclass(frozen=True, slots=True)
class JoinFacts:
    """How files become one; `marrow.reducers.coupled.imports` says what the keys mean."""

    siblings: bool = False
    head: str = ""
    after: str = ""
    edits: Sequence[tuple[str, str, str]] = ()
    aliases: str = ""
    packages: bool = False
    package: str = ""


@dataclass(frozen=True, slots=True)
class LanguageFacts:
    """Everything that marrow knows about one language."""

    name: str = ""
    #: The language whose facts hold here too.
    like: str = ""
    #: The package of the parser by itself and the function in it; empty if there is no parser.
    parser: Sequence[str] | None = None
    #: The grammar that ships for the language, if it has another name.
    grammar: str = ""
    #: Suffixes and names of texts that this grammar is tried on first: the parser is a relative's.
    by_grammar: Sequence[str] = ()
    #: Suffixes and whole names of files.
    suffixes: Sequence[str] = ()
    filenames: Sequence[str] = ()
    #: Other names of the language.
    aliases: Sequence[str] = ()
    #: Regular expressions: the program in a file's first line; what a file without a telling name
    #: contains; by a suffix of another language, what a file of this one contains.
    interpreters: Sequence[str] = ()
    contents: Sequence[str] = ()
    shared_suffixes: Mapping[str, str] = field(default_factory=dict)
    #: Whether indentation ends a block (`indented`), and the column of its first token (`aligned`);
    #: or whether a text is nothing but a table (`rows`).
    blocks: str = ""
    #: Programs that lay out a text, the usual one first; `{}` is the name of the file.
    formatters: Sequence[str] = ()
    #: What a preprocessor expands, and commands that do so from input to output.
    system_include: str = ""
    preprocessors: Sequence[str] = ()
    #: Commands that succeed on valid texts alone and run nothing of them; `{}` is the file.
    checkers: Sequence[str] = ()
    #: The guard that ships for its programs, which may do what the language leaves undefined.
    guard: str = ""
    #: A valid file, as small as it gets.
    smallest: str | None = None
    signs: SignFacts = SignFacts()
    names: NameFacts = NameFacts()
    declarations: DeclarationFacts = DeclarationFacts()
    definitions: DefinitionFacts = DefinitionFacts()
    types: TypeFacts = TypeFacts()
    join: JoinFacts = JoinFacts()
    #: Words by what they begin: `enumeration`, `template`.
    keywords: Mapping[str, str] = field(default_factory=dict)
    #: By a header that is included, names that it declares besides its own.
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Tables for `marrow.reducers.passes.templates` and `reducers.coupled.token_templates`.
    rewrites: Sequence[Mapping[str, Any]] = ()
    coupled: Sequence[Mapping[str, Any]] = ()
    #: Tables for `marrow.syntax.masking.mask`.
    masks: Sequence[Mapping[str, Any]] = ()
    #: Tables for `marrow.reducers.coupled.imports`.
    imports: Sequence[Mapping[str, Any]] = ()
    #: Tables for `marrow.reducers.coupled.injected_code`.
    injections: Sequence[Mapping[str, Any]] = ()

    @property
    def indented(self) -> bool:
        """Whether indentation says where a block ends."""
        return self.blocks in ("indented", "aligned")

    @property
    def aligned(self) -> bool:
        """Whether the column of a block's first token says where it ends."""
        return self.blocks == "aligned"


_KEYS: Final = {one.name: one for one in fields(LanguageFacts)}
_TABLES: Final[Mapping[str, type]] = {
    key: type(one.default) for key, one in _KEYS.items() if is_dataclass(one.default)
}
_TYPES: Final[Mapping[str, type]] = {
    key: dict if one.default is MISSING else str
    for key, one in _KEYS.items()
    if one.default is MISSING or isinstance(one.default, str) or key == "smallest"
}
# The arrays of tables, and the fields that have them; those of `like` come last.
_ARRAYS: Final = {
    "rewrite": "rewrites",
    "coupled": "coupled",
    "mask": "masks",
    "import": "imports",
    "injection": "injections",
}


@cache
def facts_of(language: str) -> LanguageFacts:
    """Return what marrow knows about a language, given marrow's name for it."""
    path = FOLDER / f"{language}.toml"
    if not language.isidentifier() or not path.exists():
        return LanguageFacts(language)
    return read_facts(language, path.read_text(encoding="utf-8"))


def read_facts(name: str, text: str) -> LanguageFacts:
    """Return the facts in the text of a language's file."""
    import tomllib  # most commands need no facts

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LanguageFileError(f"{name}.toml: {error}") from error
    arrays = {key: tuple(data.pop(table, ())) for table, key in _ARRAYS.items()}
    given = {key: _value(name, key, value) for key, value in data.items()}
    like = facts_of(given["like"]) if given.get("like") else LanguageFacts()
    inherited = {key: getattr(like, key) for key in _KEYS if key not in OWN}
    lists = {key: (*own, *getattr(like, key)) for key, own in arrays.items()}
    return LanguageFacts(**{**inherited, **given, **lists, "name": name})


def _value(name: str, key: str, value: object) -> object:
    if key in _TABLES and isinstance(value, dict):
        try:
            return _TABLES[key](**value)
        except TypeError as error:
            raise LanguageFileError(f"{name}.toml, [{key}]: {error}") from None
    if key not in _KEYS or key in (*_TABLES, *_ARRAYS.values(), "name"):
        raise LanguageFileError(f"{name}.toml: {key!r} is not a fact of a language")
    if not isinstance(value, _TYPES.get(key, list)):
        raise LanguageFileError(f"{name}.toml: {key} has a value of the wrong type")
    return tuple(value) if isinstance(value, list) else value
