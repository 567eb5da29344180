"""Parts: what of an input is reduced as one tree. A text is one part, a set of files several."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import TypeAlias

from marrow.syntax.front_end import FrontEnd
from marrow.tree import Tree

#: Parses a text by a front end; whoever reduces remembers what was parsed last.
Parse: TypeAlias = Callable[[FrontEnd, bytes], Tree]


def _same(text: bytes) -> bytes:
    return text


@dataclass(frozen=True, slots=True)
class Part:
    """A text that is reduced as a tree, by front ends from coarse to fine.

    `whole` gives the whole input for a text of this part, `tokens` counts the tokens of the whole,
    `length` the bytes of a whole.
    `fixed` says that the part has its own structure: no algorithm may see it as lines instead.
    """

    text: bytes
    fronts: tuple[FrontEnd, ...]
    whole: Callable[[bytes], bytes] = _same
    tokens: Callable[[Tree], int] = attrgetter("token_count")
    length: Callable[[bytes], int] = len
    fixed: bool = False
