"""What a command uses, kept in place of a failure: time of the processor, memory, or its output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from marrow.base.errors import error_text
from marrow.diagnostics.observation import Observation
from marrow.signature.refusals import UnclearFailureError
from marrow.signature.signature import Judgement

# A candidate must use more than is asked for by this share, or by twice the noise of the input's
# runs, as far as the input itself does: the result is then above it on a quieter machine, too.
_MARGIN: Final = 0.05
_LARGEST_MARGIN: Final = 0.5

# The share of the input's ratio to the baseline that a candidate keeps.
_RATIO_KEPT: Final = 0.5

# A baseline takes no less than this: shorter times are the start of a process.
_MOMENT: Final = 0.01

_UNITS: Final = {"time": (1.0, "s of the processor"), "memory": (1e6, "MB of memory"),
                 "output": (1e3, "kB of output")}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ResourceUse:
    """A command uses more than `least` of a resource; `ratio` times as much as its baseline."""

    resource: str
    least: float
    ratio: float = 0.0
    evidence: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Say in one sentence what is kept."""
        more = f", and {self.ratio:.3g} times as much as the baseline" if self.ratio else ""
        return f"the command takes more than {self._words(self.least)}{more}"

    def _words(self, amount: float) -> str:
        unit, name = _UNITS[self.resource]
        shown = f"{amount / unit:,.0f}" if amount >= 100 * unit else f"{amount / unit:.3g}"
        return f"{shown} {name}"

    def of(self, seen: Observation) -> float:
        """Return how much a run used."""
        return {"time": seen.processor, "memory": seen.memory, "output": seen.written}[
            self.resource
        ]

    def judge_all(self, seen: Sequence[Observation], candidate: bytes, name: str = "") -> Judgement:
        """Return whether the command still uses as much on a candidate."""
        del candidate, name
        used = self.of(seen[0])
        if used < self.least:
            return Judgement(False, f"it takes {self._words(used)}", "")
        if self.ratio:
            if len(seen) < 2 or seen[1].status != 0:
                return Judgement(False, "the baseline fails, or was not reached in time", "")
            if used < self.ratio * self._base(seen[1]):
                return Judgement(False, "the baseline takes as much", "")
        return Judgement(True, "", "")

    def _base(self, seen: Observation) -> float:
        return max(self.of(seen), _MOMENT if self.resource == "time" else 1.0)

    def seen_in(
        self, runs: Sequence[Observation], baseline: Sequence[Observation] = ()
    ) -> ResourceUse:
        """Return what to keep, by runs on the input.

        Raises `UnclearFailureError` if the input does not use as much, or the baseline fails.
        """
        used = [self.of(one) for one in runs]
        if max(used) < self.least:
            words = {"used": self._words(max(used)), "least": self._words(self.least)}
            raise UnclearFailureError(error_text("uses_too_little", **words))
        bad = next((one for one in baseline if one.status != 0), None)
        if bad is not None:
            raise UnclearFailureError(error_text("baseline_fails", status=bad.status))
        noise = (max(used) - min(used)) / max(used)
        margin = 1.0 + min(_LARGEST_MARGIN, max(_MARGIN, 2.0 * noise))
        least = max(self.least, min(self.least * margin, min(used) / (1.0 + noise)))
        ratio = 0.0
        if baseline:
            ratio = max(1.0, _RATIO_KEPT * min(used) / max(map(self._base, baseline)))
        said = f"on the input it takes {', '.join(map(self._words, used[:3]))}"
        return ResourceUse(self.resource, least, ratio, (said,))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ResourceUse:
        """Return what was written."""
        evidence = tuple(data["evidence"])
        return cls(data["resource"], float(data["least"]), float(data["ratio"]), evidence)
