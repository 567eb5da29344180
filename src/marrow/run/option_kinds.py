"""The kinds of values that single options have; what costs much to load is loaded when read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from marrow.run.option import ValueKind, made, one_of

if TYPE_CHECKING:
    from marrow.engine.executors.quorum import Quorum
    from marrow.engine.search.limits import Goal
    from marrow.learn.model import Model
    from marrow.reducers.passes.templates import Rewrite
    from marrow.reducers.prepare import Preparation
    from marrow.syntax.protected_view import LineRange


def names_in(module: str, table: str) -> Callable[[], Sequence[str]]:
    """Return what lists the names of a table, which is loaded only then."""

    def names() -> Sequence[str]:
        from importlib import import_module

        return list(getattr(import_module(module), table))

    return names


def members_of(module: str, name: str) -> ValueKind:
    """Return the kind of an enumeration, by the values of its members."""

    def members() -> Any:
        from importlib import import_module

        return getattr(import_module(module), name)

    return one_of(lambda: [one.value for one in members()], lambda word: members()(word))


def _quorum(words: str) -> Quorum:
    from marrow.engine.executors.quorum import Quorum

    return Quorum.parse(words)


def _goal(words: str) -> Goal:
    from marrow.engine.search.limits import Goal

    return Goal.parse(words)


def _lines(words: str) -> LineRange:
    from marrow.syntax.protected_view import LineRange

    return LineRange.parse(words)


def _model(path: str) -> Model:
    from marrow.run.reading import read_model

    return read_model(path)


def _rewrites(path: str) -> tuple[Rewrite, ...]:
    from marrow.run.reading import read_rewrites

    return read_rewrites(path)


def _preparations(words: str) -> tuple[Preparation, ...]:
    from marrow.reducers.prepare import Preparation

    named = set() if words == "none" else set(words.split(","))
    if unknown := named - {one.value for one in Preparation}:
        raise ValueError(
            f"there is no {', '.join(sorted(unknown))}; choose of squeeze, flatten, hide, or none"
        )
    return tuple(one for one in Preparation if one.value in named)


EXECUTOR: Final = one_of(names_in("marrow.engine.executors.registry", "KINDS"))


QUORUM: Final = made(_quorum, "K/N")
GOAL: Final = made(_goal, "SIZE")
LINES: Final = made(_lines, "LINES")
MODEL: Final = made(_model, "FILE", completes="file")
REWRITES: Final = made(_rewrites, "FILE", completes="file")
PREPARATIONS: Final = made(_preparations, "LIST")
