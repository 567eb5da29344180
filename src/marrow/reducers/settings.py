"""The settings of the algorithms: one value, handed to all of them, with a name for each choice.

An algorithm takes from it what it knows and leaves the rest alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from marrow.learn.model import Model
from marrow.reducers.ddmin import AS_PRINTED, ListMinimizer, Options
from marrow.reducers.hoist import Compatibility, Hoisting
from marrow.reducers.list_minimizers import LIST_MINIMIZERS
from marrow.reducers.prepare import Preparation
from marrow.reducers.traversal import Traversal

#: What may go on after type batching.
CLEAN_UPS: Final = ("perses", "pardis")


@dataclass(frozen=True, slots=True)
class Settings:
    """How to go about a reduction, apart from the name of the algorithm."""

    #: When the HDD family hoists; None: as the name of the variant says.
    hoisting: Hoisting | None = None
    #: One pass, whatever the name says.
    once: bool = False
    #: What minimises lists, a name of `LIST_MINIMIZERS`, and its options.
    list_minimizer: str = "ddmin"
    ddmin: Options = field(default_factory=Options)
    #: In which order HDDr visits nodes.
    traversal: Traversal = Traversal.BREADTH
    #: What the HDD family does to a tree before it walks it.
    prepare: tuple[Preparation, ...] = tuple(Preparation)
    #: What the HDD family may hoist.
    compatibility: Compatibility = Compatibility.SLOT
    #: How many steps down Perses looks for a replacement; the value of its paper. With 0 it only
    #: deletes.
    bound: int = 4
    #: For type batching: the model of the language, None for the one that ships; whether outcomes
    #: of the run correct it; what cleans up, a name of `CLEAN_UPS`; the seed where lots are drawn.
    model: Model | None = None
    online: bool = True
    clean_up: str = "perses"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.list_minimizer not in LIST_MINIMIZERS:
            raise LookupError(f"there is no list minimiser called {self.list_minimizer!r}")
        if self.clean_up not in CLEAN_UPS:
            raise LookupError(f"{self.clean_up!r} does not clean up: {', '.join(CLEAN_UPS)} do")
        if self.bound < 0:
            raise ValueError("the bound must not be negative")

    @property
    def minimize(self) -> ListMinimizer:
        """The list minimiser with its options."""
        return LIST_MINIMIZERS[self.list_minimizer](self.ddmin)


#: Settings that have a name. `published` is what the figures of Vince et al. were made with
#: (Picireny): complements only, from the back, and on with the next one after a success; nodes of
#: the same rule are compatible. `printed` is ddmin as Figure 1 has it.
PRESETS: Final = {
    "published": Settings(
        ddmin=Options(subsets=False, factor=2, backwards=True, restart=False),
        traversal=Traversal.BREADTH,
        prepare=tuple(Preparation),
        compatibility=Compatibility.LABEL,
    ),
    "printed": Settings(ddmin=AS_PRINTED),
}
