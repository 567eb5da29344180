"""What a pass has to know besides the tree: the syntax, the stock of small things, the options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from marrow.reducers.passes.small_nodes import Stock
from marrow.reducers.passes.templates import Rewrite
from marrow.reducers.settings import Settings
from marrow.reducers.slots import Slots
from marrow.tree import Tree


@dataclass(frozen=True, slots=True)
class PassOptions:
    """What the user may choose. `width` is that of the windows, `thorough` tries what seldom pays:
    all pairs of names, and at the end what the parser rejects."""

    keep_names: bool = False
    keep_layout: bool = False
    width: int = 4
    thorough: bool = False
    rewrites: tuple[Rewrite, ...] = ()


@dataclass(frozen=True, slots=True)
class PassContext:
    """What passes share in one reduction. `compact` returns a tree's text in compact layout."""

    slots: Slots
    parse: Callable[[bytes], Tree]
    compact: Callable[[Tree], bytes]
    stock: Stock
    options: PassOptions = field(default_factory=PassOptions)
    settings: Settings = field(default_factory=Settings)
