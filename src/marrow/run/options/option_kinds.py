"""The kinds of values that single options have; what costs much to load is loaded when read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from marrow.base.bounded_file import read_bounded
from marrow.base.errors import UsageError, message_of
from marrow.run.options.option import ValueKind, made, one_of

if TYPE_CHECKING:
    from marrow.learn.model import Model
    from marrow.reducers.algorithms.prepare import Preparation
    from marrow.reducers.passes.templates import Rewrite


def loaded(module: str, name: str) -> Any:
    """Return what a module has under a name, which may have dots; the module is loaded now."""
    return attrgetter(name)(import_module(module))


def names_in(module: str, table: str) -> Callable[[], Sequence[str]]:
    """Return what lists the names of a table, which is loaded only then."""
    return lambda: list(loaded(module, table))


def members_of(module: str, name: str) -> ValueKind:
    """Return the kind of an enumeration, by the values of its members."""
    return one_of(
        lambda: [one.value for one in loaded(module, name)],
        lambda word: loaded(module, name)(word),
    )


def made_by(module: str, name: str, metavar: str, *, completes: str = "") -> ValueKind:
    """Return the kind of values that a function of a module makes from words."""
    return made(lambda words: loaded(module, name)(words), metavar, completes=completes)


def _preparations(words: str) -> tuple[Preparation, ...]:
    from marrow.reducers.algorithms.prepare import Preparation

    named = set() if words == "none" else set(words.split(","))
    if unknown := named - {one.value for one in Preparation}:
        raise ValueError(
            f"unknown: {', '.join(sorted(unknown))}; choose from squeeze, flatten, hide, or none"
        )
    return tuple(one for one in Preparation if one.value in named)


def _expression(text: str) -> str:
    import re

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


EXPRESSION: Final = made(_expression, "REGEX")
EXECUTOR: Final = one_of(names_in("marrow.engine.executors.registry", "KINDS"))
QUORUM: Final = made_by("marrow.engine.executors.quorum", "Quorum.parse", "K/N")
GOAL: Final = made_by("marrow.engine.search.limits", "Goal.parse", "SIZE")
LINES: Final = made_by("marrow.syntax.view_wrappers", "LineRange.parse", "LINES")
MODEL: Final = made(read_model, "FILE", completes="file")
REWRITES: Final = made(read_rewrites, "FILE", completes="file")
PREPARATIONS: Final = made(_preparations, "LIST")
