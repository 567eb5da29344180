"""The far view of a large text: bodies, cuts and runs of declarations go from it, in turn.

It comes after the slices. All of it works on the outline of the text
(`marrow.tree.outline`), in few tests on much. A round is repeated as long as it removes a good
part. Guarantee: none; later stages see every token. Worst case: that of the stages, for each tenth
of the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from marrow.reducers.cuts import Cuts
from marrow.reducers.definitions import Declaring, unsuspected
from marrow.reducers.slices import OutlineReducer, if_large, on_outlines
from marrow.reducers.stream import Done, Reducer, Stream, followed, in_turn
from marrow.reducers.thinning import Thinning, empty_form
from marrow.tree import Tree
from marrow.tree.outline import DeclarationOutline, SeeOutline
from marrow.tree.text_part import SeeParts

# A round that removed less than this share of the tokens is the last one.
_PAYS: Final = 0.1

# The shares of the tokens at which runs of units are no longer halved: when the rest has become
# small, the same runs are a larger share of it. What is unlikely to be needed is looked at coarsely
# first, as cuts then take several times as much in a test.
_COARSEST: Final = 0.05
_COARSE: Final = 0.02
_FINE: Final = 0.01

# The share of the tokens that a run of parts of definitions has to promise: cuts take as much in a
# test.
_PROMISE: Final = 0.01


def far_view(see: SeeOutline, language: str, parts: SeeParts = lambda _: ()) -> Reducer:
    """Return the reducer that works on outlines, as long as that pays."""
    form = empty_form(language)

    def heads(outline: DeclarationOutline, done: Done) -> Stream | None:
        found = [one for one in unsuspected(outline, parts(outline.tree.text)) if not one.scope]
        return Declaring(outline.tree, found, done, _PROMISE).run()

    def scopes(outline: DeclarationOutline, done: Done) -> Stream | None:
        found = [one for one in unsuspected(outline, parts(outline.tree.text)) if one.scope]
        return Declaring(outline.tree, found, done, _PROMISE).run()

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

    coarse = _repeated(see, [heads, bodies, unlikely, cuts])
    whole = in_turn(coarse, on_outlines(see, scopes), on_outlines(see, elements))
    return if_large(_while_it_pays(see, whole))


def _repeated(see: SeeOutline, stages: Sequence[OutlineReducer]) -> Reducer:
    """Return the reducer that runs some stages in turn, as long as that pays."""
    return _while_it_pays(see, in_turn(*(on_outlines(see, one) for one in stages)))


def _while_it_pays(see: SeeOutline, reducer: Reducer) -> Reducer:
    """Return the reducer that is repeated as long as it removes a good part."""

    def again(before: Tree, after: Tree) -> tuple[Reducer, Tree] | None:
        removed = before.token_count - after.token_count
        outline = see(after.text) if removed >= _PAYS * before.token_count else None
        return None if outline is None else (_while_it_pays(see, reducer), outline.tree)

    return followed(reducer, again)
