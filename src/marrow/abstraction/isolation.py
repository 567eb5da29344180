"""Isolation of independent causes: everything that varies is varied at once (DDSET, Algorithm 2).

A node that may vary alone need not be free when others vary too: of three names any one may be
another, but two must be the same. The paper checks each abstract node again while the others vary.
Here all of them, context-sensitive groups included, vary in the same samples. If one passes, the
fewest changes are found that still make it pass: the nodes they change are to blame. They become
concrete, their children are looked at, and it all begins again, until the samples that were asked
for all fail. The same is done when too many samples are not valid inputs: what makes them so
becomes concrete. Every round makes nodes concrete that never become variable again, so it ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from math import prod
from typing import Final

from marrow.abstraction.abstraction import Abstraction, Board, Search
from marrow.abstraction.checks import CheckResult, Demand
from marrow.abstraction.condition_search import ConditionSearch
from marrow.abstraction.groups import Context
from marrow.abstraction.hole_rules import MOST_TWINS, twin_of
from marrow.abstraction.pattern import Evidence, Hole
from marrow.abstraction.samples import Fill, Sample
from marrow.engine.verdict import Verdict
from marrow.tree import Place
from marrow.tree.node import render

#: How many unresolved samples are borne while everything varies, and how many more for each valid
#: one: so nine of ten samples of a pattern are valid inputs.
JOINT_PATIENCE: Final = 4
JOINT_LENIENCY: Final = 0.08

#: How often a hole may be to blame for invalid samples before it becomes concrete. At first it only
#: gets texts that are known to be valid there, if enough of them are known.
_BLAMES: Final = 2
_LEAST_KNOWN: Final = 4

#: What is known of each hole alone must promise at least this share of valid samples.
_LEAST_VALID: Final = 0.75


class Isolation(Search):
    """Verifies a pattern as a whole."""

    def __init__(
        self, board: Board, abstraction: Abstraction, context: Context, conditions: ConditionSearch
    ) -> None:
        super().__init__(board)
        self._conditions: Final = conditions
        self._abstraction: Final = abstraction
        self._context: Final = context
        self._few = Sample(b"", ())
        #: The texts of each hole in the failing samples of the last check.
        self.together: tuple[tuple[bytes | None, ...], ...] = ()

    def run(self, checks: int) -> Evidence:
        """Verify until nothing is to blame; return what the last samples showed."""
        blames: Counter[tuple[Place, ...]] = Counter()
        for number in count():
            holes = self._likely()
            if not holes:
                break
            self._checker.judge.phase("varying everything at once", checks)
            samples = self._sampler.joint(self._board.tree, holes, f"joint/{number}")
            finding = self._checker.check(samples, Demand(checks, JOINT_PATIENCE, JOINT_LENIENCY))
            if finding.holds:
                self._board.credit(holes, finding)
                known = (
                    {one.places: render((one.node,)) for one in sample.fills}
                    for sample in finding.failing
                )
                self.together = tuple(
                    tuple(texts.get(hole.places) for hole in holes) for texts in known
                )
                return finding.evidence
            self._checker.judge.phase("looking for what is to blame")
            if finding.passing is not None:
                self._few = self._fewest(finding.passing, Verdict.NOT_INTERESTING)
                if self._told_apart(holes, self._few) or self._refined(holes, self._few):
                    continue
            blamed, evidence = self._to_blame(holes, finding)
            if not evidence.passing and blamed:
                blames[blamed[0].places] += 1
                if self._tamed(blamed[0], blames[blamed[0].places]):
                    continue
            others = [hole for hole in _holes_of(self._few, holes) if hole not in blamed]
            careful = not evidence.passing
            self._make_concrete(blamed, evidence, [] if careful else others, careful=careful)
        return Evidence()

    def _tamed(self, hole: Hole, blames: int) -> bool:
        """Let a hole have little but texts that are known to be valid there, if that may help."""
        known = len(self._sampler.memory.failing.get(hole.places, ()))
        if blames > _BLAMES or known < _LEAST_KNOWN:
            return False
        validity = hole.marked.validity / 4
        self._board.change(hole, partial(replace, validity=validity))
        return True

    def _likely(self) -> list[Hole]:
        """Return what varies, without that which would leave too few samples valid.

        What is known of each hole alone says so without a test.
        """
        while True:
            holes = self._board.holes()
            chances = {hole.places: self._sampler.validity(hole) for hole in holes}
            if prod(chances.values()) >= _LEAST_VALID:
                return holes
            worst = min(holes, key=lambda hole: chances[hole.places])
            evidence = worst.marked.evidence
            reason = f"only {evidence.valid} of {evidence.samples} samples were valid inputs"
            self._make_concrete([worst], Evidence(reason=reason), [], careful=True)

    def _to_blame(self, holes: Sequence[Hole], finding: CheckResult) -> tuple[list[Hole], Evidence]:
        """Return the holes that must not vary, and why."""
        if finding.passing is not None:
            few = self._few
            blamed = _holes_of(few, holes)
            reason = "with another text the input passes"
            if len(blamed) > 1:
                names = ", ".join(dict.fromkeys(f"<{one.marked.name}>" for one in blamed))
                reason += f", if all of {names} are changed at once"
            # Each of these changes is needed for the input to pass: it is enough that one of them
            # cannot be made any more. A group goes only if nothing else can.
            single = [one for one in blamed if not one.marked.group] or blamed[-1:]
            smallest = min(single, key=lambda one: self._board.node(one.places[0]).token_count)
            return [smallest], Evidence(passing=1, counterexample=few.text, reason=reason)
        counts: Counter[tuple[Place, ...]] = Counter()
        for sample in finding.unresolved:
            few = self._fewest(sample, Verdict.UNRESOLVED, Verdict.TIMEOUT)
            self._sampler.memory.learn_invalid(few.fills)
            counts.update(one.places for one in few.fills)
        # Where none is known (no sample at all could be read), the last hole: any will do.
        none = not finding.evidence.samples
        worst = max(
            holes,
            key=lambda hole: (
                counts[hole.places],
                none and bool(hole.marked.conditions),
                hole.places[0].path(),
            ),
        )
        evidence = finding.evidence
        reason = (
            f"only {evidence.valid} of {evidence.samples} samples were valid inputs when "
            "everything varied, mostly for this"
        )
        return [worst], replace(evidence, failing=0, reason=reason)

    def _told_apart(self, holes: Sequence[Hole], few: Sample) -> bool:
        """Mark a hole that must differ from another place, if the input passes otherwise."""
        tree = self._board.tree
        after = self._sampler.filled(tree, few.fills)
        places = {place for hole in holes for place in hole.places}
        for hole in reversed(_holes_of(few, holes)):
            differs = hole.marked.differs
            twin = twin_of(tree, after, hole.places, places)
            if twin is None or len(differs) == MOST_TWINS or twin in differs:
                continue
            if self._checker.fails_with_another(few, tree, twin):
                marked = partial(replace, differs=(*differs, twin), alike=few.text)
                self._board.change(hole, marked)
                return True
        return False

    def _refined(self, holes: Sequence[Hole], few: Sample) -> bool:
        """Let a part that has conditions, or is a group, have others than an odd text."""
        blamed = _holes_of(few, holes)
        if len(blamed) != 1 or not (blamed[0].marked.conditions or blamed[0].marked.group):
            return False
        return self._conditions.refined(blamed[0], few.fills[0].node)

    def _fewest(self, sample: Sample, *wanted: Verdict) -> Sample:
        """Return a sample with no more changes than it needs to get one of some verdicts.

        Leaves out halves, quarters and so on to single changes, as ddmin does with complements.
        """
        size = len(sample.fills) // 2
        while size:
            smaller = self._checker.first(self._without(sample, size), *wanted)
            if smaller is not None:
                sample = smaller
                size = min(size, len(sample.fills) // 2)
            else:
                size //= 2
        return sample

    def _without(self, sample: Sample, size: int) -> Iterator[Sample]:
        """Yield a sample without each run of this length among its changes.

        A new name must not meet an old one that is there again, nor a part what it must not be.
        """
        fills: tuple[Fill, ...] = sample.fills
        for start in range(0, len(fills), size):
            left = fills[:start] + fills[start + size :]
            if left and self._sampler.fit_together(self._board.tree, left, self._board.holes()):
                yield self._sampler.fill(self._board.tree, left)

    def _make_concrete(
        self, holes: Sequence[Hole], evidence: Evidence, others: Sequence[Hole], *, careful: bool
    ) -> None:
        for hole in holes:
            self._board.concrete(hole.places, evidence)
        for hole in holes:
            if hole.marked.group:
                self._context.ban(hole.places)
                continue  # what is below was looked at before the group was made
            # The others that are to blame vary: what is below must hold with them.
            self._abstraction.narrow(hole, others, careful=careful)
            children = self._abstraction.children(hole.places[0])
            self._abstraction.below(children, others=others, careful=careful)
        self._context.group()


def _holes_of(sample: Sample, holes: Sequence[Hole]) -> list[Hole]:
    places = {one.places for one in sample.fills}
    return [hole for hole in holes if hole.places in places]
