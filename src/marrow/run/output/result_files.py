"""The files of a result: what is kept of those that it would write over."""

from __future__ import annotations

import os
from collections.abc import Callable

from marrow.engine.journal.journal import Journal, digest
from marrow.engine.verdict import Verdict
from marrow.run.output.output_directory import OutputDirectory
from marrow.run.output.output_file import OutputFile
from marrow.run.plan.plan import Plan


def prepare(
    output: OutputFile | OutputDirectory,
    plan: Plan,
    journal: Journal,
    say: Callable[[str], None],
) -> bytes | None:
    """Keep what the result would write over; return the best of a run that is resumed."""
    if plan.resume:
        known = output.read()
        if known is not None and journal.get(digest(known)) is Verdict.INTERESTING:
            return known
    elif plan.in_place:
        if not os.path.lexists(output.path):  # the first tests have removed it
            output.write(plan.source.text)
        say(f"the original is kept as {output.keep_original()}")
        output.write(plan.source.text)
        return None
    if (old := output.keep_old()) is not None:
        say(f"note: {output.path} existed already; it is kept as {old}")
    output.write(plan.source.text)
    return None


def keep_left(
    output: OutputFile | OutputDirectory,
    left: bytes | None,
    text: bytes,
    say: Callable[[str], None],
) -> None:
    """Keep a smaller text that somebody went back from, beside the result."""
    if left is not None and len(left) < len(text):
        output.write(left)
        say(f"note: the smaller result that you went back from is {output.keep_old()}")
