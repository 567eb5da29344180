"""How good the inference is on the golden corpus: failures kept, failures told apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from marrow.signature.infer import Kept, UnclearFailureError, infer
from marrow.signature.observation import Observation, Wanted
from tests.signature.golden import Entry, Seen, Variant, others

#: Says whether a run on an input shows the failure.
Judge: TypeAlias = Callable[[Seen, bytes], bool]


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


def score(entry: Entry, siblings: list[Entry]) -> Score:
    """Ask the inference about every change of an entry."""
    judge = inferred(entry)
    result = Score(entries=1)
    if isinstance(judge, str):
        result += Score(refused=1, wrong=(f"{entry.path.stem}: refused: {judge}",))
    for variant, seen, right in verdicts(entry, siblings):
        good = not isinstance(judge, str) and judge(seen, variant.text) == right
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


def inferred(entry: Entry) -> Judge | str:
    """Return what marrow would ask of candidates, or why it would not start.

    It does not start either where the empty file would do.
    """
    runs = [entry.recorded[name] for name in entry.recorded if name.startswith("run: ")]
    try:
        kept = infer([_observation(run) for run in runs], entry.tool.file, entry.text, Wanted())
    except UnclearFailureError as error:
        return str(error).partition("\n")[0]
    empty = "control: the empty file"
    if "the empty file" not in entry.same and shows(kept, entry.recorded[empty]):
        return f"the empty file does: {kept.sentence()}"
    return lambda seen, _: shows(kept, seen)


def shows(kept: Kept, seen: Seen) -> bool:
    """Return whether a run shows what is kept, as the script that marrow writes decides it."""
    if kept.status is not None and seen.status != kept.status:
        return False
    wanted = ((kept.stderr, seen.stderr), (kept.stdout, seen.stdout))
    return all(_has(output, pattern) for patterns, output in wanted for pattern in patterns)


def _has(output: bytes, pattern: str) -> bool:
    """Return whether a line matches, as `grep -E` in the C locale says."""
    search = re.compile(pattern.encode("utf-8", "surrogateescape"))
    return any(search.search(line) for line in output.split(b"\n"))


def _observation(seen: Seen) -> Observation:
    return Observation(seen.status, seen.stdout, seen.stderr)
