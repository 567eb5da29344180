"""Checks: what a stream of samples says about a node, decided in the order of the stream.

A check ends at the first sample that passes (a counter-example), when enough samples fail, when
there are no more, or early, when samples turn out to be invalid inputs more often than not: nothing
can be learned at a fair price then.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from marrow.abstraction.pattern import Evidence
from marrow.abstraction.samples import Sample, Samples
from marrow.abstraction.sampling import Sampler
from marrow.engine.search.sample_tester import SampleTester
from marrow.engine.verdict import Verdict
from marrow.tree import Place, Tree

#: Samples that must fail before a node counts as variable, unless there are no others: one may be
#: chance.
_LEAST_FAILING: Final = 2


@dataclass(frozen=True, slots=True)
class Demand:
    """When a check is over: `failing` samples fail, or too many are unresolved.

    Too many are more than `patience`, and `leniency` more for every valid sample. At least so many
    as `tried` says are tried, valid or not. `strict` takes a time-out for a sample that passes, as
    the paper does.
    """

    failing: int
    patience: int
    leniency: float = 1.0
    strict: bool = False
    tried: int = 0

    def met(self, failing: int, said_nothing: int) -> bool:
        """Whether enough samples failed."""
        return failing >= self.failing and failing + said_nothing >= self.tried

    def too_many(self, unresolved: int, valid: int) -> bool:
        """Whether there are too many unresolved samples to continue."""
        return unresolved > self.patience + self.leniency * valid


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check: `holds` if every valid sample failed and there were enough of them.

    `failing` are the samples that failed, `passing` is the one that passed, `unresolved` the first
    ones that said nothing.
    """

    holds: bool
    evidence: Evidence
    failing: tuple[Sample, ...] = ()
    passing: Sample | None = None
    unresolved: tuple[Sample, ...] = ()


#: How many other texts are tried in the place of a part that another one may have to differ from.
_OTHERS: Final = 6

#: How many unresolved samples are kept, to look for their cause.
_KEPT: Final = 6


class Checker:
    """Runs checks."""

    def __init__(self, judge: SampleTester, sampler: Sampler) -> None:
        self.judge: Final = judge
        self._sampler: Final = sampler
        #: How many samples passed.
        self.passing = 0

    def check(self, samples: Samples, demand: Demand) -> CheckResult:
        """Test samples until the answer is clear."""
        tally: dict[Verdict, list[Sample]] = {verdict: [] for verdict in Verdict}
        failing, passing = tally[Verdict.INTERESTING], tally[Verdict.NOT_INTERESTING]
        unresolved, late = tally[Verdict.UNRESOLVED], tally[Verdict.TIMEOUT]
        ended = True
        with closing(self.judge.verdicts(samples)) as verdicts:
            for sample, verdict in verdicts:
                tally[verdict].append(sample)
                if verdict is Verdict.TIMEOUT and demand.strict:
                    passing.append(late.pop())
                said_nothing = len(unresolved) + len(late)
                if (
                    passing
                    or demand.met(len(failing), said_nothing)
                    or demand.too_many(said_nothing, len(failing))
                ):
                    ended = False
                    break
        # Only now: what is learned must not change samples that are drawn ahead of their turn.
        for sample in failing:
            self._sampler.memory.learn(sample.fills, fails=True)
        for sample in passing:
            self._sampler.memory.learn(sample.fills, fails=False)
        for sample in unresolved:
            if len(sample.fills) == 1:
                self._sampler.memory.learn_invalid(sample.fills)
        exhaustive = ended and samples.exhausted
        enough = demand.met(len(failing), len(unresolved) + len(late)) or (
            ended and len(failing) >= (1 if exhaustive else _LEAST_FAILING)
        )
        self.passing += len(passing)
        evidence = Evidence(
            failing=len(failing),
            near=sum(sample.near for sample in failing),
            passing=len(passing),
            unresolved=len(unresolved),
            timeouts=len(late),
            exhaustive=exhaustive,
            counterexample=passing[0].text if passing else None,
        )
        return CheckResult(
            holds=enough and not passing,
            evidence=evidence,
            failing=tuple(failing),
            passing=passing[0] if passing else None,
            unresolved=tuple((unresolved + late)[:_KEPT]),
        )

    def fails_with_another(self, sample: Sample, tree: Tree, place: Place) -> bool:
        """Whether a sample that passes fails once one more place has another text.

        Then its own text is not what lets it pass, but that the same one is there.
        """
        others = self._sampler.with_another(tree, sample.fills, place, _OTHERS)
        return self.first(others, Verdict.INTERESTING) is not None

    def first(self, candidates: Iterable[Sample], *wanted: Verdict) -> Sample | None:
        """Return the first candidate whose verdict is wanted."""
        with closing(self.judge.verdicts(candidates)) as verdicts:
            return next((one for one, verdict in verdicts if verdict in wanted), None)

    def verdicts(self, samples: Iterable[Sample]) -> list[Verdict]:
        """Return the verdicts on all samples, and remember what they show."""
        with closing(self.judge.verdicts(samples)) as verdicts:
            found = list(verdicts)
        for sample, verdict in found:
            if verdict is Verdict.INTERESTING:
                self._sampler.memory.learn(sample.fills, fails=True)
            self.passing += verdict is Verdict.NOT_INTERESTING
        return [verdict for _, verdict in found]

    def until_one_passes(self, samples: Iterable[Sample], count: int) -> list[Verdict]:
        """Return verdicts up to the first that passes, or to so many that fail."""
        found: list[Verdict] = []
        with closing(self.judge.verdicts(samples)) as verdicts:
            for _, verdict in verdicts:
                found.append(verdict)
                failing = found.count(Verdict.INTERESTING)
                enough = failing >= count or len(found) - failing > count
                if verdict is Verdict.NOT_INTERESTING or enough:
                    break
        return found
