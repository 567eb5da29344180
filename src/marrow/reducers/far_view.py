"""The far view of a large text: slices, then bodies, cuts and runs of declarations go from it.

All of it works on the outline of the text (`marrow.tree.outline`), in few tests on much. A round is
repeated as long as it removes a good part. Guarantee: none; later stages see every token. Worst
case: that of the stages, for each tenth of the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from marrow.reducers.cuts import Cuts
from marrow.reducers.slices import Thinning, if_large, on_outlines, sliced, slices
from marrow.reducers.stream import Done, Reducer, Stream, followed, in_turn
from marrow.tree import Tree
from marrow.tree.outline import DeclarationOutline, SeeOutline

# A round that removed less than this share of the tokens is the last one.
_PAYS: Final = 0.1

# The shares of the tokens at which runs of units are no longer halved: when the rest has become
# small, the same runs are a larger share of it. What is unlikely to be needed is looked at coarsely
# first, as cuts then take several times as much in a test.
_COARSEST: Final = 0.05
_COARSE: Final = 0.02
_FINE: Final = 0.01

#: By language, what stands for a body: what ends a declaration, or an empty body.
_FORMS: Final[Mapping[str, bytes]] = {"c": b";", "cpp": b";", "python": b"pass"}
_BRACES: Final = b"{}"


def far_view(see: SeeOutline, language: str) -> Reducer:
    """Return the reducer that works on outlines, as long as that pays."""
    form = _FORMS.get(language, _BRACES)

    def bodies(outline: DeclarationOutline, done: Done) -> Stream | None:
        thinning = Thinning(outline, form, done, _COARSE)
        return thinning.run(outline.tree, thinning.bodies())

    def unlikely(outline: DeclarationOutline, done: Done) -> Stream | None:
        thinning = Thinning(outline, form, done, _COARSEST)
        return thinning.run(outline.tree, thinning.elements()[:-1])

    def cuts(outline: DeclarationOutline, done: Done) -> Stream | None:
        return Cuts(outline, Thinning(outline, form), done).run()

    def elements(outline: DeclarationOutline, done: Done) -> Stream | None:
        thinning = Thinning(outline, form, done, _FINE)
        return thinning.run(outline.tree, thinning.elements())

    stages = (on_outlines(see, one) for one in (bodies, sliced, unlikely, cuts, elements))
    whole = in_turn(slices(see), *stages)

    def again(before: Tree, after: Tree) -> tuple[Reducer, Tree] | None:
        removed = before.token_count - after.token_count
        outline = see(after.text) if removed >= _PAYS * before.token_count else None
        return None if outline is None else (far_view(see, language), outline.tree)

    return if_large(followed(whole, again))
