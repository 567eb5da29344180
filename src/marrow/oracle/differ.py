"""Two commands that should agree and do not: what to keep of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from marrow.oracle.infer import UnclearFailureError, same_status, status_words
from marrow.oracle.masking import line_pattern
from marrow.oracle.observation import Observation

_NAMES = ("the first command", "the second command")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How each of two commands ends, and, where that is the same, that their outputs differ.

    That both end as on the input is the guard against candidates that one of them merely rejects.
    """

    statuses: tuple[int, int]
    forbidden: tuple[str, ...] = ()

    @property
    def outputs_differ(self) -> bool:
        """Whether it takes the outputs to tell the two commands apart."""
        return self.statuses[0] == self.statuses[1]

    def sentence(self) -> str:
        """Say in one sentence what is kept."""
        ways = [status_words(status) for status in self.statuses]
        if self.outputs_differ:
            said = f"each command {ways[0]} and their standard outputs differ"
        else:
            said = f"the first command {ways[0]} and the second {ways[1]}"
        for pattern in self.forbidden:
            said += f", neither prints anything like /{pattern}/"
        return said


def disagreement(
    first: Sequence[Observation],
    second: Sequence[Observation],
    name: str,
    forbidden: tuple[str, ...] = (),
) -> Disagreement:
    """Return how two commands disagree, from runs of both on the input.

    Raises `UnclearFailureError` if they agree, or not always disagree in the same way.
    """
    found = Disagreement((same_status(first), same_status(second)), forbidden)
    if not found.outputs_differ:
        return found
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
    return found


def _comparable(output: bytes, name: str) -> tuple[str, ...]:
    """Return an output without what varies with the directory that a command runs in."""
    lines = output.decode("utf-8", "surrogateescape").splitlines()
    return tuple(line_pattern(line, name) if "/" in line else line for line in lines)
