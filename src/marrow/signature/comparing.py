"""How two commands disagree: inferred from runs of both on the input."""

from __future__ import annotations

from collections.abc import Sequence

from marrow.diagnostics.observation import Observation, same_ending
from marrow.signature.differing import Differing, comparable
from marrow.signature.failing_command import KeepOptions
from marrow.signature.inference import infer_signature
from marrow.signature.refusals import UnclearFailureError, not_comparable
from marrow.signature.signature import Signature


def infer_differing(
    first: Sequence[Observation],
    second: Sequence[Observation],
    text: bytes,
    name: str,
    forbidden: tuple[str, ...] = (),
) -> Differing:
    """Return how two commands disagree, from runs of both on the input.

    Raises `UnclearFailureError` if they agree, or not always disagree in the same way.
    """
    for runs in (first, second):
        refusal = not_comparable(runs, KeepOptions())
        if refusal:
            raise UnclearFailureError(refusal)
    plain = [Signature(status=runs[0].status, forbidden=forbidden) for runs in (first, second)]
    if not same_ending(first[0].status, second[0].status):
        for at, runs in enumerate((first, second)):
            found = infer_signature(runs, text, name, wanted=KeepOptions(forbidden=forbidden))
            if runs[0].status != 0 and found.signatures:
                plain[at] = found.signatures[0]
        return Differing((plain[0], plain[1]))
    outputs = []
    for words, runs in (("the first command", first), ("the second command", second)):
        seen = {comparable(run.stdout, name) for run in runs}
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
    return Differing((plain[0], plain[1]))
