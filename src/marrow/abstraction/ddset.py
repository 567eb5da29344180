"""DDSET: from a failing input to the pattern of all inputs that fail (Algorithm 4, from step 2 on).

"Abstracting Failure-Inducing Inputs", Gopinath, Kampmann, Havrikov, Soremekun, Zeller, ISSTA 2020.
Reducing the input first is up to the caller; the steps here are

- renaming: tokens of the same text that can be renamed together (`context`);
- abstraction: nodes that may be anything while the rest stays (`abstraction`);
- context-sensitive groups among the concrete nodes (`context`);
- isolation: everything varies at once until all samples fail (`isolation`).

Guarantee: every valid one of the last `checks` samples, in which everything varied at once, failed;
so at least 1 - 3/`checks` of the valid inputs that are produced in the same way fail, with 95%
confidence. Nothing is promised about generality. Worst case: n (2 QUICK + PATIENCE) tests to begin
with for n nodes of the tree, and for each of at most n nodes that turn out to be concrete later
2 `checks` + JOINT_PATIENCE samples and 2 n tests to find it.

Departures from the paper: few samples for a node alone, many for all nodes together; samples that
are likely to be valid inputs; nodes whose samples mostly are not become concrete early; a time-out
says nothing instead of passing. `naive` is the paper's procedure as it is printed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from marrow.abstraction.abstraction import THOROUGH, Abstraction, Board
from marrow.abstraction.checks import Checker
from marrow.abstraction.groups import Context
from marrow.abstraction.isolation import Isolation
from marrow.abstraction.naive import Naive
from marrow.abstraction.pattern import Evidence, Marked, Pattern
from marrow.abstraction.sampling import Sampler
from marrow.abstraction.visibility import PatternLanguage, fragments_of, visibility_of
from marrow.base.deadline import Deadline, OutOfTimeError, within
from marrow.engine.search.dispatcher import StopReductionError
from marrow.engine.search.sample_tester import SampleTester
from marrow.tree import ROOT, Place, Tree

#: As in the paper: ten instead of a hundred took one pattern from 100% to 72% failing.
CHECKS: Final = 100


@dataclass(frozen=True, slots=True)
class DDSetOptions:
    """Options of the search: `checks` is the number of samples of the pattern that must fail.

    `thorough` is how many of the samples near the input are tried for a node, at most.
    """

    checks: int = CHECKS
    seed: int = 0
    naive: bool = False
    thorough: int = THOROUGH


class DDSet:
    """Looks for the pattern of an input.

    `text` is the (reduced) input; `whole` the tree of the input before it was reduced, for its
    fragments. Raises `ParseError` if the text does not match the grammar, and `GrammarError` if the
    grammar cannot be used to generate texts.
    """

    def __init__(
        self,
        text: bytes,
        language: PatternLanguage,
        judge: SampleTester,
        options: DDSetOptions | None = None,
        whole: Tree | None = None,
    ) -> None:
        # A pattern is written with its grammar, and its tree must have the names of that text.
        self._language: Final = language.self_contained
        self._options: Final = options or DDSetOptions()
        self._tree: Final = self._language.parse(text)
        seen = None if self._options.naive else whole or self._tree
        material = fragments_of(self._language, seen)
        self._sampler: Final = Sampler(material, self._options.seed, seen, self._tree)
        self._visibility: Final = visibility_of(self._language)
        self._checker: Final = Checker(judge, self._sampler)
        self._board: Final = Board(self._tree)
        self._together: tuple[tuple[bytes | None, ...], ...] = ()
        self.interrupted = False

    def run(self) -> Pattern:
        """Look for the pattern; one that is stopped early says so, and is not verified."""
        try:
            joint = self._naive() if self._options.naive else self._practical()
        except (StopReductionError, OutOfTimeError) as reason:
            with within(Deadline(None)):  # what there is must not be lost
                return self._pattern(Evidence(), str(reason))
        except KeyboardInterrupt:
            self.interrupted = True
            return self._pattern(Evidence(), "interrupted")
        return self._pattern(joint)

    def nothing(self) -> Pattern:
        """Return the input itself as the pattern, with nothing that varies."""
        return self._pattern(Evidence())

    def _pattern(self, joint: Evidence, stopped: str = "") -> Pattern:
        return Pattern(
            tree=self._tree,
            marks=self._with_samples(),
            language=self._language,
            joint=joint,
            together=self._together,
            seed=self._options.seed,
            checks=self._options.checks,
            naive=self._options.naive,
            stopped=stopped,
        )

    def _practical(self) -> Evidence:
        shared = (self._board, self._checker, self._sampler, self._visibility)
        abstraction = Abstraction(*shared, self._options.thorough)
        context = Context(*shared)
        renamed = context.renamed()
        abstraction.below([ROOT], renamed)
        context.group()
        isolation = Isolation(self._board, self._checker, self._sampler, abstraction, context)
        joint = isolation.run(self._options.checks)
        self._together = isolation.together
        return joint

    def _naive(self) -> Evidence:
        shared = (self._board, self._checker, self._sampler, self._visibility)
        Naive(*shared, self._options.checks).run()
        return Evidence()

    def _with_samples(self) -> dict[Place, Marked]:
        """Return the marks, with texts that stood in the places of what varies."""
        marks = dict(self._board.marks)
        groups = 0
        holes = self._board.holes()
        variable = {place for hole in holes for place in hole.places}
        for hole in holes:
            samples = self._sampler.memory.failing_at(hole.places)
            invalid = self._sampler.memory.invalid_at(hole.places)
            groups += bool(hole.marked.group)
            # A piece of what varies is nothing to differ from.
            differs = tuple(
                one
                for one in hole.marked.differs
                if variable.isdisjoint(step for step in one.upwards() if step != one)
            )
            # Groups that were given up have left gaps in the numbers.
            for place in hole.places:
                marks[place] = replace(
                    marks[place],
                    group=groups if hole.marked.group else 0,
                    samples=samples,
                    invalid=invalid,
                    differs=differs,
                    passing=self._sampler.memory.passing_at(hole.places) if hole.new_name else (),
                )
        return marks
