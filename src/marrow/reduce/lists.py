"""The list minimisers by name: usable wherever ddmin is."""

from __future__ import annotations

from typing import Final, TypeVar

from marrow.reduce.attempt import Stream
from marrow.reduce.ddmin import Configuration, ListMinimizer, Minimal, Options, ddmin
from marrow.reduce.probdd import cdd, probdd

T = TypeVar("T")


def wdd(configuration: Configuration[T], done: Minimal[T]) -> Stream:
    """Run ddmin with parts of equal weight in tokens (Zhou et al., "WDD", 2025)."""
    return ddmin(configuration, done, Options(weighted=True))


def plain_ddmin(configuration: Configuration[T], done: Minimal[T]) -> Stream:
    """Run ddmin with marrow's defaults."""
    return ddmin(configuration, done)


LIST_MINIMIZERS: Final[dict[str, ListMinimizer]] = {
    "ddmin": plain_ddmin,
    "probdd": probdd,
    "cdd": cdd,
    "wdd": wdd,
}
