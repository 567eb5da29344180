"""The settings of the algorithms: one value for all of them.

Each algorithm uses the fields that it knows. The options of a list minimiser are its own fields.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, NamedTuple

from marrow.base.errors import MarrowError
from marrow.learn.model import Model
from marrow.reducers.algorithms.ddmin import AS_PRINTED, Ddmin, ListMinimizer
from marrow.reducers.algorithms.hoist import Compatibility, Hoisting
from marrow.reducers.algorithms.list_minimizers import changed_minimizer, minimizer_of
from marrow.reducers.algorithms.prepare import Preparation
from marrow.reducers.algorithms.traversal import Traversal
from marrow.tree.order import ORDERS, Order

#: The algorithms that may follow type batching.
CLEAN_UPS: Final = ("perses", "pardis")


class StrategyError(MarrowError, LookupError):
    """No strategy has this name or these options; the message says what to choose from."""


class NormalForm(enum.Enum):
    """How a grammar says what the lists are that Perses deletes from."""

    #: Lists are found in the rules as the grammar is compiled.
    FOUND = "found"
    #: Perses Normal Form by Algorithm 1, in Paull's order.
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Settings:
    """All choices of a reduction but the name of the algorithm."""

    #: When the HDD family hoists; None: as in the name of the variant.
    hoisting: Hoisting | None = None
    #: One pass instead of a fixpoint.
    once: bool = False
    #: The list minimiser with its options; see `minimizer_of`.
    minimize: ListMinimizer = field(default_factory=Ddmin)
    #: The order in which HDDr visits nodes.
    traversal: Traversal = Traversal.BREADTH
    #: The changes to a tree before the HDD family walks it.
    prepare: tuple[Preparation, ...] = tuple(Preparation)
    #: The nodes that the HDD family may hoist.
    compatibility: Compatibility = Compatibility.SLOT
    #: The algorithm as its paper has it: the HDD family with its trees, Φ and walks (`published`),
    #: Perses with Algorithm 4 to the letter. Needs a grammar.
    as_published: bool = False
    #: Whether coarse variants hoist only nodes that may vanish in the walk before (Figure 7 has it
    #: so, Tables A4 and A5 do not).
    hoist_filtered: bool = True
    #: The depth to which Perses looks for a replacement, as in its paper. With 0 it only deletes.
    bound: int = 4
    #: For type batching: the model of the language, None for the one that ships; whether outcomes
    #: of the run correct it; what cleans up, a name of `CLEAN_UPS`; the random seed.
    model: Model | None = None
    online: bool = True
    clean_up: str = "perses"
    seed: int = 0
    #: For type batching: b_n, the belief in every node at the start of a batch, apart from the
    #: model, as in the paper; None for the model's.
    initial_belief: float | None = None
    #: For type batching: whether the type of a node is its rule alone, as in the paper; else the
    #: rule around it counts too.
    plain_types: bool = False
    #: For algorithms that need the slots of a grammar: the form of the grammar that trees are of.
    normal_form: NormalForm = NormalForm.FOUND
    #: What to make smallest, a name of `ORDERS`.
    objective: str = "tokens"

    @property
    def order(self) -> Order:
        """The order that says what is smaller."""
        return ORDERS[self.objective]

    def __post_init__(self) -> None:
        if self.clean_up not in CLEAN_UPS:
            raise LookupError(f"{self.clean_up!r} does not clean up: {', '.join(CLEAN_UPS)} do")
        if self.objective not in ORDERS:
            raise LookupError(f"{self.objective!r} is not an objective: {', '.join(ORDERS)} are")
        if self.initial_belief is not None and not 0 < self.initial_belief < 1:
            raise ValueError("the initial belief must lie between 0 and 1")
        if self.bound < 0:
            raise ValueError("the bound must not be negative")

    def changed(self, *, list_minimizer: str | None = None, **options: Any) -> Settings:
        """Return these settings with some options changed, as a user names them.

        An option is a field, the name of a list minimiser, or an option of that minimiser. Raises
        LookupError for any other.
        """
        own = {one.name for one in fields(self)}
        chosen = {name: value for name, value in options.items() if name in own}
        others = {name: value for name, value in options.items() if name not in own}
        if list_minimizer is not None:
            chosen["minimize"] = minimizer_of(list_minimizer, self.minimize, **others)
        elif others:
            chosen["minimize"] = changed_minimizer(self.minimize, **others)
        return replace(self, **chosen)


class Preset(NamedTuple):
    """Settings that have a name, and what they are for.

    An algorithm must use the setting `about`; without one the preset means `algorithm`, if any.
    """

    settings: Settings
    about: str
    whose: str
    algorithm: str | None = None


# What the figures of Vince et al. were made with, see `published`: on with the next part after a
# success; nodes of the same label are compatible; coarse variants hoist all nodes before they
# prune.
_PUBLISHED: Final = Settings(
    minimize=Ddmin(subsets=True, factor=2, backwards=False, restart=False, carry=True),
    traversal=Traversal.DEPTH_BACKWARD,
    compatibility=Compatibility.LABEL,
    as_published=True,
    hoist_filtered=False,
)

#: `picireny` is `published` with the tool's own iterators: no subsets, complements from the back.
#: `type-batched` is the setting of "Type Batched Program Reduction": the model alone decides on
#: types, beliefs in nodes are those of probabilistic delta debugging (an element stays with 0.1),
#: Pardis cleans up. `perses` is its paper's: the normal form and the algorithms to the letter.
PRESETS: Final = {
    "published": Preset(_PUBLISHED, "prepare", "the HDD family"),
    "picireny": Preset(
        replace(_PUBLISHED, minimize=Ddmin(carry=True)), "prepare", "the HDD family"
    ),
    "perses": Preset(
        Settings(minimize=AS_PRINTED, normal_form=NormalForm.FULL, as_published=True),
        "bound",
        "perses",
        "perses*",
    ),
    "type-batched": Preset(
        Settings(online=False, clean_up="pardis", initial_belief=0.9, plain_types=True),
        "initial_belief",
        "type batching",
        "batched",
    ),
    "printed": Preset(Settings(minimize=AS_PRINTED), "minimize", "algorithms that minimise lists"),
}
