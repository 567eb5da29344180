"""A portion is a part of the input that is reduced as its own tree.

A small text is one portion; a large text and a set of files have several.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import TypeAlias

from marrow.syntax.front_end import FrontEnd
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.tree import Tree

#: Parses a text with a front end; the reduction caches the last tree.
Parse: TypeAlias = Callable[[FrontEnd, bytes], Tree]


@dataclass(frozen=True, slots=True)
class Portion:
    """A text that is reduced as a tree, by front ends from coarse to fine.

    `whole` returns the whole input for a text of this portion; `tokens` counts the tokens of the
    whole, `length` its bytes. `allows` says whether a whole input may be tried at all.
    A `fixed` portion has its own structure: no algorithm may cut it into lines instead. A portion
    that is one of several files has its `name`.
    """

    text: bytes
    fronts: tuple[FrontEnd, ...]
    whole: Callable[[bytes], bytes] = lambda text: text
    tokens: Callable[[Tree], int] = attrgetter("token_count")
    length: Callable[[bytes], int] = len
    allows: Callable[[bytes], bool] = lambda _: True
    fixed: bool = False
    name: str = ""

    def seen_by(self, granularity: str) -> tuple[FrontEnd, ...]:
        """Return the front ends, or the one for the granularity that an algorithm needs."""
        if granularity and not self.fixed:
            return (TextFrontEnd(granularity),)
        return self.fronts
