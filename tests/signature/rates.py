"""How good the inference is on the golden corpus: failures kept, failures told apart."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from marrow.diagnostics.observation import Observation
from marrow.signature.controls import ControlRun
from marrow.signature.inference import Inference, infer_signature
from marrow.signature.signature import Judgement, Signature
from tests.signature.golden import Entry, Seen, Variant, others

#: Is told what a signature says of a run on a variant.
Judged: TypeAlias = Callable[[Signature, Observation, Variant, Judgement], None]


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    good: int = 0
    of: int = 0

    def __add__(self, other: Share) -> Share:
        return Share(self.good + other.good, self.of + other.of)

    def __str__(self) -> str:
        return f"{self.good}/{self.of}"

    @property
    def rate(self) -> float:
        """Return the share as a number up to 1; that of nothing is 1."""
        return self.good / self.of if self.of else 1.0


@dataclass(frozen=True, slots=True)
class Score:
    """How entries fared; `wrong` says in words which verdicts were wrong."""

    entries: int = 0
    refused: int = 0
    kept: Share = field(default_factory=Share)
    others: Share = field(default_factory=Share)
    controls: Share = field(default_factory=Share)
    wrong: tuple[str, ...] = ()

    def __add__(self, other: Score) -> Score:
        return Score(
            self.entries + other.entries,
            self.refused + other.refused,
            self.kept + other.kept,
            self.others + other.others,
            self.controls + other.controls,
            self.wrong + other.wrong,
        )

    @property
    def told_apart(self) -> Share:
        """Return how many of the other failures and of the controls were refused."""
        return self.others + self.controls


def _not_asked(*_: object) -> None:
    """Do nothing."""


def verdicts(entry: Entry, siblings: list[Entry]) -> Iterator[tuple[Variant, Seen, bool]]:
    """Yield what to ask about, what the tool did there, and whether it is the same failure.

    A control that shows the failure all the same counts as a harmless change.
    """
    for variant in entry.variants():
        if variant.role != "run":
            right = variant.role == "harmless" or variant.what in entry.same
            yield variant, entry.recorded[variant.name], right
    for variant, seen in others(entry, siblings):
        yield variant, seen, False


def score(entry: Entry, siblings: list[Entry], judged: Judged = _not_asked) -> Score:
    """Ask the inference about every change of an entry; `judged` is told what it says."""
    inference = inferred_signature(entry)
    result = Score(entries=1)
    if inference.refusal:
        refusal = inference.refusal.partition("\n")[0]
        result += Score(refused=1, wrong=(f"{entry.path.stem}: refused: {refusal}",))
    for variant, seen, right in verdicts(entry, siblings):
        good = False
        if not inference.refusal:
            kept, run = inference.best, observation_of(seen)
            said = kept.judge(run, variant.text, variant.file)
            judged(kept, run, variant, said)
            good = said.matches == right
        share = Share(int(good), 1)
        wrong = (
            () if good else (f"{entry.path.stem}: {'lost' if right else 'taken'}: {variant.name}",)
        )
        if right:
            result += Score(kept=share, wrong=wrong)
        elif variant.role == "other":
            result += Score(others=share, wrong=wrong)
        else:
            result += Score(controls=share, wrong=wrong)
    return result


def inferred_signature(entry: Entry) -> Inference:
    """Return what marrow infers for an entry."""
    runs = [entry.recorded[name] for name in entry.recorded if name.startswith("run: ")]
    controls = [
        ControlRun(variant.what, variant.text, observation_of(entry.recorded[variant.name]))
        for variant in entry.variants()
        if variant.role == "control"
    ]
    return infer_signature(
        [observation_of(run) for run in runs],
        entry.text,
        entry.tool.file,
        controls=controls,
        command=entry.tool.command,
    )


def observation_of(seen: Seen) -> Observation:
    """Return what was recorded as an observation."""
    way, _, what = seen.ended.partition(" ")
    if way == "signal":
        return Observation(-signal.Signals[f"SIG{what}"], seen.stdout, seen.stderr)
    return Observation(seen.status, seen.stdout, seen.stderr)
