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

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from marrow.abstraction.abstraction import (
    THOROUGH,
    Abstraction,
    Board,
    Search,
    explained,
    shown_mark,
)
from marrow.abstraction.checks import Checker, CheckResult, Demand
from marrow.abstraction.condition_search import ConditionSearch
from marrow.abstraction.contexts import ContextSearch
from marrow.abstraction.groups import Context, concrete_nodes
from marrow.abstraction.isolation import Isolation
from marrow.abstraction.pattern import Evidence, Hole, Mark, Marked, Pattern
from marrow.abstraction.pattern_language import PatternLanguage, fragments_of, visibility_of
from marrow.abstraction.sampling import Sampler
from marrow.base.deadline import Deadline, OutOfTimeError, within
from marrow.engine.search.dispatcher import StopReductionError
from marrow.engine.search.sample_tester import SampleTester
from marrow.tree import ROOT, Place, Token, Tree
from marrow.tree.node import render

# Samples that are drawn for each that must fail: invalid ones do not count.
_TRIES: Final = 10


class _Value(NamedTuple):
    """A path with its status, as in the listing: unchecked until it was abstract once."""

    place: Place
    unchecked: bool


class Naive(Search):
    """The paper's procedure as it is printed (`--naive`), for comparison: Algorithms 2 and 3.

    Each node is checked by `checks` samples that the grammar alone generates, and each abstract one
    again while the others vary; a text that is drawn twice counts twice, and a time-out passes. The
    paper does not say when it gives up on a node for which no valid input is found; here it is
    after ten times as many unresolved samples as there are checks.
    Worst case: 11 * `checks` samples for each node, each time it is looked at.
    """

    def __init__(self, board: Board, checks: int) -> None:
        super().__init__(board)
        self._demand: Final = Demand(checks, _TRIES * checks, 0, strict=True)
        self._number = 0

    def run(self) -> None:
        """Mark the nodes of the tree."""
        self._checker.judge.phase("abstraction and isolation, as printed")
        self._isolation()
        self._checker.judge.phase("context-sensitive nodes, as printed")
        self._context_sensitive()

    def _isolation(self) -> None:
        unverified = deque([_Value(ROOT, unchecked=True)])
        original: list[Place] = []
        while unverified:
            value = unverified.popleft()
            not_parents = [one for one in original if not _is_below(value.place, [one])]
            top = [one for one in not_parents if not _is_below(one, not_parents)]
            rest = [one.place for one in unverified if not _is_below(one.place, top)]
            unverified.extend(self._abstraction(value, [*rest, *top]))
            original.append(value.place)

    def _abstraction(self, value: _Value, others: list[Place]) -> list[_Value]:
        """Mark the nodes at and below a place; return the abstract ones that need verifying."""
        found: list[_Value] = []
        stack = [value]
        while stack:
            place, unchecked = stack.pop()
            node = self._board.node(place)
            if self._visibility.left_alone(node):
                continue
            if isinstance(node, Token) and self._visibility.lexical(node):
                continue
            if self._material.can_draw(self._board.tree, place):
                finding = self._check([(place,), *((one,) for one in others)])
                mark = shown_mark(node) if finding.holds else Mark.CONCRETE
                name = self._visibility.name(self._board.tree, place)
                self._board.mark([place], Marked(mark, name, evidence=explained(finding)))
                if finding.holds:
                    if unchecked:
                        found.append(_Value(place, unchecked=False))
                    continue
            if self._visibility.atomic(node):
                continue
            children = reversed(node.children)
            stack.extend(_Value(place.child(one.key), unchecked=True) for one in children)
        return found

    def _context_sensitive(self) -> None:
        similar: dict[tuple[str, bytes], list[Place]] = {}
        for place, node in concrete_nodes(self._board):
            text = render((node,))
            if (
                text
                and not self._visibility.lexical(node)
                and self._sampler.material.can_draw(self._board.tree, place)
            ):
                similar.setdefault((node.symbol, text), []).append(place)
        grouped: list[Place] = []
        for places in similar.values():
            if len(places) < 2:
                continue
            finding = self._check([tuple(places)])
            # What is below a group varies with it, and needs no mark of its own.
            new = [place for place in places if not _is_below(place, grouped)]
            if finding.holds and len(new) > 1:
                self._board.group(new, explained(finding), "")
                grouped += new

    def _check(self, groups: Sequence[tuple[Place, ...]]) -> CheckResult:
        """Let places vary together, each group as one."""
        self._number += 1
        holes = [
            Hole(places, self._board.node(places[0]).symbol, Marked(Mark.ABSTRACT, ""))
            for places in groups
        ]
        samples = self._sampler.joint(
            self._board.tree, holes, f"naive/{self._number}", repeats=True
        )
        return self._checker.check(samples, self._demand)


def _is_below(place: Place, others: Sequence[Place]) -> bool:
    """Whether a place is below one of some others."""
    return any(step in others for step in place.upwards() if step != place)


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
        checker, visibility = Checker(judge, self._sampler), visibility_of(self._language)
        self._board: Final = Board(
            self._tree, checker, self._sampler, visibility, self._language.parse
        )
        self._together: tuple[tuple[bytes | None, ...], ...] = ()
        self._core: Place | None = None
        self.interrupted = False

    def run(self) -> Pattern:
        """Look for the pattern; one that is stopped early says so, and is not verified."""
        try:
            if not self._options.naive:
                return self._pattern(self._practical())
            Naive(self._board, self._options.checks).run()
        except (StopReductionError, OutOfTimeError) as reason:
            with within(Deadline(None)):  # what there is must not be lost
                return self._pattern(Evidence(), str(reason))
        except KeyboardInterrupt:
            self.interrupted = True
            return self._pattern(Evidence(), "interrupted")
        return self.nothing()

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
            core=self._core,
            passing=self._board.checker.passing,
            seed=self._options.seed,
            checks=self._options.checks,
            naive=self._options.naive,
            stopped=stopped,
        )

    def _practical(self) -> Evidence:
        abstraction = Abstraction(self._board, self._options.thorough)
        context = Context(self._board)
        renamed = context.renamed()
        abstraction.below([ROOT], renamed)
        context.group()
        conditions = ConditionSearch(self._board)
        isolation = Isolation(self._board, abstraction, context, conditions)
        conditions.run()
        joint = isolation.run(self._options.checks)
        while conditions.run():
            joint = isolation.run(self._options.checks)
        self._together = isolation.together
        contexts = ContextSearch(self._board)
        contexts.open_lists()
        self._core = contexts.core()
        return joint

    def _with_samples(self) -> dict[Place, Marked]:
        """Return the marks, with texts that stood in the places of what varies."""
        marks = dict(self._board.marks)
        groups = 0
        holes = self._board.holes()
        variable = {place for hole in holes for place in hole.places}
        memory = self._sampler.memory
        for hole in holes:
            samples = self._sampler.known_at(hole)
            passing = tuple(sorted(memory.passing.get(hole.places, ()))) if hole.new_name else ()
            invalid = memory.invalid_at(hole.places)
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
                    passing=passing,
                )
        return marks
