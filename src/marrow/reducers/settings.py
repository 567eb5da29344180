"""The settings of the algorithms: one value, handed to all of them, with a name for each choice.

An algorithm takes from it what it knows and leaves the rest alone. The options of a list minimiser
are its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from marrow.learn.model import Model
from marrow.reducers.ddmin import Ddmin, ListMinimizer
from marrow.reducers.hoist import Compatibility, Hoisting
from marrow.reducers.list_minimizers import changed_minimizer, minimizer_of
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
    #: What minimises lists, with its options: see `minimizer_of`.
    minimize: ListMinimizer = field(default_factory=Ddmin)
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
        if self.clean_up not in CLEAN_UPS:
            raise LookupError(f"{self.clean_up!r} does not clean up: {', '.join(CLEAN_UPS)} do")
        if self.bound < 0:
            raise ValueError("the bound must not be negative")

    def changed(self, *, list_minimizer: str | None = None, **options: Any) -> Settings:
        """Return these settings with some options changed, as a user names them.

        An option is a field, the name of a list minimiser, or an option of that. Raises
        LookupError for one that is neither.
        """
        own = {one.name for one in fields(self)}
        chosen = {name: value for name, value in options.items() if name in own}
        others = {name: value for name, value in options.items() if name not in own}
        if list_minimizer is not None:
            chosen["minimize"] = minimizer_of(list_minimizer, self.minimize, **others)
        elif others:
            chosen["minimize"] = changed_minimizer(self.minimize, **others)
        return replace(self, **chosen)


#: Settings that have a name. `published` is what the figures of Vince et al. were made with
#: (Picireny): complements only, from the back, and on with the next one after a success; nodes of
#: the same rule are compatible. `printed` is ddmin as Figure 1 has it.
PRESETS: Final = {
    "published": Settings(
        minimize=Ddmin(subsets=False, factor=2, backwards=True, restart=False),
        traversal=Traversal.BREADTH,
        prepare=tuple(Preparation),
        compatibility=Compatibility.LABEL,
    ),
    "printed": Settings(minimize=Ddmin(subsets=True, backwards=False, restart=True)),
}
