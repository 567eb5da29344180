"""The variants of HDD, by the names that the paper gives them.

Table 1 of Vince et al.: HDD*, Hoist*+HDD*, HDDH*, Hoist*+HDDH*, and the same for HDDr, Coarse HDD
and Coarse HDDr; and Hoist* of its Figure 7 alone. The star means that a variant runs to a fixpoint;
without it, or with the setting `once`, it makes one pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from marrow.reducers.algorithms.hoist import Hoisting
from marrow.reducers.algorithms.settings import Settings

if TYPE_CHECKING:
    from marrow.reducers.algorithms.hdd import Walk


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant of HDD."""

    recursive: bool = False
    coarse: bool = False
    hoisting: Hoisting = Hoisting.NONE
    fixpoint: bool = True
    #: Without it, nodes are hoisted and nothing else.
    prune: bool = True

    @property
    def name(self) -> str:
        """The variant's name."""
        coarse = "coarse-" if self.coarse else ""
        suffix = ("r" if self.recursive else "") + ("*" if self.fixpoint else "")
        if not self.prune:
            return f"{coarse}hoist{suffix}"
        before = f"hoist{suffix}+" if self.hoisting.before else ""
        h = "h" if self.hoisting.interlaced else ""
        return f"{coarse}{before}hdd{h}{suffix}"

    def walks(self, settings: Settings, *, published: bool = False) -> list[Walk]:
        """Return the walks to make, one after the other; `published`: as the paper's tool has them.

        There, nodes are pruned in one way alone, and what gave way to Φ is not looked at again.
        """
        # The names of all variants are known without loading the algorithm.
        from marrow.reducers.algorithms.hdd import PRUNING, Walk, WalkStep
        from marrow.reducers.algorithms.published import kept
        from marrow.reducers.algorithms.traversal import ByLevel, units

        below = kept if published else units
        plain = Walk(
            (WalkStep.HOIST,),
            settings.traversal.agenda(below) if self.recursive else ByLevel(units=below),
            self.coarse,
            settings.minimize,
            settings.prepare,
            settings.compatibility,
        )
        walks = []
        if self.hoisting.before:
            walks.append(replace(plain, coarse=self.coarse and settings.hoist_filtered))
        if self.prune:
            pruning = (WalkStep.PRUNE,) if self.coarse or published else PRUNING
            hoist = plain.steps if self.hoisting.interlaced else ()
            walks.append(replace(plain, steps=(*pruning, *hoist)))
        return walks

    @property
    def uses(self) -> frozenset[str]:
        """The settings that make a difference to it."""
        found = {"hoisting", "minimize", "prepare", "as_published", "normal_form"}
        if not self.prune:
            found -= {"hoisting", "minimize"}
        if self.recursive:
            found.add("traversal")
        if self.hoisting is not Hoisting.NONE:
            found.add("compatibility")
        if self.coarse and self.hoisting.before:
            found.add("hoist_filtered")
        return frozenset(found)


#: Table 1, row by row, each to a fixpoint.
HDD_VARIANTS: Final = tuple(
    Variant(recursive, coarse, hoisting)
    for coarse in (False, True)
    for recursive in (False, True)
    for hoisting in Hoisting
)

#: Hoist of Figure 7 alone.
HOIST_VARIANTS: Final = tuple(
    Variant(recursive, hoisting=Hoisting.BEFORE, prune=False) for recursive in (False, True)
)

_EVERY: Final = (*HDD_VARIANTS, *HOIST_VARIANTS, *(replace(v, coarse=True) for v in HOIST_VARIANTS))


def variant_of(name: str) -> Variant | None:
    """Return the variant of a name, as the paper writes it or with hyphens; None if it is not of
    this family."""
    said = re.sub(r"[\s_-]", "", name.lower())
    plain = re.sub(r"hoistr?\*?\+", "hoist+", said).removesuffix("*")
    by_name = {
        replace(one, fixpoint=False).name.replace("-", "").replace("hoistr+", "hoist+"): one
        for one in _EVERY
    }
    found = by_name.get(plain)
    return None if found is None else replace(found, fixpoint=said.endswith("*"))
