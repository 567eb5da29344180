"""The files of a result: what is kept of those that it would write over."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from marrow.engine.journal.journal import Journal, digest
from marrow.engine.verdict import Verdict
from marrow.run.output.output_directory import OutputDirectory, output_for
from marrow.run.output.output_file import OutputError, OutputFile
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
        if output.read() != plan.source.text:  # the first tests have changed or removed it
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


def settle_pretty(plan: Plan, text: bytes, path: Path, say: Callable[[str], None]) -> None:
    """Write the readable copy of a result again if a test removed or changed it."""
    if path.is_symlink():
        say(f"warning: something replaced {path} by a link while the test ran")
        return
    try:
        if wrong := output_for(plan.source, path).settle(text):
            say(f"warning: something {wrong} {path} while the test ran; it is written again")
    except OutputError as error:
        say(f"warning: {str(error).partition(chr(10))[0]}")
