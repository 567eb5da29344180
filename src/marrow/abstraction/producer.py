"""New inputs from a pattern: every part that varies is filled anew, groups as one.

The samples are drawn as the search drew those that it verified the pattern with, so the bound that
the pattern states holds for them. Each input is another text, none is the pattern's own, and each
belongs to the pattern as `recogniser` reads it: where a part runs into its neighbour (`+` and `+b`)
the text is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from marrow.abstraction.pattern import Pattern
from marrow.abstraction.pattern_language import fragments_of
from marrow.abstraction.recogniser import Recogniser
from marrow.abstraction.samples import BARREN_DRAWS, Sample
from marrow.abstraction.sampling import Sampler
from marrow.engine.search.sample_tester import SampleTester
from marrow.engine.verdict import Verdict


class Producer:
    """Produces inputs; the same seed gives the same ones."""

    def __init__(self, pattern: Pattern, seed: int = 0) -> None:
        self._pattern: Final = pattern
        material = fragments_of(pattern.language, pattern.tree)
        self._sampler: Final = Sampler.of(pattern, material, seed)
        self._recogniser: Final = Recogniser(pattern)
        #: Whether the inputs that were produced are all there are.
        self.exhausted = False

    def inputs(self, number: int) -> list[Sample]:
        """Return different inputs, small ones first; fewer than asked for if no more were found."""
        return sorted(
            islice(self._drawn(), number), key=lambda sample: (len(sample.text), sample.text)
        )

    def _drawn(self) -> Iterator[Sample]:
        holes = self._pattern.holes()
        if not holes:
            return
        # The search has labels of its own: these are other samples than those it saw.
        samples = self._sampler.joint(self._pattern.tree, holes, "produced")
        in_vain = 0
        for sample in samples:
            in_vain += 1
            if self._recogniser.match(sample.text):
                in_vain = 0
                yield sample
            elif in_vain > BARREN_DRAWS:
                return
        self.exhausted = samples.exhausted


@dataclass(frozen=True, slots=True)
class Verified:
    """The verdicts of a test on produced inputs, in their order."""

    verdicts: tuple[Verdict, ...]

    @property
    def valid(self) -> int:
        """The number of valid inputs."""
        return self.failing + self.verdicts.count(Verdict.NOT_INTERESTING)

    @property
    def failing(self) -> int:
        """The number of failing inputs."""
        return self.verdicts.count(Verdict.INTERESTING)

    @property
    def valid_share(self) -> float:
        """The share of valid inputs (Table 2, valid %)."""
        return self.valid / len(self.verdicts) if self.verdicts else 0.0

    @property
    def failing_share(self) -> float:
        """The share of the valid inputs that fail (Table 2, FI %)."""
        return self.failing / self.valid if self.valid else 0.0


def verify(samples: list[Sample], judge: SampleTester) -> Verified:
    """Ask the test about every sample."""
    return Verified(tuple(verdict for _, verdict in judge.verdicts(samples)))


#: In seconds, where nothing else is asked for: what `marrow` waits at least for one test.
_TIMEOUT: Final = 5.0
