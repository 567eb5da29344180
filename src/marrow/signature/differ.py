"""Two commands that should agree and do not: what to keep of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from marrow.signature.infer import Kept, UnclearFailureError, failure, same_status
from marrow.signature.masking import line_pattern
from marrow.signature.observation import Observation

_NAMES = ("the first command", "the second command")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The endings of two commands and, if these are the same, that their outputs differ.

    That both end as on the input is the guard against candidates that one of them merely rejects;
    so where only one of them fails, its failure is kept as it is for a command alone.
    """

    each: tuple[Kept, Kept]
    forbidden: tuple[str, ...] = ()

    @property
    def outputs_differ(self) -> bool:
        """Whether it takes the outputs to tell the two commands apart."""
        return self.each[0].status == self.each[1].status

    def sentence(self) -> str:
        """Say in one sentence what is kept."""
        ways = [kept.ways() for kept in self.each]
        if self.outputs_differ:
            said = f"each command {ways[0]} and their standard outputs differ"
        else:
            said = f"the first command {ways[0]}; the second {ways[1]}"
        for pattern in self.forbidden:
            said += f", neither prints anything like /{pattern}/"
        return said


def disagreement(
    first: Sequence[Observation],
    second: Sequence[Observation],
    name: str,
    text: bytes,
    forbidden: tuple[str, ...] = (),
) -> Disagreement:
    """Return how two commands disagree, from runs of both on the input.

    Raises `UnclearFailureError` if they agree, or not always disagree in the same way.
    """
    statuses = same_status(first), same_status(second)
    if statuses[0] != statuses[1]:
        alone = [
            failure(runs, status, name, text) if status else Kept(status)
            for runs, status in zip((first, second), statuses, strict=True)
        ]
        return Disagreement((alone[0], alone[1]), forbidden)
    outputs = []
    for words, runs in zip(_NAMES, (first, second), strict=True):
        seen = {_comparable(run.stdout, name) for run in runs}
        if len(seen) > 1:
            raise UnclearFailureError(
                f"the output of {words} is not the same every time\n"
                "Filter what varies out of it, for example: "
                "-- sh -c 'COMMAND \"$1\" | grep -v TIME' sh {}"
            )
        outputs.append(seen.pop())
    if outputs[0] == outputs[1]:
        raise UnclearFailureError(
            "the two commands agree on the input: the same exit status and the same standard "
            "output\nCheck both commands by hand; what they print on standard error is not "
            "compared."
        )
    return Disagreement((Kept(statuses[0]), Kept(statuses[1])), forbidden)


def _comparable(output: bytes, name: str) -> tuple[str, ...]:
    """Return an output without what varies with the directory that a command runs in."""
    lines = output.decode("utf-8", "surrogateescape").splitlines()
    return tuple(line_pattern(line, name) if "/" in line else line for line in lines)
