"""Two commands that should agree and do not: what to keep of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from marrow.diagnostics.observation import Observation, same_ending
from marrow.diagnostics.texts import InputText, lines_of
from marrow.signature.signature import Judgement, Signature
from marrow.signature.template import template_of


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The endings of two commands and, if these are the same, that their outputs differ.

    That both end as on the input is the guard against candidates that one of them merely rejects;
    so where only one of them fails, its failure is kept as it is for a command alone.
    """

    each: tuple[Signature, Signature]

    @property
    def outputs_differ(self) -> bool:
        """Whether it takes the outputs to tell the two commands apart."""
        return same_ending(self.each[0].status, self.each[1].status)

    @property
    def sentence(self) -> str:
        """Say in one sentence what is kept."""
        ways = [one.sentence.removeprefix("the command ") for one in self.each]
        if self.outputs_differ:
            return f"each command {ways[0]}, and their standard outputs differ"
        return f"the first command {ways[0]}; the second {ways[1]}"

    @property
    def evidence(self) -> tuple[str, ...]:
        """Return the lines of the outputs that it was made from."""
        return self.each[0].evidence + self.each[1].evidence

    def judge_all(self, seen: Sequence[Observation], candidate: bytes, name: str = "") -> Judgement:
        """Return whether the two commands still disagree so on a candidate."""
        label = ""
        for wanted, one, words in zip(self.each, seen, ("first", "second"), strict=False):
            judged = wanted.judge(one, candidate, name)
            label = label or judged.label
            if not judged.matches:
                return Judgement(False, f"the {words} command: {judged.why}", label)
        if len(seen) < 2:
            return Judgement(False, "the second command did not end in time", label)
        if self.outputs_differ and seen[0].stdout == seen[1].stdout:
            return Judgement(False, "the outputs are the same", label)
        return Judgement(True, "", label or "the outputs differ")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"each": [one.to_dict() for one in self.each]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Disagreement:
        """Return what was written."""
        first, second = map(Signature.from_dict, data["each"])
        return cls((first, second))


def comparable(output: bytes, name: str) -> tuple[str, ...]:
    """Return an output without what varies with the directory that a command runs in."""
    nothing = InputText(b"", name)
    return tuple(
        str(template_of(line, nothing)) if "/" in line else line for line in lines_of(output)
    )
