"""The sixteen variants of HDD, by the names that the paper gives them.

Table 1 of Vince et al.: HDD*, Hoist*+HDD*, HDDH*, Hoist*+HDDH*, and the same for HDDr, Coarse HDD
and Coarse HDDr. The star means that a variant runs to a fixpoint. That is the default here, so a
name may leave it out; the setting `once` asks for one pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from marrow.reducers.algorithms.hoist import Hoisting
from marrow.reducers.algorithms.settings import Settings

if TYPE_CHECKING:
    from marrow.reducers.algorithms.hdd import Walk
    from marrow.reducers.algorithms.published import PublishedWalk


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant of HDD."""

    recursive: bool = False
    coarse: bool = False
    hoisting: Hoisting = Hoisting.NONE
    fixpoint: bool = True

    @property
    def name(self) -> str:
        """The variant's name."""
        coarse = "coarse-" if self.coarse else ""
        suffix = ("r" if self.recursive else "") + ("*" if self.fixpoint else "")
        before = f"hoist{suffix}+" if self.hoisting.before else ""
        h = "h" if self.hoisting.interlaced else ""
        return f"{coarse}{before}hdd{h}{suffix}"

    def walks(self, settings: Settings) -> list[Walk]:
        """Return the walks to make, one after the other."""
        # The names of all variants are known without loading the algorithm.
        from marrow.reducers.algorithms.hdd import PRUNING, Walk, WalkStep
        from marrow.reducers.algorithms.traversal import ByLevel

        agenda = settings.traversal.agenda() if self.recursive else ByLevel()
        plain = Walk(
            (WalkStep.PRUNE,),
            agenda,
            self.coarse,
            settings.minimize,
            settings.prepare,
            settings.compatibility,
        )
        hoist = (WalkStep.HOIST,) if self.hoisting.interlaced else ()
        walks = []
        if self.hoisting.before:
            filtered = self.coarse and settings.hoist_filtered
            walks.append(replace(plain, steps=(WalkStep.HOIST,), coarse=filtered))
        if self.coarse:
            walks.append(replace(plain, steps=(WalkStep.PRUNE, *hoist)))
        else:
            walks.append(replace(plain, steps=(*PRUNING, *hoist)))
        return walks

    def published_walks(self, settings: Settings) -> list[PublishedWalk]:
        """Return the walks of the paper's own setting."""
        from marrow.reducers.algorithms.published import PublishedWalk

        main = PublishedWalk(
            hoist=self.hoisting.interlaced,
            recursive=self.recursive,
            coarse=self.coarse,
            once=not self.fixpoint,
            minimize=settings.minimize,
            traversal=settings.traversal,
            prepare=settings.prepare,
        )
        if not self.hoisting.before:
            return [main]
        filtered = self.coarse and settings.hoist_filtered
        return [replace(main, prune=False, hoist=True, coarse=filtered), main]


_NAME: Final = re.compile(
    r"(?P<coarse>coarse-)?(?:(?P<before>hoist)r?\*?\+)?hdd(?P<interlaced>h)?(?P<r>r)?\*?"
)


def variant_of(name: str) -> Variant | None:
    """Return the variant of a name, to a fixpoint; None if the name is not of this family."""
    match = _NAME.fullmatch(name.lower().replace(" ", ""))
    if match is None:
        return None
    hoisting = {
        (False, False): Hoisting.NONE,
        (True, False): Hoisting.BEFORE,
        (False, True): Hoisting.INTERLACED,
        (True, True): Hoisting.BOTH,
    }[match["before"] is not None, match["interlaced"] is not None]
    return Variant(
        recursive=match["r"] is not None,
        coarse=match["coarse"] is not None,
        hoisting=hoisting,
    )


#: Table 1, row by row, each to a fixpoint.
HDD_VARIANTS: Final = tuple(
    Variant(recursive, coarse, hoisting)
    for coarse in (False, True)
    for recursive in (False, True)
    for hoisting in Hoisting
)
