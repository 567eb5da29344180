"""Options of runs: how one is declared, and how a value is read.

An option is declared once, in `options`: its keyword, its type, its default. The command line, the
keywords of the library, the configuration file and the identity of a journal all come from that
declaration; the words about it are in `help.toml`.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from operator import attrgetter
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from marrow.base.bounded_file import read_bounded
from marrow.base.errors import UsageError, error_text, message_of

if TYPE_CHECKING:
    from marrow.learn.model import Model
    from marrow.reducers.algorithms.prepare import Preparation
    from marrow.reducers.passes.templates import Rewrite


#: An input: a text, the path of a file or directory, or the contents of files by their names.
AnySource: TypeAlias = bytes | str | PathLike[str] | Mapping[str, bytes | str]
AnyPath: TypeAlias = str | PathLike[str]

_UNITS: Final = {"": 1, "b": 1} | {
    f"{letter}{end}": 1 << 10 * (power + 1)
    for power, letter in enumerate("kmgt")
    for end in ("", "b", "i", "ib")
}
_SECONDS: Final = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Scope(enum.Enum):
    """Where the value of an option may come from, besides the command line and a program.

    A configuration file beside the input may come with the input, from somebody else.
    """

    #: Changes what is tried, for how long, or what is printed: any configuration file may set it.
    SEARCH = "any file"
    #: Can run a program, connect, read or write another file, or lift a protection: only the user's
    #: own configuration file may set it, or one that `--trust-config` vouches for.
    USER = "your own file"
    #: Says what this one call is about (its test, its output): no configuration file may set it.
    CALL = ""


SEARCH, USER, CALL = Scope


@dataclass(frozen=True, slots=True)
class ValueKind:
    """A type of values: how one is read, and which there are.

    `read` takes the word of a command line, the value of a configuration file or the value that a
    program gives. It raises `ValueError` with words that follow the value: "is not a number".
    """

    read: Callable[[Any], Any]
    metavar: str = ""
    #: A flag takes no value; a switch has a second name for no (`--no-KEYWORD`).
    flag: bool = False
    switch: bool = False
    #: Names to choose from and to complete; asked for only when they are needed.
    choices: Callable[[], Iterable[str]] | None = None
    #: Names that a shell completes, of which others may be given; `several` with commas.
    names: Callable[[], Iterable[str]] | None = None
    several: bool = False
    #: Whether it may be the name of a file.
    file: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    """The declaration of an option.

    A flag is false, and a list is empty, if nothing else is said.
    """

    kind: ValueKind
    group: str
    scope: Scope
    default: Any = None
    #: A name of one letter on the command line, besides `--keyword`.
    short: str = ""
    #: Names on the command line, where they are not `--keyword`; none for the library alone.
    flags: tuple[str, ...] | None = None
    metavar: str = ""
    #: Whether it may be given several times; the value is a tuple.
    multiple: bool = False
    #: Whether the value is how often it is given (-vv).
    counted: bool = False
    required: bool = False
    #: Whether `--help` leaves it to `--help-all`.
    advanced: bool = False
    #: Whether it is a keyword of the library.
    keyword: bool = True
    #: The name in the identity of a journal, for an option that changes what verdicts mean.
    identity: str = ""
    #: The field of `Limits` that it sets.
    limit: str = ""
    #: The option that this is another name for.
    alias: str = ""

    def __post_init__(self) -> None:
        if self.default is None and (self.multiple or (self.kind.flag and not self.kind.switch)):
            object.__setattr__(self, "default", () if self.multiple else False)
        if self.group == ALGORITHMS:
            object.__setattr__(self, "advanced", True)

    def names(self, keyword: str) -> tuple[str, ...]:
        """Return the names on the command line; empty for a keyword of the library alone."""
        if self.flags is not None:
            return self.flags
        name = keyword.replace("_", "-")
        long = f"--{name}/--no-{name}" if self.kind.switch else f"--{name}"
        return (self.short, long) if self.short else (long,)


def declared(options: type) -> dict[str, Option]:
    """Return the options of a command, in the order of their declaration."""
    return {
        name: annotation.__metadata__[0] for name, annotation in options.__annotations__.items()
    }


def help_of(options: type, keyword: str) -> str:
    """Return what the help says of an option of a command."""
    words = help_words()
    own = words.get(options.__name__.removesuffix("Options").lower(), {})
    said = " ".join((own.get(keyword) or words["all"][keyword]).split())
    return said.replace(" [default:", "  [default:")


@functools.cache
def help_words() -> dict[str, dict[str, str]]:
    """Return the words about all options, by command and keyword."""
    import tomllib

    return tomllib.loads((files(__package__) / "help.toml").read_text("utf-8"))


def read_values(options: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of all options: those that are given, as they are read, and defaults."""
    known = declared(options)
    values = {name: option.default for name, option in known.items() if not option.alias}
    for name, value in given.items():
        option = known.get(name)
        if option is not None and not option.keyword:
            raise TypeError(f"the option {name!r} is for the command line alone")
        if option is None:
            raise TypeError(f"there is no option {name!r}{near(name, known)}")
        values[option.alias or name] = value_of(name, option, value)
    return values


def value_of(name: str, option: Option, value: Any) -> Any:
    """Return a value as it is read; raise `UsageError` if it is not of the option's type."""
    if value is None:
        return option.default
    try:
        if option.multiple:
            several = [value] if isinstance(value, str | Path) else value
            return tuple(option.kind.read(one) for one in several)
        return option.kind.read(value)
    except (ValueError, TypeError) as error:
        raise UsageError(f"⟦{name}⟧: {message_of(error)}") from error


def near(name: str, known: Iterable[str]) -> str:
    """Return a hint at the name that was perhaps meant."""
    import difflib

    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _same(value: Any) -> Any:
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    return value


def _pair(value: Any) -> tuple[str, str]:
    names = tuple(value.split("=")) if isinstance(value, str) else tuple(value)
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise ValueError(f"{value!r} does not name two files: FIRST=SECOND")
    return names[0], names[1]


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")
    return value


def _path(value: Any) -> Path:
    if not isinstance(value, str | Path) and not hasattr(value, "__fspath__"):
        raise ValueError(f"{value!r} is not a path")
    if value == "":  # Path("") is the current directory
        raise ValueError("the path is empty; is a shell variable not set?")
    return Path(value)


def _measured(value: Any, units: Mapping[str, float], like: str) -> float:
    """Read a number with a unit; `like` says what it is and how it is written."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        return value
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", str(value).strip().lower())
    if match is None or float(match[1]) <= 0 or match[2] not in units:
        raise ValueError(f"{value!r} is not a {like}")
    return float(match[1]) * units[match[2]]


def _probability(value: Any) -> float:
    with contextlib.suppress(TypeError, ValueError):
        if 0 < float(value) < 1:
            return float(value)
    raise ValueError(f"{value!r} is not between 0 and 1")


def whole(least: int | None = None, most: int | None = None) -> ValueKind:
    """Return the kind of whole numbers within bounds."""

    def read(value: Any) -> int:
        try:
            number = int(value)
            if isinstance(value, float | bool):
                raise TypeError
        except (TypeError, ValueError):
            raise ValueError(f"{value!r} is not a whole number") from None
        if least is not None and number < least:
            raise ValueError(f"{number:,} is too small; the least is {least:,}")
        if most is not None and number > most:
            raise ValueError(f"{number:,} is too large; the most is {most:,}")
        return number

    return ValueKind(read, "N")


def one_of(names: Callable[[], Sequence[str]], make: Callable[[str], Any] = _same) -> ValueKind:
    """Return the kind of values that are named by a table; `make` turns a name into its value."""

    def read(value: Any) -> Any:
        if not isinstance(value, str):
            return value  # the value itself, from a program
        choices = names()
        if value not in choices:
            raise ValueError(f"{value!r} is not one of {', '.join(choices)}")
        return make(value)

    return ValueKind(read, choices=names)


def made(make: Callable[[str], Any], metavar: str) -> ValueKind:
    """Return the kind of values that are made from words, or given by a program as they are."""

    def read(value: Any) -> Any:
        return make(str(value)) if isinstance(value, str | Path) else value

    return ValueKind(read, metavar, file=metavar == "FILE")


#: The groups of options, in the order of `--help`.
GROUPS: Final = (
    "Options",
    "The input",
    "The test",
    "The failure of a command (-- COMMAND)",
    "Where tests run",
    "Results",
    "Limits",
    "The pattern",
    "The strategy",
    "Settings of single algorithms (see `marrow help algorithms`)",
)
FIRST, INPUTS, TESTS, FAILURE, PLACES, RESULTS, LIMITS, PATTERNS, STRATEGY, ALGORITHMS = GROUPS


def loaded(module: str, name: str) -> Any:
    """Return what a module has under a name, which may have dots; the module is loaded now."""
    return attrgetter(name)(import_module(module))


def names_in(module: str, table: str) -> Callable[[], list[str]]:
    """Return what lists the names of a table, its rows or its members, which is loaded only then.

    A table is a dictionary, some rows with names, or an enumeration.
    """
    return lambda: [
        getattr(one, "value", getattr(one, "name", one)) for one in loaded(module, table)
    ]


def members_of(module: str, name: str) -> ValueKind:
    """Return the kind of an enumeration, by the values of its members."""
    return one_of(names_in(module, name), lambda word: loaded(module, name)(word))


def made_by(module: str, name: str, metavar: str) -> ValueKind:
    """Return the kind of values that a function of a module makes from words."""
    return made(lambda words: loaded(module, name)(words), metavar)


def _preparations(words: str) -> tuple[Preparation, ...]:
    from marrow.reducers.algorithms.prepare import Preparation

    named = set() if words == "none" else set(words.split(","))
    if unknown := named - {one.value for one in Preparation}:
        raise ValueError(error_text("unknown_preparation", names=", ".join(sorted(unknown))))
    return tuple(one for one in Preparation if one.value in named)


def _expression(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        place = "" if error.pos is None else f" at character {error.pos + 1}"
        raise ValueError(
            f"{text!r} is not a regular expression: {error.msg}{place}; put a backslash before a "
            "sign that means itself"
        ) from None
    return text


def read_model(path: str) -> Model:
    """Read a model of removals."""
    from marrow.learn.model import Model

    try:
        return Model.from_json(read_bounded(path).decode("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot use the model {path}: {message_of(error)}") from error


def read_rewrites(path: str) -> tuple[Rewrite, ...]:
    """Read a file of match-and-replace templates."""
    from marrow.reducers.passes import templates

    try:
        return templates.read_rewrites(read_bounded(path).decode("utf-8"), path)
    except templates.TemplateError as error:
        raise UsageError(f"{error}\ndocs/reference/passes.md describes the format.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot read the rewrites {path}: {message_of(error)}\n"
            "Check the name that ⟦rewrites⟧ gives."
        ) from error


FLAG: Final = ValueKind(_boolean, flag=True)
SWITCH: Final = ValueKind(_boolean, flag=True, switch=True)
TEXT: Final = ValueKind(_text, "TEXT")
ANYTHING: Final = ValueKind(_same)
PATH: Final = ValueKind(_path, "PATH", file=True)
SIZE: Final = ValueKind(
    lambda value: int(_measured(value, _UNITS, "size; write it like 512M or 2G")), "SIZE"
)
TIME: Final = ValueKind(
    lambda value: float(_measured(value, _SECONDS, "time; write it like 30s, 10m or 2h")), "TIME"
)
PROBABILITY: Final = ValueKind(_probability, "P")
COUNT: Final = whole(1)
NUMBER: Final = whole()
#: More workers than this would only queue up: each is a thread and at least one process.
JOBS: Final = whole(1, 1024)
EXPRESSION: Final = made(_expression, "REGEX")
LANGUAGE: Final = ValueKind(
    _text, names=lambda: loaded("marrow.languages.recognition", "known_languages")()
)
GRAMMAR: Final = ValueKind(
    _same, names=lambda: loaded("marrow.grammars", "grammar_names")(), file=True
)
_PIPELINE: Final = "marrow.reducers.pipeline"
ALGORITHM: Final = ValueKind(_text, names=names_in(f"{_PIPELINE}.algorithm_table", "ALGORITHMS"))
PASSES: Final = ValueKind(_text, names=names_in(f"{_PIPELINE}.pass_table", "PASSES"), several=True)
EXECUTOR: Final = ValueKind(_same, choices=names_in("marrow.engine.executors.registry", "KINDS"))
QUORUM: Final = made_by("marrow.engine.executors.quorum", "Quorum.parse", "K/N")
GOAL: Final = made_by("marrow.engine.search.dispatcher", "Goal.parse", "SIZE")
LINES: Final = made_by("marrow.syntax.view_wrappers", "LineRange.parse", "LINES")
MODEL: Final = made(read_model, "FILE")
PROPOSER: Final = made_by("marrow.run.plan.proposer", "ProposingCommand", "COMMAND")
REWRITES: Final = made(read_rewrites, "FILE")
PREPARATIONS: Final = made(_preparations, "LIST")
PAIR: Final = made(_pair, "FILE=FILE")
LAYOUT: Final = one_of(lambda: ("pretty", "compact", "keep"))
OBJECTIVE: Final = one_of(names_in("marrow.tree.order", "ORDERS"))
EFFORT: Final = one_of(names_in(f"{_PIPELINE}.pipeline", "EFFORTS"))
_SETTINGS: Final = "marrow.reducers.algorithms.settings"
PRESET: Final = one_of(names_in(_SETTINGS, "PRESETS"))
CLEAN_UP: Final = one_of(names_in(_SETTINGS, "CLEAN_UPS"))
NORMAL_FORM: Final = members_of(_SETTINGS, "NormalForm")
HOISTING: Final = members_of("marrow.reducers.algorithms.hoist", "Hoisting")
COMPATIBILITY: Final = members_of("marrow.reducers.algorithms.hoist", "Compatibility")
TRAVERSAL: Final = members_of("marrow.reducers.algorithms.traversal", "Traversal")
LIST_MINIMIZER: Final = one_of(
    names_in("marrow.reducers.algorithms.list_minimizers", "LIST_MINIMIZERS")
)
