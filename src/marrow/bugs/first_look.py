"""The first look at a target: is there anything to triage, or does it fail whatever it is given?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from marrow.bugs.failure_key import FailureKey
from marrow.bugs.target import Target
from marrow.run.plan.plan import Plan
from marrow.signature.failing_command import CANDIDATE, FailingCommand
from marrow.signature.refusals import UnclearFailureError

# Texts that have nothing to do with a crash file. A target that fails on all of them, in the way in
# which it fails on every file, does not fail because of the files.
_CONTROLS: Final = (b"", b"\n", b"a", b"0 1 2\n")


def check_controls(target: Target, plan: Plan) -> FailureKey | None:
    """Run the target on texts that should not fail; return the failure that all of them show.

    Raises `UnclearFailureError` if it ends on none of them.
    """
    found = target.observe_all(_CONTROLS)
    seen = [one for one in found if one is not None]
    if len(seen) < len(found):
        return None  # there is no time to find out
    if all(one.status is None for one in seen):
        raise UnclearFailureError(
            "the target does not end in time, not even on an empty file\n"
            f"It had {plan.timeout:g} s; allow more with ⟦timeout⟧. Does it wait for "
            f"something?{_hint(plan)}"
        )
    keys = [target.key_of(one, text) for one, text in zip(seen, _CONTROLS, strict=True)]
    tops = {key.top for key in keys if isinstance(key, FailureKey)}
    alike = len(tops) == 1 and all(isinstance(key, FailureKey) for key in keys)
    return next(iter(tops)) if alike else None


def check_files(shown: FailureKey | None, keys: Sequence[FailureKey], plan: Plan) -> None:
    """Raise `UnclearFailureError` if all files fail as everything does."""
    if shown is None or not keys or any(key.top != shown for key in keys):
        return
    raise UnclearFailureError(
        f"the target fails in the same way on everything, an empty file too: {shown.words}\n"
        f"Try it by hand on a file that should not fail.{_hint(plan)}"
    )


def _hint(plan: Plan) -> str:
    """Return the usual reason."""
    test = plan.test
    if isinstance(test, FailingCommand) and not any(CANDIDATE in word for word in test.words):
        return (
            "\nThe command has no {}: it gets the file on its standard input alone. If it needs a "
            "name, say where: -- ./target {}"
        )
    return ""
