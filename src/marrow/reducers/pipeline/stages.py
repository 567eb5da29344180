"""The stages of a pipeline: which of them comes next, what it leaves out, and when all have ended.

The stage with the best yield comes next: tokens removed for each attempt when it ran last. One that
found nothing on a text does not run again on that text. A stage that comes again leaves out what
failed before and what is unlikely, until no stage has anything else to do; then these come too, but
for edits that failed in the same context (perses leaves out none). A stage that seldom succeeds
waits for that.

What failed is remembered as an edit (`streams.failed_edits`). Without that, a pass that comes again
after a small success elsewhere would repeat all its failures: on what was left of js-mujs-33 `less`
took 468 tests in six turns for 31 tokens, of which five turns brought two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from marrow.reducers.pipeline.algorithm_table import LATE
from marrow.reducers.streams.failed_edits import local_edit
from marrow.reducers.streams.stream import (
    Attempt,
    Done,
    FewFailures,
    Reducer,
    Stream,
    metered,
    while_it_pays,
)
from marrow.tree import Tree

#: The name of the stage after the opening: deletion and hoisting, from the largest node down.
TREE_STAGE: Final = "perses"

#: Edits that failed, by their change or by their context (`local_edit`).
FailedEdits: TypeAlias = frozenset[bytes]

#: Before the first failure.
NONE_FAILED: Final = FailedEdits()


# As long as this many tokens are left, a pass that fails too often in a row is broken off, and
# comes again when no other has anything to do: on 2,800 tokens `less` took 9,528 tests for 136 of
# them, while perses, which came after it, removed 2,138 in 5,090.
_MUCH_LEFT: Final = 300
_LEAST_PATIENCE: Final = 64
_TOKENS_FOR_A_FAILURE: Final = 8


# A stage that had fewer successes than one in so many attempts (and one more) waits until nothing
# else is likely: in eight runs (docs/lab/economy.md) `less`, `merge` and `names` had 11 successes
# in 818 tests when they came again.
_ATTEMPTS_FOR_A_SUCCESS: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class PipelineStage:
    """A reducer in the pipeline. `once`: it only opens it. `late`: it waits until the others have
    nothing likely left to do; `last`: until they have nothing at all."""

    name: str
    reducer: Reducer
    once: bool = False
    late: bool = False
    last: bool = False
    #: Takes over once the stage removes little.
    again: Reducer | None = None


@dataclass(frozen=True, slots=True)
class _Record:
    """The last run of a stage: tokens removed, attempts, the text it ended with."""

    removed: int
    attempts: int
    text: bytes
    changed: bool
    #: It was broken off, as too many attempts had failed in a row.
    broken_off: bool = False
    #: The edits that failed, in this run and those before; and whether it left some of them out.
    failed: FailedEdits = NONE_FAILED
    partial: bool = False
    #: Attempts and successes of all its runs on texts that are not large.
    tried: int = 0
    successes: int = 0

    @property
    def rate(self) -> float:
        """Tokens for each attempt; without tokens, the stage with fewer attempts comes first."""
        return (self.removed + 1) / (self.attempts + 1)


#: The last records of the stages, by name; never changed.
_Records: TypeAlias = Mapping[str, _Record]


@dataclass(frozen=True, slots=True)
class StagedRun:
    """A pipeline under way."""

    stages: tuple[PipelineStage, ...]
    #: Returns the tree of a text, prepared for passes.
    prepare: Callable[[bytes], Tree]
    least_yield: float
    once: bool
    done: Done

    def next(
        self, records: _Records, tree: Tree, edits: FailedEdits = NONE_FAILED
    ) -> Stream | None:
        """Run the stage with the best yield, or end; `edits` failed before, in their context."""
        stage, whole = self._choose(records, tree)
        if stage is None:
            return self.done(tree)
        whole = whole or self.once
        # The input is parsed already, and perses flattens for itself.
        begun = any(one.attempts for one in records.values())
        prepared = self.prepare(tree.text) if begun else tree
        record = records.get(stage.name)
        little = record is not None and record.removed < LATE * (tree.token_count + record.removed)
        reducer = stage.again if stage.again is not None and little else stage.reducer
        patience = None if whole else self._patience(stage, record, tree)
        if patience is not None:
            reducer = while_it_pays(reducer, FewFailures(patience))

        failed = NONE_FAILED if record is None else record.failed
        earlier = (record.tried, record.successes) if record is not None else (0, 0)
        counts = tree.token_count <= _MUCH_LEFT
        # Perses runs to its own fixpoint: what it deletes makes room for what it could not.
        leaves_out = not stage.once and stage.name != TREE_STAGE

        def ended(after: Tree, tally: _Tally, skipped: bool = False) -> Stream | None:
            # A pass that was skipped does not come again for the same text.
            changed = after.text != prepared.text and not skipped
            removed = prepared.token_count - after.token_count
            broken_off = patience is not None and tally.in_a_row >= patience and not skipped
            now = _Record(
                removed,
                tally.attempts,
                after.text,
                changed or broken_off,
                broken_off,
                tally.own,
                not stage.once and not whole and not skipped,
                earlier[0] + counts * tally.attempts,
                earlier[1] + counts * tally.successes,
            )
            return self.next({**records, stage.name: now}, after, tally.edits)

        def marked(one: Attempt, before: Tree, tally: _Tally) -> Attempt:
            counted = tally.failed(before, one.tree)
            return replace(
                one, pass_name=stage.name, skip=lambda: ended(before, counted, skipped=True)
            )

        def known(before: Tree, one: Attempt, tally: _Tally) -> bool:
            if one.unlikely and not whole:
                return True
            remembers = leaves_out if whole else not stage.once
            edit = local_edit(before, one.tree) if remembers else None
            if edit is None:
                return False
            anywhere = leaves_out and not whole and edit.change in failed
            return anywhere or edit.in_context in tally.edits

        return metered(reducer, prepared, _Tally(edits, failed), ended, marked, known)

    def _patience(self, stage: PipelineStage, record: _Record | None, tree: Tree) -> int | None:
        """Return after how many failures in a row a stage is broken off; None if it is not.

        One that was broken off on this very text runs to its end: no other stage had anything.
        """
        known = record is not None and record.broken_off and record.text == tree.text
        if known or stage.once or stage.name == TREE_STAGE or tree.token_count < _MUCH_LEFT:
            return None
        return max(_LEAST_PATIENCE, tree.token_count // _TOKENS_FOR_A_FAILURE)

    def _choose(self, records: _Records, tree: Tree) -> tuple[PipelineStage | None, bool]:
        """Return the stage to run next, None at the fixpoint, and whether it leaves nothing out."""
        early = [stage for stage in self.stages if not (stage.late or stage.last)]
        late = [[stage] for stage in self.stages if stage.late]
        last = [[stage] for stage in self.stages if stage.last]
        soon = [stage for stage in early if not _waits(stage, records)]
        likely = [(False, some) for some in (soon, *late)]
        all_of_it = [(True, some) for some in (early, *late)]
        at_last = [(whole, some) for whole in (False, True) for some in last]
        for whole, some in (*likely, *all_of_it, *at_last):
            stage = self._best(some, records, tree.text, whole)
            if stage is not None:
                return stage, whole
        return None, True

    def _best(
        self, stages: list[PipelineStage], records: _Records, text: bytes, whole: bool
    ) -> PipelineStage | None:
        """Return the stage with the best yield among those that have something to do.

        `whole`: those that have left something out have something to do, too.
        """
        best: tuple[float, PipelineStage] | None = None
        for stage in stages:
            record = records.get(stage.name)
            if record is None:
                return stage  # all of them once, in their order
            if self.once or stage.once:
                continue
            if record.text == text and not record.changed and not (whole and record.partial):
                continue
            if stage.name == TREE_STAGE and record.changed and record.text == text:
                return stage  # to its own fixpoint: deletion pays most
            given_up = record.removed < self.least_yield * record.attempts
            if given_up and stage.name != TREE_STAGE:
                continue
            if best is None or record.rate > best[0]:
                best = record.rate, stage
        return None if best is None else best[1]


def _waits(stage: PipelineStage, records: _Records) -> bool:
    """Whether a stage had better come when nothing likely is left to do."""
    record = records.get(stage.name)
    if record is None or stage.name == TREE_STAGE:
        return False
    return (record.successes + 1) * _ATTEMPTS_FOR_A_SUCCESS <= record.tried


@dataclass(frozen=True, slots=True, eq=False)
class _Tally:
    """Counts attempts, however they end, and those that failed since the last success.

    `edits` failed in any stage, in their context; `own` in this one, whatever was around them.
    """

    edits: FailedEdits
    own: FailedEdits
    attempts: int = 0
    in_a_row: int = 0
    successes: int = 0

    def failed(self, tree: Tree, candidate: Tree) -> _Tally:
        edit = local_edit(tree, candidate)
        edits = self.edits if edit is None else self.edits | {edit.in_context}
        own = self.own if edit is None else self.own | {edit.change}
        return replace(
            self, edits=edits, own=own, attempts=self.attempts + 1, in_a_row=self.in_a_row + 1
        )

    def succeeded(self, _tree: Tree, _candidate: Tree) -> _Tally:
        return replace(self, attempts=self.attempts + 1, in_a_row=0, successes=self.successes + 1)
